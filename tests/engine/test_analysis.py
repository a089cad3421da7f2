import subprocess
import sys

import pytest

import engine
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME


def test_a_search_from_python():
    analysis = engine.analyse(MIDDLEGAME, visits=500, options={"Hash": 16})
    assert analysis.summary()["visits"] == 500
    rows = analysis.children()["rows"]
    assert len(rows) == 46
    assert analysis.explain()["move"]["uci"] == rows[0]["uci"]
    assert analysis.explain("h4")["added"] == 2000
    assert analysis.explain("h4", 100)["added"] == 100
    assert analysis.explain("Ke2")["verdict"] == "NOT LEGAL"
    assert analysis.icicle()["visits"] == 500
    assert analysis.history(2)["visits"][-1] == 500
    analysis.start(visits=500)
    analysis.wait()
    assert analysis.summary()["visits"] == 1000


def test_a_search_that_goes_on_beside_all_else():
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


def test_importing_the_engine_imports_nothing_heavy():
    program = "import sys, engine; sys.exit('numba' in sys.modules or 'numpy' in sys.modules or 'chess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
