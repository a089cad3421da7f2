"""When the searches of a page run, stop and move: by searches that only count what they are asked."""

import threading
from types import SimpleNamespace

import pytest

from engine.explorer import interactive
from engine.explorer.interactive import InteractiveSession
from movegen import Position
from tests.engine.explorer.views import until
from tests.engine.report.searches import BLACK, MIDDLEGAME, new_searcher

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
BEFORE_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"


class Counted:
    """Stands for an `Analysis`: keeps the calls in the list of all, and runs from `start` to `stop`."""

    def __init__(self, name, calls, fen=MIDDLEGAME, visits=0):
        self.name, self.calls, self.visits, self.is_searching = name, calls, visits, False
        self.position = Position(fen)
        report = new_searcher(fen).report
        self.searcher = SimpleNamespace(stop=self._stop, set_position=self._set_position, report=report)

    def start(self, **limits):
        self.calls.append((self.name, "start", limits))
        self.is_searching = True

    def _stop(self):
        self.calls.append((self.name, "stop"))
        self.is_searching = False

    def wait(self):
        self.calls.append((self.name, "wait"))

    def _set_position(self, position, codes, *, takes_back):
        assert not takes_back
        self.calls.append((self.name, "position", position.fen(), codes))

    def summary(self):
        return {"visits": self.visits}

    def explain(self, move, visits):
        self.calls.append((self.name, "explain", move, visits))
        if move == "fail":
            raise ValueError("no")
        return {"by": self.name}


@pytest.fixture
def calls():
    return []


def session_of(calls, *visits, limit=None, fen=MIDDLEGAME):
    analyses = [Counted(name, calls, fen, count) for name, count in zip("ab", visits, strict=False)]
    return InteractiveSession([(f"search {one.name}", one) for one in analyses], limit)


STOPPED = [("a", "stop"), ("b", "stop"), ("a", "wait"), ("b", "wait")]


def started(**visits):
    return [(name, "start", {"visits": count}) for name, count in visits.items()]


def test_names_and_reports_of_the_searches(calls):
    session = session_of(calls, 0, 0)
    assert [search.name for search in session.searches] == ["search a", "search b"]
    assert session.report(1).summary()["fen"] == MIDDLEGAME
    assert sorted(session.actions()) == ["descend", "go", "more", "pause", "setup"]
    assert calls == []


def test_go_and_pause(calls):
    session = session_of(calls, 10, 20)
    assert session.actions()["go"]({}) == {"searching": True}
    assert calls == started(a=None, b=None)
    assert session.is_searching
    calls.clear()
    assert session.actions()["pause"]({}) == {"searching": False}
    assert calls == STOPPED, "all are stopped before any is waited for"
    assert not session.is_searching


def test_a_search_that_runs_is_not_started_again(calls):
    session = session_of(calls, 10, 20)
    assert not session.is_searching
    session.analyses[0].is_searching = True
    assert session.is_searching, "one of two is enough"
    session.go()
    assert calls == started(b=None)
    assert session.is_searching


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        ((0, 0), started(a=100, b=100)),
        ((30, 99), started(a=70, b=1)),
        ((100, 40), started(b=60)),
        ((150, 40), started(b=60)),
        ((100, 100), started(a=None, b=None)),  # beyond what was asked for
    ],
)
def test_each_search_makes_the_visits_that_are_left(calls, visits, expected):
    session_of(calls, *visits, limit=100).go()
    assert calls == expected


def test_a_limit_that_was_reached_is_gone_for_good(calls):
    session = session_of(calls, 100, limit=100)
    session.go()
    session.pause()
    calls.clear()
    session.analyses[0].visits = 120
    session.go()
    assert calls == started(a=None)


def test_where_nothing_can_be_played_nothing_is_searched(calls):
    session_of(calls, 0, fen=MATED).go()
    assert calls == []


def test_a_look_starts_what_was_not_paused(calls):
    session = session_of(calls, 0)
    session.pause()
    calls.clear()
    session.look()
    assert calls == []
    session.go()
    session.look()
    assert calls == started(a=None)
    session.analyses[0].is_searching = False
    session.look()
    assert calls == started(a=None) * 2


def test_a_look_does_not_go_beyond_the_limit(calls):
    session = session_of(calls, 100, limit=100)
    session.look()
    assert calls == []
    session.analyses[0].visits = 99
    session.look()
    assert calls == started(a=1)


def test_a_closed_session_stays_closed(calls):
    session = session_of(calls, 0, 0)
    session.go()
    calls.clear()
    session.close()
    session.look()
    assert calls == STOPPED


def test_a_search_that_is_not_watched_stops_and_a_watched_one_does_not(calls, monkeypatch):
    monkeypatch.setattr(interactive, "SECONDS_BETWEEN_CHECKS", 0.005)
    now = [1000.0]
    monkeypatch.setattr(interactive.time, "monotonic", lambda: now[0])
    session = session_of(calls, 0, 0)
    session.start()
    assert session.is_searching
    now[0] += 10.0
    ticks = threading.Event()
    ticks.wait(0.1)
    assert session.is_searching, "ten seconds are not too long"
    session.look()
    now[0] += 10.0
    ticks.wait(0.1)
    assert session.is_searching
    now[0] += 0.1
    until(lambda: not session.is_searching)
    assert calls[-4:] == STOPPED
    session.look()
    assert session.is_searching
    session.close()
    until(lambda: not any(thread.name == "idle-check" for thread in threading.enumerate()))


@pytest.mark.parametrize(("number", "visits"), [(0, 0), (0, -1), (0, 100_001), (2, 10), (-1, 10)])
def test_visits_of_a_move_have_limits(calls, number, visits):
    with pytest.raises(ValueError, match=r"^visits must be from 1 to 100000$"):
        session_of(calls, 0, 0).more(number, "h4", visits)
    assert calls == []


def test_a_move_is_searched_by_the_search_that_was_named(calls):
    session = session_of(calls, 0, 0)
    more = session.actions()["more"]
    assert more({"search": 1, "move": "h4", "visits": 100_000}) == {"by": "b"}
    assert more({"search": 0, "move": "Nd5", "visits": 1}) == {"by": "a"}
    assert calls == [("b", "explain", "h4", 100_000), ("a", "explain", "Nd5", 1)]
    with pytest.raises(ValueError, match=r"^no$"):
        session.more(0, "fail", 5)
    assert session.more(0, "h4", 5) == {"by": "a"}, "a failure does not keep others out"
    with session._searching_more, pytest.raises(ValueError, match=r"^one move at a time$"):
        session.more(0, "h4", 5)


def test_the_root_moves_along_a_path(calls):
    session = session_of(calls, 0, 0)
    session.go()
    calls.clear()
    there = Position(MIDDLEGAME).play_all("c3d5 e7d8")
    answer = session.actions()["descend"]({"path": "c3d5/e7d8"})
    assert (answer["path"], answer["fen"], answer["names"]) == ("c3d5/e7d8", there.fen(), ["Nd5", "Qd8"])
    first = Position(MIDDLEGAME).code("c3d5")
    codes = (first, Position(MIDDLEGAME).play(first).code("e7d8"))
    moved = [("a", "position", there.fen(), codes), ("b", "position", there.fen(), codes)]
    assert calls == [*STOPPED, *moved, *started(a=None, b=None)]
    assert [analysis.position.fen() for analysis in session.analyses] == [there.fen()] * 2


def test_another_position_is_set_up(calls):
    session = session_of(calls, 0, 0)
    session.pause()
    calls.clear()
    session.actions()["setup"]({"text": BLACK})
    assert calls == [*STOPPED, ("a", "position", BLACK, None), ("b", "position", BLACK, None)]
    assert [analysis.position.fen() for analysis in session.analyses] == [BLACK] * 2


@pytest.mark.parametrize("text", [MATED, "7k/8/8/8/8/8/R7/K7 w - - 100 90", "7k/8/8/8/8/8/8/K7 w - - 0 1"])
def test_ended_games_are_not_set_up(calls, text):
    session = session_of(calls, 0)
    with pytest.raises(ValueError, match=r"^the game is over there$"):
        session.setup(text)
    assert calls == []


def test_the_end_of_a_game_is_no_root(calls):
    session = session_of(calls, 0, fen=BEFORE_MATE)
    with pytest.raises(ValueError, match=r"^the game is over there$"):
        session.descend("d8h4")
    assert calls == []


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("setup", {"text": 7}, "text must be a text"),
        ("setup", {}, "text must be a text"),
        ("descend", {"path": None}, "path must be a text"),
        ("more", {"search": 0, "move": ["h4"], "visits": 5}, "move must be a text"),
        ("more", {"search": "0", "move": "h4", "visits": 5}, "search must be a number"),
        ("more", {"search": 0, "move": "h4", "visits": 5.0}, "visits must be a number"),
        ("more", {"search": True, "move": "h4", "visits": 5}, "search must be a number"),
        ("more", {"search": 0, "move": "h4"}, "visits must be a number"),
    ],
)
def test_arguments_have_their_types(calls, name, asked, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        session_of(calls, 0).actions()[name](asked)
    assert calls == []
