"""Commands of Teresa driven as a person does: through a pipe, or through a pseudo-terminal."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

SECONDS = 180  # wide: machines are busy
SOURCES = str(Path(__file__).parents[3])  # the tests run elsewhere


def command(*words):
    return [sys.executable, "-m", "engine", *words]


def piped(environment, folder, words, lines=()):
    """-> status, output, errors of a command that reads these lines from a pipe."""
    path = os.pathsep.join([SOURCES, environment.get("PYTHONPATH", "")])
    done = subprocess.run(
        command(*words),
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**environment, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class Terminal:
    """A command in a pseudo-terminal."""

    def __init__(self, environment, folder, *words, **variables):
        import pty

        self.leader, follower = pty.openpty()
        path = os.pathsep.join([SOURCES, environment.get("PYTHONPATH", "")])
        kept = {name: value for name, value in environment.items() if name != "NO_COLOR"}
        terminal = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            command(*words),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            cwd=folder,
            env={**kept, **terminal, "PYTHONPATH": path, **variables},
            start_new_session=True,
        )
        os.close(follower)
        self.output = ""

    def until(self, text, count=1):
        """Read until a text was shown so often; -> all that was shown."""
        end = time.monotonic() + SECONDS
        while self.output.count(text) < count:
            assert time.monotonic() < end, f"{text!r} does not come: {self.output}"
            assert self._read(), f"{text!r} did not come: {self.output}"
        return self.output

    def _read(self):
        """-> is the other end open?"""
        if not select.select([self.leader], [], [], 1)[0]:
            return True
        try:
            data = os.read(self.leader, 65536)
        except OSError:  # the other end is closed
            return False
        self.output += data.decode(errors="replace")
        return bool(data)

    def type(self, line):
        os.write(self.leader, (line + "\n").encode())

    def interrupt(self, number=signal.SIGINT):
        """Ctrl-C, or another signal, at a person's pace: between a prompt and the wait for input it would be lost."""
        time.sleep(0.5)
        self.process.send_signal(number)

    def hang_up(self):
        """Close the window, and wait for the end."""
        time.sleep(0.5)
        os.close(self.leader)
        self.process.send_signal(signal.SIGHUP)  # the kernel sends it only to the leader of the terminal's session
        self.process.wait(SECONDS)

    def end(self):
        """Wait for the end; -> status, all that was shown."""
        watchdog = threading.Timer(SECONDS, self.process.kill)
        watchdog.start()
        while self._read():
            pass
        status = self.process.wait()
        watchdog.cancel()
        os.close(self.leader)
        return status, self.output
