"""How a command ends before its end: Ctrl-C, bad input, output that cannot be written. Never with a traceback.

A process calls `run_as_program` once. Python raises `KeyboardInterrupt` wherever the main thread is; while modules are
imported or kernels are compiled that may be a place which swallows it, and there is nothing to save: `ending_at_once`
is for such parts.
"""

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

BAD_INPUT = 2
INTERRUPTED = 130  # as a shell has it for a process that Ctrl-C ended
PIPE_CLOSED = 141  # likewise, for one that wrote into a closed pipe
CLOSED = (errno.EPIPE, errno.EBADF, *((errno.EINVAL,) if os.name == "nt" else ()))  # of a stream without a reader
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"  # a progress display hides it


class _Program:
    """This process, if it is a program and not a script or a notebook that uses the packages."""

    name: str | None = None


def run_as_program(name: str, command: Callable[[], int]) -> int:
    """Run a command as all that this process does; -> exit status. `name` stands before the line after Ctrl-C."""
    _Program.name = name
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):  # a console may lack letters: better another one than a failure
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # what has no such method needs none
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        _end_by_keyboard()
    except OSError:
        failure = output_failure()
        if failure is None:
            raise
        end_without_output(failure)


def reported(program: str, work: Callable[[], int]) -> int:
    """Do the work of a command; what is wrong with its input or its files is reported in one line. -> exit status

    If standard output cannot be written, the error goes on to `run_as_program`.
    """
    try:
        return work()
    except ValueError as error:
        reason = str(error)
    except OSError as error:
        if error.filename is None and output_failure() is not None:
            raise
        place = "" if error.filename is None else f"{error.filename}: "
        reason = f"{place}{error.strerror or error}"
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


def _end_by_keyboard(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Say so in a line and end, without Python's tidying up: that would trip over threads that still work."""
    cursor = SHOW_CURSOR if sys.stderr is not None and sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{cursor}{_Program.name}: interrupted\n".encode())
    os._exit(INTERRUPTED)


def _open_missing_streams() -> None:
    """A process can be started without streams. What is opened first gets the numbers that are free: theirs."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115  (to the end of the process)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115


def output_failure() -> OSError | None:
    """Why standard output cannot be written. Only an attempt shows it; a blank line does no harm before an error."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError as error:
        return error
    except ValueError:  # it was closed by this process
        return OSError(errno.EBADF, os.strerror(errno.EBADF))
    return None


def end_without_output(failure: OSError) -> NoReturn:
    """A reader that has enough is no error, a full disk is. Python's own end would try to write again, and fail."""
    if failure.errno in CLOSED:
        os._exit(PIPE_CLOSED)
    with suppress(OSError):
        os.write(2, f"{_Program.name}: standard output: {failure.strerror}\n".encode())
    os._exit(BAD_INPUT)
