"""Searches to show."""

import time

from engine.analysis import Analysis
from engine.explorer.interactive import InteractiveSession
from tests.engine.report.searches import MIDDLEGAME


def new_session(fen=MIDDLEGAME, visits=2000, **options):
    """A session whose search rests after this number of visits."""
    analysis = Analysis(fen, {"Hash": 16, "Seed": 1, **options})
    analysis.start(visits=visits)
    analysis.wait()
    session = InteractiveSession([("PUCT, network", analysis)])
    session.pause()
    return session


def until(is_so, seconds=20):
    """Wait until something is so."""
    end = time.perf_counter() + seconds
    while not is_so():
        assert time.perf_counter() < end, "waited in vain"
        time.sleep(0.02)
