"""Standard input and output: lines in, lines out and a log of both, from any thread; no traceback, whatever happens."""

import errno
import os
import re
import signal
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn, TextIO

from engine.uci.queue import CommandQueue
from engine.uci.session import Session
from perft.exits import CLOSED, end_without_output

GREETING = "Teresa speaks UCI here: try 'help', or 'teresa --help' for its other commands."
INTERRUPT_POLL_SECONDS = 0.2  # between two checks for Ctrl-C: a signal may come just before a wait and not end it
SECRET = re.compile(r"(https?://[^\s#]*#)\S+")  # the token in the address of the explorer: logs get shared


class Transcript:
    """A log: adds lines to a file, if one is open; from any thread."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Write to this file; to none if the path is empty. `ValueError` if it cannot be written."""
        try:
            file = Path(path).open("a", encoding="utf-8", buffering=1) if path else None  # noqa: SIM115  (stays open)
        except OSError as error:
            raise ValueError(f"{path[:200]!a} cannot be written ({error.strerror})") from None
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = file

    def heard(self, line: str) -> None:
        """Log a line of the GUI."""
        self._add(">", line)

    def said(self, line: str) -> None:
        """Log a line of the engine."""
        self._add("<", line)

    def _add(self, mark: str, line: str) -> None:
        with self._lock:
            if self._file is None:
                return
            moment = datetime.now().astimezone().strftime("%H:%M:%S.%f")[:-3]
            shown = SECRET.sub(r"\1***", line.rstrip())
            try:
                self._file.write(f"{moment} {mark} {shown}\n")
            except OSError:  # the disk is full: the game goes on
                self._file = None


class Output:
    """Lines to standard output, one at a time, from any thread. A closed pipe is no error."""

    def __init__(self, stream: TextIO, transcript: Transcript) -> None:
        self._stream, self._transcript, self._lock = stream, transcript, threading.Lock()
        self.failure: OSError | None = None

    @property
    def is_closed(self) -> bool:
        """Whether lines are lost."""
        return self.failure is not None

    def say(self, line: str) -> None:
        """Write a line at once."""
        with self._lock:
            self._transcript.said(line)
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except OSError as error:
                self.failure = error
            except ValueError:  # this process has closed it
                self.failure = BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class Reader(threading.Thread):
    """Reads standard input in a thread: the main thread waits for Ctrl-C."""

    def __init__(self, queue: CommandQueue, stream: BinaryIO, transcript: Transcript, output: Output) -> None:
        super().__init__(name="reader", daemon=True)
        self._queue, self._stream, self._transcript, self._output = queue, stream, transcript, output
        self.status = 0

    def run(self) -> None:
        """Pass all lines to the queue; at the end of input, finish what was asked."""
        if not self._read_until_quit():
            has_done_all = self._queue.finish(lambda: self._output.is_closed)
            self.status = 0 if has_done_all else 1

    def _read_until_quit(self) -> bool:
        """Read lines, whatever bytes they hold; return False if the input ends without `quit`."""
        try:
            for data in self._stream:
                line, moment = data.decode("utf-8", errors="replace"), time.perf_counter()
                self._transcript.heard(line)
                if not self._queue.hear(line, moment):
                    return True
        except (OSError, ValueError):
            pass
        return False


class Interruption:
    """Ctrl-C, as a flag: an exception might come where nothing catches it."""

    def __init__(self) -> None:
        self.has_come = False
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.has_come = True


def main() -> NoReturn:
    """Speak UCI on standard input and output, then end the process.

    It ends at once, without Python's tidying up: that would fail while threads search or import.
    """
    interruption, transcript = Interruption(), Transcript()
    output = Output(sys.stdout, transcript)
    session = Session(output.say, transcript.open)
    if sys.stdin.isatty():
        output.say(GREETING)
    session.loader.start()
    reader = Reader(session.queue, sys.stdin.buffer, transcript, output)
    reader.start()
    while reader.is_alive() and not interruption.has_come:
        reader.join(INTERRUPT_POLL_SECONDS)
    try:
        session.close()
    finally:
        if output.failure is not None and output.failure.errno not in CLOSED:
            end_without_output(output.failure)
        os._exit(reader.status)
