"""How long positions are searched: all of them quickly, then those longer at which the game turns."""

from dataclasses import dataclass

from engine.search.clock import Limits

USUAL_SEED = 1  # so that the numbers can be repeated
QUICK_VISITS, DEEP_VISITS = 20_000, 100_000


@dataclass(frozen=True)
class Plan:
    """`quick`: of each position. `deep`: of the positions at which the score turns; None: there is one pass."""

    quick: Limits
    deep: Limits | None = None

    @classmethod
    def default(cls) -> "Plan":
        """By visits, so that the numbers can be repeated."""
        return cls(Limits(nodes=QUICK_VISITS), Limits(nodes=DEEP_VISITS))

    @classmethod
    def of(cls, limits: Limits) -> "Plan":
        """One pass with these limits."""
        return cls(limits)

    @property
    def text(self) -> str:
        """For people, for the header of a judged game, and for the key of what is kept."""
        quick = limits_text(self.quick)
        return quick if self.deep is None else f"{quick} and {limits_text(self.deep)} where the game turns"


def limits_text(limits: Limits) -> str:
    """`2 s`, `800 visits`, or both."""
    parts = [] if limits.move_time is None else [f"{limits.move_time / 1000:g} s"]
    return " and ".join([*parts, *([] if limits.nodes is None else [f"{limits.nodes} visits"])])
