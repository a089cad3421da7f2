"""Searches to report on, and slow, obvious walks through their trees."""

from engine.config.options import Options
from engine.network.weights_file import load_weights
from engine.report import tree_file
from engine.report.move_stats import best_of, moves_below
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.searcher import Searcher
from movegen import Position

MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
BLACK = "r2q1rk1/1b2bppp/p2ppn2/1p6/3QPP2/2N1B3/PPP1B1PP/R4R1K b - - 2 13"
MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
LOST = "7k/8/8/8/8/r7/1r6/7K w - - 0 1"
ENDGAME = "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47"
POSITIONS = (MIDDLEGAME, KIWIPETE, BLACK, MATE_IN_2, ENDGAME, LOST)


def new_searcher(fen=None, **options):
    settings = Options()
    for name, value in {"Hash": 16, "Seed": 1, **options}.items():
        settings.set(name.replace("_", " "), str(value))
    searcher = Searcher(settings, SilentListener())
    searcher.set_position(Position(fen) if fen else Position(), None)
    return searcher


def searched(fen=None, nodes=3000, **options):
    searcher = new_searcher(fen, **options)
    searcher.go(Limits(nodes=nodes))
    searcher.wait()
    return searcher


def save(path, searcher, start, moves, **options):
    record = tree_file.GameRecord(start, moves, searcher.position.chess960)
    return tree_file.save(path, record, searcher.prepare(), searcher.history, searcher.options, **options)


def report_of(loaded):
    return loaded.report(load_weights().network)


def follow(tree, slot):
    """The best moves below an edge."""
    line = []
    while True:
        replies = [reply for reply in moves_below(tree, slot) if reply.visits or reply.result]
        if not replies or len(line) == 64:
            return line
        best = best_of(replies)
        line.append((best.slot, best.code))
        slot = best.slot


def walk(tree, position, slot, path, depth):
    """All nodes below an edge that were visited: path, visits, score."""
    for move in moves_below(tree, slot):
        if move.visits:
            uci = position.uci(move.code)
            below = f"{path}/{uci}".lstrip("/")
            yield below, move.visits, move.score
            if depth > 1:
                yield from walk(tree, position.play(move.code), move.slot, below, depth - 1)
