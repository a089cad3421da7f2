"""What a tuning shows: a row for each constant, and the setting that it proposes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.tune.model import Fit
from engine.tune.plan import LOG, Constant, TunePlan

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
NO_GAIN = "SPSA gives no estimate of the gain: --gate decides whether there is one"


@dataclass(frozen=True)
class ConstantRow:
    """A constant, and its proposed place."""

    constant: Constant
    coordinate: float  # of the best value
    error: float | None  # of the coordinate, as a standard error; None: the place is an end of the range

    @property
    def best(self) -> int:
        """The value that looks best."""
        return self.constant.value(self.coordinate)

    @property
    def value(self) -> int:
        """The proposed value."""
        return self.best

    @property
    def error_of_best(self) -> float | None:
        """The standard error of the value that looks best."""
        if self.error is None:
            return None
        return self.best * (2**self.error - 1) if self.constant.scale == LOG else self.error * self.constant.step

    def data(self) -> dict[str, Any]:
        """The row as JSON holds it."""
        return {"constant": self.constant.name, "present": self.constant.present, "best": self.best}

    def texts(self) -> dict[str, str]:
        """The row as texts for a table, by column."""
        return {
            "constant": self.constant.name,
            "present": str(self.constant.present),
            "proposed": str(self.value),
            "best": f"{self.best} " + ("(end)" if self.error_of_best is None else f"± {self.error_of_best:.0f}"),
        }


@dataclass(frozen=True)
class SpsaRow(ConstantRow):
    """A constant at the place where SPSA ended; the error is how far it still moved."""

    def data(self) -> dict[str, Any]:
        """The row as JSON holds it."""
        return {**super().data(), "moved": self.error_of_best, "proposed": self.value}


@dataclass(frozen=True)
class CurveRow(ConstantRow):
    """A constant with its curve."""

    slope: tuple[float, float]  # Elo, with the standard error, as all below
    curvature: tuple[float, float]
    gain: tuple[float, float]  # of the best value against the present one
    is_kept: bool  # the present value is proposed, because the gain is not significant

    @property
    def value(self) -> int:
        """The proposed value."""
        return self.constant.present if self.is_kept else self.best

    def data(self) -> dict[str, Any]:
        """The row as JSON holds it."""
        curve = {"unit": self.constant.unit, "slope": self.slope, "curvature": self.curvature}
        rest = {"error": self.error_of_best, "gain": self.gain, "kept": self.is_kept, "proposed": self.value}
        return {**super().data(), **curve, **rest}

    def texts(self) -> dict[str, str]:
        """The row as texts for a table, by column."""
        return {
            **super().texts(),
            "proposed": f"{self.value} (kept)" if self.is_kept else str(self.value),
            "gain": with_error(self.gain),
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
    rows: Sequence[ConstantRow]

    @property
    def proposed(self) -> dict[str, int]:
        """The proposed setting, by the names of options."""
        return {row.constant.name: row.value for row in self.rows}

    @property
    def is_new(self) -> bool:
        """Does the proposed setting differ from the present one?"""
        return self.proposed != self.plan.present

    @property
    def headline(self) -> str:
        """The line above the table."""
        return f"{2 * self.plan.pairs} games with {self.plan.visits} visits a move"

    @property
    def columns(self) -> dict[str, list[str]]:
        """The texts of the table, by the names of columns; `IMPORTANCE` says which ones matter most."""
        texts = [row.texts() for row in self.rows]
        return {name: [row[name] for row in texts] for name in IMPORTANCE if name in texts[0]}

    def notes(self) -> list[str]:
        """The lines below the table: what it means, and the proposal."""
        options = ", ".join(f"{name}={value}" for name, value in self.proposed.items())
        return [*self._remarks(), f"proposed: {options}", self._prospect() if self.is_new else NOTHING_NEW]

    def data(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        rows = [row.data() for row in self.rows]
        return {"games": 2 * self.plan.pairs, "constants": rows, "proposed": self.proposed}

    def _remarks(self) -> list[str]:
        """What the table means."""
        raise NotImplementedError

    def _prospect(self) -> str:
        """What is known of the gain."""
        raise NotImplementedError


@dataclass(frozen=True)
class SpsaOutcome(TuneOutcome):
    """Where SPSA ended. What its own games say of the gain is too high: they have led there by their noise."""

    def _remarks(self) -> list[str]:
        return [SPSA_ERRORS]

    def _prospect(self) -> str:
        return NO_GAIN


@dataclass(frozen=True)
class CurveOutcome(TuneOutcome):
    """Curves of all constants, from games between random settings."""

    rows: Sequence[CurveRow]
    fit: Fit

    @property
    def gain(self) -> tuple[float, float]:
        """Expected Elo of the proposed setting against the present one, by the model, with its standard error."""
        return self.fit.elo([row.constant.coordinate(row.value) for row in self.rows])

    @property
    def headline(self) -> str:
        """The line above the table."""
        return f"{super().headline}; Elo ± standard error"

    def data(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        return {**super().data(), "gain": self.gain}

    def _remarks(self) -> list[str]:
        return [KEPT] if any(row.is_kept for row in self.rows) else []

    def _prospect(self) -> str:
        return f"expected against the present setting: {with_error(self.gain)} Elo"
