"""Ctrl-C while code runs that would swallow it, or that must not be left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def may_handle_interrupts() -> bool:
    """Is this the main thread, and Ctrl-C not ignored (in the background of a shell)?"""
    # None: the handler is not Python's
    is_handled = signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None)
    return is_handled and threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_delayed() -> Iterator[None]:
    """Ctrl-C takes effect at the end, in the way it would have before."""
    if not may_handle_interrupts():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
