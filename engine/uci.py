"""The conversation with a GUI: lines in, lines out, nothing lost, no traceback."""

import os
import sys
import threading
import time
from typing import BinaryIO, NoReturn, TextIO

from engine.session import Session
from engine.transcript import Transcript

GREETING = "Teresa speaks UCI here: try 'help', or 'teresa --help' for its other commands."


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


def converse(session: Session, stream: BinaryIO, transcript: Transcript) -> None:
    """Do what the lines of a stream say, whatever bytes they hold, until `quit`, its end or Ctrl-C."""
    try:
        for data in stream:
            line, moment = data.decode("utf-8", errors="replace"), time.perf_counter()
            transcript.heard(line)
            if not session.hear(line, moment):
                return
    except (OSError, ValueError, KeyboardInterrupt):
        pass


def main() -> NoReturn:
    """Speak UCI on standard input and output, then end the process.

    It ends at once, without Python's tidying up: that would trip over threads that still search or import.
    """
    transcript = Transcript()
    output = Output(sys.stdout, transcript)
    session = Session(output.say, transcript)
    if sys.stdin.isatty():
        output.say(GREETING)
    session.loader.start()
    converse(session, sys.stdin.buffer, transcript)
    session.close()
    os._exit(0)
