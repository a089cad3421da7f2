"""How far a search is, and how it came there: its numbers at one moment, and samples of its root over time."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.mcts.tree import ROOT, SCORE_UNIT, Tree, edges_of
from engine.report.effort import StopReason

SECONDS_BETWEEN_SAMPLES = 0.1
FIRST_GROWTH = 1.15  # or as soon as the visits have grown by this factor: searches may be short
MOST_SAMPLES = 512
KEPT_WHEN_FULL = 256


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is, at one moment. The defaults: nothing was searched at this root."""

    visits: int = 0  # of the root, by all searches
    nodes: int = 0  # visits made by this search
    seconds: float = 0.0
    depth: int = 0  # rounded mean depth of the leaves
    deepest: int = 0
    state: StopReason = StopReason.STOP
    moves_by: str = ""  # "book" or "tablebase", if it chose the root's moves
    known_score: float | None = None  # of the root, from tablebases
    tablebase_hits: int = 0
    chosen: int | None = None  # the move to play, once the search has given it


class Sample(NamedTuple):
    """The root at one moment."""

    seconds: float  # of search at this root
    visits: int  # of the root
    counts: np.ndarray  # uint32, N of its moves
    wins: np.ndarray  # int64, W of its moves, in SCORE_UNIT


class History:
    """Samples of one root: the recent ones at short intervals, the others at growing ones.

    One thread writes; others may `read` at any moment: moves and samples are replaced together.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start again, for another root."""
        self._kept: tuple[tuple[int, ...], list[Sample]] = ((), [])
        self._started = self._next_moment = 0.0
        self._next_visits = 0.0

    def read(self) -> tuple[tuple[int, ...], list[Sample]]:
        """The root's moves, and the samples in the order of time."""
        return self._kept

    def restore(self, kept: tuple[tuple[int, ...], list[Sample]]) -> None:
        """Take over the content that `read` gave of another history."""
        self._kept = kept

    def start(self, now: float) -> None:
        """A search begins, or goes on."""
        _, samples = self._kept
        self._started = now - (samples[-1].seconds if samples else 0.0)
        self._next_moment, self._next_visits = now, 0.0

    def note(self, tree: Tree, now: float) -> None:
        """Add a sample if it is time for one."""
        if now >= self._next_moment or int(tree.visits[int(ROOT)]) >= self._next_visits:
            self.add(tree, now)

    def add(self, tree: Tree, now: float) -> None:
        """Add a sample."""
        edges, visits = edges_of(tree, int(ROOT)), int(tree.visits[int(ROOT)])
        self._next_moment, self._next_visits = now + SECONDS_BETWEEN_SAMPLES, visits * FIRST_GROWTH
        if not edges or visits == 0:
            return
        block = slice(edges.start, edges.stop)
        codes = tuple(tree.move[block].tolist())
        known_codes, samples = self._kept
        if codes != known_codes or (samples and visits < samples[-1].visits):
            samples = []
        if samples and visits == samples[-1].visits:
            return
        if len(samples) >= MOST_SAMPLES:
            samples = thinned(samples)
        sample = Sample(now - self._started, visits, tree.visits[block].copy(), tree.wins[block].copy())
        self._kept = codes, [*samples, within_bounds(sample)]


def within_bounds(sample: Sample) -> Sample:
    """No move scores more than its visits: other threads may have gone on between reading the two."""
    return sample._replace(wins=np.minimum(sample.wins, sample.counts.astype(np.int64) * SCORE_UNIT))


def thinned(samples: list[Sample]) -> list[Sample]:
    """At most half of the samples, at equal ratios of visits; the first and the last stay. Visits must grow."""
    first, last = samples[0], samples[-1]
    ratio = (last.visits / max(1, first.visits)) ** (1 / (KEPT_WHEN_FULL - 1))
    kept = [first]
    for sample in samples[1:-1]:
        if sample.visits >= max(1, kept[-1].visits) * ratio:
            kept.append(sample)
    return [*kept, last]
