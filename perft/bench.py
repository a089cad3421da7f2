"""The speed of the generator, in leaves per second of CPU time, alone and compared with others."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import chess

from movegen import Position
from movegen.bits import U64
from movegen.playout import random_games
from perft.count import count_by_lists, count_by_lists_keyed, count_leaves, count_without_bulk


class Count(NamedTuple):
    """A published count."""

    fen: str
    depth: int
    leaves: int


# The six standard positions of the chess programming wiki.
_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
_ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
_PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
_TACTICS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
_QUIET = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
COUNTED_POSITIONS = (
    Count(_START, 5, 4_865_609),
    Count(_KIWIPETE, 4, 4_085_603),
    Count(_ENDGAME, 5, 674_624),
    Count(_PROMOTIONS, 4, 422_333),
    Count(_TACTICS, 4, 2_103_487),
    Count(_QUIET, 4, 3_894_594),
)
# One ply deeper, where the time that Stockfish takes once for each command is negligible.
DEEP_POSITIONS = (
    Count(_START, 6, 119_060_324),
    Count(_KIWIPETE, 5, 193_690_690),
    Count(_ENDGAME, 6, 11_030_083),
    Count(_PROMOTIONS, 5, 15_833_292),
    Count(_TACTICS, 5, 89_941_194),
    Count(_QUIET, 5, 164_075_551),
)
REPEATS, DEEP_REPEATS = 20, 3
RANDOM_GAMES = 500

Counting = Callable[[Position, int], int]

COUNTERS: dict[str, Counting] = {
    "list bulk": lambda position, depth: int(count_by_lists(position.board, U64(depth))),
    "popcount bulk": lambda position, depth: int(count_leaves(position.board, U64(depth))),
    "no bulk": lambda position, depth: int(count_without_bulk(position.board, U64(depth))),
    "list bulk, keyed": lambda position, depth: int(
        count_by_lists_keyed(position.board, U64(position.key), U64(position.halfmove_clock), U64(depth))
    ),
}


def measure_speeds(peers: bool) -> Iterator[str]:
    """The lines of the report, each as soon as it is known."""
    yield f"six positions, {total_leaves(COUNTED_POSITIONS):,} leaves, best of {REPEATS}, CPU time, one thread"
    speeds = measure_kinds(COUNTED_POSITIONS, REPEATS)
    for name, speed in speeds.items():
        yield f"{name:17} {speed / 1e6:9.1f} M leaves/s"
    games, moves = measure_random_games()
    yield f"{'random moves':17} {moves / 1e6:9.1f} M moves/s  ({games:,.0f} games/s)"
    if peers:
        yield from compare_with_peers(speeds)


def total_leaves(counts: Iterable[Count]) -> int:
    """The leaves of all positions together."""
    return sum(count.leaves for count in counts)


def measure_kinds(counts: Sequence[Count], repeats: int) -> dict[str, float]:
    """Leaves a second for each way of counting; the ways take turns, so that noise affects all of them."""
    best: dict[tuple[str, str], float] = {}
    for _ in range(repeats):
        for count in counts:
            for name, way in COUNTERS.items():
                seconds = cpu_seconds(way, count)
                best[name, count.fen] = min(seconds, best.get((name, count.fen), seconds))
    return {name: total_leaves(counts) / sum(best[name, count.fen] for count in counts) for name in COUNTERS}


def cpu_seconds(way: Counting, count: Count) -> float:
    """The CPU seconds of one count; its result is checked."""
    position = Position(count.fen)
    begin = time.thread_time()
    found = way(position, count.depth)
    seconds = time.thread_time() - begin
    if found != count.leaves:
        raise RuntimeError(f"{found} leaves instead of {count.leaves} in {count.fen}")
    return seconds


def measure_random_games() -> tuple[float, float]:
    """Random games from the start position: games a second, moves a second."""
    start, state = Position(), U64(42)
    random_games(start.board, U64(0), state, U64(1))
    best, best_moves = 0.0, 0.0
    for _ in range(REPEATS):
        begin = time.thread_time()
        moves, state = (U64(word) for word in random_games(start.board, U64(0), state, U64(RANDOM_GAMES)))
        seconds = time.thread_time() - begin
        if RANDOM_GAMES / seconds > best:
            best, best_moves = RANDOM_GAMES / seconds, float(moves) / seconds
    return best, best_moves


def compare_with_peers(speeds: dict[str, float]) -> Iterator[str]:
    """Speeds of other programs, and the ratio of each of ours to them."""
    yield peer_line("python-chess", python_chess_speed(), speeds)
    command = shutil.which("stockfish")
    if command is None:
        yield "stockfish is not installed"
    else:
        deep_speeds = measure_kinds(DEEP_POSITIONS, DEEP_REPEATS)
        yield peer_line("stockfish, deeper", stockfish_speed(command), deep_speeds)


def peer_line(name: str, speed: float, speeds: dict[str, float]) -> str:
    """One peer as a line of text."""
    ratios = ", ".join(f"{kind} {ours / speed:.4g}x" for kind, ours in speeds.items())
    return f"{name:17} {speed / 1e6:9.3f} M leaves/s  ({ratios})"


def python_chess_speed() -> float:
    """Leaves a second of python-chess with bulk counting, one ply less deep."""

    def count(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        leaves = 0
        for move in board.legal_moves:
            board.push(move)
            leaves += count(board, depth - 1)
            board.pop()
        return leaves

    begin = time.thread_time()
    leaves = sum(count(chess.Board(fen), depth - 1) for fen, depth, _ in COUNTED_POSITIONS)
    return leaves / (time.thread_time() - begin)


def stockfish_speed(command: str) -> float:
    """Leaves a second of Stockfish's `go perft`, the best of a few runs, without its start-up time."""
    commands = "".join(f"position fen {fen}\ngo perft {depth}\n" for fen, depth, _ in DEEP_POSITIONS)
    start = min(engine_seconds(command, "") for _ in range(DEEP_REPEATS))
    best = min(engine_seconds(command, commands) for _ in range(DEEP_REPEATS))
    return total_leaves(DEEP_POSITIONS) / (best - start)


def engine_seconds(command: str, commands: str) -> float:
    """The CPU time (on Windows: the time) that an engine takes for these commands."""
    before = children_seconds()
    subprocess.run([command], input=commands + "quit\n", encoding="ascii", stdout=subprocess.DEVNULL, check=True)
    return children_seconds() - before


def children_seconds() -> float:
    """CPU time of all child processes that have ended; the wall-clock time where that is not known."""
    if sys.platform == "win32":
        seconds = time.perf_counter()
    else:
        import resource

        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = usage.ru_utime + usage.ru_stime
    return seconds
