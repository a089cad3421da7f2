"""Pairs of games as units of work: a unit plays some openings, each twice with colours reversed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.match.adjudication import Adjudication
from engine.match.game import BLACK, WHITE, play_game
from engine.match.game_text import game_text
from engine.match.open_players import open_player
from engine.match.openings import Opening
from engine.match.player import MatchPlayer, PlayerSpec, TimeControl
from perft.runner.journal import Result
from perft.runner.units import Unit, WithFiles

PLAY_PAIRS = "engine.match.pairs:play_pairs"
PGN = ".pgn"
VISITS_PER_UNIT = 1600  # times the moves of a pair: a unit then takes some seconds
LEAST_UNITS = 40  # enough for several workers, if there are that many pairs
SEEDS_APART = 1_000_003  # pairs of a match; the next seed begins there


@dataclass(frozen=True)
class MatchPlan:
    """What is played: all that the games depend on."""

    players: tuple[PlayerSpec, PlayerSpec]
    control: TimeControl
    rules: Adjudication
    openings: tuple[Opening, ...]  # one for each pair
    seed: int = 1
    pairs_per_unit: int = 4

    @property
    def is_repeatable(self) -> bool:
        """Whether the same plan gives the same games everywhere."""
        return self.control.is_repeatable and all(player.is_repeatable for player in self.players)

    def units(self) -> list[Unit]:
        """The games, in units."""
        starts = range(0, len(self.openings), self.pairs_per_unit)
        shared = {
            "players": [player.data() for player in self.players],
            "control": asdict(self.control),
            "rules": asdict(self.rules),
            "seed": self.seed,
        }
        return [Unit(PLAY_PAIRS, {**shared, **self._slice(start)}, self.is_repeatable) for start in starts]

    def _slice(self, start: int) -> dict[str, Any]:
        openings = self.openings[start : start + self.pairs_per_unit]
        return {"openings": [asdict(opening) for opening in openings], "first": start}


def with_units(plan: MatchPlan) -> MatchPlan:
    """The plan in units of some seconds, or of less if there are few pairs. They do not depend on the workers."""
    visits, pairs = plan.control.visits, len(plan.openings)
    if visits is None or not plan.is_repeatable:
        return replace(plan, pairs_per_unit=1)
    return replace(plan, pairs_per_unit=max(1, min(64, VISITS_PER_UNIT // visits, pairs // LEAST_UNITS)))


@dataclass(frozen=True)
class Pair:
    """The two games of an opening, for the first player."""

    points: tuple[float, ...]
    forfeits: tuple[str | None, ...]  # "first: crash", "second: time"
    worker: str = ""

    @property
    def share(self) -> float:
        """Mean points of a game."""
        return sum(self.points) / len(self.points)


def pairs_of(result: Result) -> Iterator[Pair]:
    """The pairs of a unit that is done."""
    for row in result.value:
        yield Pair(tuple(row["points"]), tuple(row["forfeits"]), result.workers[0])


# On the worker


def play_pairs(
    players: Sequence[Mapping[str, Any]],
    control: Mapping[str, Any],
    rules: Mapping[str, Any],
    openings: Sequence[Mapping[str, Any]],
    first: int,
    seed: int,
) -> WithFiles:
    """Play some openings twice; -> the results for the first player, and the games as PGN.

    `first` is the number of the first opening in the match.
    """
    table = Table([PlayerSpec(**player) for player in players], TimeControl(**control), Adjudication(**rules))
    with table:
        for number, values in enumerate(openings, first):
            table.play_pair(opening_of(values), number, seed)
    return WithFiles(table.rows, {PGN: "".join(table.games).encode()})


def opening_of(values: Mapping[str, Any]) -> Opening:
    """An opening as JSON holds it."""
    return Opening(values["fen"], tuple(values["moves"]), values["chess960"])


class Table:
    """Two players who play pairs of games. Use it as a context: it ends them."""

    def __init__(self, specs: Sequence[PlayerSpec], control: TimeControl, rules: Adjudication) -> None:
        self._specs, self._control, self._rules = specs, control, rules
        self._stack, self._players = ExitStack(), list[MatchPlayer]()
        self.rows: list[dict[str, Any]] = []
        self.games: list[str] = []

    def __enter__(self) -> None:
        for spec in self._specs:
            player = open_player(spec, self._control_of(spec))
            self._stack.callback(player.close)
            self._players.append(player)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def play_pair(self, opening: Opening, number: int, seed: int) -> None:
        """Play an opening twice; the first player begins with White."""
        row: dict[str, Any] = {"points": [], "forfeits": []}
        for half in (0, 1):
            by_colour = {WHITE: self._players[half], BLACK: self._players[1 - half]}
            controls = dict(zip((WHITE, BLACK), map(self._control_of, self._seated(half)), strict=True))
            game = play_game(opening.position(), by_colour, controls, self._rules, SEEDS_APART * seed + number)
            points = game.points if half == 0 else 1.0 - game.points
            loser = "second" if points == 1.0 else "first"
            row["points"].append(points)
            row["forfeits"].append(None if game.forfeit is None else f"{loser}: {game.forfeit}")
            names = [spec.name for spec in self._seated(half)]
            with_seconds = not self._control.is_repeatable
            self.games.append(game_text(game, opening, names, f"{number + 1}.{half + 1}", with_seconds=with_seconds))
        self.rows.append(row)

    def _seated(self, half: int) -> tuple[PlayerSpec, PlayerSpec]:
        """White, Black."""
        return self._specs[half], self._specs[1 - half]

    def _control_of(self, spec: PlayerSpec) -> TimeControl:
        return self._control.times(spec.time_factor)
