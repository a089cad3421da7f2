"""Figures of a file with many games, made in a temporary folder: `python -m tests.engine.pgn.figures [GAMES]`."""

import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import chess

from engine.pgn.annotated import tree_text
from engine.pgn.game_tree import GameTree
from engine.pgn.index import GameIndex
from engine.pgn.save import save_tree

DIFFERENT_GAMES, MOST_PLIES, PAGE = 200, 120, 50
HEADERS = (
    '[Event "Rated game"]\n[Date "20{year:02d}.05.01"]\n[Round "{number}"]\n[White "Player {white}"]\n'
    '[Black "Player {black}"]\n[Result "{result}"]\n[ECO "C20"]\n[TimeControl "180+2"]\n\n'
)


def random_moves(rng: random.Random) -> str:
    """A game with clocks and evaluations."""
    board, words = chess.Board(), []
    for ply in range(rng.randrange(40, MOST_PLIES)):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        words.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}")
        words.append(f"{{ [%eval 0.{ply:03d}] [%clk 0:02:{ply % 60:02d}] }}")
        board.push(move)
    return " ".join(words)


def write_games(path: Path, count: int) -> None:
    """A file of random games."""
    rng = random.Random(18)
    moves = [random_moves(rng) for _ in range(DIFFERENT_GAMES)]
    with path.open("w") as file:
        for number in range(count):
            white, black, result = rng.randrange(5000), rng.randrange(5000), rng.choice(("1-0", "0-1", "1/2-1/2"))
            file.write(HEADERS.format(year=number % 25, number=number, white=white, black=black, result=result))
            file.write(f"{moves[number % DIFFERENT_GAMES]} {result}\n\n")


def timed(what: str, job: Callable[[], object]) -> None:
    """Print the CPU time of a job."""
    start = time.process_time()
    job()
    print(f"{what}: {1000 * (time.process_time() - start):.1f} ms")


def main() -> None:
    """Print all figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.pgn"
        write_games(path, count)
        print(f"{count} games, {path.stat().st_size / 1e6:.0f} MB; CPU time")
        index = GameIndex(path)
        timed("all games found", index.build)
        timed(f"{PAGE} rows, their moves read", lambda: index.rows(count // 2, PAGE, patience=60))
        timed("the same again", lambda: index.rows(count // 2, PAGE))
        timed("filtered", lambda: index.rows(0, PAGE, "player 12 1-0", patience=0))
        timed("a game read", lambda: index.game(count))
        tree = GameTree.of(index.game(count // 2))
        timed("its tree", lambda: GameTree.of(index.game(count // 2)).data())
        timed("its text", lambda: tree_text(tree))
        tree.add(0, "b1c3")
        timed("saved in its place", lambda: save_tree(index, tree))
        tracemalloc.start()
        again = GameIndex(path)
        again.build()
        kept, peak = tracemalloc.get_traced_memory()
        print(f"memory: {kept / 1e6:.1f} MB kept, {peak / 1e6:.1f} MB at most")


if __name__ == "__main__":
    main()
