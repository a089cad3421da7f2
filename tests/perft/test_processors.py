import os

import pytest

import perft.__main__
from engine.search import searcher
from perft import processors as module
from perft.processors import processors, quota_in


@pytest.mark.parametrize(
    ("text", "expected"), [("150000 100000", 2), ("max 100000", 8), ("", 8), ("50000 100000", 1), ("1 0", 8)]
)
def test_a_quota_is_read(tmp_path, text, expected):
    file = tmp_path / "cpu.max"
    file.write_text(text)
    assert quota_in(file, 8) == expected


def test_no_quota(tmp_path):
    assert quota_in(tmp_path / "none", 8) == 8


@pytest.fixture
def quota_of_one(tmp_path, monkeypatch):
    """As in a container that may use one of eight processors."""
    (tmp_path / "cpu.max").write_text("100000 100000")
    monkeypatch.setattr(module, "QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    processors.cache_clear()
    yield
    processors.cache_clear()


@pytest.mark.usefixtures("quota_of_one")
def test_perft_and_the_engine_heed_the_quota():
    assert perft.__main__.new_parser("perft").get_default("threads") == 1
    assert searcher.processors() == 1
