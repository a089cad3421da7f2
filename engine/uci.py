"""The conversation with a GUI: lines in, lines out, nothing lost, no traceback."""

import os
import queue
import sys
import threading
from typing import BinaryIO, NoReturn, TextIO

from engine.session import Session
from engine.startup import Loader

GREETING = "Teresa speaks UCI here: try 'help', or 'teresa --help' for its other commands."


class Output:
    """Lines to standard output, one at a time, from any thread. A closed pipe is no error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._lock = stream, threading.Lock()

    def say(self, line: str) -> None:
        """Write a line at once."""
        with self._lock:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                pass


def read_lines(stream: BinaryIO, lines: "queue.SimpleQueue[str | None]") -> None:
    """Put the lines of a stream into a queue, whatever bytes they hold, and None at its end."""
    try:
        for line in stream:
            lines.put(line.decode("utf-8", errors="replace"))
    except (OSError, ValueError):
        pass
    lines.put(None)


def main() -> NoReturn:
    """Speak UCI on standard input and output until `quit` or the end of input, then end the process.

    It ends at once, without Python's tidying up: that would trip over threads that still read or import.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    output = Output(sys.stdout)

    def wake() -> None:
        lines.put("")

    loader = Loader(wake)
    session = Session(output.say, wake, loader)
    if sys.stdin.isatty():
        output.say(GREETING)
    threading.Thread(target=read_lines, args=(sys.stdin.buffer, lines), daemon=True).start()
    loader.start()
    try:
        while (line := lines.get()) is not None and session.handle(line):
            session.go_on()
    except KeyboardInterrupt:
        pass
    session.close()
    os._exit(0)
