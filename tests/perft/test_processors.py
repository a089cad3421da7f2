import os
import threading
import time
import zlib

import pytest

import perft.__main__
from engine.search import searcher
from perft import processors as module
from perft.processors import processors, quota_in, seconds_waited


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


@pytest.mark.skipif(not module.WAITS.exists(), reason="waits are not counted on this system")
def test_waits_for_a_processor_are_counted():
    """A second thread keeps the only processor busy half of the time: outside Python's lock, so that both can run."""
    allowed = os.sched_getaffinity(0)
    is_over = threading.Event()
    data = bytes(1 << 20)

    def keep_busy():
        while not is_over.is_set():
            zlib.crc32(data)

    os.sched_setaffinity(0, {min(allowed)})
    busy = threading.Thread(target=keep_busy)
    try:
        busy.start()
        before, begin = seconds_waited(), time.perf_counter()
        while time.perf_counter() < begin + 1.0:
            zlib.crc32(data)
        waited = seconds_waited() - before
    finally:
        is_over.set()
        busy.join()
        os.sched_setaffinity(0, allowed)
    assert 0.1 < waited < time.perf_counter() - begin


@pytest.mark.parametrize("text", [None, "", "12", "a b c"])
def test_waits_that_cannot_be_read(tmp_path, monkeypatch, text):
    monkeypatch.setattr(module, "WAITS", tmp_path / "schedstat")
    if text is not None:
        module.WAITS.write_text(text)
    assert seconds_waited() == 0.0
