"""Ctrl-C while units run: the first one is noted, the second one raises `KeyboardInterrupt`."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """How often Ctrl-C has come."""

    def __init__(self) -> None:
        self.has_come = False

    def note(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """One more."""
        if self.has_come:
            raise KeyboardInterrupt
        self.has_come = True


@contextmanager
def interrupts_noted() -> Iterator[Interrupts]:
    """Count Ctrl-C, if this is the main thread and it is not ignored."""
    interrupts = Interrupts()
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # in the background of a shell
    if is_ignored or threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
