"""The end of a session from outside: a closed window, `kill`, a shutdown."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from perft.exits import INTERRUPTED

SIGNAL_STATUS = 128  # and the number of the signal
NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")  # the last one is Windows': Ctrl-Break, or the window is closed


Handler = Callable[[int, FrameType | None], object] | signal.Handlers


class Terminated(KeyboardInterrupt):
    """A signal ends the program; what handles Ctrl-C handles it too."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_after(end: KeyboardInterrupt) -> int:
    """The exit status by which shells know a program that Ctrl-C or a signal ended."""
    return SIGNAL_STATUS + end.number if isinstance(end, Terminated) else INTERRUPTED


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Inside, signals that end a program raise `Terminated`, once; a signal that was ignored before still is.

    Only the main thread hears signals; elsewhere nothing happens.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        for one in chosen:
            signal.signal(one, signal.SIG_IGN)
        raise Terminated(number)

    is_heard = threading.current_thread() is threading.main_thread()
    chosen = [one for one in _endings() if is_heard and signal.getsignal(one) is not signal.SIG_IGN]
    with _handled(chosen, end):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, neither Ctrl-C nor other signals end the program: it saves what it has."""
    is_heard = threading.current_thread() is threading.main_thread()
    with _handled([signal.SIGINT, *_endings()] if is_heard else [], signal.SIG_IGN):
        yield


def _endings() -> list[int]:
    """The signals of this system that end a program."""
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


@contextmanager
def _handled(numbers: list[int], handler: Handler) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in numbers}
    try:
        yield
    finally:
        for one, former in before.items():
            signal.signal(one, former if former is not None else signal.SIG_DFL)
