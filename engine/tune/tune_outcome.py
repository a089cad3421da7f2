"""What a tuning shows: a row for each constant, and the setting that it proposes."""

from dataclasses import dataclass
from typing import Any

from engine.tune.model import Fit
from engine.tune.plan import LOG, SPSA, Constant, TunePlan

COLUMN_NAMES = ("constant", "present", "slope", "curvature", "proposed")


@dataclass(frozen=True)
class ConstantRow:
    """A constant: its curve, and its proposed place."""

    constant: Constant
    slope: tuple[float, float]  # Elo, with the standard error, as all below
    curvature: tuple[float, float]
    coordinate: float
    error: float | None  # of the coordinate; None: the place is an end of the range

    @property
    def value(self) -> int:
        """The proposed value."""
        return self.constant.value(self.coordinate)

    @property
    def error_of_value(self) -> float | None:
        """Of the proposed value."""
        if self.error is None:
            return None
        return self.value * (2**self.error - 1) if self.constant.scale == LOG else self.error * self.constant.step

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "constant": self.constant.name,
            "present": self.constant.present,
            "unit": self.constant.unit,
            "slope": self.slope,
            "curvature": self.curvature,
            "proposed": self.value,
            "error": self.error_of_value,
        }

    def texts(self) -> tuple[str, ...]:
        """For a table."""
        error = "end of the range" if self.error_of_value is None else f"± {self.error_of_value:.0f}"
        slope, curvature = (f"{value:+.0f} ± {spread:.0f}" for value, spread in (self.slope, self.curvature))
        return (
            self.constant.name,
            str(self.constant.present),
            f"{slope} {self.constant.unit}",
            curvature,
            f"{self.value} {error}",
        )


@dataclass(frozen=True)
class TuneOutcome:
    """The result of a tuning."""

    plan: TunePlan
    fit: Fit
    rows: tuple[ConstantRow, ...]

    @property
    def proposed(self) -> dict[str, int]:
        """The setting, by the names of options."""
        return {row.constant.name: row.value for row in self.rows}

    @property
    def is_new(self) -> bool:
        """Does it differ from the present setting?"""
        return self.proposed != self.plan.present

    @property
    def gain(self) -> tuple[float, float]:
        """Expected Elo of the proposed setting against the present one, by the model, with its standard error."""
        return self.fit.elo([row.constant.coordinate(row.value) for row in self.rows])

    def lines(self) -> list[str]:
        """For the terminal."""
        gain, error = self.gain
        table = aligned_columns([COLUMN_NAMES, *(row.texts() for row in self.rows)])
        lines = [
            f"{2 * self.fit.pairs} games with {self.plan.visits} visits a move; Elo ± standard error",
            "",
            *table,
            "",
        ]
        if self.plan.method == SPSA:
            lines.append("± of proposed values: how far SPSA still moved at the end; it has no error bars")
        options = ", ".join(f"{name}={value}" for name, value in self.proposed.items())
        return [*lines, f"proposed: {options}", f"expected against the present setting: {gain:+.0f} ± {error:.0f} Elo"]

    def data(self) -> dict[str, Any]:
        """For JSON."""
        rows = [row.data() for row in self.rows]
        return {"games": 2 * self.fit.pairs, "constants": rows, "proposed": self.proposed, "gain": self.gain}


def aligned_columns(rows: list[tuple[str, ...]]) -> list[str]:
    """The rows of a table as lines."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
