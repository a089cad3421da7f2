"""The state of a session changes only under its lock: checked at every change, with commands from several threads."""

import functools
import random
import threading
import time
from collections import deque

import pytest

from engine.search.clock import Limits
from engine.uci.parse import Command, is_search, read_command
from engine.uci.session import Session
from tests.engine.uci.test_queue import FakeLoader

COMMANDS = (
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position fen rubbish",
    "go nodes 50",
    "go movetime 3",  # without a thread
    "go infinite",
    "go ponder wtime 1000 btime 1000",
    "go perft 2",
    "ponderhit",
    "stop",
    "ucinewgame",
    "setoption name MultiPV value 2",
    "setoption name UCI_Chess960 value false",
    "setoption name MoveStats value true",
    "debug on",
    "debug off",
    "isready",
    "eval",
    "moves",
    "why not h2h4 50",
)
CHANGES = (
    "append",
    "appendleft",
    "clear",
    "extend",
    "insert",
    "pop",
    "popleft",
    "remove",
    "__delitem__",
    "__setitem__",
)


class OwnedLock:
    """A lock that knows which thread holds it."""

    def __init__(self):
        self._lock, self._owner = threading.Lock(), None

    def __enter__(self):
        self._lock.acquire()
        self._owner = threading.get_ident()

    def __exit__(self, *_):
        self._owner = None
        self._lock.release()

    @property
    def is_mine(self):
        return self._owner == threading.get_ident()


class Checked:
    """A session whose changes are checked: `faults` names those that were made without the lock."""

    def __init__(self, monkeypatch):
        self.said, self.faults, self.loader = [], [], FakeLoader()
        self.session = Session(self.said.append, loader=self.loader)
        queue, background = self.session.queue, self.session.background
        queue._lock, background._lock = OwnedLock(), OwnedLock()
        queue._pending = self._checked_deque(queue._lock)
        queue._new_fallback = functools.partial(self._new_fallback, monkeypatch, queue)
        queue._on_loaded = functools.partial(self._on_loaded, monkeypatch, queue)
        for owner, lock in (
            (queue, queue._lock),
            (self.session, queue._lock),
            (self.session.options, queue._lock),
            (background, background._lock),
        ):
            self._check_attributes(monkeypatch, owner, lock)

    def _check(self, lock, what):
        if not lock.is_mine:
            self.faults.append(what)

    def _new_fallback(self, monkeypatch, queue):
        fallback = self.session._new_fallback()
        self._check_attributes(monkeypatch, fallback, queue._lock)
        return fallback

    def _on_loaded(self, monkeypatch, queue):
        self.session._on_loaded()
        self._check_attributes(monkeypatch, self.session.search, queue._lock)

    def _checked_deque(self, lock):
        def checked(name):
            @functools.wraps(getattr(deque, name))
            def change(pending, *arguments):
                self._check(lock, f"pending.{name}")
                return getattr(deque, name)(pending, *arguments)

            return change

        return type("CheckedDeque", (deque,), {name: checked(name) for name in CHANGES})()

    def _check_attributes(self, monkeypatch, owner, lock):
        def change(changed, name, value):
            if changed is owner:
                self._check(lock, f"{type(owner).__name__}.{name}")
            object.__setattr__(changed, name, value)

        monkeypatch.setattr(type(owner), "__setattr__", change)

    def hear(self, line):
        assert self.session.queue.hear(line, time.perf_counter())


@pytest.fixture
def checked(monkeypatch):
    checked = Checked(monkeypatch)
    yield checked
    checked.session.close()


@pytest.mark.thorough
@pytest.mark.jit  # minutes without machine code
def test_the_state_changes_only_under_the_lock(checked):
    """From three threads that send commands, the search, jobs, the fallback player and the end of input."""
    sent = []

    def send(seed):
        rng = random.Random(seed)
        for _ in range(120):
            sent.append(rng.choice(COMMANDS))
            checked.hear(sent[-1])
            time.sleep(rng.random() ** 4 * 0.05)

    senders = [threading.Thread(target=send, args=(seed,)) for seed in range(3)]
    for sender in senders:
        sender.start()
    time.sleep(0.3)
    checked.loader.is_ready = True
    checked.session.queue.wake()
    for sender in senders:
        sender.join()
    checked.hear("stop")
    assert checked.session.queue.finish(lambda: False)
    assert checked.faults == []
    searches = [line for line in sent if is_search(read_command(line, 0.0)[0])]
    assert sum(line.startswith("bestmove") for line in checked.said) == len(searches) > 10
    assert not any("failed (" in line for line in checked.said)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda session: session.debug(Command("debug", ["on"], 0.0)), "Session.is_debugging"),
        (lambda session: session.options.set("MultiPV", "3"), "Options.multi_pv"),
        (lambda session: session.queue._take(Command("moves", [], 0.0)), "pending.append"),
        (lambda session: setattr(session.queue, "_input_has_ended", True), "CommandQueue._input_has_ended"),
        (lambda session: setattr(session.background, "_search", Limits()), "Background._search"),
    ],
)
def test_a_change_without_the_lock_is_noticed(checked, change, fault):
    change(checked.session)
    assert fault in checked.faults
