"""What a view of several searches answers."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from engine.explain.text import percent
from engine.explorer import view as view_module
from engine.explorer.view import IN_FRAMES, ON_DEMAND, SearchHandle, View, _trends, loaded
from engine.mcts.tree import SCORE_UNIT
from engine.report.node import Shape
from engine.report.progress import Sample
from engine.search.clock import Limits
from movegen import Position
from tests.engine.mcts.outside import Scattered
from tests.engine.report.searches import MIDDLEGAME, new_searcher
from tests.engine.search.test_outside_network import searched, searcher_with


def test_saved_trees_are_of_one_position(monkeypatch):
    fens = {"one": MIDDLEGAME, "two": MIDDLEGAME, "other": Position().fen()}
    monkeypatch.setattr(
        view_module,
        "load",
        lambda path: SimpleNamespace(
            report=lambda _: SimpleNamespace(
                name=path.stem, snapshot=SimpleNamespace(position=Position(fens[path.stem]))
            )
        ),
    )
    view = loaded("some/one.npz", "two.npz")
    assert [search.name for search in view.searches] == ["one", "two"]
    assert [search.report().name for search in view.searches] == ["one", "two"]
    with pytest.raises(ValueError, match=r"^the trees are of different positions$"):
        loaded("one.npz", "other.npz")


def sample(visits, counts, wins):
    return Sample(0.0, visits, np.array(counts, np.uint32), (np.array(wins) * SCORE_UNIT).astype(np.int64))


def test_trends_are_since_half_the_visits():
    position = Position()
    codes = [position.code(move) for move in ("e2e4", "d2d4", "g1f3")]
    samples = [sample(10, [4, 4, 0], [4, 0, 0]), sample(49, [20, 20, 0], [2, 2, 0])]
    samples += [sample(50, [20, 20, 0], [10, 5, 0]), sample(100, [40, 40, 9], [30, 5, 3])]
    history = SimpleNamespace(read=lambda: (codes, samples))
    report = SimpleNamespace(snapshot=SimpleNamespace(history=history, position=position))
    assert _trends(report) == {"e2e4": 0.25, "d2d4": -0.125}
    history.read = lambda: ((), [])
    assert _trends(report) == {}


def test_how_much_frames_and_opened_nodes_hold():
    """Lines, plies of a line, first looks."""
    assert Shape(8, 16, first_look=False) == IN_FRAMES
    assert Shape(64, 16, first_look=True) == ON_DEMAND
    asked = []

    def children(path, shape):
        asked.append((path, shape))
        return {"rows": [{"proven": None, "flags": ["next"]}]}

    report = SimpleNamespace(children=children, summary=dict, history=lambda curves: {"curves": curves})
    report.snapshot = SimpleNamespace(history=SimpleNamespace(read=lambda: ((), [])))
    view = View([SearchHandle("one", lambda: report)])
    assert view.node(0, "a")["rows"] == [{"proven": None, "flags": ["next"], "state": "next"}]
    view.frame("a")
    view.frame("", 99)
    view.frame("", 3)
    shapes = [ON_DEMAND, IN_FRAMES, IN_FRAMES, Shape(64, 16), Shape(3, 16)]
    assert asked == list(zip(["a", "", "a", "", ""], shapes, strict=True))
    assert view.history(0, 65) == {"curves": 64, "trends": {}}
    assert view.history(0, 5) == {"curves": 5, "trends": {}}


def test_a_view_of_two_searches():
    reports = [new_searcher(MIDDLEGAME).report, new_searcher(MIDDLEGAME).report]
    view = View([SearchHandle("one", reports[0]), SearchHandle("two", reports[1])])
    about = view.about()
    assert (about["searches"], about["interactive"]) == (["one", "two"], False)
    assert about["losses"] == {"close": 0.02, "large": 0.04}
    assert json.dumps(about)
    for number in (-1, 2):
        with pytest.raises(ValueError, match=r"^there is no such search$"):
            view.report(number)
    assert len(view.signature()) == len(view.frame("")) == 2
    opened = view.open(1, "")
    assert (len(opened["nodes"]), len(opened["icicles"])) == (2, 2)
    with pytest.raises(ValueError, match=r"^there is no such search$"):
        view.open(2, "")
    with pytest.raises(ValueError, match=r"^there is no such move$"):
        view.lesson(0, "", "e2e9")


def test_a_path_of_128_moves_can_be_opened_and_no_longer_one():
    view = View([SearchHandle("one", new_searcher(MIDDLEGAME).report)])
    moves = ["g1h1", "g8h8", "h1g1", "h8g8"] * 33
    assert len(view.position("/".join(moves[:128]))["names"]) == 128
    with pytest.raises(ValueError, match=r"^the path has more than 128 moves$"):
        view.position("/".join(moves[:129]))


def test_why_says_what_a_network_of_others_would_play_without_a_search():
    teresa, other = searcher_with(Scattered()), searcher_with(Scattered())
    teresa.resources.queue = None
    for searcher in (teresa, other):
        searched(searcher, Limits(nodes=50), Position(MIDDLEGAME))
    view = View([SearchHandle("one", teresa.report), SearchHandle("two", other.report)])
    assert json.dumps(view.about()["policies"]) == "[false, true]"
    position = Position(MIDDLEGAME)
    _, priors = Scattered.judge(position.board, position.move_codes)
    ranked = sorted(zip(priors.tolist(), position.move_codes, strict=True), key=lambda pair: -pair[0])
    (prior, first), (_, last) = ranked[0], ranked[-1]
    (line,) = [line for line in view.why(0, position.uci(last))["lines"] if line["label"] == "scattered"]
    assert line["parts"][0].startswith(f"without a search plays {position.san(first)} {percent(prior)}, ")
    assert f", {position.san(last)} " in line["parts"][0]
    assert line["parts"][0].endswith(f"(#{len(ranked)})")
    assert not any(line["label"] == "scattered" for line in view.why(1, None)["lines"])
