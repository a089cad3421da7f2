"""Plays the pairs of a plan on workers, until all are played or the test is decided.

Only the unbroken beginning of the list of pairs counts: a decision depends neither on the speed of workers nor on the
order in which they finish.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from engine.match.forfeits import ForfeitLimit, machine_of
from engine.match.openings import FIELDS_OF_EPD, Opening, random_opening
from engine.match.pairs import PGN, MatchPlan, Pair, pairs_of
from engine.match.sprt import Decision, Sprt
from engine.match.summary import MatchSummary
from perft.runner.runner import Runner, results_in_order

if TYPE_CHECKING:
    from perft.runner.journal import Result


def choose_openings(book: Sequence[Opening] | None, pairs: int, seed: int, *, is_repeatable: bool) -> list[Opening]:
    """The openings of a match, in random order; without a book random moves.

    If visits are fixed (`is_repeatable`), no position must be used twice, by whatever moves it is reached: the same
    games would count twice, since most other engines repeat themselves, too.
    """
    if book is None:
        return _random_openings(pairs, seed)
    distinct = _with_different_positions(book) if is_repeatable else list(dict.fromkeys(book))
    if is_repeatable and pairs > len(distinct):
        raise ValueError(
            f"the book has {len(distinct)} different openings, enough for {2 * len(distinct)} games: "
            "with fixed visits an opening gives the same games again"
        )
    rng, order = random.Random(seed), list[Opening]()
    while len(order) < pairs:
        order += rng.sample(distinct, len(distinct))
    return order[:pairs]


def _with_different_positions(book: Sequence[Opening]) -> list[Opening]:
    """The first opening of each position; its counters make no other game of it."""
    found: dict[tuple[str, ...], Opening] = {}
    for opening in book:
        found.setdefault(tuple(opening.position().fen().split()[:FIELDS_OF_EPD]), opening)
    return list(found.values())


def _random_openings(count: int, seed: int) -> list[Opening]:
    """Different sequences of random moves; the positions after them may be the same in rare cases."""
    found: dict[Opening, None] = {}
    numbers = itertools.count()
    while len(found) < count:
        found[random_opening(f"{seed} {next(numbers)}")] = None
    return list(found)


class Match:
    """A match that is played now."""

    def __init__(self, plan: MatchPlan, sprt: Sprt | None = None, limit: ForfeitLimit | None = None) -> None:
        """`limit`: the rule by which machines with many forfeits do not count."""
        self.plan, self.sprt, self.limit, self.units = plan, sprt, limit, plan.units()
        self.pairs: list[Pair] = []
        self.games: list[Result] = []  # of the units in the unbroken beginning, with their PGN

    def play(self, runner: Runner, on_pairs: Callable[[MatchSummary], None] = lambda _: None) -> MatchSummary:
        """Play; `on_pairs` is called after each unit that counts."""
        with closing(runner.run(self.units)) as results:
            for _, result in results_in_order(self.units, results):
                self.pairs += pairs_of(result)
                self.games.append(result)
                summary = self.summary
                on_pairs(summary)
                if summary.decision is not Decision.OPEN:
                    break
        return self.summary

    @property
    def summary(self) -> MatchSummary:
        """The result, as far as the match is played."""
        first, second = self.plan.players
        return MatchSummary((first.name, second.name), tuple(self.pairs), self.sprt, self.limit)

    def pgn(self) -> Iterator[bytes]:
        """All games that count."""
        left_out = self.summary.left_out
        return (result.read(PGN) for result in self.games if machine_of(result.workers[0]) not in left_out)
