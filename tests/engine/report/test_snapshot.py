"""A report holds numbers of a search, not the search."""

import dataclasses
import threading
import time

import pytest

from engine.report.effort import StopReason
from engine.report.progress import SearchProgress
from engine.report.snapshot import Snapshot
from engine.search.clock import Limits
from engine.search.run import Run
from engine.search.searcher import Searcher
from tests.engine.report.searches import MIDDLEGAME, new_searcher, searched


@pytest.mark.jit  # minutes without machine code
def test_the_numbers_stay_as_they_were_when_the_report_was_made():
    searcher = new_searcher(MIDDLEGAME, Threads=2)
    searcher.go(Limits(infinite=True))
    while searcher.report().summary()["nodes"] < 500:
        time.sleep(0.01)
    report = searcher.report()
    before = report.snapshot.progress
    while searcher.report().summary()["nodes"] < before.nodes + 500:
        time.sleep(0.01)
    searcher.stop()
    searcher.wait()
    assert report.snapshot.progress == before
    assert before.state == StopReason.SEARCHING
    after = searcher.report().snapshot.progress
    assert after.state == StopReason.STOP
    assert after.nodes >= before.nodes + 500
    assert after.chosen is not None


@pytest.mark.jit  # minutes without machine code
def test_a_snapshot_holds_neither_the_search_nor_the_searcher():
    snapshot = searched(MIDDLEGAME, 300).report().snapshot
    values = [getattr(snapshot, field.name) for field in dataclasses.fields(Snapshot)]
    values += [getattr(snapshot.progress, field.name) for field in dataclasses.fields(SearchProgress)]
    assert not any(isinstance(value, Run | Searcher) for value in values)
    with pytest.raises(dataclasses.FrozenInstanceError):
        snapshot.progress.nodes = 0


def test_reading_changes_nothing_of_a_running_search():
    searcher = new_searcher(MIDDLEGAME)
    searcher.go(Limits(infinite=True))
    run, readings = searcher.run, []

    def read():
        readings.extend(searcher.report().summary()["depth"] for _ in range(50))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    searcher.stop()
    searcher.wait()
    assert len(readings) == 150
    assert max(readings) <= run.progress(searcher.tree).depth


@pytest.mark.jit  # minutes without machine code
def test_without_a_search_only_the_visits_of_the_tree_are_known():
    searcher = searched(MIDDLEGAME, 300)
    best = searcher.report().summary()["best"]
    searcher.set_position(searcher.position.play(best), (searcher.position.code(best),))
    visits = int(searcher.tree.visits[0])
    assert searcher.report().snapshot.progress == SearchProgress(visits=visits)
    assert visits > 0
