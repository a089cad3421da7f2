"""Compile the kernels: all of them, or those that a game needs."""

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from perft.exits import ending_at_once

if TYPE_CHECKING:
    from engine.search.searcher import Searcher

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
    from movegen.compiler.cache import CACHE_VARIABLE, is_writable

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


def list_parts() -> dict[str, Callable[[], object]]:
    """Each part of the work, done by using the kernels once."""
    from movegen import Position
    from movegen.bits import U64
    from movegen.playout import random_games
    from perft.counter import Counter

    position = Position()
    return {
        "rules: legal moves": lambda: position.legal_moves,
        "rules: playing a move": lambda: position.play("e4").fen(),
        "rules: attacks and pins": lambda: (position.attackers("e4", "white"), position.pinned, position.in_check),
        "rules: end of the game": position.outcome,
        "rules: random games": lambda: random_games(position.board, U64(0), U64(1), U64(1)),
        **parts_of_games(),
        "saved trees": use_saved_trees,
        "perft": lambda: Counter().perft(position, 3),
        "perft with memory": lambda: Counter(hash_megabytes=1).perft(position, 4),
        "eval": use_eval_kernels,
    }


def use_search_kernels() -> None:
    """Use every kernel that a game needs once: the rules by way of `Position`, and a short search."""
    _searched()


def use_report_kernels() -> None:
    """Use every kernel once that reads the tree for people, or shows them a position."""
    from engine.explain.explain import explain
    from engine.explain.text import lines_of
    from movegen import Position

    report = _searched().report()
    lines_of(explain(report))
    report.icicle()
    position = Position()
    _ = str(position), position.fen(), position.key, position.attackers("e1", "black")


def use_saved_trees() -> None:
    """Write a tree to a file, and read it again."""
    import tempfile

    from engine.report.tree_file import GameRecord, load, save
    from movegen.fen import START_FEN

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.npz"
        searcher = _searched()
        save(path, GameRecord(START_FEN, ("e2e4",)), searcher.prepare(), searcher.history, searcher.options)
        load(path)


def _searched() -> "Searcher":
    """A small search that has ended."""
    from engine.config.options import Options
    from engine.search.clock import Limits
    from engine.search.listener import SilentListener
    from engine.search.searcher import Searcher
    from movegen import Position

    settings = Options()
    settings.hash_megabytes = 1
    searcher = Searcher(settings, SilentListener())
    searcher.set_position(Position().play("e4"), None)
    searcher.go(Limits(nodes=100))
    searcher.wait()
    return searcher


def use_eval_kernels() -> None:
    """Use every kernel once that judges a position without a search."""
    from engine.network.weights_file import load_weights
    from engine.report.static_eval import evaluate_by_network, evaluate_by_playouts
    from movegen import Position

    network = load_weights().network
    evaluate_by_network(Position(), network)
    evaluate_by_playouts(Position(), network, seed=1)


def ready_file() -> Path:
    """A file in the cache that says that the kernels of the search are there."""
    from movegen.compiler.cache import version_folder

    return version_folder(Path(__file__).resolve().parent / "mcts") / "ready"


def is_warm() -> bool:
    """Are the kernels of the search in the cache?"""
    return ready_file().is_file()
