"""What `teresa train loop` does: its settings, its workers, what it prints, its report page."""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from engine.cli.engine_run import EngineRun
from engine.cli.loop_arguments import DEFAULTS, OFF, RANDOM, RANDOM_DEFAULTS
from engine.cli.progress import warm_up
from engine.network.weights_file import SHIPPED
from engine.system.environment import version
from engine.system.files import digest_of, write_whole
from engine.training.fit.settings import NETS
from engine.training.generate.teachers import UciTeacher
from engine.training.loop.gates import check_gates
from engine.training.loop.loop import Loop
from engine.training.loop.loop_journal import SETTINGS, Entry, LoopJournal, check_folder
from engine.training.loop.nets import widths_of
from engine.training.loop.page import SECONDS_OF_HOUR, headline, report_page
from engine.training.loop.rounds import LoopState, Step, read_state
from engine.training.loop.settings import (
    FIXED,
    LoopSettings,
    check_settings,
    differences,
    option_of,
    settings_of,
    with_book,
)
from engine.training.loop.work import LoopWork
from perft.exits import DONE, INTERRUPTED
from perft.runner.arguments import RunOptions
from perft.runner.journal import UnitJournal
from perft.runner.run_stats import RunStats
from perft.runner.runner import Runner, Stopped
from perft.runner.units import AnswerCheck, no_check

REPORT = "report.html"


class Deadline:
    """When the loop shall end; never without hours."""

    def __init__(self, hours: float | None) -> None:
        self._moment = None if hours is None else time.monotonic() + hours * SECONDS_OF_HOUR

    @property
    def is_over(self) -> bool:
        """Has it come?"""
        return self._moment is not None and time.monotonic() >= self._moment


class LoopRun(EngineRun):
    """The workers of a step. At the deadline units under way are given up: the next run does them."""

    flag = "--processes"

    def __init__(self, options: RunOptions, workers: int | None, deadline: Deadline) -> None:
        super().__init__("loop", options, workers)
        self._deadline = deadline

    def runner(
        self,
        book: UnitJournal | None = None,
        check: AnswerCheck = no_check,
        watcher: Callable[[RunStats], None] | None = None,
    ) -> Runner:
        """For a list of units."""
        shown = watcher or self._shown()

        def watch(stats: RunStats) -> None:
            shown(stats)
            if self._deadline.is_over:
                raise Stopped("the hours are over")

        return super().runner(book, check, watch)


def run_loop(arguments: argparse.Namespace) -> int:
    """Begin a loop, or go on with it; -> exit status."""
    options, deadline = RunOptions.of(arguments), Deadline(arguments.hours)
    if options.run or options.resume:
        raise ValueError(f"the same command goes on with a loop: all of it is kept in {arguments.folder}")
    check_folder(arguments.folder)
    LoopRun(options, arguments.processes, deadline)  # refuses options that do not fit together
    journal = LoopJournal(arguments.folder)
    settings = wanted_settings(arguments, journal.entries)
    if arguments.dry_run:
        print_plan(arguments.folder, journal.entries, settings)
        return DONE
    warm_up()
    with journal.held():
        begin(arguments, journal, settings)
        return work_on(arguments, journal, options, deadline)


def work_on(arguments: argparse.Namespace, journal: LoopJournal, options: RunOptions, deadline: Deadline) -> int:
    """Do rounds until the end that was asked for; -> exit status."""
    open_run = partial(LoopRun, options, arguments.processes, deadline)
    open_fit_run = partial(LoopRun, RunOptions(), min(arguments.processes or len(NETS), len(NETS)), deadline)
    follower = Follower(journal)
    loop = Loop(journal, LoopWork(arguments.folder, open_run, open_fit_run), follower.show)
    status = DONE
    try:
        loop.run(arguments.rounds, lambda: deadline.is_over)
    except Stopped as stopped:
        if not deadline.is_over:
            print(f"stopped: {stopped}; the same command goes on", file=sys.stderr)
            status = INTERRUPTED
    finally:
        follower.show(loop.state, None)
    print(headline(loop.state))
    return status


class Follower:
    """Prints what was done, and keeps the report page true."""

    def __init__(self, journal: LoopJournal) -> None:
        self._journal, self._printed = journal, len(journal.entries)

    def show(self, state: LoopState, step: Step | None) -> None:
        """Before each step, and at the end."""
        for entry in self._journal.entries[self._printed :]:
            if line := line_of(entry):
                print(line, flush=True)
        self._printed = len(self._journal.entries)
        write_whole(self._journal.folder / REPORT, report_page(state, step, time.time()))


def line_of(entry: Entry) -> str:
    """A line of the journal for the terminal."""
    kind, number = entry["kind"], f"round {entry.get('round')}"
    if kind == "labels":
        return f"{number}: {entry['positions']:,} positions ({entry['part']})"
    if kind == "fit":
        figures = ", ".join(f"{name} {value:.5g}" for name, value in entry["figures"].items())
        return f"{number}: net {entry['net']}, {figures}"
    if kind == "gate":
        result = f"won {entry['won']}, drawn {entry['drawn']}, lost {entry['lost']}"
        return f"{number}: gate ({entry['part']}) {result}, LLR {entry['llr']:.2f}, {entry['decision']}"
    return f"{number}: {'kept' if entry['kept'] else 'dropped'}" if kind == "end" else ""


# Settings


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
    if settings.teacher:
        UciTeacher(settings.teacher, f"nodes {settings.nodes}").check()
    return settings


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line names; those of files come later."""
    given = {name: getattr(arguments, name) for name in DEFAULTS if getattr(arguments, name) is not None}
    given.pop("book", None)
    given |= {name: tuple(given[name]) for name in ("sprt", "clock_sprt") if name in given}
    if given.get("clock") == OFF:
        given["clock"] = None
    if arguments.self_play:
        given |= {"teacher": "", "tree_games": given.get("tree_games", 0)}
    elif arguments.teacher and Path(arguments.teacher).name != arguments.teacher:
        given["teacher"] = str(Path(arguments.teacher).absolute())  # the loop may go on in another folder
    return given


def new_settings(given: Mapping[str, Any], arguments: argparse.Namespace) -> LoopSettings:
    """Of a new loop."""
    is_random = arguments.start == RANDOM
    path = None if is_random else start_file(arguments)
    widths = {} if path is None else dict(zip(("value_hidden", "policy_hidden"), widths_of(path), strict=True))
    chosen = {**DEFAULTS, **widths, **(RANDOM_DEFAULTS if is_random else {}), **given}
    chosen |= {"start": RANDOM if path is None else digest_of(path), "book": "", "book_sha256": ""}
    return with_book(settings_of(chosen), book_of(arguments))


def changed_settings(present: LoopSettings, given: Mapping[str, Any], arguments: argparse.Namespace) -> LoopSettings:
    """Those of a loop that goes on, with what the command line names."""
    start = {}
    if arguments.start is not None:
        start = {"start": RANDOM if arguments.start == RANDOM else digest_of(start_file(arguments))}
    settings = settings_of({**present.data(), **given, **start})
    return settings if arguments.book is None else with_book(settings, book_of(arguments))


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


# The beginning


def begin(arguments: argparse.Namespace, journal: LoopJournal, settings: LoopSettings) -> None:
    """Write the first line of a new loop, or note other settings."""
    if journal.entries:
        if settings != read_state(journal.entries).settings:
            journal.add(SETTINGS, settings=settings.data())
        return
    nets = LoopWork.nets_of(arguments.folder)
    shapes = {net: settings.net(net) for net in NETS}
    is_random = settings.start == RANDOM
    name = nets.add_random(shapes, settings.seed) if is_random else nets.add_file(start_file(arguments), shapes)
    journal.start(settings=settings.data(), net=name, version=version())


def print_plan(folder: Path, entries: list[Entry], settings: LoopSettings) -> None:
    """What would be done."""
    print(f"{folder}: {headline(read_state(entries)) if entries else 'a new loop'}")
    for field in fields(settings):
        print(f"  {option_of(field.name)} {setting_text(getattr(settings, field.name))}")
    state = read_state(entries) if entries else None
    one = None if state is None else state.under_way
    print("next:", "a new round" if one is None else f"round {one.number}, {one.next_step}")


def setting_text(value: Any) -> str:
    """A setting as the command line has it."""
    if isinstance(value, tuple):
        return " ".join(f"{each:g}" for each in value)
    return OFF if value in (None, "") else str(value)
