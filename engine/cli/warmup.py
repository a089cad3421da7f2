"""`teresa warmup`: compile all kernels now, so that later commands start at once."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from engine import warmup
from engine.cli.progress import compiling
from engine.network.weights_file import load_weights
from engine.report.static_eval import evaluate_by_network, evaluate_by_playouts
from engine.report.tree_file import GameRecord, load, save
from movegen import Position
from movegen.bits import U64
from movegen.fen import START_FEN
from movegen.playout import random_games
from perft.counter import Counter
from perft.exits import DONE, FAILED, ending_at_once


def main(argv: Sequence[str]) -> int:
    """Compile what is not in the cache yet, with a progress bar; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa warmup", description="Compile all kernels into the cache.")
    parser.add_argument("--time", action="store_true", help="print the CPU seconds of each part")
    parser.add_argument("--search", action="store_true", help="only what a game needs")
    arguments = parser.parse_args(argv)
    with ending_at_once():
        parts = warmup.parts_of_games() if arguments.search else list_parts()
        seconds = warmup.compile_all(parts, compiling)
    if arguments.time:
        for name, taken in seconds.items():
            print(f"{name:28} {taken:6.2f} s")
    print(f"{'all':28} {sum(seconds.values()):6.2f} CPU seconds")
    if not warmup.is_warm():
        print(f"teresa warmup: {warmup.not_kept() or 'the kernels are not in the cache'}", file=sys.stderr)
        return FAILED
    return DONE


def list_parts() -> dict[str, Callable[[], object]]:
    """Each part of the work, done by using the kernels once."""
    position = Position()
    return {
        "rules: legal moves": lambda: position.legal_moves,
        "rules: playing a move": lambda: position.play("e4").fen(),
        "rules: attacks and pins": lambda: (position.attackers("e4", "white"), position.pinned, position.in_check),
        "rules: end of the game": position.outcome,
        "rules: random games": lambda: random_games(position.board, U64(0), U64(1), U64(1)),
        **warmup.parts_of_games(),
        "saved trees": use_saved_trees,
        "perft": lambda: Counter().perft(position, 3),
        "perft with memory": lambda: Counter(hash_megabytes=1).perft(position, 4),
        "eval": use_eval_kernels,
        "networks of others": warmup.use_network_kernels,
    }


def use_saved_trees() -> None:
    """Write a tree to a file, and read it again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.npz"
        searcher = warmup.small_search()
        save(path, GameRecord(START_FEN, ("e2e4",)), searcher.prepare(), searcher.history, searcher.options)
        load(path)


def use_eval_kernels() -> None:
    """Use every kernel once that judges a position without a search."""
    network = load_weights().network
    for after_captures in (False, True):
        evaluate_by_network(Position(), network, after_captures)
    evaluate_by_playouts(Position(), network, seed=1)
