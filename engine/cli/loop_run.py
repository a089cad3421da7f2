"""What `teresa train loop` does: its beginning, its workers, what it prints, its report page."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from engine.cli.engine_run import EngineRun
from engine.cli.loop_arguments import OFF, RANDOM
from engine.cli.loop_settings import start_file, wanted_settings
from engine.cli.progress import warm_up
from engine.network.weights_file import SHIPPED
from engine.system.environment import version
from engine.system.files import write_whole
from engine.training.fit.settings import NETS
from engine.training.loop.gates import lacks_its_book
from engine.training.loop.labels import lacks_its_teacher, net_teacher_of
from engine.training.loop.loop import Loop
from engine.training.loop.loop_journal import AT_ONCE, BOOK_AT_ONCE, SETTINGS, Entry, LoopJournal, check_folder
from engine.training.loop.page import SECONDS_OF_HOUR, headline, report_page
from engine.training.loop.rounds import LoopState, Round, Step, read_state
from engine.training.loop.settings import OF_BOOK, TEACHER_NET, LoopSettings, option_of
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


class StepRuns:
    """Opens the runs of the steps, one after the other."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._last: LoopRun | None = None

    def open(self, options: RunOptions, workers: int | None) -> LoopRun:
        """The run of the next step."""
        self._last = LoopRun(options, workers, self._deadline)
        return self._last

    @property
    def is_stopping(self) -> bool:
        """Did Ctrl-C come while the last units of a step were finished? Then no other step is begun."""
        return self._last is not None and self._last.is_stopping

    def check(self) -> None:
        """Raise `Stopped` if so."""
        if self.is_stopping:
            raise Stopped("what was begun is done")


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
    if settings.source == TEACHER_NET:
        net_teacher_of(settings, SHIPPED).warm_up()
    with journal.held():
        begin(arguments, journal, settings)
        return work_on(arguments, journal, options, deadline)


def work_on(arguments: argparse.Namespace, journal: LoopJournal, options: RunOptions, deadline: Deadline) -> int:
    """Do rounds until the end that was asked for; -> exit status."""
    runs = StepRuns(deadline)
    open_run = partial(runs.open, options, arguments.processes)
    open_fit_run = partial(runs.open, RunOptions(), min(arguments.processes or len(NETS), len(NETS)))
    follower = Follower(journal)
    loop = Loop(journal, LoopWork(arguments.folder, open_run, open_fit_run), follower.show)
    status = DONE
    try:
        loop.run(arguments.rounds, lambda: deadline.is_over or runs.is_stopping)
        runs.check()
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


# The beginning


def begin(arguments: argparse.Namespace, journal: LoopJournal, settings: LoopSettings) -> None:
    """Write the first line of a new loop, or note other settings."""
    if journal.entries:
        state = read_state(journal.entries)
        at_once = {} if state.under_way is None else changes_at_once(state.under_way, settings)
        if at_once or settings != state.settings:
            journal.add(SETTINGS, settings=settings.data(), **at_once)
        return
    nets = LoopWork.nets_of(arguments.folder)
    shapes = {net: settings.net(net) for net in NETS}
    is_random = settings.start == RANDOM
    name = nets.add_random(shapes, settings.seed) if is_random else nets.add_file(start_file(arguments), shapes)
    journal.start(settings=settings.data(), net=name, version=version())


def changes_at_once(one: Round, settings: LoopSettings) -> dict[str, bool]:
    """What a round under way takes of other settings: what it could not end without, as its own files are gone.

    The other settings may be those of an earlier command, in whose time the files were still there.
    """
    if settings != one.settings and lacks_its_teacher(one):
        return {AT_ONCE: True}
    is_other = any(getattr(settings, name) != getattr(one.settings, name) for name in OF_BOOK)
    return {BOOK_AT_ONCE: True} if is_other and lacks_its_book(one) else {}


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
