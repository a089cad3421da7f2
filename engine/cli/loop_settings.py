"""The settings of `teresa train loop`: those of the command line, over those that the loop has, or the defaults."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.cli.loop_arguments import DEFAULTS, OF_LABELS, OFF, RANDOM, RANDOM_DEFAULTS, TEACHER_NET_DEFAULTS
from engine.network.weights_file import SHIPPED
from engine.system.files import digest_of
from engine.training.fit.settings import require
from engine.training.generate.teachers import checksum_of
from engine.training.loop.gates import check_gates
from engine.training.loop.labels import check_teacher
from engine.training.loop.loop_journal import Entry
from engine.training.loop.nets import widths_of
from engine.training.loop.rounds import read_state
from engine.training.loop.settings import (
    FIXED,
    SELF_PLAY,
    TEACHER,
    TEACHER_NET,
    LoopSettings,
    check_settings,
    differences,
    option_of,
    settings_of,
    source_of,
    with_book,
)
from engine.training.teacher.nnue_file import read_teacher_net


def wanted_settings(arguments: argparse.Namespace, entries: list[Entry]) -> LoopSettings:
    """The settings of the command line, checked; of a loop that goes on, those that it has."""
    given = given_settings(arguments)
    if not entries:
        settings = new_settings(given, arguments)
        if arguments.change:
            raise ValueError(f"--change: there is no loop in {arguments.folder} yet")
    else:
        present = read_state(entries).settings
        settings = changed_settings(present, given, arguments)
        if settings != present:
            check_change(arguments, present, settings)
    check_settings(settings)
    check_gates(settings)
    check_options(arguments, settings)
    check_teacher(settings)
    if settings.source == TEACHER_NET:
        read_teacher_net(Path(settings.teacher_net))
    return settings


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line names; those of --start and --book come later."""
    given = {name: getattr(arguments, name) for name in DEFAULTS if getattr(arguments, name) is not None}
    given.pop("book", None)
    given |= {name: tuple(given[name]) for name in ("sprt", "clock_sprt") if name in given}
    if given.get("clock") == OFF:
        given["clock"] = None
    return given | given_source(arguments)


def given_source(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the labels come from, if the command line says so. Paths are whole: the loop may go on in another folder."""
    for name in ("teacher", "teacher_net"):
        require(getattr(arguments, name) != "", f"{option_of(name)}: no name is given")
    none = {"teacher": "", "teacher_net": "", "teacher_net_sha256": ""}
    if arguments.self_play:
        return none
    if arguments.teacher_net:
        path = Path(arguments.teacher_net).absolute()
        read_teacher_net(path)
        return none | {"teacher_net": str(path), "teacher_net_sha256": checksum_of(path)}
    if arguments.teacher:
        is_path = Path(arguments.teacher).name != arguments.teacher
        return none | {"teacher": str(Path(arguments.teacher).absolute()) if is_path else arguments.teacher}
    return {}


def defaults_of(source: str, *, is_random: bool) -> dict[str, Any]:
    """The defaults of a new loop."""
    of_source = {TEACHER: {}, TEACHER_NET: TEACHER_NET_DEFAULTS, SELF_PLAY: {"tree_games": 0}}[source]
    return {**DEFAULTS, **(RANDOM_DEFAULTS if is_random else {}), **of_source}


def new_settings(given: Mapping[str, Any], arguments: argparse.Namespace) -> LoopSettings:
    """Of a new loop."""
    is_random = arguments.start == RANDOM
    path = None if is_random else start_file(arguments)
    widths = {} if path is None else dict(zip(("value_hidden", "policy_hidden"), widths_of(path), strict=True))
    chosen = {**defaults_of(source_of({**DEFAULTS, **given}), is_random=is_random), **widths, **given}
    chosen |= {"start": RANDOM if path is None else digest_of(path), "book": "", "book_sha256": ""}
    return with_book(settings_of(chosen), book_of(arguments))


def changed_settings(present: LoopSettings, given: Mapping[str, Any], arguments: argparse.Namespace) -> LoopSettings:
    """Those of a loop that goes on, with what the command line names."""
    start = {}
    if arguments.start is not None:
        start = {"start": RANDOM if arguments.start == RANDOM else digest_of(start_file(arguments))}
    source, labels = source_of({**present.data(), **given}), {}
    if source != present.source:  # numbers that were chosen for other labels mean nothing for these
        usual = defaults_of(source, is_random=present.start == RANDOM)
        labels = {name: usual[name] for name in OF_LABELS}
    settings = settings_of({**present.data(), **labels, **given, **start})
    return settings if arguments.book is None else with_book(settings, book_of(arguments))


def check_options(arguments: argparse.Namespace, settings: LoopSettings) -> None:
    """Raise a `ValueError` for an option that labels from elsewhere have."""
    is_net = settings.source == TEACHER_NET
    reason = "not for --teacher-net, which takes --visits" if is_net else "only for --teacher-net"
    for name in ("nodes", "of_trees") if is_net else ("least_visits",):
        if getattr(arguments, name) is not None:
            raise ValueError(f"{option_of(name)} is {reason}")


def check_change(arguments: argparse.Namespace, there: LoopSettings, here: LoopSettings) -> None:
    """Raise a `ValueError` for a change that was not asked for, or cannot be made."""
    different = differences(there, here)
    if fixed := [option_of(name) for name in FIXED if name in different]:
        raise ValueError(f"{', '.join(fixed)}: cannot be changed in {arguments.folder}; begin another loop")
    if not arguments.change:
        texts = "; ".join(different.values())
        raise ValueError(
            f"{arguments.folder} has other settings ({texts}): leave these options out to go on as it is, or add "
            "--change to use them from the next round on"
        )


def start_file(arguments: argparse.Namespace) -> Path:
    """The weights file to start from."""
    return SHIPPED if arguments.start is None else Path(arguments.start)


def book_of(arguments: argparse.Namespace) -> Path | None:
    """The file of openings."""
    return None if arguments.book in (None, OFF) else Path(arguments.book)
