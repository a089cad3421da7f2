"""Compile the kernels that a game needs, at the very first start. `teresa warmup` compiles all others, too."""

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from engine.config.options import Options
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.searcher import Searcher
from movegen import Position
from movegen.compiler.cache import CACHE_VARIABLE, is_writable, version_folder
from perft.exits import ending_at_once

Track = Callable[[list[str]], Iterable[str]]  # passes the names of the parts on, and may show the progress

_compiled_here: set[Path] = set()  # ready files of what this process has compiled, stored or not


def print_to_stderr(text: str) -> None:
    """Print a line, for scripts and notebooks too; a program without a console has no standard error."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")


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
    """What a game needs."""
    return {"search": use_search_kernels, "report": use_report_kernels}


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
