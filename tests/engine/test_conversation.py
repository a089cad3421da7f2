"""When commands are carried out, with a loader that does as it is told."""

import threading
import time

import pytest

from engine.session import Session
from engine.startup import Outlook


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
            assert self.session.hear(line, time.perf_counter())

    def load(self):
        self.loader.is_ready = True
        self.session.wake()

    def fail(self):
        self.loader.has_failed, self.loader.outlook = True, Outlook.NEVER
        self.session.wake()

    def wait_for(self, beginning, count=1):
        end = time.perf_counter() + 60
        while sum(line.startswith(beginning) for line in self.said) < count:
            assert time.perf_counter() < end, self.said
            time.sleep(0.005)

    def beginnings(self, *known):
        """Which of these beginnings were said, in their order."""
        return [name for line in self.said for name in known if line.startswith(name)]


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.session.close()


def test_what_came_while_it_was_loaded_is_done_in_its_order(talk):
    talk.hear("position startpos", "go nodes 100", "moves", "position startpos moves e2e4", "go nodes 50", "d")
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
    talk.hear("isready", "go infinite", "position startpos moves e2e4", "isready")
    talk.load()
    talk.wait_for("readyok", 2)
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


def test_a_ponderhit_does_not_wait_behind_what_waits_for_the_search(talk):
    talk.load()
    talk.hear("go infinite", "go ponder wtime 300 btime 300", "setoption name Hash value 2", "ponderhit")
    talk.wait_for("bestmove", 2)


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
    assert talk.session._searcher.prepare().visits[0] == visits


@pytest.mark.parametrize("limits", ["nodes 2000", "movetime 500", "wtime 20000 btime 20000"])
def test_what_looks_at_a_search_waits_for_one_that_ends_by_itself(talk, limits):
    talk.hear(f"go {limits}", "moves", "go nodes 10")
    talk.load()
    talk.wait_for("bestmove", 2)
    assert talk.beginnings("bestmove", "info string h2h4") == ["bestmove", "info string h2h4", "bestmove"]


def test_the_end_of_input(talk):
    talk.hear("go infinite", "eval", "go nodes 30", "why", "go ponder wtime 500 btime 500", "d")
    talk.load()
    assert talk.session.finish(lambda: False)
    assert talk.beginnings("bestmove") == ["bestmove"] * 3
    assert talk.beginnings("bestmove", "Checkers")[-2:].count("Checkers") == 1  # the board can be seen during a search
    assert talk.session.is_idle


def test_the_end_of_input_with_nobody_left_to_read(talk):
    talk.load()
    talk.hear("go nodes 1000000000")
    assert talk.session.finish(lambda: True)


def test_a_search_that_never_comes(talk):
    """The stand-in answers, and what it cannot do is refused."""
    talk.hear("position startpos moves e2e4", "go nodes 100", "d", "eval", "go infinite", "isready")
    talk.fail()
    assert not talk.session.finish(lambda: False)
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
    session.hear("go nodes 50", time.perf_counter())
    assert is_writing.wait(60)
    end = threading.Thread(target=session.finish, args=(lambda: False,))
    end.start()
    end.join(0.5)
    assert end.is_alive()
    is_read.set()
    end.join(60)
    assert said[-1].startswith("bestmove")
    session.close()
