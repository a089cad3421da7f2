"""The engine as a process, for tests: one for each, or one that many share."""

import queue
import subprocess
import sys
import threading
import time

from engine.config.options import OPTIONS

MARK = "end of test"
TERESA = [sys.executable, "-m", "engine"]


class Process:
    """An engine whose lines are read by a thread."""

    def __init__(self, environment, command=TERESA, **options):
        self.started = time.perf_counter()
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, env=environment, **pipes, **options)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\r\n"))
        self.lines.put(None)

    def send(self, *commands):
        data = "".join(command + "\n" for command in commands).encode()
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def until(self, beginning, seconds=30):
        """All lines up to the first that begins so."""
        lines, end = [], time.perf_counter() + seconds
        while not lines or lines[-1] is None or not lines[-1].startswith(beginning):
            lines.append(self.lines.get(timeout=max(0.01, end - time.perf_counter())))
            assert lines[-1] is not None, f"the engine ended: {lines}"
        return lines

    def ask(self, *commands, until="bestmove", seconds=30):
        """Send commands; -> all lines up to the first that begins so."""
        self.send(*commands)
        return self.until(until, seconds)

    def end(self, seconds=5):
        """Wait until the process is gone; -> status, standard error."""
        status = self.process.wait(timeout=seconds)
        self.reader.join(timeout=5)
        errors = self.process.stderr.read().decode()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return status, errors

    def quit_cleanly(self):
        self.send("quit")
        assert self.end() == (0, "")


class SharedProcess(Process):
    """An engine that many tests use, one after the other; each finds it as it was at its start."""

    def quit_cleanly(self):
        """Stop, set all options to their defaults and forget the game; the next test may go on."""
        defaults = [
            f"setoption name {option.name} value {option.default_text}" for option in OPTIONS if option.kind != "button"
        ]
        self.send("stop", "debug off", *defaults, "ucinewgame", "position startpos", f"setoption name {MARK}")
        self.until(f"info string setoption: no option is called '{MARK}'")  # what is behind a search waits for its end

    def quit_for_good(self):
        super().quit_cleanly()
