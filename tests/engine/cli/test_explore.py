"""What `teresa explore` makes of its arguments: searches, the time they get, the server, the saved page."""

from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.cli import explore, explore_game
from engine.cli.explore import main
from engine.explorer import server as server_module
from tests.engine.report.searches import MIDDLEGAME


class Session:
    """Stands for an `InteractiveSession` or a `GamePage`; searches until it was looked at five times."""

    made = None

    def __init__(self, searches, *others, **named):
        self.searches, self.calls, self.looks = searches, [], 0
        self.visits = named["visits"] if named else others[0]
        type(self).made = self

    @property
    def is_searching(self):
        self.looks += 1
        return self.looks <= 5

    def unsaved(self):
        return []

    def __getattr__(self, name):
        return lambda: self.calls.append(name)


class Server:
    """Stands for the server."""

    made = None
    trouble = None

    def __init__(self, view, port):
        self.view, self.port, self.address, self.calls = view, port, "http://x/#y", []
        type(self).made = self

    def open_browser(self):
        self.calls.append("browser")
        if self.trouble:
            raise ValueError(self.trouble)

    def close(self):
        self.calls.append("close")


@pytest.fixture
def clock(monkeypatch):
    """No search, no server; time passes by sleeping only. -> the moments, and what was slept."""
    now, slept = [50.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds
        if seconds == 3600:
            raise KeyboardInterrupt

    monkeypatch.setattr(explore, "InteractiveSession", Session)
    monkeypatch.setattr(explore_game, "GamePage", Session)
    monkeypatch.setattr(server_module, "Server", Server)
    monkeypatch.setattr(Server, "trouble", None)
    monkeypatch.setattr(explore, "warm_up", lambda: None)
    monkeypatch.setattr(explore, "_new_search", lambda position, options: (position, options))
    for module in (explore, explore_game):
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: now[0]))
    monkeypatch.setattr(explore, "page_of", lambda _: b"x" * 123_456)
    return now, slept


@pytest.fixture
def timers(monkeypatch):
    found = []

    def timer(seconds, work):
        one = SimpleNamespace(seconds=seconds, work=work, calls=[], daemon=False)
        one.start, one.cancel = (lambda: one.calls.append("start")), (lambda: one.calls.append("cancel"))
        found.append(one)
        return one

    monkeypatch.setattr(explore_game.threading, "Timer", timer)
    return found


def test_a_page_is_served_until_ctrl_c(clock, timers, capsys):
    assert main([MIDDLEGAME, "--port", "4567", "--hash", "16", "--threads", "2"]) == 0
    assert clock[1] == [3600]
    (search,) = Session.made.searches
    assert search[0].fen() == MIDDLEGAME
    assert (search[1].hash_megabytes, search[1].threads, search[1].formula) == (16, 2, "PUCT")
    assert (Session.made.visits, Session.made.calls) == (None, ["start", "close"])
    assert (Server.made.view, Server.made.port) == (Session.made, 4567)
    assert Server.made.calls == ["browser", "close"]
    assert capsys.readouterr() == ("http://x/#y\n(Ctrl-C ends it)\n", "")
    assert timers[0].calls == ["cancel"]


def test_a_search_of_some_seconds_is_paused_then(clock, timers):
    assert clock
    assert main(["--seconds", "2.5", "--visits", "77", "--no-browser"]) == 0
    assert (Session.made.visits, Server.made.calls) == (77, ["close"])
    (timer,) = timers
    assert (timer.seconds, timer.calls, timer.daemon) == (2.5, ["start", "cancel"], True)
    timer.work()
    assert Session.made.calls[-1] == "pause"


def test_a_browser_that_cannot_be_opened_is_no_failure(clock, timers, monkeypatch, capsys):
    monkeypatch.setattr(Server, "trouble", "no browser")
    assert main([]) == 0
    assert (clock[1], len(timers)) == ([3600], 1)
    assert capsys.readouterr().err == "teresa explore: no browser\n"


def test_a_second_search_differs_in_its_settings_only(clock, timers):
    words = ["--beside", "formula=ucb1, evaluator=Playout,threads=3,batch=4", "--hash", "32"]
    assert main(words) == 0
    assert (clock[1], len(timers)) == ([3600], 1)
    first, second = (options for _, options in Session.made.searches)
    assert (first.formula, first.evaluator, first.threads, first.batch, first.hash_megabytes) == (
        "PUCT",
        "Network",
        1,
        0,
        32,
    )
    assert (second.formula, second.evaluator, second.threads, second.batch) == ("UCB1", "Playout", 3, 4)
    assert second.hash_megabytes == 32


def test_saved_trees_are_shown_without_a_search(clock, monkeypatch):
    checked = []
    monkeypatch.setattr(explore, "check_saved_tree", checked.append)
    monkeypatch.setattr(explore, "loaded", lambda *names: ("view of", *names))
    assert main(["--diff", "a.npz", "b.npz"]) == 0
    assert [path.name for path in checked] == ["a.npz", "b.npz"]
    assert clock[1] == [3600]
    assert (Server.made.view, Server.made.port) == (("view of", "a.npz", "b.npz"), 0)


@pytest.mark.parametrize("position", [MIDDLEGAME, "--beside=formula=ucb1"])
def test_saved_trees_have_their_own_position_and_settings(clock, capsys, position):
    assert main([position, "--diff", "a", "b"]) == 2
    assert clock[1] == []
    assert "--diff shows two saved searches" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "slept"),
    [([], [0.05] * 5), (["--seconds", "0.12"], [0.05, 0.05, 0.02]), (["--visits", "9"], [0.05] * 5)],
)
def test_a_page_is_saved_when_the_search_has_ended_or_its_time(clock, tmp_path, capsys, words, slept):
    file = tmp_path / "page.html"
    assert main(["--save", str(file), *words]) == 0
    assert clock[1] == pytest.approx(slept)
    assert Session.made.calls == ["go", "pause"]
    assert file.read_bytes() == b"x" * 123_456
    assert capsys.readouterr().out == f"{file}: 123 kB\n"


def test_ten_seconds_are_enough_for_a_page(clock, monkeypatch, tmp_path):
    monkeypatch.setattr(Session, "is_searching", True)
    assert main(["--save", str(tmp_path / "page.html")]) == 0
    assert sum(clock[1]) == pytest.approx(10)


def test_an_interrupted_search_is_saved(clock, monkeypatch, tmp_path, capsys):
    def interrupt(_):
        raise KeyboardInterrupt

    assert clock
    monkeypatch.setattr(explore.time, "sleep", interrupt)
    assert main(["--save", str(tmp_path / "page.html")]) == 130
    assert "interrupted; the search up to now is saved" in capsys.readouterr().err
    assert (tmp_path / "page.html").exists()


def test_ended_games_are_not_explored(clock, capsys):
    assert main(["7k/8/8/8/8/8/R7/K7 w - - 100 90"]) == 2
    assert clock[1] == []
    assert capsys.readouterr().err == "teresa explore: the game is over in this position\n"


@pytest.mark.parametrize("port", ["0", "65535"])
def test_every_port_may_be_asked_for(clock, timers, port):
    assert main(["--port", port]) == 0
    assert (Server.made.port, clock[1], len(timers)) == (int(port), [3600], 1)
