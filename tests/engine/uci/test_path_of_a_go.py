"""The path of a `go` through the files of the engine is the one that docs/architecture.md shows."""

import os
import re
import sys
import threading
import time

import pytest

from engine.uci.pipes import Output, Reader, Transcript
from engine.uci.session import Session
from tests.documents import PROJECT
from tests.engine.uci.test_queue import FakeLoader

pytestmark = pytest.mark.jit

NOT_GLUE = ("engine.config.", "engine.mcts.", "engine.network.")  # the table of options, and kernels
LONGEST_PATH = 14  # modules
SECONDS = 60.0


class Trace:
    """The modules of the engine whose functions run, in all threads that start after this."""

    def __init__(self):
        self.modules, self.is_on = set(), False

    def __call__(self, frame, event, _argument):
        if self.is_on and event == "call":
            self.modules.add(frame.f_globals.get("__name__", ""))

    @property
    def glue(self):
        names = {name for name in self.modules if name.startswith("engine.") and not name.startswith(NOT_GLUE)}
        return {f"{name.replace('.', '/')}.py" for name in names}


class Console:
    """Standard output, which knows when a `bestmove` is out."""

    def __init__(self):
        self.answered = threading.Event()

    def write(self, text):
        if text.startswith("bestmove"):
            self.answered.set()

    def flush(self):
        pass


class Conversation:
    """A session that reads from a pipe, as the program does."""

    def __init__(self):
        self.console, self.loader, transcript = Console(), FakeLoader(), Transcript()
        output = Output(self.console, transcript)
        self.session = Session(output.say, transcript.open, self.loader)
        read_end, self._write_end = os.pipe()
        self._stream = os.fdopen(read_end, "rb")
        self.loader.is_ready = True
        self._reader = Reader(self.session.queue, self._stream, transcript, output)
        self._reader.start()

    def search(self, *lines):
        """Send the lines; -> once `bestmove` is out and nothing runs any more."""
        self.console.answered.clear()
        os.write(self._write_end, "".join(f"{line}\n" for line in lines).encode())
        assert self.console.answered.wait(SECONDS)
        while not self.session.background.is_idle or self.session.search.searcher.is_searching:
            time.sleep(0.01)

    def close(self):
        os.write(self._write_end, b"quit\n")
        self._reader.join(SECONDS)
        os.close(self._write_end)
        self._stream.close()
        self.session.close()


@pytest.fixture
def trace():
    trace, before, before_in_threads = Trace(), sys.getprofile(), threading.getprofile()
    threading.setprofile(trace)
    yield trace
    threading.setprofile(before_in_threads)
    sys.setprofile(before)


def shown_path():
    """The files in the picture."""
    text = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = text.partition("## The path of a `go`")[2].partition("```text\n")[2].partition("```")[0]
    return re.findall(r"engine/[\w/]+\.py", picture)


def test_the_way_of_a_go_is_short_and_the_one_that_is_shown(trace):
    conversation = Conversation()
    try:
        conversation.search("position startpos moves e2e4", "go nodes 100")  # imports, and makes the tree
        trace.is_on = True
        conversation.search("position startpos", "go nodes 2000")
        trace.is_on = False
    finally:
        conversation.close()
    shown = shown_path()
    assert len(shown) == len(set(shown)) <= LONGEST_PATH
    assert trace.glue == set(shown)
