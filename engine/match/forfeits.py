"""Games that are lost otherwise than by play, and the machines whose pairs are left out because of them.

An overloaded or broken machine biases a match. Its pairs are left out by a rule that is fixed before the first game,
all of them, whatever their results: to leave out single pairs by how they ended would favour a player. Workers of a
machine are judged together: they share its load, and one that is started again has another name.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.match.pairs import Pair

FAULTS = ("time", "no answer", "crash")  # that a machine can cause; illegal moves are the fault of a player
MOST_GAMES = 10**9


@dataclass(frozen=True)
class ForfeitLimit:
    """The rule: how many games may be lost otherwise than by play on a machine that counts."""

    share: float  # of its games, at most
    least_games: int  # before, a machine is not judged

    def left_out(self, pairs: Sequence[Pair]) -> dict[str, "MachineRecord"]:
        """The machines whose pairs do not count. It depends on nothing but these pairs."""
        records = machine_records(pairs)
        return {name: records[name] for name in sorted(records) if self._is_exceeded(records[name])}

    def _is_exceeded(self, record: "MachineRecord") -> bool:
        return record.games >= self.least_games and record.forfeits > self.share * record.games

    def __str__(self) -> str:
        return f"more than {100 * self.share:g} % of at least {self.least_games} games lost by time or crash"


@dataclass(frozen=True)
class MachineRecord:
    """What was played on a machine."""

    games: int
    forfeits: int  # that the machine may have caused


def new_limit(share: float, least_games: float) -> ForfeitLimit:
    """A limit of forfeits; a `ValueError` if its numbers make no sense."""
    if not 0 <= share < 1:
        raise ValueError(f"a share of games must be at least 0 and less than 1, not {share:g}")
    if not (1 <= least_games <= MOST_GAMES and least_games == int(least_games)):
        raise ValueError(f"a number of games must be a whole number above 0, not {least_games:g}")
    return ForfeitLimit(share, int(least_games))


def machine_of(worker: str) -> str:
    """The machine in the name of a worker, which ends with a process or a port."""
    return worker.rpartition(":")[0]


def machine_records(pairs: Sequence[Pair]) -> dict[str, MachineRecord]:
    """Games and forfeits of each machine on which pairs were played."""
    games, forfeits = Counter[str](), Counter[str]()
    for pair in pairs:
        machine = machine_of(pair.worker)
        games[machine] += len(pair.points)
        forfeits[machine] += sum(each is not None and each.endswith(FAULTS) for each in pair.forfeits)
    return {machine: MachineRecord(games[machine], forfeits[machine]) for machine in games}


def forfeit_lines(pairs: Sequence[Pair]) -> list[str]:
    """Games that were lost by the clock, by crashes and illegal moves, for each worker."""
    return [
        f"lost otherwise than by play ({forfeit}) on {worker}: {count}"
        for (forfeit, worker), count in sorted(forfeits_by_worker(pairs).items())
    ]


def forfeits_by_worker(pairs: Sequence[Pair]) -> Counter[tuple[str, str]]:
    """How many games were lost otherwise than by play: by the player with the cause, and by the worker."""
    return Counter((forfeit, pair.worker) for pair in pairs for forfeit in pair.forfeits if forfeit is not None)
