"""Signals that end a program: a closed window, `kill`, a shutdown. Commands with something to save use this."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from perft.exits import INTERRUPTED, SIGNALLED

NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")  # SIGBREAK is for Windows: Ctrl-Break, or a closed window


SignalHandler = Callable[[int, FrameType | None], object] | signal.Handlers


class Terminated(KeyboardInterrupt):
    """A signal ends the program; code that handles Ctrl-C handles it too."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_after(end: KeyboardInterrupt) -> int:
    """The exit status after Ctrl-C or a signal, as in shells."""
    return SIGNALLED + end.number if isinstance(end, Terminated) else INTERRUPTED


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Inside, signals that end a program raise `Terminated`, once; a signal that was ignored before still is.

    Only the main thread gets signals; in other threads this does nothing.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        for one in chosen:
            signal.signal(one, signal.SIG_IGN)
        raise Terminated(number)

    is_main_thread = threading.current_thread() is threading.main_thread()
    chosen = [one for one in _ending_signals() if is_main_thread and signal.getsignal(one) is not signal.SIG_IGN]
    with _handled(chosen, end):
        yield


@contextmanager
def signals_ignored() -> Iterator[None]:
    """Inside, neither Ctrl-C nor other signals end the program: it can save its data."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    with _handled([signal.SIGINT, *_ending_signals()] if is_main_thread else [], signal.SIG_IGN):
        yield


def _ending_signals() -> list[int]:
    """The signals of this system that end a program."""
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


@contextmanager
def _handled(numbers: list[int], handler: SignalHandler) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in numbers}
    try:
        yield
    finally:
        for one, former in before.items():
            signal.signal(one, former if former is not None else signal.SIG_DFL)
