"""The engine in small searches, which also run as plain Python: every line from a UCI command to a report."""

import pytest

from engine.explain.explain import answer
from engine.explain.text import data_of
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import KIWIPETE, MATE_IN_1, new_searcher, searched
from tests.engine.uci.test_queue import Talk

VISITS = 60


@pytest.fixture(scope="module", params=["PUCT", "UCB1"])
def searcher(request):
    return searched(KIWIPETE, VISITS, Formula=request.param)


def test_the_visits_of_a_report_add_up(searcher):
    report = searcher.report()
    summary, rows = report.summary(), report.children()["rows"]
    assert summary["visits"] == summary["nodes"] == VISITS
    assert summary["state"] == "nodes"
    assert sum(row["n"] for row in rows) == VISITS - 1
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[0]["uci"] == summary["best"]
    assert {row["uci"] for row in rows} == set(Position(KIWIPETE).legal_moves)


def test_the_move_searched_next_has_the_largest_urgency(searcher):
    rows = searcher.report().children()["rows"]
    (best,) = [row for row in rows if "next" in row["flags"]]
    assert best["s"] == max(row["s"] for row in rows)


def test_rectangles_lie_within_their_parents(searcher):
    rectangles = searcher.report().icicle()["rectangles"]
    for one in rectangles:
        if one["parent"] >= 0:
            parent = rectangles[one["parent"]]
            assert parent["x"] <= one["x"]
            assert one["x"] + one["width"] <= parent["x"] + parent["width"]


def test_the_last_sample_of_the_history_is_the_tree(searcher):
    history, rows = searcher.report().history(), searcher.report().children()["rows"]
    assert dict(zip(history["moves"], history["n"][-1], strict=True)) == {row["uci"]: row["n"] for row in rows}


def test_a_move_with_few_visits_is_searched_separately(searcher):
    found = data_of(answer(searcher.report(), "a3", 20))
    assert found["added"] == 20
    assert found["move"]["uci"] == "a2a3"


@pytest.mark.parametrize("formula", ["UCB1", "PUCT"])
@pytest.mark.parametrize("evaluator", ["Network", "Playout"])
def test_a_mate_is_proven_and_ends_the_search(formula, evaluator):
    searcher = searched(MATE_IN_1, 200, Formula=formula, Evaluator=evaluator)
    summary = searcher.report().summary()
    assert (summary["best"], summary["proven"]) == ("b1b8", {"result": "win", "plies": 1})


@pytest.mark.parametrize("batch", [1, 4])
def test_only_the_moves_wished_for_are_searched(batch):
    searcher, position = new_searcher(Batch=batch), Position()
    searcher.go(Limits(nodes=20), search_moves=(position.code("a3"), position.code("h4")))
    searcher.wait()
    assert {row["uci"] for row in searcher.report().children()["rows"]} == {"a2a3", "h2h4"}


def test_the_tree_is_kept_when_the_game_goes_on():
    searcher, position = searched(nodes=VISITS), Position()
    best = searcher.report().children()["rows"][0]
    searcher.set_position(position.play(best["uci"]), (position.code(best["uci"]),))
    assert searcher.report().summary()["visits"] == best["n"]


def test_a_conversation(tmp_path):
    talk, file = Talk(), tmp_path / "tree.npz"
    talk.load()
    talk.hear("uci", "isready", "setoption name Hash value 4", "position startpos moves e2e4", "go nodes 30", "d")
    talk.wait_for("bestmove")
    talk.hear("moves", "why", f"savetree {file}", "position startpos", f"loadtree {file}", "moves", "go perft 2")
    talk.wait_for("\nNodes searched: 600")
    talk.hear("go movetime 50", "eval")
    talk.wait_for("bestmove", 2)
    talk.hear("go infinite", "stop")
    talk.wait_for("bestmove", 3)
    talk.close()
    assert not [line for line in talk.said if "ignored" in line or "failed" in line]
    shown = [line for line in talk.said if line.startswith("info string ") and " Q 0." in line]
    assert shown[: len(shown) // 2] == shown[len(shown) // 2 :]
