"""A search with a network outside the kernels, here a fake one: exact visits, prompt stops, reports, files."""

import random
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from engine.config.options import Options
from engine.explain.explain import explain, search_more
from engine.mcts.queue import NetQueue
from engine.mcts.tree import BUSY, ROOT
from engine.network.leaves import InterruptedEvaluationError
from engine.network.weights_file import SHIPPED
from engine.report.move_stats import moves_below
from engine.report.node import Shape
from engine.report.static_eval import evaluate_by_network
from engine.search.choose import sample_by_visits
from engine.search.clock import Limits
from engine.search.reporter import BestMove
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position
from tests.engine.mcts.invariants import check_invariants
from tests.engine.mcts.outside import Scattered

MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


class Notes(BestMove):
    """Keeps what a search says."""

    def __init__(self):
        self.messages, self.infos = [], []

    def on_message(self, text):
        self.messages.append(text)

    def on_info(self, info):
        self.infos.append(info)


def searcher_with(net, **options):
    settings = Options()
    settings.hash_megabytes = 16
    for name, value in options.items():
        setattr(settings, name, value)
    resources = Resources()
    resources.queue = NetQueue(net)
    return Searcher(settings, Notes(), resources)


def searched(searcher, limits, position=None):
    if position is not None:
        searcher.set_position(position, None)
    search_to_end(searcher, limits)
    return searcher.listener._listener


def test_one_visit_plays_the_likeliest_move(scaled):
    searcher = searcher_with(Scattered())
    for seed in range(scaled(40, plain=4)):
        rng, position = random.Random(seed), Position()
        for _ in range(rng.randrange(30)):
            position = position.play(rng.choice(position.move_codes))
            if position.is_game_over(claim_draw=True):
                break
        else:
            _, priors = Scattered.judge(position.board, position.move_codes)
            best = position.move_codes[int(priors.argmax())]  # the first of equals
            notes = searched(searcher, Limits(nodes=1), position)
            assert notes.move == position.uci(best)
            assert notes.infos[-1].nodes == 1
            value, _ = Scattered.judge(position.board, position.move_codes)
            assert notes.infos[-1].lines[0][0].score == pytest.approx(float(value), abs=1e-5)


def test_with_a_temperature_one_visit_samples_the_policy():
    position = Position()
    searcher = searcher_with(Scattered())
    searched(searcher, Limits(nodes=1), position)
    moves, rng = moves_below(searcher.tree, int(ROOT)), random.Random(3)
    played = Counter(sample_by_visits(moves, 1.0, rng, 5.8).code for _ in range(20_000))
    _, priors = Scattered.judge(position.board, position.move_codes)
    for code, prior in zip(position.move_codes, priors.tolist(), strict=True):
        assert played[code] / 20_000 == pytest.approx(prior, abs=0.015)
    coldest = Counter(sample_by_visits(moves, 0.001, rng, 5.8).code for _ in range(200))
    assert {priors[position.move_codes.index(code)] for code in coldest} == {priors.max()}


@pytest.mark.parametrize("options", [{}, {"threads": 3}, {"batch": 1}, {"batch": 7, "threads": 2}])
def test_visits_are_exact(options, scaled):
    searcher = searcher_with(Scattered(batch=16, seconds=0.0002), **options)
    for nodes in (1, 2, scaled(333)):
        searcher.forget()
        notes = searched(searcher, Limits(nodes=nodes), Position())
        assert searcher.tree.visits[0] == nodes == notes.infos[-1].nodes
        check_invariants(searcher.tree)


@pytest.mark.jit
def test_a_seed_repeats_a_search_with_batches():
    trees = []
    for seconds in (0.0, 0.001):  # however fast the network is
        searcher = searcher_with(Scattered(batch=16, seconds=seconds), batch=6, seed=4)
        searched(searcher, Limits(nodes=400), Position())
        trees.append(searcher.tree)
    for first, other in zip(trees[0].fields, trees[1].fields, strict=True):
        assert (first == other).all()
    before = trees[1].visits.copy()
    searcher.forget()  # of what the network has said, too
    searched(searcher, Limits(nodes=400), Position())
    assert (searcher.tree.visits == before).all()


@pytest.mark.jit
@pytest.mark.clock
@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_waits_for_one_batch_at_most(threads):
    searcher = searcher_with(Scattered(batch=16, seconds=0.2), threads=threads)
    searcher.set_position(Position(), None)
    searcher.go(Limits(infinite=True))
    time.sleep(0.5)
    asked = len(searcher.resources.queue.net.sizes)
    begin = time.perf_counter()
    searcher.stop()
    searcher.wait()
    assert time.perf_counter() - begin < 1.0  # five times that
    assert len(searcher.resources.queue.net.sizes) <= asked + threads
    check_invariants(searcher.tree)


def test_a_mate_ends_the_search():
    notes = searched(searcher_with(Scattered()), Limits(nodes=500), Position(MATE_IN_ONE))
    assert notes.move == "a1a8"
    assert notes.infos[-1].nodes < 500


def test_a_failing_network_costs_no_game():
    class Broken(Scattered):
        def evaluate(self, leaves, _halt=None):  # noqa: ARG002  (it fails)
            raise RuntimeError("no memory on the GPU")

    searcher = searcher_with(Broken())
    notes = searched(searcher, Limits(nodes=10), Position())
    assert notes.move in Position().legal_moves
    assert any("no memory on the GPU" in text for text in notes.messages)


def test_reports_ask_the_network_in_use(scaled):
    net = Scattered()
    searcher = searcher_with(net)
    position = Position().play_all("e4 e5")
    searched(searcher, Limits(nodes=scaled(200)), position)
    rows = searcher.report().children(shape=Shape(first_look=True))["rows"]
    _, priors = Scattered.judge(position.board, position.move_codes)
    for row in rows:
        code = position.code(row["uci"])
        after = position.play(code)
        value, _ = Scattered.judge(after.board, after.move_codes)
        assert row["v"] == pytest.approx(1 - float(value), abs=1e-5)
        assert row["p"] == pytest.approx(float(priors[position.move_codes.index(code)]), abs=1e-5)
    found = explain(searcher.report(), rows[-1]["uci"])
    assert search_more(found, 30).added == 30
    evaluation = evaluate_by_network(position, searcher.resources.queue)
    value, _ = Scattered.judge(position.board, position.move_codes)
    assert evaluation.outcome.score == pytest.approx(float(value), abs=1e-5)
    assert len(evaluation.pieces) == 30


def test_a_rating_is_remarked_on_once():
    searcher = searcher_with(Scattered(), limit_strength=True, elo=1340)
    for _ in range(2):
        notes = searched(searcher, Limits(nodes=20), Position())
    assert sum("UCI_Elo" in text for text in notes.messages) == 1


def test_a_wrong_file_leaves_the_network_in_use(tmp_path):
    resources = Resources()
    resources.queue = before = NetQueue(Scattered())
    wrong = tmp_path / "wrong.pb"
    for content in (b"", b"TERESANN", b"\x1f\x8b rubbish", b"\x1f\x8b" + bytes(30), random.Random(1).randbytes(3000)):
        wrong.write_bytes(content)
        with pytest.raises(ValueError, match=r"wrong\.pb"):
            resources.set_network(str(wrong))
    for name in (tmp_path, tmp_path / "none", Path("none.pb.gz")):
        with pytest.raises(ValueError, match="cannot be read"):
            resources.set_network(str(name))
    assert resources.queue is before
    resources.set_network(str(SHIPPED))
    assert resources.queue is None
    resources.queue = before
    resources.set_network("")
    assert resources.queue is None


class Slow(Scattered):
    """Each evaluation but the first ones takes half a minute, unless it is ended."""

    def evaluate(self, leaves, halt=None):
        super().evaluate(leaves)
        ended = threading.Event()
        halt.begin(ended.set)
        if len(self.sizes) > 4 and ended.wait(30):
            raise InterruptedEvaluationError


@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(move_time=10), Limits(time_left=300)])
def test_no_move_waits_for_an_evaluation(limits):
    searcher = searcher_with(Slow(), threads=2)
    searcher.set_position(Position(), None)
    begin = time.perf_counter()
    searcher.go(limits)
    if limits.infinite:
        time.sleep(0.3)
        searcher.stop()
    searcher.wait()
    assert time.perf_counter() - begin < 15
    assert searcher.listener._listener.move in Position().legal_moves
    check_invariants(searcher.tree)
    assert not (searcher.tree.link == BUSY).any()
    assert not searcher.resources.queue._asked


def test_a_tree_of_another_network_is_not_gone_on_with():
    searcher = searcher_with(Scattered())
    searched(searcher, Limits(nodes=60), Position())
    searched(searcher, Limits(nodes=60))
    assert searcher.tree.visits[0] == 120
    other = Scattered()
    other.digest = "another"
    searcher.resources.queue = NetQueue(other)
    searched(searcher, Limits(nodes=60))
    assert searcher.tree.visits[0] == 60
