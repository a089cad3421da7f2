"""The searcher, with its callbacks as witnesses."""

import time

import pytest

from engine import crew as crew_module
from engine import run as run_module
from engine import search as search_module
from engine.clock import Limits
from engine.mcts.tree import RECYCLED, SCORE_UNIT, edges_of, restrict_root
from engine.options import Settings
from engine.report.line import best_edges, main_line
from engine.search import Searcher
from engine.stats import moves_below
from movegen import Position
from tests.engine.mcts.invariants import check_invariants

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"


class Witness:
    """Notes what a searcher tells."""

    def __init__(self, knowledge=None, **options):
        self.infos, self.best, self.messages = [], [], []
        self.on_info, self.on_message = self.infos.append, self.messages.append
        settings = Settings()
        for name, value in {"Hash": 16, "Seed": 1, **options}.items():
            settings.set(name if name.startswith("UCI_") else name.replace("_", " "), str(value))
        self.searcher = Searcher(settings, self, knowledge)

    def on_best_move(self, *moves):
        self.best.append(moves)

    def search(self, limits, position=None, wished=()):
        if position is not None:
            self.searcher.set_position(position, None)
        self.searcher.go(limits, wished=wished)
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


@pytest.mark.slow
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
    witness.searcher.set_position(Position(MATE_IN_1), None)
    witness.searcher.go(Limits(infinite=True))
    time.sleep(0.5)
    assert witness.best == []
    assert witness.searcher.is_searching
    witness.searcher.stop()
    witness.searcher.wait()
    assert [moves[0] for moves in witness.best] == ["b1b8"]


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


def test_the_priors_of_a_new_root_get_its_temperature():
    """Those of a node that was made as a root and of one that became one agree, but for rounding."""
    position = Position(KIWIPETE)
    witness = Witness(Root_Temperature=2500, Policy_Temperature=1200)
    best = witness.search(Limits(nodes=2000), position)
    witness.searcher.set_position(position.play(best), codes(position, best))
    became = {move.code: move.prior for move in moves_below(witness.searcher.tree, 0)}
    witness.search(Limits(nodes=2), position.play(best))
    was_made = {move.code: move.prior for move in moves_below(witness.searcher.tree, 0)}
    assert became == pytest.approx(was_made, abs=0.003)
    assert 0.99 < sum(became.values()) <= 1.001


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


def test_another_size_of_memory_makes_a_new_tree():
    witness = Witness(Hash=4)
    witness.search(Limits(nodes=500))
    tree = witness.searcher.tree
    assert witness.searcher.prepare() is tree
    witness.searcher.forget()
    assert tree.visits[0] == 0
    witness.searcher.options.set("Hash", "8")
    witness.search(Limits(nodes=500))
    assert witness.searcher.tree.visits.size * 32 == 8 << 20


def test_too_little_memory_gives_a_smaller_tree(monkeypatch):
    def stingy(megabytes, new_tree=search_module.new_tree):
        if megabytes > 4:
            raise MemoryError
        return new_tree(megabytes)

    monkeypatch.setattr(search_module, "new_tree", stingy)
    witness = Witness(Hash=16)
    assert witness.search(Limits(nodes=500)) in Position().legal_moves
    assert witness.searcher.tree.visits.size * 32 == 4 << 20
    assert witness.messages == [
        "there are no 16 MB for the tree, 8 are tried",
        "there are no 8 MB for the tree, 4 are tried",
    ]


@pytest.mark.parametrize(
    ("module", "place"), [(crew_module, "simulate_many"), (run_module, "prove_root"), (run_module, "main_line")]
)
def test_a_failure_inside_the_search_still_gives_a_move(monkeypatch, module, place):
    def fail(*_arguments):
        raise RuntimeError("planted")

    monkeypatch.setattr(module, place, fail)
    witness = Witness()
    assert witness.search(Limits(nodes=500)) in Position().legal_moves
    assert len(witness.best) == 1
    assert "planted" in witness.messages[0]
    monkeypatch.undo()
    witness.search(Limits(nodes=500))
    assert len(witness.best) == 2
    assert len(witness.messages) == 1


def codes(position, *moves):
    return tuple(position.code(move) for move in moves)


@pytest.mark.parametrize("nodes", [1, 2, 3, 2000])
def test_only_the_moves_wished_for_are_searched(nodes):
    position, witness = Position(), Witness()
    assert witness.search(Limits(nodes=nodes), position, codes(position, "a3", "h4")) in ("a2a3", "h2h4")
    assert {stats.code for stats in moves_below(witness.searcher.tree, 0)} == set(codes(position, "a3", "h4"))
    assert witness.infos[-1].nodes == nodes


def test_what_is_known_of_the_moves_wished_for_is_kept_and_all_moves_come_back():
    position, witness = Position(), Witness()
    witness.search(Limits(nodes=20_000), position)
    before = {stats.code: stats for stats in moves_below(witness.searcher.tree, 0)}
    a3, h4 = codes(position, "a3", "h4")
    visits, wins = before[a3].visits + before[h4].visits, before[a3].wins + before[h4].wins
    tree = witness.searcher.tree
    restrict_root(tree, {a3, h4})
    check_invariants(tree)
    assert tree.visits[0] == visits
    assert tree.wins[0] == visits * SCORE_UNIT - wins
    assert {(stats.code, stats.visits, stats.wins) for stats in moves_below(tree, 0)} == {
        (code, before[code].visits, before[code].wins) for code in (a3, h4)
    }
    witness.search(Limits(nodes=1000), wished=(a3, h4))
    assert tree.visits[0] == visits + 1000
    check_invariants(tree)
    witness.search(Limits(nodes=1000))
    assert len(moves_below(tree, 0)) == 20
    assert tree.visits[0] == 1000


@pytest.mark.slow
def test_a_restricted_root_of_a_full_tree():
    """The new node of the root takes the place of others, and the old one is recycled in time."""
    position, witness = Position(KIWIPETE), Witness(Hash=1, PUCT_C=300)
    witness.search(Limits(nodes=100_000), position)
    for _ in range(5):
        witness.search(Limits(nodes=20_000), wished=codes(position, "e2a6", "d5e6", "g2g3"))
        witness.search(Limits(nodes=20_000), wished=codes(position, "d5e6", "g2g3"))
    check_invariants(witness.searcher.tree)
    assert witness.searcher.tree.control[int(RECYCLED)] > 0


def test_a_single_reply_is_played_at_once_in_a_game_with_a_line_and_a_reply():
    position, witness = Position("k7/8/8/8/8/8/5r1r/7K w - - 0 1"), Witness()
    assert len(position.legal_moves) == 1
    begin = time.perf_counter()
    witness.search(Limits(time_left=600_000), position)
    assert time.perf_counter() - begin < 5
    assert witness.infos[-1].nodes > 1
    assert witness.best[-1][1] is not None


@pytest.mark.slow
def test_a_proven_root_is_known_again_after_its_move_was_played():
    """After the first move of a mate in two and the reply, the mate is played at once, without any simulation."""
    witness = Witness(Hash=64)
    position = Position(MATE_IN_2)
    best = witness.search(Limits(nodes=10**7), position)
    after = position.play(best)
    reply = after.legal_moves[0]
    witness.searcher.set_position(after.play(reply), codes(position, best) + codes(after, reply))
    final = witness.search(Limits(time_left=600_000))
    assert witness.infos[-1].lines[0][0].result == 3
    assert witness.infos[-1].nodes == 0
    assert after.play(reply).play(final).score() == 1.0


@pytest.mark.slow
def test_mate_limit_stops_at_the_mate():
    witness = Witness(Hash=64)
    assert witness.search(Limits(mate=2), Position(MATE_IN_2)) == "d2h6"


def test_temperature_varies_the_game_and_analysis_does_not():
    def first_moves(**options):
        return {Witness(Seed=seed, **options).search(Limits(nodes=60)) for seed in range(1, 13)}

    assert len(first_moves(Temperature=3000)) > 3
    repeated = {
        Witness(Seed=1, Temperature=3000, UCI_AnalyseMode="true").search(Limits(nodes=5000)),
        Witness(Seed=1).search(Limits(nodes=5000)),
    }
    assert len(repeated) == 1


def test_the_main_line_is_kept_from_recycling():
    witness = Witness(Hash=16, PUCT_C=300)
    witness.search(Limits(nodes=20_000))
    tree = witness.searcher.tree
    best = next(stats for stats in moves_below(tree, 0) if stats.code == Position().code(witness.best[-1][0]))
    line = [int(tree.link[slot]) for slot in (best.slot, *(slot for slot, _ in best_edges(tree, best.slot)))]
    assert tree.kept[0] == len(line) > 2
    assert tree.kept[1 : 1 + len(line)].tolist() == line


@pytest.mark.slow
def test_reading_a_full_tree_while_threads_recycle_it():
    """Lines are read all the time, as `moves` and infos do: always legal, never an error."""
    witness = Witness(Hash=1, Threads=3, PUCT_C=300)
    searcher, position = witness.searcher, Position()
    searcher.go(Limits(infinite=True))
    end, lines = time.perf_counter() + 4, 0
    while time.perf_counter() < end:
        if searcher.tree is not None:
            for move in moves_below(searcher.tree, 0):
                position.play_all(main_line(searcher.tree, searcher.places, move.slot, move.code))
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
