"""What a loop is asked for: kept in its journal, where each change is a separate line."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from engine.match.player_files import checksum_of_file
from engine.match.sprt import Sprt, new_test
from engine.training.fit.settings import NETS, NetSettings, check_net, net_settings, require
from engine.training.generate.teachers import LEAST_VISITS

RANDOM = "random"  # start: no net
FIXED = ("start", "seed", "value_hidden", "policy_hidden")  # what cannot be changed in the course of a loop
SEED_BYTES = 6
SOURCES = TEACHER, TEACHER_NET, SELF_PLAY = "teacher", "teacher_net", "self_play"  # of labels
OF_FILES = "book_sha256", "teacher_net_sha256"
OF_BOOK = "book", "book_sha256"
# Loops that were begun without these settings go on: they have none of such labels.
ADDED: dict[str, Any] = {"teacher_net": "", "teacher_net_sha256": "", "least_visits": 16}


@dataclass(frozen=True)
class LoopSettings:
    """The settings, named as on the command line."""

    start: str  # SHA-256 of the weights file of the first net, or `RANDOM`
    seed: int

    # labels of a round
    teacher: str  # command of a UCI engine; empty: the net of a teacher, or self-play
    teacher_net: str  # a file of Stockfish, for searches that label their own nodes; empty: none
    teacher_net_sha256: str
    nodes: int  # of the teacher
    visits: int  # of self-play, and of the searches with the net of a teacher
    least_visits: int  # of a node that such a search labels
    games: int
    tree_games: int  # whose trees positions are drawn from, with a teacher
    of_trees: int  # visits of these trees

    # the fit
    replay: float  # share of the positions that are of earlier rounds
    mean: float  # share of the present net in the mean of weights
    result_share: float
    value_quiescence: bool
    validation: float
    value_hidden: int
    value_batch: int
    value_rate: float
    value_decay: float
    value_passes: int
    policy_hidden: int
    policy_batch: int
    policy_rate: float
    policy_decay: float
    policy_passes: int

    # the gates
    gate_visits: int
    gate_games: int  # at most
    sprt: tuple[float, float]
    clock: tuple[float, float] | None  # seconds and increment of the second gate; None: there is none
    clock_games: int
    clock_sprt: tuple[float, float]
    book: str  # openings; empty: random moves
    book_sha256: str

    @property
    def source(self) -> str:
        """What the labels come from."""
        return source_of(self.data())

    def net(self, name: str) -> NetSettings:
        """How one of the two nets is trained."""
        return net_settings({**asdict(self), **dict.fromkeys(_NO_PASSES, 0)}, name)

    def sprt_of(self, gate: str) -> Sprt:
        """The test of a gate."""
        return new_test(self.sprt if gate == VISITS else self.clock_sprt)

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


GATES = VISITS, CLOCK = "visits", "clock"
PARTS = GAMES, TREES = "games", "trees"  # of the labels
# A loop has no value-only games, so there is one kind of passes.
_NO_PASSES = [f"{net}_{kind}" for net in NETS for kind in ("early_passes", "final_passes")]


def settings_of(data: Mapping[str, Any]) -> LoopSettings:
    """Settings from JSON; a `ValueError` if they are those of another version."""
    data = ADDED | dict(data)
    names = {field.name for field in fields(LoopSettings)}
    require(data.keys() == names, "the settings of this loop are those of another version of Teresa")
    pairs = {name: tuple(data[name]) for name in ("sprt", "clock", "clock_sprt") if data[name] is not None}
    return LoopSettings(**{**data, **pairs})


def source_of(data: Mapping[str, Any]) -> str:
    """What the labels come from, by settings as in JSON."""
    return TEACHER if data["teacher"] else TEACHER_NET if data["teacher_net"] else SELF_PLAY


def option_of(name: str) -> str:
    """The option of the command line."""
    return "content of " * (name in OF_FILES) + "--" + name.removesuffix("_sha256").replace("_", "-")


def differences(there: LoopSettings, here: LoopSettings) -> dict[str, str]:
    """What differs, by the names of the settings, in words."""
    mine, theirs = here.data(), there.data()
    return {
        name: f"{option_of(name)}: {theirs[name]} there, {mine[name]} here"
        for name in mine
        if mine[name] != theirs[name]
    }


def seed_of(settings: LoopSettings, number: int, what: str) -> int:
    """The seed of a step of a round: none has that of another."""
    digest = hashlib.sha256(f"{settings.seed} {number} {what}".encode()).digest()
    return int.from_bytes(digest[:SEED_BYTES], "little")


def with_book(settings: LoopSettings, book: Path | None) -> LoopSettings:
    """The settings with the openings of a file."""
    if book is None:
        return replace(settings, book="", book_sha256="")
    return replace(settings, book=str(book.resolve()), book_sha256=checksum_of_file(str(book)))


def check_settings(settings: LoopSettings) -> None:
    """Raise a `ValueError` for a setting that is out of range."""
    for name in ("replay", "mean"):
        require(0 <= getattr(settings, name) < 1, f"--{name} must be at least 0 and less than 1")
    require(0 <= settings.result_share <= 1, "--result-share must be from 0 to 1")
    require(0 < settings.validation < 1, "--validation must be more than 0 and less than 1")
    require(settings.seed >= 0, "--seed must not be negative")
    for net in NETS:
        check_net(net, settings.net(net))
        require(getattr(settings, f"{net}_passes") > 0, f"--{net}-passes must be at least 1")
    _check_labels(settings)
    for gate in GATES:
        settings.sprt_of(gate)
    if settings.clock is not None:
        require(0 < settings.clock[0] < math.inf, "--clock must be more than 0")


def _check_labels(settings: LoopSettings) -> None:
    require(settings.games + settings.tree_games > 0, "--games or --tree-games: a round needs some")
    if settings.source != TEACHER:
        require(settings.tree_games == 0, "--tree-games needs a --teacher")
        require(settings.visits >= LEAST_VISITS, f"--visits must be at least {LEAST_VISITS}")
    if settings.source == TEACHER_NET:
        is_possible = LEAST_VISITS <= settings.least_visits <= settings.visits
        require(is_possible, f"--least-visits must be from {LEAST_VISITS} to --visits")
