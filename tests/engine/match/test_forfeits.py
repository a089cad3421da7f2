"""Machines on which too many games are lost on time do not count, by a rule that is fixed before the first game."""

import random

import pytest

from engine.match.forfeits import ForfeitLimit, MachineRecord, machine_of, machine_records, new_limit
from engine.match.pairs import Pair
from engine.match.play import Match
from engine.match.sprt import Decision, Sprt
from engine.match.statistics import elo_interval
from engine.match.summary import MatchSummary
from perft.runner.journal import Journal, Memory
from perft.runner.pool import UnitReport
from perft.runner.runner import Runner, Stopped
from perft.runner.units import UnitAnswer
from tests.engine.match.test_play import plan

LIMIT = ForfeitLimit(0.1, 20)


def pairs_on(machine, count, *, forfeits=0, cause="first: time", points=(1.0, 0.5)):
    """Pairs of two workers of a machine; in the first of them a game is lost otherwise than by play."""
    return [
        Pair((0.0, 0.5), (cause, None), f"{machine}:{number % 2}")
        if number < forfeits
        else Pair(points, (None, None), f"{machine}:{number % 2}")
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("games", "forfeits", "is_left_out"), [(18, 9, False), (20, 2, False), (20, 3, True), (40, 4, False), (40, 5, True)]
)
def test_the_rule(games, forfeits, is_left_out):
    """More than a tenth of at least 20 games, of all workers of a machine together."""
    pairs = pairs_on("here", games // 2, forfeits=forfeits)
    expected = {"here": MachineRecord(games, forfeits)} if is_left_out else {}
    assert LIMIT.left_out(pairs) == expected


@pytest.mark.parametrize(
    ("cause", "counts"),
    [
        ("first: time", True),
        ("second: crash", True),
        ("first: no answer", True),
        ("first: illegal move", False),
        ("second: no move", False),
    ],
)
def test_only_what_a_machine_can_cause_counts(cause, counts):
    assert bool(LIMIT.left_out(pairs_on("here", 20, forfeits=9, cause=cause))) is counts


@pytest.mark.parametrize(
    ("worker", "machine"),
    [("here:123", "here"), ("tcp://10.0.0.1:4567", "tcp://10.0.0.1"), ("tls://[::1]:4567", "tls://[::1]")],
)
def test_the_machine_of_a_worker(worker, machine):
    assert machine_of(worker) == machine
    assert list(machine_records([Pair((1.0, 0.5), (None, None), worker)])) == [machine]


def test_all_pairs_of_a_machine_are_left_out_and_named():
    """Those that it ended by play too: else the player that does not forfeit would be favoured."""
    pairs = tuple(pairs_on("bad", 20, forfeits=10, points=(1.0, 1.0)) + pairs_on("good", 30, forfeits=1))
    summary = MatchSummary(("A", "B"), pairs, Sprt(0, 5), LIMIT)
    assert (summary.score.games, summary.score.counts) == (60, (0, 1, 0, 29, 0))
    text = "\n".join(summary.lines())
    assert "A against B: 60 games" in text
    assert "all 40 games on bad are left out: 10 of them lost by time or crash" in text
    assert "the rule of this match: more than 10 % of at least 20 games lost by time or crash" in text
    assert "lost otherwise than by play (first: time) on bad:0: 5" in text  # still listed
    assert summary.data()["left_out"] == [{"machine": "bad", "games": 40, "forfeits": 10}]
    assert summary.data()["limit"] == {"share": 0.1, "least_games": 20}
    everything = MatchSummary(("A", "B"), pairs, Sprt(0, 5))
    assert (everything.score.games, everything.left_out) == (100, {})


def test_if_all_machines_are_left_out_nothing_is_known():
    summary = MatchSummary(("A", "B"), tuple(pairs_on("bad", 20, forfeits=10)), Sprt(0, 5), LIMIT)
    assert (summary.score.games, summary.decision) == (0, Decision.OPEN)
    assert "Elo unknown" in summary.lines()


@pytest.mark.parametrize(("share", "games"), [(-0.1, 20), (1, 20), (0.1, 0), (0.1, 1.5), (float("nan"), 20)])
def test_rules_without_sense_are_refused(share, games):
    with pytest.raises(ValueError, match=r"a (share|number) of games must be"):
        new_limit(share, games)


# Whole matches


class TwoMachines:
    """Answers units in random order; which machine plays a unit, and what happens there, is fixed by its number."""

    workers, lost, notes = 8, 0, ()

    def __init__(self, order, most=10**9):
        self._rng, self._jobs, self._left = random.Random(order), [], most

    def send(self, job):
        self._jobs.append(job)

    def receive(self, _seconds):
        if not self._left:
            raise Stopped
        self._left -= 1
        self._rng.shuffle(self._jobs)
        job = self._jobs.pop()
        first = job.unit.input["first"]
        machine = "bad" if first % 6 == 0 else "good"
        rows = [game_row(first + number, machine) for number in range(len(job.unit.input["openings"]))]
        return [UnitReport(job, UnitAnswer(f"{machine}:1", 0.1, rows, {".pgn": f"{first}\n".encode()}))]

    def recall(self):
        return []

    def begun_at(self, _job):
        """It is asked where a unit takes long: on a busy machine."""
        return

    def close(self):
        self._jobs.clear()


def game_row(number, machine):
    """The players are equal; on the bad machine the first one loses every third game on time."""
    rng = random.Random(f"{number} {machine}")
    games = [(rng.choice((0.0, 0.5, 0.5, 1.0)), None) for _ in range(2)]
    if machine == "bad":
        games = [(0.0, "first: time") if rng.random() < 1 / 3 else game for game in games]
    return {"points": [points for points, _ in games], "forfeits": [forfeit for _, forfeit in games]}


def played(order, journal, pairs=400, sprt=None, limit=LIMIT, most=10**9):
    match = Match(plan(pairs), sprt, limit)
    match.play(Runner(TwoMachines(order, most), journal))
    return match


def test_an_overloaded_machine_does_not_decide_the_match():
    """Equal players: with the machine on which one of them loses on time their difference is significant."""
    with_it, without = played(1, Memory(), limit=None).summary, played(1, Memory()).summary
    assert elo_interval(with_it.score.counts).high < 0
    interval = elo_interval(without.score.counts)
    assert interval.low < 0 < interval.high
    assert list(without.left_out) == ["bad"]


@pytest.mark.parametrize("order", range(4))
def test_the_verdict_does_not_depend_on_the_order_of_workers(order):
    """Nor do the pairs that count, and their games."""
    test = Sprt(-15, 15)
    expected, match = played(100, Memory(), sprt=test), played(order, Memory(), sprt=test)
    assert match.summary.decision is not Decision.OPEN
    assert match.summary.data() == expected.summary.data()
    games = b"".join(match.pgn()).split()
    assert games == [b"%d" % first for first in range(0, len(match.pairs), 2) if first % 6]


def test_a_match_that_is_continued_has_the_same_verdict(tmp_path):
    test = Sprt(-15, 15)
    expected = played(1, Memory(), sprt=test).summary.data()
    journal = Journal(tmp_path / "run")
    journal.start({})
    with pytest.raises(Stopped):
        played(2, journal, sprt=test, most=15)
    journal.close()
    journal = Journal(tmp_path / "run")
    journal.resume()
    assert len(journal.done) == 15
    assert played(3, journal, sprt=test).summary.data() == expected
    journal.close()


def test_healthy_machines_are_hardly_ever_left_out():
    """Ten machines, each with one game in a hundred lost on time, looked at after every pair."""
    rng, left_out = random.Random(5), set()
    for machine in range(100):
        pairs = []
        for _ in range(100):
            forfeits = tuple("second: time" if rng.random() < 0.01 else None for _ in range(2))
            pairs.append(Pair((1.0, 0.0), forfeits, f"{machine}:1"))
            left_out |= LIMIT.left_out(pairs).keys()
    assert len(left_out) <= 3
