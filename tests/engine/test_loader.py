"""Loading the kernels: its messages are true."""

import sys

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
