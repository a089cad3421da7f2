"""A match in units: workers that finish in any order, interruptions, tests that end it early."""

import io
import random
from dataclasses import replace

import chess.pgn
import pytest

from engine.match.adjudication import Adjudication
from engine.match.pairs import MatchPlan, Pair, pairs_of
from engine.match.play import Match, choose_openings
from engine.match.player import TimeControl
from engine.match.roster import read_player
from engine.match.sprt import Decision, Sprt
from perft.runner.journal import Journal, Memory
from perft.runner.pool import UnitReport
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import RunError, Runner
from perft.runner.units import UnitAnswer

PLAYERS = (read_player("default", "A"), read_player("PUCT C=3000", "B"))


def plan(pairs=6, per_unit=2, visits=4, players=PLAYERS):
    openings = choose_openings(None, pairs, 3, is_repeatable=True)
    rules = Adjudication(most_plies=20, resign_score=300, resign_moves=2)
    return MatchPlan(players, TimeControl(visits=visits), rules, tuple(openings), 3, per_unit)


class ShuffledPool:
    """Answers units in random order, with made-up results by their first pair."""

    workers, lost, notes = 8, 0, ()

    def __init__(self, points, order):
        self._points, self._rng, self._jobs = points, random.Random(order), []
        self.answered = []

    def send(self, job):
        self._jobs.append(job)

    def receive(self, _seconds):
        self._rng.shuffle(self._jobs)
        job = self._jobs.pop()
        first, count = job.unit.input["first"], len(job.unit.input["openings"])
        self.answered.append(first)
        rows = [{"points": self._points[number], "forfeits": [None, None]} for number in range(first, first + count)]
        return [UnitReport(job, UnitAnswer("here:1", 0.1, rows, {".pgn": f"{first}\n".encode()}))]

    def recall(self):
        return []

    def close(self):
        self._jobs.clear()


def made_up(pairs, seed):
    rng = random.Random(seed)
    return [[rng.choice([1.0, 1.0, 0.5, 0.0]), rng.choice([1.0, 0.5, 0.0])] for _ in range(pairs)]


@pytest.mark.parametrize("order", range(8))
def test_the_decision_does_not_depend_on_the_order_of_workers(order):
    points, test = made_up(200, seed=4), Sprt(0, 40)
    expected = _first_decision(points, test, per_unit=2)
    pool = ShuffledPool(points, order)
    match = Match(plan(200), test)
    summary = match.play(Runner(pool, Memory()))
    assert summary.decision is Decision.H1
    assert [list(pair.points) for pair in summary.pairs] == points[:expected]
    assert len(pool.answered) > expected // 2  # more units were done than count
    assert b"".join(match.pgn()) == b"".join(f"{first}\n".encode() for first in range(0, expected, 2))


def _first_decision(points, test, per_unit):
    """How many pairs are played, if one worker plays them one after the other."""
    for count in range(per_unit, len(points) + 1, per_unit):
        pairs = tuple(Pair(tuple(each), (None, None)) for each in points[:count])
        summary = replace(Match(plan(2), test).summary, pairs=pairs)
        if summary.decision is not Decision.OPEN:
            return count
    return len(points)


def test_without_a_test_all_games_are_played():
    points = made_up(31, seed=2)
    summary = Match(plan(31, per_unit=4)).play(Runner(ShuffledPool(points, 0), Memory()))
    assert [list(pair.points) for pair in summary.pairs] == points
    assert summary.decision is Decision.OPEN


def whole(match_plan, journal=None):
    match = Match(match_plan)
    match.play(Runner(InlinePool({}), journal or Memory()))
    return match.pairs, b"".join(match.pgn())


def results_of(pairs):
    return [(pair.points, pair.forfeits) for pair in pairs]


@pytest.mark.thorough
def test_a_match_in_a_folder_can_be_continued(tmp_path):
    """Broken off after two units, with a torn line; the other half is played by other processes."""
    expected, games = whole(plan())
    journal = Journal(tmp_path / "run")
    journal.start({"command": "match"})
    results = Runner(InlinePool({}), journal).run(plan().units())
    next(results)
    next(results)
    results.close()
    journal.close()
    with (tmp_path / "run" / "journal.jsonl").open("ab") as file:
        file.write(b'{"unit":"torn')
    journal = Journal(tmp_path / "run")
    journal.resume()
    assert len(journal.done) == 2
    pool = ProcessPool(2, {})
    try:
        match = Match(plan())
        match.play(Runner(pool, journal))
    finally:
        pool.close()
        journal.close()
    assert results_of(match.pairs) == results_of(expected)
    assert b"".join(match.pgn()) == games


@pytest.mark.thorough
def test_units_can_be_verified():
    pool = ProcessPool(2, {})
    try:
        runner = Runner(pool, Memory(), verify=1.0)
        match = Match(plan(4, per_unit=1))
        match.play(runner)
        assert runner.stats.verified == 4
    finally:
        pool.close()


def test_the_size_of_units_does_not_change_games():
    expected, games = whole(plan(6, per_unit=1))
    pairs, others = whole(plan(6, per_unit=4))
    assert (results_of(pairs), others) == (results_of(expected), games)


def test_identities_depend_on_all_that_matters():
    units = plan(2, per_unit=2).units()
    others = [
        plan(2, visits=5),
        plan(2, players=(PLAYERS[1], PLAYERS[0])),
        replace(plan(2), seed=4),
        replace(plan(2), rules=Adjudication()),
        replace(plan(2), players=(replace(PLAYERS[0], checksums={"EvalFile": "0"}), PLAYERS[1])),
    ]
    identities = {unit.identity for unit in units} | {other.units()[0].identity for other in others}
    assert len(identities) == 6


def test_games_are_read_by_python_chess():
    _, games = whole(plan(4))
    file, count = io.StringIO(games.decode()), 0
    while (game := chess.pgn.read_game(file)) is not None:
        count += 1
        assert not game.errors
        nodes = list(game.mainline())[8:]
        assert nodes
        assert all(node.eval() is not None for node in nodes)
    assert count == 8


def test_a_unit_that_fails_stops_the_match():
    broken = (replace(PLAYERS[0], checksums={"EvalFile": "0"}), PLAYERS[1])
    with pytest.raises(RunError, match="is not what the games began with"):
        whole(plan(2, players=broken))


def test_pairs_of_a_result():
    runner = Runner(ShuffledPool(made_up(2, 1), 0), Memory())
    ((_, result),) = runner.run(plan(2).units())
    assert [pair.worker for pair in pairs_of(result)] == ["here:1", "here:1"]
    assert Pair((1.0, 0.5), (None, None)).share == 0.75
