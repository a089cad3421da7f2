"""The searcher, with its callbacks as witnesses."""

import _thread
import threading
import time
from pathlib import Path

import chess
import pytest

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts import fixed_visits as visits_module
from engine.mcts.params import new_worker, root_of
from engine.mcts.reroot import halve, restrict_root
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import LIVE, MOST_VISITS, RECYCLED, SCORE_UNIT, ask_to_stop, edges_of
from engine.report.effort import StopReason
from engine.report.lines import best_edges, main_line
from engine.report.move_stats import LOSS, moves_below
from engine.search import reporter as reporter_module
from engine.search import run as run_module
from engine.search import searcher as search_module
from engine.search import workers as workers_module
from engine.search.clock import Delay, Limits, budget
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position
from movegen.bits import U64
from tests.engine.mcts.invariants import check_invariants
from tests.engine.report.moves import move as made_up
from tests.engine.search.test_resources import TABLES, write_book

pytestmark = pytest.mark.jit  # searches of thousands of visits, on the clock

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"


class Witness:
    """Notes what a searcher reports."""

    def __init__(self, resources=None, **options):
        self.infos, self.best, self.messages = [], [], []
        self.on_info, self.on_message = self.infos.append, self.messages.append
        settings = Options()
        for name, value in {"Hash": 16, "Seed": 1, **options}.items():
            settings.set(name if name.startswith("UCI_") else name.replace("_", " "), str(value))
        self.searcher = Searcher(settings, self, resources)

    def on_best_move(self, *moves):
        self.best.append(moves)

    def search(self, limits, position=None, search_moves=()):
        if position is not None:
            self.searcher.set_position(position, None)
        self.searcher.go(limits, search_moves=search_moves)
        self.searcher.wait()
        return self.best[-1][0]


@pytest.mark.jit
@pytest.mark.parametrize("limits", [Limits(nodes=1000), Limits(nodes=1), Limits(nodes=1000, mate=2)])
def test_a_weak_search_leaves_nothing_for_a_full_one(limits):
    """Its values are without quiescence, its priors have another temperature: the full search begins again."""
    position = Position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    fresh, witness = Witness(), Witness(UCI_LimitStrength="true", UCI_Elo=2000)
    witness.search(limits, position)
    witness.searcher.options.set("UCI_LimitStrength", "false")
    for each in (fresh, witness):
        each.search(Limits(nodes=3000), position if each is fresh else None)
    visits = [each.searcher.tree.visits[:40].tolist() for each in (fresh, witness)]
    assert visits[0] == visits[1]
    assert (fresh.searcher.tree.values == witness.searcher.tree.values).all()
    witness.search(Limits(nodes=100))  # goes on in the same tree
    assert witness.searcher.tree.visits[0] == 3100


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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("nodes", "options"),
    [
        (8000, {}),
        (20_001, {"Batch": 8}),
        (5000, {"Batch": 48, "Evaluator": "Playout"}),
        pytest.param(150_000, {"Hash": 1, "PUCT_C": 300}, marks=pytest.mark.slow),
        pytest.param(60_000, {"Hash": 1, "Batch": 5}, marks=pytest.mark.slow),
    ],
)
def test_one_thread_with_a_seed_repeats_itself(monkeypatch, nodes, options):
    """However fast the machine is: chunks of other lengths make the same tree, also where it is full."""
    trees, ends = [], []
    for chunk_seconds in (0.0003, 0.002, 0.02):
        monkeypatch.setattr(run_module, "WORKER_CHUNK_SECONDS", chunk_seconds)
        witness = Witness(**options)
        witness.search(Limits(nodes=nodes), Position(KIWIPETE))
        trees.append(witness.searcher.tree)
        ends.append((witness.best, witness.infos[-1].lines, witness.infos[-1].nodes))
    assert ends[0] == ends[1] == ends[2]
    assert ends[0][2] == nodes
    for tree in trees[1:]:
        for first, other in zip(trees[0].fields, tree.fields, strict=True):
            assert (first == other).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_depths_are_those_of_the_tree(threads):
    """A visit at some depth is a visit to as many moves."""
    witness = Witness(Threads=threads)
    witness.search(Limits(nodes=3000), Position(KIWIPETE))
    tree, visits, deepest, edges = witness.searcher.tree, 0, 0, [0]
    while edges:
        below = [slot for edge in edges for slot in edges_of(tree, edge) if tree.visits[slot]]
        visits, deepest = visits + sum(int(tree.visits[slot]) for slot in below), deepest + bool(below)
        edges = below
    assert witness.infos[-1].deepest == deepest
    assert witness.searcher.run.pool.mean_depth == pytest.approx(visits / 3000)


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
    seconds = []
    for _ in range(3):  # one of them may have to wait for a processor
        begin = time.perf_counter()
        witness.search(Limits(move_time=300))
        seconds.append(time.perf_counter() - begin)
    assert min(seconds) < 0.3 + 0.5


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


def test_the_tree_is_kept_when_another_move_is_played_than_was_pondered():
    """The search goes on below it with all that was known before, and with the priors of a root."""
    pondering, plain = Witness(), Witness()
    for witness in (pondering, plain):
        best = witness.search(Limits(nodes=20_000))
    after, expected = Position().play(best), witness.best[-1][1]
    other = next(move for move in after.legal_moves if move != expected and known(plain, best, move) > 50)
    to_expected = codes(Position(), best) + codes(after, expected)
    pondering.searcher.set_position(after.play(expected), to_expected)
    pondering.search(Limits(nodes=3000))
    pondering.searcher.set_position(after.play(other), codes(after, other), takes_back=True)
    plain.searcher.set_position(after.play(other), codes(Position(), best) + codes(after, other))
    moves = [moves_below(witness.searcher.tree, 0) for witness in (pondering, plain)]
    assert moves[0] == moves[1]
    check_invariants(pondering.searcher.tree)


@pytest.mark.parametrize("steps", [1, 2])
def test_a_root_that_comes_back_has_the_priors_of_a_root(steps):
    """It was one (a step ahead, and back), or was passed on the way (two steps ahead, one back)."""
    witness, plain = Witness(Root_Temperature=2500), Witness(Root_Temperature=2500)
    for one in (witness, plain):
        best = one.search(Limits(nodes=3000))
    line = [Position(), Position().play(best)]
    moves = codes(Position(), best)
    if steps == 2:
        moves = (*moves, moves_below(plain.searcher.tree, slot_of(plain.searcher.tree, moves[0]))[0].code)
        line.append(line[-1].play(moves[1]))
        plain.searcher.set_position(line[1], moves[:1])
    witness.searcher.set_position(line[-1], moves)
    witness.searcher.set_position(line[-2], (), takes_back=True)
    found, expected = (
        {move.code: move.prior for move in moves_below(one.searcher.tree, 0)} for one in (witness, plain)
    )
    assert found == expected
    assert witness.searcher.tree.visits[0] > 100
    check_invariants(witness.searcher.tree)


def slot_of(tree, code):
    return next(slot for slot in edges_of(tree, 0) if int(tree.move[slot]) == code)


def known(witness, first, second):
    """The visits of a move after another one."""
    return visits_of(witness.searcher.tree, [*codes(Position(), first), *codes(Position().play(first), second)])


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
    witness.searcher.options.hash_megabytes = 8
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
    tree, visits = witness.searcher.tree, int(witness.searcher.tree.visits[0])
    witness.search(Limits(nodes=500))  # with what it has got, and without another word
    assert witness.searcher.tree is tree
    assert tree.visits[0] == visits + 500
    assert witness.messages == [
        "there are no 16 MB for the tree, 8 are tried",
        "there are no 8 MB for the tree, 4 are tried",
    ]


@pytest.mark.parametrize(
    ("module", "place"), [(visits_module, "simulate_many"), (run_module, "prove_root"), (reporter_module, "main_line")]
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


def planted(*_arguments):
    raise RuntimeError("planted")


@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True, time_left=60_000)])
@pytest.mark.parametrize(
    ("module", "place"), [(visits_module, "simulate_many"), (run_module, "prove_root"), (reporter_module, "main_line")]
)
def test_after_a_failure_the_move_is_one_of_those_asked_for_and_waits_for_stop(monkeypatch, module, place, limits):
    monkeypatch.setattr(module, place, planted)
    witness, chosen = Witness(), codes(Position(), "h4", "a3")
    witness.searcher.go(limits, search_moves=chosen)
    time.sleep(0.4)
    assert witness.best == []
    witness.searcher.stop()
    witness.searcher.wait()
    assert len(witness.best) == 1
    assert witness.best[0][0] in ("h2h4", "a2a3")
    assert "planted" in witness.messages[-1]
    assert witness.searcher.report().rows() == []


def test_after_a_failure_while_pondering_the_move_comes_with_the_hit(monkeypatch):
    monkeypatch.setattr(visits_module, "simulate_many", planted)
    witness = Witness()
    witness.searcher.go(Limits(ponder=True, time_left=60_000))
    time.sleep(0.2)
    assert witness.best == []
    witness.searcher.ponder_hit()
    witness.searcher.wait()
    assert len(witness.best) == 1


def test_after_a_failure_the_best_known_move_is_played(monkeypatch):
    expected = Witness().search(Limits(nodes=3000), Position(KIWIPETE))
    monkeypatch.setattr(run_module.Run, "_best_move", planted)
    witness = Witness()
    assert witness.search(Limits(nodes=3000), Position(KIWIPETE)) == expected
    assert witness.searcher.tree.visits[0] == 0  # what may be damaged is dropped


def test_a_failure_of_one_thread_ends_the_others(monkeypatch):
    simulate, calls = visits_module.simulate_many, []

    def fail_once(*arguments):
        calls.append(arguments)
        if len(calls) == 10:
            planted()
        return simulate(*arguments)

    monkeypatch.setattr(visits_module, "simulate_many", fail_once)
    witness = Witness(Threads=2)
    assert witness.search(Limits(nodes=300_000)) in Position().legal_moves
    assert "planted" in witness.messages[-1]
    assert witness.searcher.run is None  # forgotten after the failure
    assert sum(int(arguments[-1]) for arguments in calls) < 300_000


def test_a_game_without_moves_survives_a_failure(monkeypatch):
    monkeypatch.setattr(run_module.Run, "_note_the_end", planted)
    witness = Witness()
    assert witness.search(Limits(nodes=10), Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) is None
    assert witness.best == [(None, None)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("calls", [("on_info",), ("on_message",), ("on_info", "on_message")])
def test_a_listener_that_fails_does_not_disturb_the_search(calls, threads):
    expected = Witness().search(Limits(nodes=3000), Position(KIWIPETE))
    witness = Witness(Threads=threads)
    for call in calls:
        setattr(witness, call, planted)
    best = witness.search(Limits(nodes=3000), Position(KIWIPETE))
    assert best == expected or threads > 1
    assert len(witness.best) == 1
    assert witness.searcher.run.reason == StopReason.NODES


@pytest.mark.parametrize("limits", [Limits(nodes=100), Limits(time_left=10), Limits(move_time=50)])
def test_the_best_move_is_given_once_even_if_it_cannot_be_written(limits):
    witness = Witness()
    calls = []

    def deaf(*moves):
        calls.append(moves)
        planted()

    witness.on_best_move = deaf
    for _ in range(2):
        witness.searcher.go(limits)
        witness.searcher.wait()
    assert len(calls) == 2
    assert len(witness.messages) == 1
    assert "planted" in witness.messages[0]


def test_threads_that_cannot_be_started_are_done_without(monkeypatch):
    start, started = threading.Thread.start, []

    def limited(thread):
        if thread.name == "search worker":
            if len(started) == 2:
                raise RuntimeError("can't start new thread")
            started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    witness = Witness(Threads=5)
    witness.search(Limits(nodes=5000))
    assert len(started) == 2
    assert witness.infos[-1].nodes == 5000
    assert not any("failed" in message for message in witness.messages)


def codes(position, *moves):
    return tuple(position.code(move) for move in moves)


@pytest.mark.parametrize("nodes", [1, 2, 3, 2000])
def test_only_the_moves_asked_for_are_searched(nodes):
    position, witness = Position(), Witness()
    assert witness.search(Limits(nodes=nodes), position, codes(position, "a3", "h4")) in ("a2a3", "h2h4")
    assert {stats.code for stats in moves_below(witness.searcher.tree, 0)} == set(codes(position, "a3", "h4"))
    assert witness.infos[-1].nodes == nodes


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 2, 8, 16])
@pytest.mark.parametrize("nodes", [1, 2, 5, 2000])
def test_the_root_has_the_moves_asked_for_with_all_batches_and_threads(nodes, batch, threads):
    position, witness = Position(), Witness(Batch=batch, Threads=threads)
    chosen = codes(position, "a3", "h4")
    assert witness.search(Limits(nodes=nodes), position, chosen) in ("a2a3", "h2h4")
    assert {stats.code for stats in moves_below(witness.searcher.tree, 0)} == set(chosen)
    assert witness.infos[-1].nodes == nodes
    assert witness.search(Limits(move_time=1), position, chosen[:1]) == "a2a3"


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 2, 8, 16])
def test_book_and_tablebases_decide_with_all_batches_and_threads(tmp_path, batch, threads):
    resources = Resources()
    resources.set_book(write_book(tmp_path / "book.bin", [(chess.Board(), "b2b4", 1)]))
    resources.set_tablebases(TABLES)
    witness = Witness(resources, Batch=batch, Threads=threads, OwnBook="true")
    assert witness.search(Limits(nodes=1000), Position()) == "b2b4"
    assert witness.messages[-1].endswith("by book")
    position = Position("8/8/8/8/3k4/8/8/KQ6 w - - 0 1")
    best = witness.search(Limits(nodes=1000), position)
    assert position.code(best) in resources.root_moves(position, (), Options(), in_game=True).codes
    assert witness.messages[-1].endswith("by tablebase")


@pytest.mark.parametrize(
    ("limits", "options", "is_used"),
    [
        (Limits(nodes=400), {}, True),
        (Limits(nodes=400, ponder=True), {}, False),  # the opponent has not moved yet
        (Limits(nodes=400, infinite=True), {}, False),
        (Limits(nodes=400), {"UCI_AnalyseMode": "true"}, False),
        (Limits(nodes=400), {"OwnBook": "false"}, False),
    ],
)
def test_the_book_is_for_games_and_not_for_pondering(tmp_path, limits, options, is_used):
    resources = Resources()
    resources.set_book(write_book(tmp_path / "book.bin", [(chess.Board(), "b2b4", 1)]))
    witness = Witness(resources, **{"OwnBook": "true", **options})
    witness.searcher.go(limits)
    while witness.searcher.run.reason == StopReason.SEARCHING:
        time.sleep(0.01)
    witness.searcher.stop()
    witness.searcher.wait()
    assert (witness.searcher.run.reason == StopReason.BOOK) == is_used
    assert witness.infos[-1].nodes == (256 if is_used else 400)
    assert len(moves_below(witness.searcher.tree, 0)) == (1 if is_used else 20)
    assert witness.messages == (["1 move by book"] if is_used else [])


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 8])
def test_a_stop_at_once_is_answered_by_a_move(batch, threads):
    witness = Witness(Batch=batch, Threads=threads, Hash=1)
    for _ in range(100):
        witness.searcher.forget()
        witness.searcher.go(Limits(infinite=True))
        witness.searcher.stop()
        witness.searcher.wait()
    assert len(witness.best) == 100
    assert {best for best, _ in witness.best} <= set(Position().legal_moves)
    assert not any("failed" in message for message in witness.messages)


def test_damaged_tablebases_are_reported_once_and_searched_without(tmp_path):
    for file in Path(TABLES).iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    broken = tmp_path / "KQvK.rtbz"
    broken.write_bytes(broken.read_bytes()[:100])
    resources = Resources()
    resources.set_tablebases(str(tmp_path))
    witness = Witness(resources)
    for _ in range(3):
        assert witness.search(Limits(nodes=200), Position("8/8/8/8/3k4/8/8/KQ6 w - - 0 1"))
        assert witness.infos[-1].nodes == 200
    assert len(witness.messages) == 1
    assert "KQvK" in witness.messages[0]
    witness.search(Limits(nodes=200), Position("8/8/8/8/3k4/8/8/KR6 w - - 0 1"))
    assert witness.messages[-1].endswith("by tablebase")


# Counts that would not fit into 32 bits


def scale(tree, factor):
    """As if each visit had been made `factor` times."""
    is_edge = tree.move < LIVE
    for array in (tree.visits, tree.wins, tree.draws):
        array[is_edge] *= array.dtype.type(factor)


def test_halving_keeps_means_and_proportions():
    witness = Witness(Hash=4)
    witness.search(Limits(nodes=30_000), Position(KIWIPETE))
    tree = witness.searcher.tree
    scale(tree, 1000)
    before, links = moves_below(tree, 0), tree.link.copy()
    total = int(tree.visits[0])
    halve(tree)
    check_invariants(tree)
    assert (tree.link == links).all()
    assert tree.visits[0] == total // 2
    for old, new in zip(before, moves_below(tree, 0), strict=True):
        assert (new.code, new.visits, new.prior) == (old.code, old.visits // 2, old.prior)
        assert new.score == pytest.approx(old.score, abs=1e-6)
        assert new.draw_share == pytest.approx(old.draw_share, abs=1e-6)
    for _ in range(40):
        halve(tree)
    assert not any(move.visits or move.wins for move in moves_below(tree, 0))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_goes_on_where_its_counts_would_wrap(threads):
    """Twice as many visits as fit, as far as the tree knows; the best move stays what it is."""
    position, witness = Position(KIWIPETE), Witness(Hash=16, Threads=threads)
    best = witness.search(Limits(nodes=20_000), position)
    tree = witness.searcher.tree
    for _ in range(3):
        while tree.visits[0] < MOST_VISITS // 2:
            scale(tree, 2)
        scale(tree, 2)
        tree.visits[0] -= max(0, int(tree.visits[0]) - MOST_VISITS + 3000)  # it is full in the middle of the search
        tree.wins[0] = int(tree.visits[0]) * SCORE_UNIT // 2
        assert witness.search(Limits(nodes=10_000)) == best
        assert MOST_VISITS // 4 < tree.visits[0] < MOST_VISITS
        assert witness.infos[-1].nodes == 10_000
        assert 0.0 < witness.infos[-1].lines[0][0].score < 1.0
    assert len(witness.searcher.history.read()[1]) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 3])
def test_counts_are_halved_again_and_again(monkeypatch, threads):
    monkeypatch.setattr(workers_module, "MOST_VISITS", 20_000)
    witness = Witness(Hash=16, Threads=threads, Batch=4)
    witness.search(Limits(nodes=100_000), Position(KIWIPETE))
    assert witness.infos[-1].nodes == 100_000
    assert witness.searcher.tree.visits[0] < 20_000 + threads * workers_module.LARGEST_CHUNK
    assert witness.searcher.run.reason == StopReason.NODES
    check_invariants(witness.searcher.tree)


# Many threads, and the clock


def test_threads_end_at_once_inside_a_long_chunk():
    """A thread that would simulate for hours hears of the end between two leaves, and leaves the tree whole."""
    witness = Witness(Hash=4)
    tree, network = witness.searcher.prepare(), witness.searcher.resources.network
    made = []
    arguments = tree, root_of(Position(KIWIPETE)), network, search_params(Options()), new_worker(1, network)
    thread = threading.Thread(target=lambda: made.append(simulate_many(*arguments, U64(10**12))), daemon=True)
    thread.start()
    while tree.visits[0] < 1000:
        time.sleep(0.01)
    ask_to_stop(tree, shall_stop=True)
    thread.join(60)
    assert made[0] == tree.visits[0]
    check_invariants(tree)
    assert simulate_many(*arguments, U64(10)) == 0
    ask_to_stop(tree, shall_stop=False)
    assert simulate_many(*arguments, U64(10)) == 10


@pytest.fixture
def held_up(monkeypatch):
    """The first worker, which looks at the clock, is held up until the search is over; -> was it over in the end?"""
    ends, simulate_chunks = [], workers_module.WorkerPool._simulate_chunks

    def work(pool, worker, lookout):
        if worker is not pool.workers[0]:
            simulate_chunks(pool, worker, lookout)
            return
        end = time.monotonic() + 60
        while not pool.is_over and time.monotonic() < end:
            time.sleep(0.002)
        ends.append(pool.is_over)
        pool.end()  # else a search that nobody watches would go on

    monkeypatch.setattr(workers_module.WorkerPool, "_simulate_chunks", work)
    return ends


@pytest.mark.slow
def test_far_more_threads_than_processors_keep_to_the_clock(held_up):
    """The bound is that of a hang: without a watcher 32 threads on 2 processors took 2 to 7 s."""
    witness = Witness(Hash=64, Threads=32)
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        witness.search(Limits(move_time=200))
        seconds.append(time.perf_counter() - begin)
    assert held_up == [True] * 3
    assert min(seconds) < 2.0
    assert witness.searcher.run.reason == StopReason.TIME
    warnings = [message for message in witness.messages if "32 threads" in message]
    assert len(warnings) <= 1  # none where there are as many processors


def test_the_clock_is_watched_while_the_first_worker_is_held_up(held_up):
    """The others end in time all the same."""
    witness = Witness(Threads=2)
    witness.search(Limits(move_time=250))
    assert held_up == [True]
    assert witness.searcher.run.reason == StopReason.TIME


def test_moves_that_are_proven_to_lose_are_no_rivals_on_the_clock():
    witness = Witness()
    witness.search(Limits(time_left=60_000, nodes=10))
    rules = witness.searcher.run.rules
    moves = [made_up(1, 100, 0.4), made_up(2, 90, result=LOSS, distance=4), made_up(3, 80, result=LOSS, distance=2)]
    assert rules.reason_to_move(rules.started, moves, 10) == StopReason.SETTLED
    moves[1] = made_up(2, 90, 0.4)
    assert rules.reason_to_move(rules.started, moves, 10) == StopReason.SEARCHING


# Pondering


def test_after_a_hit_the_time_counts_from_there():
    witness = Witness()
    witness.searcher.go(Limits(ponder=True, move_time=500))
    time.sleep(0.8)
    hit = time.perf_counter()
    witness.searcher.ponder_hit(hit)
    witness.searcher.wait()
    expected = witness.searcher.run.rules.budget.hard
    assert time.perf_counter() - hit >= expected > 0.2
    assert witness.searcher.run.reason == StopReason.TIME


@pytest.mark.parametrize("limits", [Limits(ponder=True, time_left=300), Limits(ponder=True, time_left=300, nodes=50)])
def test_only_the_time_after_a_hit_counts_as_used(limits):
    """Also if the search had ended long before the hit."""
    witness = Witness()
    witness.searcher.go(limits)
    time.sleep(0.7)
    begin = time.perf_counter()
    witness.searcher.ponder_hit()
    witness.searcher.wait()
    used = 1000 * (time.perf_counter() - begin)
    assert 300 - used <= witness.searcher.overhead._before <= 300


def test_a_ponder_miss_teaches_no_overhead():
    witness = Witness()
    witness.searcher.go(Limits(ponder=True, time_left=8000, increment=1000))
    time.sleep(0.2)
    witness.searcher.stop()
    witness.searcher.wait()
    assert witness.searcher.overhead.expect(Limits(time_left=8300, increment=1000), 30) == Delay(30, 30)


def test_a_new_game_teaches_no_overhead():
    witness = Witness()
    witness.search(Limits(time_left=10_000, increment=1000, nodes=10))
    witness.searcher.forget()
    assert witness.searcher.overhead.expect(Limits(time_left=10_300, increment=1000), 30) == Delay(30, 30)


def test_the_overhead_and_the_delay_of_the_moves_before_are_kept_in_reserve():
    witness = Witness()
    witness.search(Limits(time_left=60_000, nodes=10))
    witness.searcher.delay._last = 400.0
    before = witness.searcher.overhead._before
    limits = Limits(time_left=round(before) - 250, nodes=10)
    witness.search(limits)
    assert witness.searcher.run.rules.budget == budget(limits, 30, Delay(usual=80, longest=400 + 250 - 30))


def test_a_fixed_time_is_searched_whatever_was_late_before():
    witness = Witness()
    witness.searcher.delay.note(0.9)
    limits = Limits(move_time=1000, nodes=10)
    witness.search(limits)
    assert witness.searcher.run.rules.budget == budget(limits, witness.searcher.options.move_overhead)


def test_without_any_limit_pondering_goes_on_until_stop_even_after_a_hit():
    """`go ponder` alone: as Stockfish does."""
    witness = Witness()
    witness.searcher.go(Limits(ponder=True, infinite=True))
    time.sleep(0.1)
    witness.searcher.ponder_hit()
    time.sleep(0.3)
    assert witness.best == []
    witness.searcher.stop()
    witness.searcher.wait()
    assert len(witness.best) == 1


@pytest.mark.thorough
def test_what_is_known_of_the_moves_asked_for_is_kept_and_all_moves_come_back():
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
    witness.search(Limits(nodes=1000), search_moves=(a3, h4))
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
        witness.search(Limits(nodes=20_000), search_moves=codes(position, "e2a6", "d5e6", "g2g3"))
        witness.search(Limits(nodes=20_000), search_moves=codes(position, "d5e6", "g2g3"))
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
@pytest.mark.parametrize("moves", [2, 3, 1000])
def test_mate_limit_stops_at_the_mate(moves):
    witness = Witness(Hash=64)
    assert witness.search(Limits(mate=moves), Position(MATE_IN_2)) == "d2h6"
    assert witness.searcher.run.reason == StopReason.PROVEN


@pytest.mark.slow
def test_a_mate_that_is_longer_than_asked_for_does_not_end_the_search():
    """Neither when it is found nor when it was known before."""
    witness, position = Witness(Hash=64), Position(MATE_IN_2)
    witness.search(Limits(mate=1, nodes=200_000), position)
    assert (witness.infos[-1].nodes, witness.searcher.run.reason) == (200_000, StopReason.NODES)
    witness.search(Limits(nodes=10**7))
    assert witness.searcher.run.reason == StopReason.PROVEN
    witness.search(Limits(mate=1, nodes=5000))
    assert (witness.infos[-1].nodes, witness.searcher.run.reason) == (5000, StopReason.NODES)
    assert witness.search(Limits(mate=2)) == "d2h6"
    assert witness.search(Limits(mate=2)) == "d2h6"
    assert witness.infos[-1].nodes == 0  # it is known
    witness.search(Limits(mate=1, nodes=5000), search_moves=codes(position, "h4f6"))
    assert (witness.infos[-1].nodes, witness.searcher.run.reason) == (5000, StopReason.NODES)
    witness.searcher.go(Limits(mate=1))
    time.sleep(0.3)
    assert witness.searcher.is_searching
    witness.searcher.stop()
    witness.searcher.wait()
    assert len(witness.best) == 7


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
    begin, lines, is_full = time.perf_counter(), 0, False
    while time.perf_counter() < begin + (2 if lines > 100 and is_full else 120):  # a busy machine needs longer
        if searcher.tree is not None:
            is_full = searcher.tree.control[int(RECYCLED)] > 0
            for move in moves_below(searcher.tree, 0):
                position.play_all(main_line(searcher.tree, searcher.positions, move.slot, move.code))
                lines += 1
    searcher.stop()
    searcher.wait()
    assert lines > 100
    assert is_full
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


def test_other_moves_can_be_asked_for_right_after_a_root_with_few_visits():
    witness, start = Witness(), Position()
    codes = {name: start.code(name) for name in ("a2a3", "b2b3", "c2c3")}
    witness.search(Limits(nodes=2), search_moves=(codes["a2a3"], codes["b2b3"]))
    assert witness.search(Limits(nodes=256), search_moves=(codes["c2c3"],)) == "c2c3"
    assert witness.search(Limits(nodes=256), search_moves=(codes["a2a3"],)) == "a2a3"


def test_an_interrupted_search_has_ended_before_the_program_goes_on():
    """Python's `Thread.join` takes a thread for ended when an exception interrupts it."""
    witness = Witness()
    note = witness.on_best_move

    def note_slowly(*moves):
        time.sleep(0.3)
        note(*moves)

    witness.on_best_move = note_slowly
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        search_to_end(witness.searcher, Limits(infinite=True))
    assert len(witness.best) == 1
    assert not witness.searcher.is_searching


def test_a_thread_that_cannot_start_is_not_waited_for(monkeypatch):
    def fail(_thread):
        raise RuntimeError("can't start new thread")

    witness = Witness()
    monkeypatch.setattr(threading.Thread, "start", fail)
    with pytest.raises(RuntimeError):
        witness.searcher.go(Limits(nodes=1000))
    assert not witness.searcher.is_searching
    witness.searcher.wait()
