"""Ctrl-C while units run: the first one is noted, the second one raises `KeyboardInterrupt`; none hits a process that
is being started.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from types import FrameType

from movegen.compiler.interrupts import interrupts_delayed, may_handle_interrupts


class Interrupts:
    """How often Ctrl-C has come."""

    def __init__(self, on_first: Callable[[], None]) -> None:
        self.has_come, self._on_first = False, on_first

    def note(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """Count one more."""
        if self.has_come:
            raise KeyboardInterrupt
        self.has_come = True
        with suppress(RuntimeError):  # it may come in the middle of another message to the same stream
            self._on_first()


@contextmanager
def interrupts_noted(on_first: Callable[[], None] = lambda: None) -> Iterator[Interrupts]:
    """Count Ctrl-C, if this is the main thread and it is not ignored; `on_first` is called at the first one."""
    interrupts = Interrupts(on_first)
    if not may_handle_interrupts():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Ctrl-C takes effect at the end. In processes that are started meanwhile it is blocked until they ignore it.

    The mask is for the new processes, which inherit it from this thread. This process may get the signal in any of its
    threads and would raise in the main one: a process that was half started then prints what it lacks.
    """
    with interrupts_delayed(), _masked():
        yield


@contextmanager
def _masked() -> Iterator[None]:
    if sys.platform == "win32":  # has no masks
        yield
    else:
        resource_tracker.ensure_running()  # its start would unblock signals
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker: its driver decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
