"""When commands run, with a loader that the test controls."""

import threading
import time

import pytest

from engine.loader import Outlook
from engine.uci.queue import CommandQueue
from engine.uci.session import Session


class FakeLoader:
    """Ready when the test says so."""

    def __init__(self):
        self.is_ready = self.has_failed = False
        self.outlook, self.seconds = Outlook.SOON, 0.0

    def close(self):
        pass


class Talk:
    """A session that hears lines, and what it has said."""

    def __init__(self):
        self.said, self.loader = [], FakeLoader()
        self.session = Session(self.said.append, loader=self.loader)

    def hear(self, *lines):
        for line in lines:
            assert self.session.queue.hear(line, time.perf_counter())

    def load(self):
        self.loader.is_ready = True
        self.session.queue.wake()

    def fail(self):
        self.loader.has_failed, self.loader.outlook = True, Outlook.NEVER
        self.session.queue.wake()

    def wait_for(self, beginning, count=1):
        end = time.perf_counter() + 60
        while sum(line.startswith(beginning) for line in self.said) < count:
            assert time.perf_counter() < end, self.said
            time.sleep(0.005)

    def beginnings(self, *known):
        """Which of these beginnings were said, in their order."""
        return [name for line in self.said for name in known if line.startswith(name)]

    def close(self):
        """End it: what is kept is dropped, and nothing runs on beside later tests."""
        with self.session.queue._lock:
            self.session.queue._pending.clear()
        self.session.background.stop()
        self.session.close()
        end = time.perf_counter() + 60
        while not self.session.background.is_idle:
            assert time.perf_counter() < end, "what runs cannot be stopped"
            time.sleep(0.005)


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.close()


def test_what_came_while_it_was_loaded_is_done_in_its_order(talk):
    talk.hear("position startpos", "go nodes 40", "moves", "position startpos moves e2e4", "go nodes 30", "d")
    talk.hear("setoption name MultiPV value 3", "go nodes 20", "isready")
    time.sleep(0.2)
    assert talk.said == ["readyok"]  # a `go` waits for its answer: the GUI may ask whether the engine lives
    talk.load()
    talk.wait_for("bestmove", 3)
    order = talk.beginnings("bestmove", "info string h2h4", "Fen: ", "info depth 2 seldepth 2 multipv 3")
    assert order[:2] == ["bestmove", "info string h2h4"]
    assert any(" multipv 3 " in line for line in talk.said[-4:])


def test_isready_is_answered_in_its_turn_once_all_is_loaded(talk):
    talk.hear("d", "isready", "position startpos moves e2e4", "setoption name Hash value 0", "isready", "d")
    talk.load()
    talk.wait_for("Fen: ", 2)
    order = talk.beginnings("Fen: ", "readyok", "info string setoption: Hash")
    assert order == ["Fen: ", "readyok", "info string setoption: Hash", "readyok", "Fen: "]


def test_isready_does_not_wait_for_a_search(talk):
    talk.load()
    talk.hear("isready", "go infinite", "position startpos moves e2e4", "isready")
    talk.wait_for("readyok", 2)
    assert talk.session.background.is_busy
    assert not talk.beginnings("bestmove")


def test_a_stop_ends_all_that_was_asked_before_it(talk):
    talk.hear("go infinite", "position startpos moves e2e4", "go nodes 1000000000", "go ponder", "eval", "stop")
    talk.load()
    talk.wait_for("bestmove", 3)
    talk.wait_for("info string black to move")  # `eval` is not lost


def test_a_live_stop_means_kept_searches_too(talk):
    talk.load()
    talk.hear("isready", "go infinite", "go infinite", "go infinite", "bench 100000000", "stop")
    talk.wait_for("bestmove", 3)
    talk.wait_for("stopped")
    talk.hear("go nodes 10")
    talk.wait_for("bestmove", 4)


def test_a_live_stop_means_a_kept_bench_that_no_search_comes_with(talk):
    talk.load()
    talk.hear("go infinite", "bench 100000000", "stop")
    talk.wait_for("bestmove")
    talk.wait_for("stopped")


def test_a_ponderhit_does_not_wait_behind_what_waits_for_the_search(talk):
    talk.load()
    talk.hear("go infinite", "go ponder wtime 300 btime 300", "setoption name Hash value 2", "ponderhit")
    talk.wait_for("bestmove", 2)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("option", "visits"),
    [
        ("Hash value 2", 0),
        ("Clear Hash", 0),
        ("Formula value UCB1", 0),
        ("Evaluator value Playout", 0),
        ("EvalFile value <empty>", 0),
        ("Policy Temperature value 1000", 0),
        ("Root Temperature value 1000", 0),
        ("PUCT C value 900", 50),
        ("MultiPV value 3", 50),
        ("Temperature value 1000", 50),
    ],
)
def test_the_tree_is_forgotten_where_an_option_gives_it_another_meaning(talk, option, visits):
    talk.load()
    talk.hear("go nodes 50")
    talk.wait_for("bestmove")
    talk.hear(f"setoption name {option}")
    assert talk.session.search.searcher.prepare().visits[0] == visits


@pytest.mark.jit
@pytest.mark.parametrize("limits", ["nodes 2000", "movetime 500", "wtime 20000 btime 20000"])
def test_what_looks_at_a_search_waits_for_one_that_ends_by_itself(talk, limits):
    talk.hear(f"go {limits}", "moves", "go nodes 10")
    talk.load()
    talk.wait_for("bestmove", 2)
    assert talk.beginnings("bestmove", "info string h2h4") == ["bestmove", "info string h2h4", "bestmove"]


def test_the_end_of_input(talk):
    talk.hear("go infinite", "eval", "go nodes 30", "why", "go ponder wtime 500 btime 500", "d")
    talk.load()
    assert talk.session.queue.finish(lambda: False)
    assert talk.beginnings("bestmove") == ["bestmove"] * 3
    assert talk.beginnings("bestmove", "Checkers")[-2:].count("Checkers") == 1  # the board can be seen during a search
    assert talk.session.background.is_idle


def test_the_end_of_input_without_a_reader(talk):
    talk.load()
    talk.hear("go nodes 1000000000")
    assert talk.session.queue.finish(lambda: True)


def test_a_search_that_never_comes(talk):
    """The fallback player answers, and what it cannot do is refused."""
    talk.hear("position startpos moves e2e4", "go nodes 100", "d", "eval", "go infinite", "isready")
    talk.fail()
    assert not talk.session.queue.finish(lambda: False)
    assert talk.beginnings("bestmove") == ["bestmove", "bestmove"]
    for command in ("d", "eval"):
        assert f"info string {command}: cannot be done, the search could not be loaded" in talk.said
    assert "readyok" in talk.said


def test_only_the_options_of_the_explorer_do_not_wait_for_a_search(talk):
    """Whatever else a command names."""
    talk.load()
    talk.hear("go infinite", "setoption name Explorer value maybe")
    assert talk.beginnings("info string setoption: Explorer")
    talk.hear("loadtree explorer", "setoption name Hash value explorer", "eval explorer")
    talk.hear("go explorer infinite")
    talk.wait_for("bestmove")
    talk.wait_for("info string white to move")
    talk.hear("eval", "stop")
    talk.wait_for("info string white to move", 2)
    order = talk.beginnings(
        "bestmove", "info string loadtree", "info string setoption: Hash", "info string white to move"
    )
    assert order == [
        "bestmove",
        "info string loadtree",
        "info string setoption: Hash",
        "info string white to move",
        "bestmove",
        "info string white to move",
    ]


def test_the_end_of_input_waits_until_the_last_line_is_written():
    """The reader of the output may be slow."""
    said, is_writing, is_read, loader = [], threading.Event(), threading.Event(), FakeLoader()

    def say(line):
        if line.startswith("bestmove"):
            is_writing.set()
            is_read.wait(60)
        said.append(line)

    session = Session(say, loader=loader)
    loader.is_ready = True
    session.queue.hear("go nodes 50", time.perf_counter())
    assert is_writing.wait(60)
    end = threading.Thread(target=session.queue.finish, args=(lambda: False,))
    end.start()
    end.join(0.5)
    assert end.is_alive()
    is_read.set()
    end.join(60)
    assert said[-1].startswith("bestmove")
    session.close()


# Without a session: handlers that only note that they were called


class FakeActivity:
    """Runs what the test says."""

    is_busy = waits_for_stop = may_be_endless = False
    stops, search_seconds = 0, 0.0

    @property
    def is_idle(self):
        return not self.is_busy

    def stop_search(self):
        self.stops += 1


class Handlers:
    """A queue, and the commands that were run, in their order."""

    def __init__(self):
        self.ran, self.said, self.loader, self.activity = [], [], FakeLoader(), FakeActivity()
        names = ("go", "position", "setoption", "d", "moves", "stop", "ponderhit", "isready", "uci", "eval")
        handlers = {
            name: lambda command: self.ran.append(" ".join([command.name, *command.arguments])) for name in names
        }
        handlers["position"] = self.position
        self.queue = CommandQueue(
            handlers, self.activity, self.loader, self.said.append, self.no_fallback, lambda: self.ran.append("loaded")
        )

    def position(self, command):
        self.ran.append("position")
        if command.arguments:
            raise {"wrong": ValueError("no such position"), "failed": RuntimeError("oh")}[command.arguments[0]]

    def no_fallback(self):
        raise AssertionError("no search was asked for while kernels were loaded")

    def hear(self, *lines):
        for line in lines:
            assert self.queue.hear(line, time.perf_counter())


@pytest.fixture
def handlers():
    return Handlers()


@pytest.fixture
def loaded(handlers):
    handlers.loader.is_ready = True
    return handlers


def test_without_kernels_only_options_run(handlers):
    handlers.hear("setoption name Hash value 1", "setoption name EvalFile value x", "position", "uci", "d")
    assert handlers.ran == ["setoption name Hash value 1", "uci"]
    handlers.loader.is_ready = True
    handlers.hear("isready")
    assert handlers.ran[2:] == ["loaded", "setoption name EvalFile value x", "position", "d", "isready"]


def test_isready_is_answered_late_rather_than_never(handlers):
    handlers.loader.seconds = 10.0
    handlers.hear("position", "isready")
    assert handlers.ran == ["isready"]


def test_what_changes_the_tree_waits_and_what_looks_does_not(loaded):
    loaded.activity.is_busy = True
    loaded.hear("position", "d", "setoption name Hash value 1", "moves", "setoption name Explorer value true", "uci")
    assert loaded.ran == ["loaded", "d", "moves", "uci"]
    loaded.activity.is_busy = False
    loaded.hear("uci")
    assert loaded.ran[4:] == ["position", "setoption name Hash value 1", "setoption name Explorer value true", "uci"]


def test_a_go_stops_what_runs_and_all_that_was_asked_for_before(loaded):
    loaded.activity.is_busy = True
    loaded.hear("eval", "position", "go nodes 1")
    assert loaded.ran == ["loaded", "stop", "stop"]  # what runs, and again for `eval`, which does not run yet
    loaded.activity.is_busy = False
    loaded.hear("uci")
    assert loaded.ran[3:] == ["eval", "position", "stop", "go nodes 1", "uci"]


@pytest.mark.parametrize("work", ["eval", "go nodes 1"])
def test_a_stop_means_what_runs_and_what_was_asked_for_before(loaded, work):
    loaded.activity.is_busy = True
    loaded.hear(work, "stop")
    loaded.activity.is_busy = False
    loaded.ran.clear()
    loaded.hear("d")
    assert loaded.ran == [work, "stop", "d"]


@pytest.mark.parametrize("pending", ["position", "setoption name Hash value 1"])
def test_a_stop_is_not_kept_for_short_work(loaded, pending):
    loaded.activity.is_busy = True
    loaded.hear(pending, "stop")
    loaded.activity.is_busy = False
    loaded.ran.clear()
    loaded.hear("d")
    assert loaded.ran == [pending, "d"]


def test_an_endless_search_is_stopped_for_a_pending_go_and_at_the_end_of_input(loaded):
    loaded.activity.is_busy = loaded.activity.may_be_endless = True
    loaded.hear("go nodes 1")
    assert loaded.activity.stops == 1
    loaded.queue._pending.clear()
    loaded.activity.waits_for_stop = True
    assert loaded.queue.finish(lambda: loaded.activity.stops > 1)


def test_a_search_for_a_mate_is_stopped_some_time_after_the_end_of_input(loaded):
    loaded.activity.is_busy = loaded.activity.may_be_endless = True
    looks = []

    def look():
        looks.append(loaded.activity.stops)
        loaded.activity.search_seconds += 10
        return loaded.activity.stops > 0

    assert loaded.queue.finish(look)
    assert looks == [0, 0, 0, 1]  # at 10, 20 and 30 seconds


def test_failures_of_handlers_are_reported(loaded):
    loaded.hear("position wrong", "position failed", "what d")
    assert loaded.said == [
        "info string position: no such position; ignored",
        "info string position: failed (RuntimeError('oh'))",
        "info string what: unknown command, skipped (try 'help')",
    ]
    assert loaded.ran[-1] == "d"
    assert not loaded.queue.hear("quit", 0.0)
