"""Searches of some positions with a fixed seed: the signature changes only if the search does."""

import hashlib
import time
from collections.abc import Callable, Iterator

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import CONSTANT, PLAYOUT, PUCT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, clear, new_tree, touch
from engine.network.weights_file import load_weights
from engine.report.move_stats import MoveStats, best_of, moves_below
from movegen import Position

VISITS, LEAST_VISITS = 5000, 2  # the first visit only evaluates the root: no move is known after it
MEGABYTES = 64
SEED = 1

POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "rnbqkb1r/pp3ppp/2p1pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 0 5",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/3P4/1PNBPN2/PB3PPP/2RQ1RK1 b - - 3 12",
    "r2q1rk1/1b2bppp/p2ppn2/1p6/3QPP2/2N1B3/PPP1B1PP/R4R1K b - - 2 13",
    "3r1rk1/pp3ppp/1qb1pn2/8/1P6/P1QBP3/1B3PPP/2R2RK1 w - - 1 19",
    "8/pp3k2/2p2n1p/3p1p2/3P1P2/2P1P1PP/PP2K3/5N2 w - - 0 30",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 80",
    "8/8/8/3k4/8/3K4/3P4/8 b - - 0 40",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
)
MIDDLEGAMES = POSITIONS[5:12]


class Bench:
    """Searches one after the other in the same tree, whose memory is provided before."""

    def __init__(self, megabytes: int = MEGABYTES, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.tree, self.network, self.is_stopped = new_tree(megabytes), load_weights().network, is_stopped
        touch(self.tree.memory)
        self.visits, self.seconds = 0, 0.0
        self.search(Position(), search_params(Options()), 1)  # loads the kernel
        self.visits, self.seconds = 0, 0.0

    def search(self, position: Position, params: SearchParams, visits: int) -> list[MoveStats]:
        """Search with one thread from an empty tree; -> the moves, best first."""
        clear(self.tree)
        task, worker = SearchTask(self.tree, root_of(position), self.network, params), new_worker(SEED, self.network)
        begin = time.process_time()
        self.visits += make_visits(task, worker, visits, self.is_stopped)
        self.seconds += time.process_time() - begin
        return moves_below(self.tree, int(ROOT))

    @property
    def speed(self) -> int:
        """Visits per CPU second."""
        return int(self.visits / max(self.seconds, 1e-9))


def search_all(visits: int, is_stopped: Callable[[], bool] = lambda: False) -> Iterator[str]:
    """Search all positions as the engine does by default; -> text lines: each position, the signature, the speed."""
    bench, digest = Bench(is_stopped=is_stopped), hashlib.sha256()
    params = search_params(Options())
    for fen in POSITIONS:
        position = Position(fen)
        moves = bench.search(position, params, max(visits, LEAST_VISITS))
        if is_stopped():
            yield "stopped"
            return
        best = best_of(moves)
        counts = sorted((move.code, move.visits) for move in moves)
        digest.update(f"{fen} {best.code} {counts}\n".encode())
        yield f"{position.uci(best.code):5} {best.visits:7} of {sum(move.visits for move in moves):7} visits  {fen}"
    yield f"signature {digest.hexdigest()[:16]}"
    yield f"{bench.visits} nodes {bench.speed} nps"


def speeds(visits: int) -> Iterator[str]:
    """The speed of the search itself, by formula and evaluator."""
    yield "visits per CPU second, one thread:"
    kinds = {
        "UCB1, playouts, start position": (SearchParams(UCB1, PLAYOUT, 0.5), POSITIONS[:1], visits // 2),
        "PUCT, constant value, middlegames": (SearchParams(PUCT, CONSTANT, 1.5), MIDDLEGAMES, visits),
        "the engine's default, middlegames": (search_params(Options()), MIDDLEGAMES, visits // 2),
    }
    for name, (params, fens, each) in kinds.items():
        bench = Bench(megabytes=512)
        for fen in fens:
            bench.search(Position(fen), params, each)
        yield f"{name:36} {bench.speed:10}"
