"""What a session does for each command that needs no kernels, with a searcher that only notes its calls."""

import threading
import time

import pytest

from engine.config.options import OPTIONS
from engine.uci.parse import Command
from engine.uci.session import LIMITS
from tests.engine.uci.fakes import AFTER_E4, FakedTalk


@pytest.fixture
def talk(monkeypatch):
    return FakedTalk(monkeypatch)


def test_uci_prints_the_name_and_every_option(talk):
    talk.hear("uci")
    assert talk.said[0].startswith("id name Teresa ")
    assert talk.said[1] == "id author the Teresa developers"
    assert talk.said[2:] == [*(option.uci_line() for option in OPTIONS), "uciok"]


def test_commands_know_their_moment(talk):
    seen = []
    assert talk.search is not None  # its handlers are there
    talk.session.queue._handlers["d"] = seen.append
    talk.hear("d now", moment=3.5)
    assert seen == [Command("d", ["now"], 3.5)]


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.kind != "button"], ids=lambda o: o.name)
def test_each_option_is_set_and_only_some_forget_the_tree(talk, option):
    meant_otherwise = {"Hash", "Formula", "Evaluator", "EvalFile", "Quiescence"}
    meant_otherwise |= {"Policy Temperature", "Root Temperature"}
    if option.name == "Explorer":
        return
    talk.hear("position startpos", f"setoption name {option.name.upper()} value {option.default_text}")
    calls = [call for call in talk.calls if isinstance(call, str) and call != "prepare"]
    assert calls == (["forget"] if option.name in meant_otherwise else [])
    assert (talk.calls[-1] == "prepare") == (option.name in meant_otherwise)
    assert talk.search.game is not None
    assert talk.said == []


@pytest.mark.parametrize(
    ("position", "fen"),
    [
        ("fen 6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"),
        ("fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1 e8e7", "8/4k3/8/8/8/8/8/5RK1 w - - 2 2"),  # e1h1 in Chess960
    ],
)
def test_other_rules_of_castling_keep_the_position(talk, position, fen):
    for value in ("false", "true", "false"):
        talk.hear(f"position {position}") if value == "false" else None
        talk.hear(f"setoption name UCI_Chess960 value {value}")
        assert talk.search.game.position.fen() == fen
        assert talk.search.game.chess960 == (value == "true")
    assert talk.said == []


def test_clear_hash_is_a_button_that_forgets(talk):
    talk.hear("isready", "setoption name Clear Hash")
    assert talk.calls[-2:] == ["forget", "prepare"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("name Hash value 0", "Hash: must be from 1 to 65536, not 0"),
        ("name hash value x", "Hash: must be a whole number, not 'x'"),
        ("name Dance value 1", "no option is called 'Dance'"),
        ("value 1", "'name' must follow"),
    ],
)
def test_wrong_options_change_nothing(talk, line, complaint):
    talk.hear(f"setoption {line}")
    assert talk.said == [f"info string setoption: {complaint}; ignored"]
    assert talk.session.options.hash_megabytes == 256
    assert "forget" not in talk.calls


@pytest.mark.parametrize(
    ("option", "opener", "attribute"),
    [
        ("BookFile", "set_book", "book_file"),
        ("SyzygyPath", "set_tablebases", "syzygy_path"),
        ("EvalFile", "set_network", "eval_file"),
    ],
)
def test_files_are_opened_before_an_option_changes(talk, option, opener, attribute):
    opened = []

    def refuse(path):
        opened.append(path)
        if path == "bad":
            raise ValueError("it is bad")

    setattr(talk.session.resources, opener, refuse)
    talk.hear(f"setoption name {option} value good  one", f"setoption name {option.lower()} value bad")
    assert getattr(talk.session.options, attribute) == "good  one"
    assert talk.said == [f"info string setoption: {option}: it is bad; ignored"]
    talk.hear(f"setoption name {option} value <empty>", f"setoption name {option}")
    assert opened == ["good  one", "bad", "", ""]
    assert getattr(talk.session.options, attribute) == ""


def test_the_log_is_a_file_too(talk, tmp_path):
    talk.hear(f"setoption name LogFile value {tmp_path / 'a b.txt'}")
    talk.transcript.said("hello")
    talk.hear("setoption name LogFile value <empty>")
    assert "hello" in (tmp_path / "a b.txt").read_text()


def test_the_options_of_the_explorer(talk):
    explorer = talk.session._explorer
    talk.hear("setoption name Explorer Port value 4711")
    assert explorer.calls == [("close",)]  # it is off
    talk.hear("setoption name Explorer value true", "setoption name Explorer Port value 4712")
    talk.hear("setoption name Open Explorer", "setoption name Explorer value false")
    assert explorer.calls[1:] == [("open", 4711), ("open_in_browser", 4712), ("close",)]


def test_messages_are_notes_for_people(talk):
    talk.session.on_message("hello")
    talk.search.on_message("again")
    assert talk.said == ["info string hello", "info string again"]


def test_help_in_two_parts(talk):
    talk.hear("help")
    assert talk.said[0].startswith("info string uci, isready, ")
    assert talk.said[-1] == f"info string go       {LIMITS}"
    talk.said.clear()
    talk.hear("help options")
    assert len(talk.said) == len(OPTIONS)
    assert "info string Clear Hash: " in "\n".join(talk.said)
    assert any(line.endswith(" (button)") for line in talk.said)
    talk.said.clear()
    talk.hear("help me")
    assert talk.said == ["info string help: only 'options' may follow; ignored"]


def test_the_end_of_a_job_wakes_what_waits_for_it(talk):
    may_end = threading.Event()
    talk.session.background.start_job(lambda _say, _should_stop: may_end.wait(30))
    talk.hear("position startpos moves e2e4")
    assert not any(call[0] == "position" for call in talk.calls)
    may_end.set()
    end = time.perf_counter() + 30
    while talk.calls[-1][0] != "position" and time.perf_counter() < end:
        time.sleep(0.005)
    assert talk.calls[-1][1] == AFTER_E4


@pytest.mark.parametrize("is_loaded", [True, False])
def test_all_is_closed(monkeypatch, is_loaded):
    talk, closed = FakedTalk(monkeypatch, is_ready=is_loaded), []
    talk.hear("register")
    talk.calls.clear()
    talk.loader.close = lambda: closed.append("loader")
    talk.session.close()
    assert closed == ["loader"]
    assert talk.session._explorer.calls == [("close",)]
    assert talk.calls == (["stop", ("wait", 0.5)] if is_loaded else [])


def test_the_tree_is_made_as_soon_as_the_kernels_are_there(monkeypatch):
    talk = FakedTalk(monkeypatch, is_ready=False)
    talk.hear("position startpos")
    assert talk.calls == []
    talk.loader.is_ready = True
    talk.hear("isready")
    assert talk.calls[0] == "prepare"
    assert talk.said == ["readyok"]
