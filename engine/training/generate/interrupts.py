"""Ctrl-C and processes that are started: none of them prints a traceback, at whatever time it is pressed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

CAN_HOLD_BACK = hasattr(signal, "pthread_sigmask")  # not on Windows


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait. In processes that are started meanwhile it waits until they call `ends_quietly`."""
    if not CAN_HOLD_BACK:
        yield
        return
    resource_tracker.ensure_running()  # which lets signals in again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ends_quietly() -> None:
    """Let Ctrl-C end this process, without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if CAN_HOLD_BACK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
