"""What a tuning shows: a row for each constant, and the setting that it proposes."""

from dataclasses import dataclass
from typing import Any

from engine.tune.model import Fit
from engine.tune.plan import LOG, SPSA, Constant, TunePlan

IMPORTANCE = {  # of the columns of the table; 1 is the highest
    "constant": 1,
    "present": 4,
    "proposed": 2,
    "gain": 3,
    "best": 5,
    "slope": 6,
    "curvature": 7,
}
SIGNIFICANT = 1.645  # standard errors: a gain above that is real with 95 %
KEPT = f"kept: the best value does not gain more than {SIGNIFICANT:.1f} standard errors, so the present one stays"
NOTHING_NEW = "that is the present setting: with more games smaller gains are found"
SPSA_ERRORS = "± of best values: how far SPSA still moved at the end; it has no error bars"


@dataclass(frozen=True)
class ConstantRow:
    """A constant: its curve, and its proposed place."""

    constant: Constant
    slope: tuple[float, float]  # Elo, with the standard error, as all below
    curvature: tuple[float, float]
    coordinate: float  # of the best value
    error: float | None  # of the coordinate; None: the place is an end of the range
    gain: tuple[float, float]  # of the best value against the present one
    is_kept: bool  # the present value is proposed, because the gain is not significant

    @property
    def best(self) -> int:
        """The value that looks best."""
        return self.constant.value(self.coordinate)

    @property
    def value(self) -> int:
        """The proposed value."""
        return self.constant.present if self.is_kept else self.best

    @property
    def error_of_best(self) -> float | None:
        """Of the value that looks best."""
        if self.error is None:
            return None
        return self.best * (2**self.error - 1) if self.constant.scale == LOG else self.error * self.constant.step

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "constant": self.constant.name,
            "present": self.constant.present,
            "unit": self.constant.unit,
            "slope": self.slope,
            "curvature": self.curvature,
            "best": self.best,
            "error": self.error_of_best,
            "gain": self.gain,
            "kept": self.is_kept,
            "proposed": self.value,
        }

    def texts(self) -> dict[str, str]:
        """For a table, by column."""
        return {
            "constant": self.constant.name,
            "present": str(self.constant.present),
            "proposed": f"{self.value} (kept)" if self.is_kept else str(self.value),
            "gain": with_error(self.gain),
            "best": f"{self.best} " + ("(end)" if self.error_of_best is None else f"± {self.error_of_best:.0f}"),
            "slope": f"{with_error(self.slope)} {self.constant.unit}",
            "curvature": with_error(self.curvature),
        }


def with_error(value: tuple[float, float]) -> str:
    """Elo ± its standard error."""
    return f"{value[0]:+.0f} ± {value[1]:.0f}"


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

    @property
    def headline(self) -> str:
        """Above the table."""
        return f"{2 * self.fit.pairs} games with {self.plan.visits} visits a move; Elo ± standard error"

    @property
    def columns(self) -> dict[str, list[str]]:
        """The texts of the table, by the names of columns; `IMPORTANCE` says which ones matter most."""
        texts = [row.texts() for row in self.rows]
        return {name: [row[name] for row in texts] for name in IMPORTANCE}

    def notes(self) -> list[str]:
        """Below the table: what it means, and the proposal."""
        options = ", ".join(f"{name}={value}" for name, value in self.proposed.items())
        kept = [KEPT] if any(row.is_kept for row in self.rows) else []
        spsa = [SPSA_ERRORS] if self.plan.method == SPSA else []
        expected = f"expected against the present setting: {with_error(self.gain)} Elo"
        return [*kept, *spsa, f"proposed: {options}", expected if self.is_new else NOTHING_NEW]

    def data(self) -> dict[str, Any]:
        """For JSON."""
        rows = [row.data() for row in self.rows]
        return {"games": 2 * self.fit.pairs, "constants": rows, "proposed": self.proposed, "gain": self.gain}
