"""A session with fakes around it: a searcher and an explorer that only note their calls."""

from engine.uci import search_commands
from engine.uci.pipes import Transcript
from engine.uci.session import Session
from movegen import Position
from tests.engine.uci.test_queue import FakeLoader

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


class FakeSearcher:
    """Notes its calls."""

    def __init__(self):
        self.calls, self.position, self.is_pondering, self.failure = [], Position(), False, None

    def set_position(self, position, moves, *, takes_back=False):
        self.position = position
        self.calls.append(("takes back" if takes_back else "position", position.fen(), moves))

    def go(self, limits, *, search_moves, started):
        self.calls.append(("go", limits, search_moves, started))
        if self.failure is not None:
            raise self.failure

    def ponder_hit(self, moment):
        self.calls.append(("hit", moment))

    def wait(self, seconds):
        self.calls.append(("wait", seconds))

    def __getattr__(self, name):
        return lambda *_: self.calls.append(name)


class FakeExplorer:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))


class FakeReport:
    """A report of some rows."""

    def __init__(self, rows):
        self.found = rows

    def rows(self, shape=None):
        self.shape = shape
        return self.found


class FakedTalk:
    """Its search is loaded by the first command, unless the loader is not ready."""

    def __init__(self, monkeypatch, *, is_ready=True):
        self.said, self.loader, self.searcher = [], FakeLoader(), FakeSearcher()
        self.loader.is_ready, self.transcript = is_ready, Transcript()
        monkeypatch.setattr(search_commands, "Searcher", self.new_searcher)
        self.session = Session(self.said.append, self.transcript.open, self.loader)
        self.session._explorer = FakeExplorer()
        self.calls = self.searcher.calls

    def new_searcher(self, options, listener, resources):
        assert options is self.session.options
        assert isinstance(listener, search_commands.SearchCommands)
        assert resources is self.session.resources
        return self.searcher

    @property
    def search(self):
        """The commands that search; loaded, if no command has done so."""
        if self.session.search is None:
            self.hear("register")
        return self.session.search

    def hear(self, *lines, moment=5.0):
        for line in lines:
            self.session.queue.hear(line, moment)
        return self.calls
