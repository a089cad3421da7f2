import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

from perft.runner import units
from perft.runner.units import Unit, UnitAnswer, compute, cpu_seconds, identity_of, sources_behind
from tests.perft.runner.work import unit


def test_identity_is_the_hash_of_function_input_and_sources():
    data = np.arange(4, dtype=np.uint64)
    text = json.dumps(
        [
            "perft.x:f",
            {
                "b": {"sha256": hashlib.sha256(b"ab").hexdigest()},
                "n": 3,
                "r": {"dtype": "uint64", "sha256": hashlib.sha256(data.tobytes()).hexdigest()},
            },
            "sources",
        ],
        sort_keys=True,
        separators=(",", ":"),
    )
    assert (
        identity_of("perft.x:f", {"n": 3, "r": data, "b": b"ab"}, "sources")
        == hashlib.sha256(text.encode()).hexdigest()
    )


@pytest.mark.parametrize(
    "other",
    [
        identity_of("perft.x:g", {"n": 3}, "s"),
        identity_of("perft.x:f", {"n": 4}, "s"),
        identity_of("perft.x:f", {"m": 3}, "s"),
        identity_of("perft.x:f", {"n": 3}, "t"),
        identity_of("perft.x:f", {"n": np.array([3])}, "s"),
        identity_of("perft.x:f", {"n": np.array([3], dtype=np.int32)}, "s"),
    ],
)
def test_whatever_differs_makes_another_unit(other):
    assert other != identity_of("perft.x:f", {"n": 3}, "s")
    assert identity_of("perft.x:f", {"n": np.array([3])}, "s") != identity_of("perft.x:f", {"n": np.array([4])}, "s")


def test_the_order_of_the_input_and_the_layout_of_arrays_mean_nothing():
    rows = np.arange(12).reshape(3, 4)
    assert identity_of("perft.x:f", {"a": 1, "b": 2}, "") == identity_of("perft.x:f", {"b": 2, "a": 1}, "")
    assert identity_of("perft.x:f", {"a": rows[:, 1]}, "") == identity_of("perft.x:f", {"a": rows[:, 1].copy()}, "")


def test_a_unit_holds_plain_values_only():
    with pytest.raises(TypeError, match="a unit cannot hold set"):
        Unit("perft.x:f", {"n": {1}})


def test_an_edit_of_any_source_behind_it_makes_another_unit(tmp_path, monkeypatch):
    for name in ("movegen", "perft", "engine"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "a.py").write_text("1")
    monkeypatch.setattr(units, "SOURCE_ROOT", tmp_path)

    def sources(function):
        sources_behind.cache_clear()
        return sources_behind(function)

    before = {name: sources(f"{name}.x:f") for name in ("perft", "engine")}
    (tmp_path / "engine" / "inner" / "a.py").write_text("2")
    assert sources("perft.x:f") == before["perft"]
    assert sources("engine.x:f") != before["engine"]
    (tmp_path / "movegen" / "b.py").write_text("")
    assert sources("perft.x:f") != before["perft"]
    sources_behind.cache_clear()


def answer(unit, **hints):
    return compute(unit.function, unit.input, unit.identity, hints)


def test_compute():
    found = answer(unit(7))
    assert (found.value, found.error, dict(found.files)) == (49, None, {})
    assert 0 <= found.seconds < 10
    assert answer(unit(3, "with_files")).files == {".txt": b"xxx", ".bin": b"\3"}
    assert answer(unit(1, "hints_of"), threads=2).value == [1, ("threads", 2)]


def test_the_processor_time_of_a_unit_is_all_since_the_last_one():
    """Also that of the programs it has started, as far as the system counts it."""
    answer(unit(7))
    begin = cpu_seconds()
    deadline = begin + 0.2
    while cpu_seconds() < deadline:
        pass
    child = [sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"]
    subprocess.run(child, check=True)
    found = answer(unit(8)).cpu_seconds
    assert 0.2 <= found <= cpu_seconds() - begin + 0.1
    assert sys.platform == "win32" or found >= 0.5
    assert answer(unit(9)).cpu_seconds < found


def test_a_failure_is_an_answer():
    assert answer(unit(7, "fails")).error == "no 7 today"
    error = answer(unit(7, "breaks")).error
    assert "ZeroDivisionError" in error
    assert "number // 0" in error  # a fault of the program: where it is


def test_other_sources_are_refused():
    found = compute(unit(7).function, unit(7).input, "0" * 64, {})
    assert found.value is None
    assert "another version of Teresa" in found.error


def test_answers_agree_if_value_and_files_do():
    assert UnitAnswer("a", 1.0, [1, 2]).digest == UnitAnswer("b", 2.0, [1, 2]).digest
    assert UnitAnswer("a", 1.0, [1, 2]).digest != UnitAnswer("a", 1.0, [2, 1]).digest
    assert UnitAnswer("a", 1.0, 1, {".x": b"1"}).digest != UnitAnswer("a", 1.0, 1, {".x": b"2"}).digest
    assert UnitAnswer("a", 1.0, 1, {".x": b"1"}).digest != UnitAnswer("a", 1.0, 1, {".y": b"1"}).digest
    assert UnitAnswer("a", 1.0, 1, {".x": b"1"}).digest != UnitAnswer("a", 1.0, 1).digest
