"""Damaged and invented chunks are refused before they are recorded."""

from dataclasses import replace

import pytest

from engine.network.weights_file import SHIPPED
from engine.training.generate.chunk_check import check_chunk
from engine.training.generate.chunk_units import chunk_unit
from engine.training.generate.chunks import Plan
from engine.training.generate.teachers import self_play
from perft.runner.units import UnitAnswer, compute

UNIT = chunk_unit(Plan(self_play(SHIPPED, 4), False, games=2, seed=3, at_once=1, games_per_chunk=2), 0)


@pytest.fixture(scope="module")
def answer():
    return compute(UNIT.function, UNIT.input, UNIT.identity, {})


def changed(answer, suffix, change):
    return replace(answer, files={**answer.files, suffix: change(answer.files[suffix])})


def test_what_a_worker_makes_is_right(answer):
    assert answer.value > 0
    check_chunk(UNIT, answer)
    check_chunk(UNIT, replace(answer, files={".vf": answer.files[".vf"]}))  # of a UCI engine: without visits


def test_all_games_may_be_dropped():
    check_chunk(UNIT, UnitAnswer("w", 1.0, 0, {".vf": b""}))


def flipped(at):
    return lambda data: data[:at] + bytes([data[at] ^ 0x21]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("suffix", "change", "reason"),
    [
        (".vf", flipped(0), "not valid chess data"),  # the pieces
        (".vf", flipped(32), "not valid chess data"),  # the first move
        (".vf", lambda data: data[:-2], "cut off"),
        (".vf", lambda data: data + data[:20], "cut off"),
        (".vf", lambda data: data + data, "positions are reported"),
        (".vf", lambda _: b"", "no game"),
        (".visits", lambda data: data[:-1], "visits"),
        (".visits", lambda data: data + b"\0", "visits"),
        (".visits", flipped(1), "visits"),
    ],
)
def test_damage(answer, suffix, change, reason):
    with pytest.raises(ValueError, match=reason):
        check_chunk(UNIT, changed(answer, suffix, change))


@pytest.mark.parametrize("answer", [UnitAnswer("w", 1.0, 7), UnitAnswer("w", 1.0, 0, {".vf": b"nonsense" * 20})])
def test_no_games(answer):
    with pytest.raises(ValueError, match=r"no game|not a file of labelled games"):
        check_chunk(UNIT, answer)
