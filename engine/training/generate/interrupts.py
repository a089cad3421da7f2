"""Ctrl-C while processes are started: none of them prints a traceback, whenever it is pressed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

CAN_HOLD_BACK = hasattr(signal, "pthread_sigmask")  # not on Windows


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Block Ctrl-C. In processes that are started meanwhile it stays blocked until they call `ends_quietly`."""
    if not CAN_HOLD_BACK:
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ends_quietly() -> None:
    """Let Ctrl-C end this process, without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if CAN_HOLD_BACK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
