"""What to tune: constants with their ranges, and the games. It comes from a TOML file."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config.options import BY_NAME, Options
from engine.match.openings import Opening, read_openings
from engine.match.player import PlayerSpec
from engine.match.roster import REFUSED, own_player_spec

LOG, LINEAR = "log", "linear"
RANDOM, SPSA = "random", "spsa"
PRESENT_NAME, PROPOSED_NAME = "present", "proposed"
TRIAL_VISITS = 400
NO_CONSTANTS = {  # numbers that games with fixed visits cannot tune, and why
    "Threads": "with fixed visits more threads are only worse",
    "Move Overhead": "there is no clock",
    "UCI_Elo": "it makes the engine weaker on purpose",
}
FORMULAS = {  # by which a constant has an effect
    "UCB1 C": "UCB1",
    "PUCT C": "PUCT",
    "PUCT Growth": "PUCT",
    "First Play": "PUCT",
    "Policy Temperature": "PUCT",
    "Root Temperature": "PUCT",
}
ADJUDICATION = {"resign": [800, 4], "draw": [40, 10, 8]}
KEYS = {"method", "visits", "games", "seed", "book", "options", "constant", "round", *ADJUDICATION}
CONSTANT_KEYS = {"name", "low", "high", "scale", "step"}


@dataclass(frozen=True)
class Constant:
    """An option that is tuned. Its coordinate is 0 at the present value; 1 is twice that value, or a step more."""

    name: str
    low: int
    high: int
    present: int
    scale: str = LOG
    step: float = 1.0  # linear scale only: the difference in value for a coordinate of 1

    def coordinate(self, value: float) -> float:
        """The coordinate of a value."""
        if self.scale == LOG:
            return math.log2(value / self.present)
        return (value - self.present) / self.step

    def value(self, coordinate: float) -> int:
        """The nearest value at a coordinate, within the range."""
        return self.rounded(coordinate, 0.5)

    def rounded(self, coordinate: float, share: float) -> int:
        """A value at a coordinate, within the range: the next whole number for this share of all fractions."""
        exact = self.present * 2**coordinate if self.scale == LOG else self.present + coordinate * self.step
        return min(self.high, max(self.low, math.floor(exact + share)))

    def rounded_coordinate(self, coordinate: float) -> float:
        """The coordinate of the value that is nearest to a coordinate."""
        return self.coordinate(self.value(coordinate))

    @property
    def bounds(self) -> tuple[float, float]:
        """The coordinates of the ends of the range."""
        return self.coordinate(self.low), self.coordinate(self.high)

    @property
    def reach(self) -> float:
        """How far the farther end of the range is from the present value."""
        return max(map(abs, self.bounds))

    @property
    def half_unit(self) -> float:
        """How far apart coordinates are whose values differ by 1/2, where that is farthest: at the low end."""
        return self.coordinate(self.low + 0.5) - self.coordinate(self.low)

    @property
    def unit(self) -> str:
        """What a coordinate of 1 means."""
        return "for a doubling" if self.scale == LOG else f"for {self.step:g} more"


@dataclass(frozen=True)
class TunePlan:
    """All that the games of a tuning depend on."""

    constants: tuple[Constant, ...]
    method: str = RANDOM
    visits: int = TRIAL_VISITS
    pairs: int = 500
    seed: int = 1
    resign: tuple[int, int] = (800, 4)  # centipawns, moves
    draw: tuple[int, int, int] = (40, 10, 8)  # number of the move, centipawns, moves
    options: tuple[tuple[str, str], ...] = ()  # of both players, besides the constants
    book: tuple[Opening, ...] = ()
    round: int = 16  # pairs; SPSA moves after each round

    def player(self, name: str, values: Mapping[str, int]) -> PlayerSpec:
        """A player with these constants."""
        return own_player_spec(name, {**dict(self.options), **{key: str(value) for key, value in values.items()}})

    @property
    def is_repeatable(self) -> bool:
        """Whether the same plan gives the same games everywhere."""
        return self.player("", {}).is_repeatable

    @property
    def present(self) -> dict[str, int]:
        """The setting that all others are compared with."""
        return {constant.name: constant.present for constant in self.constants}


# From a file


def read_tune_plan(path: Path) -> TunePlan:
    """The plan of a file; a `ValueError` names the file and says what is wrong."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return tune_plan_of(data, path.parent)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def tune_plan_of(data: Mapping[str, Any], folder: Path) -> TunePlan:
    """A plan from the tables of a file in a folder."""
    _refuse_unknown(data, KEYS, "the file")
    options = {str(name): str(value) for name, value in _table(data, "options").items()}
    defaults = own_player_spec("options", options)
    rows = data.get("constant")
    if not isinstance(rows, list) or not rows:
        raise ValueError("there is no [[constant]]")
    constants = tuple(_constant(row, defaults) for row in rows)
    names = [constant.name for constant in constants]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there twice")
    resign, draw = (_numbers(data, key) for key in ADJUDICATION)
    return TunePlan(
        constants,
        _choice(data, "method", (RANDOM, SPSA), RANDOM),
        _whole(data, "visits", TRIAL_VISITS, 1),
        -(-_whole(data, "games", 1000, 2) // 2),
        _whole(data, "seed", 1, 0),
        (resign[0], resign[1]),
        (draw[0], draw[1], draw[2]),
        tuple(sorted(defaults.options.items())),
        tuple(read_openings(folder / str(data["book"]))) if "book" in data else (),
        _whole(data, "round", 16, 1),
    )


def _constant(row: Any, defaults: PlayerSpec) -> Constant:
    if not isinstance(row, dict):
        raise ValueError("constant must be written as [[constant]]")  # noqa: TRY004  (wrong input)
    known = BY_NAME.get(str(row.get("name", "")).lower())
    if known is None or known.kind != "spin" or known.name in REFUSED:
        raise ValueError(f"constant {row.get('name')!a} is not an option with a number")
    _refuse_unknown(row, CONSTANT_KEYS, known.name)
    options = Options()
    for name, value in defaults.options.items():
        options.set(name, value)
    _refuse_without_effect(known.name, options)
    low, high = (_whole(row, key, None, -(2**31), known.name) for key in ("low", "high"))
    scale = _choice(row, "scale", (LOG, LINEAR), LINEAR if low <= 0 else LOG)
    present = int(options.value(known.name))
    step = row.get("step", (high - low) / 2)
    if not known.lowest <= low < high <= known.highest:
        raise ValueError(f"{known.name}: low and high must lie within {known.lowest} … {known.highest}, low below high")
    if not low <= present <= high:
        raise ValueError(f"{known.name}: the present value {present} is not within {low} … {high}")
    if scale == LOG and low <= 0:
        raise ValueError(f'{known.name}: scale = "log" needs numbers above 0')
    if not isinstance(step, int | float) or not 0 < step < math.inf:
        raise ValueError(f"{known.name}: step must be a number above 0")
    return Constant(known.name, low, high, present, scale, float(step))


def _refuse_without_effect(name: str, options: Options) -> None:
    formula = FORMULAS.get(name, options.formula)
    if name in NO_CONSTANTS:
        raise ValueError(f"{name} cannot be tuned: {NO_CONSTANTS[name]}")
    if formula != options.formula:
        raise ValueError(f"{name} has no effect: Formula is {options.formula}, not {formula}")


def _refuse_unknown(table: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!a}; known are {', '.join(sorted(known))}")


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ValueError(f"{key} must be a table: [{key}]")  # noqa: TRY004  (wrong input)
    return table


def _whole(data: Mapping[str, Any], key: str, default: int | None, least: int, where: str = "") -> int:
    value = data.get(key, default)
    prefix = f"{where}: " if where else ""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{prefix}{key} must be a whole number" + (f" of at least {least}" if least >= 0 else ""))
    return value


def _numbers(data: Mapping[str, Any], key: str) -> list[int]:
    value = data.get(key, ADJUDICATION[key])
    count = len(ADJUDICATION[key])
    if not isinstance(value, list) or len(value) != count or not all(type(each) is int and each >= 0 for each in value):
        raise ValueError(f"{key} must be {count} whole numbers of at least 0, such as {ADJUDICATION[key]}")
    return value


def _choice(data: Mapping[str, Any], key: str, choices: tuple[str, ...], default: str) -> str:
    value = data.get(key, default)
    if value not in choices:
        raise ValueError(f"{key} must be {' or '.join(choices)}, not {value!a}")
    return str(value)
