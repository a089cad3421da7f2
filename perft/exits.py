"""How a command ends: its exit status, and what happens at Ctrl-C, bad input or a closed pipe. Never with a traceback.

A process calls `run_as_program` once. Python raises `KeyboardInterrupt` wherever the main thread is; while modules are
imported or kernels are compiled, code that is running may swallow it, and there is nothing to save: `ending_at_once`
is for such parts.
"""

import atexit
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

# Exit status
DONE = 0
FAILED = 1  # a check found a difference, or kernels could not be stored
BAD_INPUT = 2
SIGNALLED = 128  # plus the number of the signal, as in shells
INTERRUPTED = SIGNALLED + 2  # by Ctrl-C
PIPE_CLOSED = SIGNALLED + 13  # the reader of the output has gone
CLOSED = (errno.EPIPE, errno.EBADF, *((errno.EINVAL,) if os.name == "nt" else ()))  # writing to a closed stream
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"  # progress displays hide it


class _Program:
    """This process, if it is a program, not a script or a notebook that imports the packages."""

    name: str | None = None


def run_as_program(name: str, command: Callable[[], int]) -> int:
    """Run a command as the only work of this process; -> exit status. `name` is printed at Ctrl-C."""
    _Program.name = name
    atexit.register(_ignore_interruptions)  # what is registered first is called last
    _open_missing_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):  # a console may lack letters: `?` instead of a failure
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a replaced stream may have no such method
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
            _set_interruption(_end_by_keyboard)  # threads are waited for now, and may hang
    except KeyboardInterrupt:
        _end_by_keyboard()
    except OSError:
        failure = output_failure()
        if failure is None:
            raise
        end_without_output(failure)


def reported(program: str, work: Callable[[], int]) -> int:
    """Do the work of a command; errors of its input or its files are printed in one line. -> exit status

    If standard output cannot be written, the error goes on to `run_as_program`.
    """
    try:
        return work()
    except ValueError as error:
        reason = str(error)
    except OSError as error:
        if error.filename is None and output_failure() is not None:
            raise
        file = "" if error.filename is None else f"{error.filename}: "
        reason = f"{file}{error.strerror or error}"
    print(f"{program}: {reason}", file=sys.stderr)
    return BAD_INPUT


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Ctrl-C ends the process at once here, if it is a program: for imports and compilation."""
    is_ours = _Program.name is not None and threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end_by_keyboard)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _set_interruption(handler: Any) -> None:
    """What Ctrl-C does from now on, unless this process was started to ignore it."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _end_by_keyboard):
        signal.signal(signal.SIGINT, handler)


def _ignore_interruptions() -> None:
    """All is done and written; Python only tidies up."""
    _set_interruption(signal.SIG_IGN)


def _end_by_keyboard(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Print a line and end at once: Python's own shutdown fails while threads are still working."""
    cursor = SHOW_CURSOR if sys.stderr is not None and sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{cursor}{_Program.name}: interrupted\n".encode())
    os._exit(INTERRUPTED)


def _open_missing_streams() -> None:
    """A process can be started without streams; files opened later would get their numbers."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115  (to the end of the process)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115


def output_failure() -> OSError | None:
    """Why standard output cannot be written; None if it can. Only an attempt shows it: a blank line."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError as error:
        return error
    except ValueError:  # it was closed by this process
        return OSError(errno.EBADF, os.strerror(errno.EBADF))
    return None


def end_without_output(failure: OSError) -> NoReturn:
    """End quietly if the reader has gone, else with an error. Python would try to write again, and fail."""
    if failure.errno in CLOSED:
        os._exit(PIPE_CLOSED)
    with suppress(OSError):
        os.write(2, f"{_Program.name}: standard output: {failure.strerror}\n".encode())
    os._exit(BAD_INPUT)
