"""Loading the kernels: its messages are true."""

import gc
import subprocess
import sys
import time

import pytest

from engine import loader, warmup
from engine.loader import Loader, Outlook


class Witness:
    """A loader and its messages."""

    def __init__(self, monkeypatch, *, is_warm, child="pass", not_kept="", failure=None):
        self.news, self.calls, self.is_warm = [], 0, is_warm
        self.outlooks = []

        def use_search_kernels():
            self.outlooks.append(self.loader.outlook)
            if failure is not None:
                raise failure

        monkeypatch.setattr(warmup, "is_warm", lambda: self.is_warm)
        monkeypatch.setattr(warmup, "not_kept", lambda: not_kept)
        monkeypatch.setattr(warmup, "use_search_kernels", use_search_kernels)
        monkeypatch.setattr(warmup, "use_report_kernels", lambda: None)
        monkeypatch.setattr(loader, "command_line", lambda *_words: [sys.executable, "-c", child])
        self.loader = Loader(self._note, self.news.append)

    def _note(self):
        self.calls += 1

    def run(self):
        self.loader.start()
        self.loader._thread.join(120)
        assert self.calls == 1
        return " / ".join(self.news)


def test_a_warm_start_says_nothing(monkeypatch):
    witness = Witness(monkeypatch, is_warm=True)
    assert witness.run() == ""
    assert witness.loader.is_ready
    assert witness.outlooks == [Outlook.SOON]


@pytest.mark.parametrize(
    ("child", "reason"),
    [
        ("import sys; sys.exit('no luck')", "no luck"),
        ("import os; os._exit(7)", "status 7"),
        ("raise ValueError('broken')", "ValueError: broken"),
        ("pass", "status 0"),  # it ended well, and nothing is in the cache
    ],
)
def test_a_child_that_compiled_nothing_is_not_believed(monkeypatch, child, reason):
    witness = Witness(monkeypatch, is_warm=False, child=child)
    said = witness.run()
    assert f"the compiling process failed ({reason}), this process compiles" in said
    assert "compiled after" not in said
    assert witness.loader.is_ready
    assert witness.outlooks == [Outlook.LATE]


def test_a_child_that_cannot_be_started(monkeypatch):
    witness = Witness(monkeypatch, is_warm=False)
    monkeypatch.setattr(loader, "command_line", lambda *_words: ["there is no such program"])
    said = witness.run()
    assert "the compiling process failed (" in said
    assert "this process compiles" in said
    assert witness.loader.is_ready


def test_compiled_is_said_when_it_is_so(monkeypatch):
    witness = Witness(monkeypatch, is_warm=False)
    compile_in_child = witness.loader._compile_in_child

    def compiled():
        reason = compile_in_child()
        witness.is_warm = True
        return reason

    witness.loader._compile_in_child = compiled
    assert "compiled after" in witness.run()


def test_a_cache_that_cannot_be_written_is_named_once(monkeypatch):
    witness = Witness(monkeypatch, is_warm=False, not_kept="it cannot be written")
    assert witness.run().count("it cannot be written") == 1
    assert witness.loader.is_ready


def test_a_search_that_cannot_be_loaded(monkeypatch):
    witness = Witness(monkeypatch, is_warm=True, failure=OSError("gone"))
    assert "the search cannot be loaded" in witness.run()
    assert not witness.loader.is_ready
    assert witness.loader.outlook is Outlook.NEVER


# Without a thread


@pytest.mark.parametrize(
    ("seconds", "compiles", "failed", "expected"),
    [
        (0.0, False, False, Outlook.SOON),
        (10.0, False, False, Outlook.SOON),
        (10.5, False, False, Outlook.LATE),
        (0.0, True, False, Outlook.LATE),
        (0.0, False, True, Outlook.NEVER),
        (99.0, True, True, Outlook.NEVER),
    ],
)
def test_the_outlook(monkeypatch, seconds, compiles, failed, expected):
    found = Loader(lambda: None, lambda _news: None)
    found._compiles, found.has_failed = compiles, failed
    monkeypatch.setattr(time, "perf_counter", lambda: found.started + seconds)
    assert found.seconds == pytest.approx(seconds)
    assert found.outlook is expected
    assert not found.is_ready


class Child:
    """A child process that prints its lines after some timeouts."""

    def __init__(self, output, timeouts=0, status=0):
        self.output, self.timeouts, self.status, self.returncode = output, timeouts, status, None
        self.calls = []

    def communicate(self, timeout):
        self.calls.append(timeout)
        if len(self.calls) <= self.timeouts:
            raise subprocess.TimeoutExpired("warmup", timeout)
        self.returncode = self.status
        return None, self.output

    def poll(self):
        return self.returncode

    def kill(self):
        self.calls.append("kill")
        self.returncode = -9

    def wait(self):
        self.calls.append("wait")


@pytest.mark.parametrize(
    ("output", "status", "reason"),
    [
        (b"", 3, "status 3"),
        (b"\n \n", -9, "status -9"),
        (b"Traceback\n  more\nOSError: disk full \n\n", 1, "OSError: disk full"),
        (b"caf\xc3\xa9 \xff\n", 1, "caf\\xe9 \\ufffd"),
        (b"x" * 999, 1, "x" * 200),
    ],
)
def test_the_reason_of_a_child_is_its_last_line(monkeypatch, output, status, reason):
    news, commands = [], []
    child = Child(output, timeouts=2, status=status)
    monkeypatch.setattr(loader, "command_line", lambda *words: list(words))
    monkeypatch.setattr(subprocess, "Popen", lambda command, **pipes: commands.append((command, pipes)) or child)
    found = Loader(lambda: None, news.append)
    monkeypatch.setattr(time, "perf_counter", lambda: found.started + 12.4)
    assert found._compile_in_child() == reason
    ((command, pipes),) = commands
    assert command == ["warmup", "--search"]
    assert pipes == {"stdin": -3, "stdout": -3, "stderr": -1}
    assert news == ["still compiling after 12 s; 20 to 60 s are usual"] * 2
    assert child.calls == [5.0] * 3


@pytest.mark.parametrize("is_running", [True, False])
def test_no_child_is_left_behind(is_running):
    found = Loader(lambda: None, lambda _news: None)
    found.close()  # there is none
    child = found._child = Child(b"")
    child.returncode = None if is_running else 0
    found.close()
    assert child.calls == (["kill", "wait"] if is_running else [])


def test_a_loader_that_is_closed_ends_its_child_and_loads_nothing(monkeypatch):
    witness = Witness(monkeypatch, is_warm=False, child="import time; time.sleep(600)")
    real = subprocess.Popen

    def start_and_close(*arguments, **pipes):
        child = real(*arguments, **pipes)
        witness.loader._closed = True
        return child

    monkeypatch.setattr(subprocess, "Popen", start_and_close)
    said = witness.run()
    assert said == "first start: the search is being compiled, until then a simple player moves"
    assert witness.outlooks == []
    assert not witness.loader.is_ready
    assert witness.loader._child.returncode is not None
    witness.loader._child.stderr.close()


def test_what_games_do_not_need_is_loaded_after_the_search_is_ready(monkeypatch):
    witness, order = Witness(monkeypatch, is_warm=True), []
    monkeypatch.setattr(warmup, "use_report_kernels", lambda: order.append(("report", witness.calls)))
    gc.enable()
    witness.run()
    assert order == [("report", 1)]
    assert gc.isenabled()
    failed = Witness(monkeypatch, is_warm=True, failure=OSError("gone"))
    monkeypatch.setattr(warmup, "use_report_kernels", lambda: order.append("never"))
    failed.run()
    assert order == [("report", 1)]
    gc.enable()
    gc.unfreeze()
