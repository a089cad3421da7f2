"""The conversation with a GUI: lines in, lines out, nothing lost, no traceback."""

import os
import queue
import sys
import threading
import time
from typing import BinaryIO, NoReturn, TextIO

from engine.session import Session
from engine.startup import Loader
from engine.transcript import Transcript

GREETING = "Teresa speaks UCI here: try 'help', or 'teresa --help' for its other commands."
PATIENCE = 0.5  # seconds: on Windows, Ctrl-C is noticed between two waits only

Heard = tuple[str | None, float]  # a line (None: the end) and the moment it came


class Output:
    """Lines to standard output, one at a time, from any thread. A closed pipe is no error."""

    def __init__(self, stream: TextIO, transcript: Transcript) -> None:
        self._stream, self._transcript, self._lock = stream, transcript, threading.Lock()

    def say(self, line: str) -> None:
        """Write a line at once."""
        with self._lock:
            self._transcript.said(line)
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                pass


def read_lines(stream: BinaryIO, lines: "queue.SimpleQueue[Heard]") -> None:
    """Put the lines of a stream into a queue, whatever bytes they hold, and None at its end."""
    try:
        for line in stream:
            lines.put((line.decode("utf-8", errors="replace"), time.perf_counter()))
    except (OSError, ValueError):
        pass
    lines.put((None, time.perf_counter()))


def next_line(lines: "queue.SimpleQueue[Heard]") -> Heard:
    """Wait for a line."""
    while True:
        try:
            return lines.get(timeout=PATIENCE)
        except queue.Empty:
            pass


def converse(session: Session, lines: "queue.SimpleQueue[Heard]", transcript: Transcript) -> None:
    """Do what the lines say until `quit`, the end of input or Ctrl-C."""
    try:
        while (heard := next_line(lines))[0] is not None:
            line, moment = str(heard[0]), heard[1]
            if line:
                transcript.heard(line)
                if not session.handle(line, moment):
                    return
            session.go_on()
    except KeyboardInterrupt:
        pass


def main() -> NoReturn:
    """Speak UCI on standard input and output, then end the process.

    It ends at once, without Python's tidying up: that would trip over threads that still read or import.
    """
    lines: queue.SimpleQueue[Heard] = queue.SimpleQueue()
    transcript = Transcript()
    output = Output(sys.stdout, transcript)

    def wake() -> None:
        lines.put(("", time.perf_counter()))

    loader = Loader(wake, lambda news: output.say(f"info string {news}"))
    session = Session(output.say, wake, loader, transcript)
    if sys.stdin.isatty():
        output.say(GREETING)
    threading.Thread(target=read_lines, args=(sys.stdin.buffer, lines), daemon=True).start()
    loader.start()
    converse(session, lines, transcript)
    session.close()
    os._exit(0)
