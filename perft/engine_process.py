"""A UCI engine in a child process: lines to it and lines from it, without deadlocks.

A thread sends the lines, so that two full pipes cannot block each other. Where an answer must come soon there is a
time limit: a program that is not a UCI engine may never answer.
"""

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import parent_process
from queue import SimpleQueue
from typing import IO, Any, cast

PATIENCE = 20.0  # seconds for commands that any engine answers at once
SECONDS_PER_WAIT = 0.2  # on Windows, Ctrl-C does not interrupt a wait
LONGEST_OUTPUT_LINE = 1 << 16
LINES_KEPT = 10_000  # the last ones of an answer
SECONDS_TO_JOIN = 1.0  # for threads, once the process is gone


def leads_group() -> bool:
    """Is this a worker on its driver's machine, which leads a group? Its engines belong to it, and end with it."""
    return sys.platform != "win32" and parent_process() is not None and os.getpgrp() == os.getpid()


def own_group() -> dict[str, Any]:
    """Arguments of `Popen`. Ctrl-C in a terminal reaches a whole group; engines shall not get it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    else:  # noqa: RET505  (mypy checks both platforms)
        return {} if leads_group() else {"process_group": 0}


class EngineProcess:
    """A running engine. A `ValueError` says what is wrong with it."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = command[0]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1 << 18,
                **own_group(),
            )
        except OSError as error:
            raise ValueError(f"{self.name} cannot be started: {error.strerror or error}") from None
        self._input, self._output = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        self._is_closed = False
        self._to_send: SimpleQueue[str | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._send_all, daemon=True)]
        self._threads[0].start()

    def send(self, *lines: str) -> None:
        """Send lines, without waiting for the engine to read them."""
        self._to_send.put("".join(line + "\n" for line in lines))

    def lines_until(self, beginning: str, seconds: float | None = None) -> list[str]:
        """The lines up to and including the first that starts with `beginning`, within a time limit if one is given."""
        lines: deque[str] = deque(maxlen=LINES_KEPT)
        if seconds is None:
            self._read_until(beginning, lines)
        else:
            reader = threading.Thread(target=self._read_until, args=(beginning, lines), daemon=True)
            self._threads.append(reader)
            reader.start()
            self._wait_for(reader, beginning, seconds)
        if not lines or not lines[-1].startswith(beginning):
            raise ValueError(f"{self.name} ended without saying '{beginning}'")
        return list(lines)

    def close(self) -> None:
        """End the process. A thread that waits for a child of the engine is left alone, and closes its pipe later."""
        self._process.kill()
        self._process.wait()
        self._to_send.put(None)
        self._is_closed = True
        sender, *readers = self._threads
        for thread in self._threads:
            thread.join(SECONDS_TO_JOIN)
        if not any(thread.is_alive() for thread in readers):
            self._output.close()
        if not sender.is_alive():
            self._close_input()

    def _close_input(self) -> None:
        with suppress(OSError):  # lines that were not sent
            self._input.close()

    def _send_all(self) -> None:
        with suppress(OSError):  # the process has ended, which the reader notices
            while (text := self._to_send.get()) is not None:
                self._input.write(text)
                self._input.flush()
        if self._is_closed:
            self._close_input()

    def _read_until(self, beginning: str, lines: "deque[str]") -> None:
        while line := self._output.readline(LONGEST_OUTPUT_LINE):
            lines.append(line)
            if line.startswith(beginning):
                break
        if self._is_closed:
            self._output.close()

    def _wait_for(self, reader: threading.Thread, beginning: str, seconds: float) -> None:
        for _ in range(max(1, round(seconds / SECONDS_PER_WAIT))):
            reader.join(SECONDS_PER_WAIT)
            if not reader.is_alive():
                return
        raise ValueError(f"{self.name} did not say '{beginning}' within {seconds:g} seconds")
