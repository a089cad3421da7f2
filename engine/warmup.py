"""Compile the kernels that a game needs, at the very first start. `teresa warmup` compiles all others, too."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config.options import Options
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.searcher import Searcher
from engine.system.environment import has_extra, print_to_stderr
from movegen import Position
from movegen.compiler.cache import CACHE_VARIABLE, is_writable, version_folder
from perft.exits import ending_at_once

if TYPE_CHECKING:
    from engine.network.leaves import Halt, LeafBatch

Track = Callable[[list[str]], Iterable[str]]  # passes the names of the parts on, and may show the progress

_compiled_here: set[Path] = set()  # ready files of what this process has compiled, stored or not


def ensure_warm(track: Track = iter, report: Callable[[str], None] = print_to_stderr) -> None:
    """At the very first start: report it, and compile what a search needs. Call it before time counts."""
    with ending_at_once():
        if is_warm() or ready_file() in _compiled_here:
            return
        report("first start: the search is being compiled, which takes 20 to 60 seconds")
        if reason := not_kept():
            report(reason)
        compile_all(parts_of_games(), track)


def not_kept() -> str:
    """Why compiled kernels cannot be stored; empty if they can."""
    folder = ready_file().parent
    if is_writable(folder):
        return ""
    return f"{folder} cannot be written: each start compiles again, unless {CACHE_VARIABLE} names another folder"


def compile_all(parts: dict[str, Callable[[], object]], track: Track = iter) -> dict[str, float]:
    """Do each part of the work; -> CPU seconds of each."""
    seconds = {}
    for name in track(list(parts)):
        begin = time.process_time()
        parts[name]()
        seconds[name] = time.process_time() - begin
    _compiled_here.add(ready_file())
    with suppress(OSError):  # then the next start compiles again
        ready_file().touch()
    return seconds


def parts_of_games() -> dict[str, Callable[[], object]]:
    """What a game needs; with a network of others, where these can be used."""
    parts: dict[str, Callable[[], object]] = {"search": use_search_kernels, "report": use_report_kernels}
    return {**parts, "networks of others": use_network_kernels} if has_extra("lc0") else parts


def use_search_kernels() -> None:
    """Use every kernel that a game needs once: the rules by way of `Position`, and a short search."""
    small_search()


def use_report_kernels() -> None:
    """Use every kernel once that reads the tree for people, or shows them a position."""
    from engine.explain.explain import explain  # not before: the search is ready sooner
    from engine.explain.text import lines_of

    report = small_search().report()
    lines_of(explain(report))
    report.icicle()
    position = Position()
    _ = str(position), position.fen(), position.key, position.attackers("e1", "black")


class Uniform:
    """A network outside the kernels that knows nothing."""

    name, digest, history, batch, workers = "uniform", "", 1, 1, 1

    def evaluate(self, leaves: "LeafBatch", _halt: "Halt | None" = None) -> None:
        """Nobody is better, and no move."""
        leaves.values[:], leaves.draws[:], leaves.priors[:] = 0.5, 0.0, 1.0


def use_network_kernels() -> None:
    """Use every kernel once that a network outside the kernels needs."""
    from engine.mcts.queue import NetQueue, use_queue_kernels  # not before: most games do without
    from engine.network.weights_file import load_weights

    use_queue_kernels(NetQueue(Uniform()), load_weights().network)


def small_search() -> Searcher:
    """A small search that has ended."""
    settings = Options()
    settings.hash_megabytes = 1
    searcher = Searcher(settings, SilentListener())
    searcher.set_position(Position().play("e4"), None)
    searcher.go(Limits(nodes=100))
    searcher.wait()
    return searcher


def ready_file() -> Path:
    """A file in the cache that says that the kernels of the search are there."""
    return version_folder(Path(__file__).resolve().parent / "mcts") / "ready"


def is_warm() -> bool:
    """Are the kernels of the search in the cache?"""
    return ready_file().is_file()
