"""The searcher, with its callbacks as witnesses."""

import time

import pytest

from engine import report
from engine.clock import Limits
from engine.mcts.tree import RECYCLED, SCORE_UNIT, edges_of
from engine.options import Settings
from engine.search import Searcher
from movegen import Position

MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"


class Witness:
    """Notes what a searcher tells."""

    def __init__(self, **options):
        self.infos, self.best = [], []
        settings = Settings()
        for name, value in {"Hash": 16, "Seed": 1, **options}.items():
            settings.set(name.replace("_", " "), str(value))
        self.searcher = Searcher(settings, self.infos.append, lambda *moves: self.best.append(moves))

    def search(self, limits, position=None):
        if position is not None:
            self.searcher.set_position(position, None)
        self.searcher.go(limits)
        self.searcher.wait()
        return self.best[-1][0]


def test_nodes_are_exact_and_the_last_info_belongs_to_the_best_move():
    witness = Witness()
    best = witness.search(Limits(nodes=5000))
    assert len(witness.best) == 1
    info = witness.infos[-1]
    assert info.nodes == 5000
    stats, line = info.lines[0]
    assert line[0] == best
    assert witness.best[0][1] == line[1]
    assert stats.visits > 0
    Position().play_all(line)  # the line is legal
    assert 1 <= info.depth <= info.deepest


@pytest.mark.parametrize("threads", [2, 4])
def test_several_threads_make_exactly_the_nodes_asked_for(threads):
    witness = Witness(Threads=threads)
    witness.search(Limits(nodes=20_000))
    assert witness.infos[-1].nodes == 20_000
    assert witness.searcher.tree.visits[0] == 20_000


def test_one_thread_with_a_seed_repeats_itself():
    trees = []
    for _ in range(2):
        witness = Witness()
        witness.search(Limits(nodes=8000))
        trees.append(witness.searcher.tree)
    assert (trees[0].visits == trees[1].visits).all()
    assert (trees[0].wins == trees[1].wins).all()


@pytest.mark.parametrize("formula", ["UCB1", "PUCT"])
def test_a_mate_ends_the_search_and_is_announced(formula):
    witness = Witness(Formula=formula, Hash=64)
    assert witness.search(Limits(nodes=10**7), Position(MATE_IN_2)) == "d2h6"
    stats, line = witness.infos[-1].lines[0]
    assert (stats.result, stats.distance) == (3, 3)
    assert len(line) == 3
    assert Position(MATE_IN_2).play_all(line).score() == 1.0


def test_infinite_waits_for_stop_even_when_all_is_proven():
    witness = Witness()
    witness.searcher.set_position(Position(MATE_IN_2), None)
    witness.searcher.go(Limits(infinite=True))
    time.sleep(0.5)
    assert witness.best == []
    assert witness.searcher.is_searching
    witness.searcher.stop()
    witness.searcher.wait()
    assert [moves[0] for moves in witness.best] == ["d2h6"]


def test_pondering_waits_for_ponderhit():
    witness = Witness()
    witness.searcher.go(Limits(ponder=True, time_left=200))
    time.sleep(0.5)
    assert witness.best == []
    witness.searcher.ponder_hit()
    witness.searcher.wait()
    assert len(witness.best) == 1


@pytest.mark.parametrize("limits", [Limits(time_left=1), Limits(time_left=-50), Limits(move_time=0), Limits(nodes=1)])
def test_the_shortest_searches_still_give_a_move_and_a_line(limits):
    witness = Witness()
    best = witness.search(limits)
    assert best in Position().legal_moves
    assert witness.infos[-1].lines[0][1][0] == best


def test_a_finished_game_has_no_move():
    witness = Witness()
    assert witness.search(Limits(nodes=100), Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) is None
    assert witness.best == [(None, None)]


def test_the_hard_limit_holds():
    witness = Witness()
    witness.search(Limits(nodes=10))  # compiled and warm
    begin = time.perf_counter()
    witness.search(Limits(move_time=300))
    assert time.perf_counter() - begin < 0.3 + 0.5


def test_depth_stops_the_search():
    witness = Witness()
    witness.search(Limits(depth=4))
    assert witness.infos[-1].depth == 4


def test_the_tree_is_kept_when_the_game_goes_on():
    witness = Witness()
    best = witness.search(Limits(nodes=20_000))
    position, reply = Position().play(best), witness.best[-1][1]
    edge_visits = visits_of(witness.searcher.tree, [Position().code(best), position.code(reply)])
    moves = (Position().code(best), position.code(reply))
    witness.searcher.set_position(position.play(reply), moves)
    assert witness.searcher.tree.visits[0] == edge_visits > 100
    witness.search(Limits(nodes=1000))
    assert witness.infos[-1].nodes == 1000
    assert witness.searcher.tree.visits[0] == edge_visits + 1000
    assert 0 <= witness.searcher.tree.wins[0] <= int(witness.searcher.tree.visits[0]) * SCORE_UNIT


def visits_of(tree, moves):
    slot = 0
    for move in moves:
        header = int(tree.link[slot])
        slot = next(s for s in range(header + 1, header + 1 + int(tree.visits[header])) if tree.move[s] == move)
    return int(tree.visits[slot])


def test_a_move_that_was_never_looked_at_starts_a_new_tree():
    witness = Witness()
    witness.search(Limits(nodes=2))
    witness.searcher.set_position(Position().play("a4"), (Position().code("a4"),))
    assert witness.searcher.tree.visits[0] == 0
    assert witness.search(Limits(nodes=500)) in Position().play("a4").legal_moves


def test_forgetting_changes_the_memory_when_another_size_is_wanted():
    witness = Witness(Hash=4)
    witness.search(Limits(nodes=500))
    witness.searcher.forget()
    assert witness.searcher.tree.visits[0] == 0
    witness.searcher.options.set("Hash", "8")
    witness.searcher.forget()
    assert witness.searcher.tree is None
    witness.search(Limits(nodes=500))
    assert witness.searcher.tree.visits.size * 32 == 8 << 20


def test_reading_a_full_tree_while_threads_recycle_it():
    """Lines are read all the time, as `moves` and infos do: always legal, never an error."""
    witness = Witness(Hash=1, Threads=3, PUCT_C=300)
    searcher, position = witness.searcher, Position()
    searcher.go(Limits(infinite=True))
    end, lines = time.perf_counter() + 4, 0
    while time.perf_counter() < end:
        if searcher.tree is not None:
            for move in report.moves_below(searcher.tree, 0):
                position.play_all(report.main_line(searcher.tree, position, move))
                lines += 1
    searcher.stop()
    searcher.wait()
    assert lines > 100
    assert searcher.tree.control[int(RECYCLED)] > 0
    assert len(witness.best) == 1


def test_a_link_to_a_recycled_node_counts_as_none():
    witness = Witness()
    witness.search(Limits(nodes=5000))
    tree = witness.searcher.tree
    header = int(tree.link[0])
    assert len(edges_of(tree, 0)) == 20
    for array, wrong in ((tree.move, 7), (tree.wins, 123), (tree.visits, 10**6)):
        right = array[header]
        array[header] = wrong
        assert len(edges_of(tree, 0)) == 0
        array[header] = right
    assert len(edges_of(tree, 0)) == 20


def test_several_lines_are_shown_best_first():
    witness = Witness(MultiPV=3)
    witness.search(Limits(nodes=3000))
    lines = witness.infos[-1].lines
    assert len({line[0] for _, line in lines}) == 3
    assert lines[0][0].visits >= lines[1][0].visits >= lines[2][0].visits


def test_after_a_mate_was_found_the_next_moves_are_found_too():
    """A proof is not lost with the root: the engine mates after its own move and the reply."""
    witness = Witness(Hash=64)
    position = Position(MATE_IN_2)
    best = witness.search(Limits(nodes=10**7), position)
    after = position.play(best)
    reply = after.legal_moves[0]
    witness.searcher.set_position(after.play(reply), (position.code(best), after.code(reply)))
    final = witness.search(Limits(nodes=10**6))
    assert after.play(reply).play(final).score() == 1.0
