import subprocess
import sys

import pytest

import engine
from engine import analysis as analysis_module
from engine.analysis import Analysis
from engine.config.options import Options
from engine.network.weights_file import SHIPPED
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME


@pytest.mark.thorough
def test_a_search_from_python():
    analysis = engine.analyse(MIDDLEGAME, visits=500, options={"Hash": 16})
    assert analysis.summary()["visits"] == 500
    rows = analysis.children()["rows"]
    assert len(rows) == 46
    assert analysis.explain()["move"]["uci"] == rows[0]["uci"]
    assert analysis.explain("Nh4")["added"] == 2000
    assert analysis.explain("Nh4", 100)["added"] == 100
    assert analysis.explain("Ke2")["verdict"] == "NOT LEGAL"
    assert analysis.icicle()["visits"] == 500
    assert analysis.history(2)["visits"][-1] == 500
    analysis.start(visits=500)
    analysis.wait()
    assert analysis.summary()["visits"] == 1000


def test_a_search_in_the_background():
    analysis = engine.analyse(Position(MIDDLEGAME), seconds=60, options={"Hash": 16}, wait=False)
    while analysis.summary()["visits"] < 300:
        assert analysis.is_searching
    assert analysis.summary()["state"] == "searching"
    analysis.stop()
    assert analysis.summary()["state"] == "stop"
    assert not analysis.is_searching


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="side field"):
        engine.analyse("rubbish")
    with pytest.raises(ValueError, match="no option is called"):
        engine.analyse(MIDDLEGAME, options={"Dance": 1})
    with pytest.raises(AttributeError):
        engine.dance  # noqa: B018


def test_files_that_options_name_are_opened():
    reasons = {"EvalFile": "No such file", "SyzygyPath": "there is no folder", "BookFile": "there is no book"}
    for name, reason in reasons.items():
        with pytest.raises(ValueError, match=f"{name}: .*{reason}"):
            engine.analyse(MIDDLEGAME, options={name: "/nonexistent"})
    named = Analysis(MIDDLEGAME, {"Hash": 1, "EvalFile": str(SHIPPED)})
    assert named.searcher.resources._network is not None


def test_importing_the_engine_imports_nothing_heavy():
    program = "import sys, engine; sys.exit('numba' in sys.modules or 'numpy' in sys.modules or 'chess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_what_is_searched_and_how(monkeypatch):
    started = []
    monkeypatch.setattr(Analysis, "watch", lambda _self: started.append("watched"))
    monkeypatch.setattr("engine.search.searcher.Searcher.go", lambda _self, limits: started.append(limits))
    for arguments in ({}, {"seconds": 2}, {"visits": 70}, {"seconds": 0.5, "visits": 70}):
        engine.analyse(MIDDLEGAME, options={"Hash": 1}, **arguments)
    engine.analyse(MIDDLEGAME, options={"Hash": 1}, wait=False)
    assert started == [
        Limits(move_time=5000),
        "watched",
        Limits(move_time=2000),
        "watched",
        Limits(nodes=70),
        "watched",
        Limits(move_time=500, nodes=70),
        "watched",
        Limits(move_time=5000),
    ]


def test_options_by_name_or_as_a_whole():
    given = Options()
    given.set("Hash", "1")
    for options in (given, {"Hash": 1}, {"hash": "1"}):
        settings = Analysis(MIDDLEGAME, options).searcher.options
        assert (settings.hash_megabytes, settings.analyse_mode, settings.move_overhead) == (1, True, 0)
    assert not given.analyse_mode  # it belongs to the caller
    own = Analysis(MIDDLEGAME, {"Hash": 1, "UCI_AnalyseMode": "false", "Move Overhead": 9}).searcher.options
    assert (own.analyse_mode, own.move_overhead) == (False, 9)


def test_the_position_and_the_parts_that_are_given():
    resources, listener = object(), engine.analysis.SilentListener()
    analysis = Analysis(Position(MIDDLEGAME), {"Hash": 1}, listener=listener, resources=resources)
    assert analysis.position.fen() == analysis.searcher.position.fen() == MIDDLEGAME
    assert analysis.searcher.resources is resources
    assert analysis.searcher.listener._listener is listener


class Shell:
    """A notebook, as far as it is asked."""


def test_a_notebook_shows_it_once_in_its_cell(monkeypatch):
    shell, cell, calls = Shell(), [3], []
    analysis = Analysis(MIDDLEGAME, {"Hash": 1})
    monkeypatch.setattr(analysis, "wait", lambda: calls.append("wait"))
    monkeypatch.setattr(analysis_module.notebook, "watch", calls.append)
    monkeypatch.setattr(analysis_module.notebook, "cell_number", lambda asked: cell[0] if asked is shell else None)
    monkeypatch.setattr(analysis_module.notebook, "shell", lambda: None)
    analysis.watch()
    assert calls == ["wait"]
    with pytest.raises(NotImplementedError):
        analysis._ipython_display_()
    monkeypatch.setattr(analysis_module.notebook, "shell", lambda: shell)
    with pytest.raises(NotImplementedError):
        analysis._ipython_display_()
    analysis.watch()
    assert calls == ["wait", analysis]
    analysis._ipython_display_()  # it was shown here
    cell[0] = 4
    with pytest.raises(NotImplementedError):
        analysis._ipython_display_()


def test_parts_of_the_report_are_passed_on():
    analysis = engine.analyse(MIDDLEGAME, visits=300, options={"Hash": 16, "Seed": 1})
    best = analysis.children(k=3)
    assert len(best["rows"]) == 3
    below = analysis.children(best["rows"][0]["uci"], 2)
    assert len(below["rows"]) == 2
    assert analysis.icicle(best["rows"][0]["uci"])["visits"] == best["rows"][0]["n"]
    assert len(analysis.history(2)["moves"]) == 2
