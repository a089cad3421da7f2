import json
import re

import pytest

from engine.cli import explore as command
from engine.cli.explore import main, read_settings
from engine.explorer.offline import is_page, page_of
from tests.engine.explorer.views import new_session, until


def test_a_page_holds_all_it_needs():
    session = new_session()
    page = page_of(session).decode()
    session.close()
    assert is_page(page.encode()[:4096])
    assert "base-uri 'none'; form-action 'none'" in page
    assert not re.search(r'(src|href)="(?!data:)', page)
    saved = json.loads(re.search(r'id="saved">(.*?)</script>', page)[1])
    assert saved["searches"][0]["summary"]["visits"] == 2000
    assert len(saved["searches"][0]["nodes"]) > 10
    assert set(saved["searches"][0]["nodes"]) <= set(saved["positions"])


def test_settings_of_a_second_search():
    assert read_settings("formula=ucb1, evaluator=playout") == {"Formula": "ucb1", "Evaluator": "playout"}
    with pytest.raises(ValueError, match="settings are"):
        read_settings("colour=red")
    with pytest.raises(ValueError, match=r"formula must be one of UCB1, PUCT, not 'foo'"):
        read_settings("formula=foo")
    with pytest.raises(ValueError, match=r"threads must be from 1 to \d+, not 0"):
        read_settings("formula=ucb1,threads=0")


@pytest.fixture
def cold(monkeypatch):
    """A first start: compiling fails the test."""
    monkeypatch.setattr(command, "warm_up", lambda: pytest.fail("compiled first"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "80000"], "--port must be from 0 to 65535, not 80000"),
        (["--port", "-1"], "--port must be from 0 to 65535, not -1"),
        (["--beside", "formula=foo"], "formula must be one of UCB1, PUCT, not 'foo'"),
        (["--beside", "evaluator=oracle"], "evaluator must be one of"),
        (["--hash", "0"], "hash must be from 1 to"),
        (["--threads", "100000"], "threads must be from 1 to"),
        (["--force"], "--force is for --save"),
        (["--diff", "a", "b", "--visits", "5"], "--diff shows two saved searches"),
        (["--diff", "a", "b", "--seconds", "5"], "--diff shows two saved searches"),
        (["--diff", "a", "b", "--save", "c.html"], "--diff shows two saved searches"),
        (["--save", "no-such-folder/page.html"], "there is no folder"),
    ],
)
@pytest.mark.usefixtures("cold")
def test_what_is_wrong_is_seen_before_anything_is_compiled(capsys, words, message):
    assert main(words) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.startswith("teresa explore: ")
    assert printed.count("\n") == 1


@pytest.mark.usefixtures("cold")
def test_missing_packages_are_noticed_before_anything_is_compiled(capsys, monkeypatch):
    monkeypatch.setattr("engine.system.optional_packages.find_spec", lambda name: None if name == "uvicorn" else name)
    assert main([]) == 2
    assert "pip install '.[explore]'" in capsys.readouterr().err


@pytest.mark.usefixtures("cold")
def test_files_of_others_are_not_overwritten(capsys, tmp_path):
    notes = tmp_path / "notes.html"
    notes.write_text("<!doctype html><title>My notes</title>")
    assert main(["--save", str(notes)]) == 2
    assert "--force" in capsys.readouterr().err
    assert notes.read_text() == "<!doctype html><title>My notes</title>"


def test_a_page_is_saved_whole_or_not_at_all(capsys, monkeypatch, tmp_path):
    def fail(_session):
        raise OSError(28, "No space left on device")

    old = page_of(session := new_session(visits=50))
    session.close()
    file = tmp_path / "search.html"
    file.write_bytes(old)
    monkeypatch.setattr("engine.explorer.offline.page_of", fail)
    assert main(["--save", str(file), "--seconds", "0.1", "--hash", "16"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert file.read_bytes() == old
    assert list(tmp_path.iterdir()) == [file]


def test_the_page_rests_after_the_seconds_asked_for(monkeypatch):
    sessions = []

    def show(session, _options):
        sessions.append(session)
        until(lambda: session.analyses[0].is_searching)
        until(lambda: not session.analyses[0].is_searching)
        session.look()
        assert not session.analyses[0].is_searching, "a look does not start it again"
        return 0

    monkeypatch.setattr(command, "_show", show)
    assert main(["--seconds", "0.5", "--hash", "16"]) == 0
    assert sessions[0].report(0).summary()["state"] == "stop"


def test_the_page_rests_after_the_visits_asked_for_until_it_is_told_to_go_on(monkeypatch):
    def show(session, _options):
        until(lambda: not session.is_searching)
        session.look()
        assert not session.is_searching, "a look does not start it again"
        assert [session.report(number).summary()["visits"] for number in (0, 1)] == [300, 300]
        session.go()
        until(lambda: session.report(0).summary()["visits"] > 300)
        return 0

    monkeypatch.setattr(command, "_show", show)
    assert main(["--visits", "300", "--hash", "16", "--beside", "formula=ucb1"]) == 0


def test_a_page_is_saved_after_the_visits_asked_for(tmp_path):
    file = tmp_path / "search.html"
    assert main(["--save", str(file), "--visits", "200", "--hash", "16"]) == 0
    data = file.read_text().partition('id="saved">')[2].partition("</script>")[0]
    assert json.loads(data)["searches"][0]["summary"]["visits"] == 200


@pytest.mark.slow
def test_the_command_saves_a_page(tmp_path, capsys):
    file = tmp_path / "search.html"
    beside = ["--beside", "formula=ucb1,evaluator=playout"]
    assert main(["--save", str(file), "--seconds", "0.5", "--hash", "16", *beside]) == 0
    assert file.stat().st_size > 100_000
    assert str(file) in capsys.readouterr().out
    assert main(["--save", str(file), "--seconds", "0.2", "--hash", "16"]) == 0, "its own page may be replaced"
    notes = tmp_path / "notes.html"
    notes.write_text("My notes")
    assert main(["--save", str(notes), "--seconds", "0.2", "--hash", "16", "--force"]) == 0
    assert is_page(notes.read_bytes()[:4096])
    assert main(["8/8/8/8/8/8/8/8 w - - 0 1", "--save", str(file)]) == 2
    assert main(["--diff", str(file), str(file)]) == 2
    assert "not a saved tree" in capsys.readouterr().err
