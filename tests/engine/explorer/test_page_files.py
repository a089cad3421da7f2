import gzip
import hashlib
import json
import re
from types import SimpleNamespace

import pytest

from engine.cli import explore as command
from engine.cli.explore import main, read_beside
from engine.explorer import page_files
from engine.explorer.page_files import FOLDER, TABLE, content, is_page, page_of
from engine.explorer.view import View
from engine.report.snapshot import NotInMemoryError
from tests.engine.explorer.views import new_session, until

LARGEST, LARGEST_ZIPPED, MOST_FILES = 300_000, 109_000, 34


def test_files_of_others_are_unchanged():
    lines = (FOLDER / "vendor" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    files = {path.name for path in (FOLDER / "vendor").iterdir()} - {"SHA256SUMS", "README.md"}
    assert set(sums) == files
    for name, expected in sums.items():
        assert hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == expected, name


def test_the_page_is_small():
    assert len(TABLE) <= MOST_FILES
    assert sum(len(content(address)) for address in TABLE) <= LARGEST
    assert sum(len(gzip.compress(content(address))) for address in TABLE) <= LARGEST_ZIPPED


def test_texts_are_never_read_as_html():
    for path in FOLDER.glob("*.js"):
        code = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", code), path.name


def test_nothing_is_loaded_from_elsewhere():
    for path in FOLDER.glob("*.*"):
        assert not re.search(r"https?://|//cdn", path.read_text(encoding="utf-8")), path.name
    for path in (FOLDER / "vendor").glob("*.css"):
        assert not re.search(r"@import|url\((?!['\"]?data:)", path.read_text(encoding="utf-8")), path.name


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


def test_data_of_a_page_cannot_end_their_element():
    session, name = new_session(visits=50), "</script><script>alert(1)</script><!--"
    page = page_of(View([session.searches[0]._replace(name=name)])).decode()
    session.close()
    data = page.partition('id="saved">')[2].partition("</script>\n</body>")[0]
    assert "<" not in data
    assert json.loads(data)["about"]["searches"] == [name]


def test_settings_of_a_second_search():
    assert read_beside("formula=ucb1, evaluator=playout") == {"Formula": "ucb1", "Evaluator": "playout"}
    with pytest.raises(ValueError, match="settings are"):
        read_beside("colour=red")
    with pytest.raises(ValueError, match=r"formula must be one of UCB1, PUCT, not 'foo'"):
        read_beside("formula=foo")
    with pytest.raises(ValueError, match=r"threads must be from 1 to \d+, not 0"):
        read_beside("formula=ucb1,threads=0")


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
        (["--save-pgn", "a.pgn"], "--save-pgn is for a PGN file"),
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
    monkeypatch.setattr("engine.system.environment.find_spec", lambda name: None if name == "uvicorn" else name)
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
    monkeypatch.setattr("engine.cli.explore.page_of", fail)
    assert main(["--save", str(file), "--seconds", "0.1", "--hash", "16"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert file.read_bytes() == old
    assert list(tmp_path.iterdir()) == [file]


def test_the_page_rests_after_the_seconds_asked_for(monkeypatch):
    sessions = []

    def show(session, _port, **_named):
        sessions.append(session)
        until(lambda: session.analyses[0].is_searching)
        until(lambda: not session.analyses[0].is_searching)
        session.look()
        assert not session.analyses[0].is_searching, "a look does not start it again"
        return 0

    monkeypatch.setattr("engine.cli.explore_game.show", show)
    assert main(["--seconds", "0.5", "--hash", "16"]) == 0
    assert sessions[0].report(0).summary()["state"] == "stop"


def test_the_page_rests_after_the_visits_asked_for_until_it_is_reported_to_go_on(monkeypatch):
    def show(session, _port, **_named):
        until(lambda: not session.is_searching)
        session.look()
        assert not session.is_searching, "a look does not start it again"
        assert [session.report(number).summary()["visits"] for number in (0, 1)] == [300, 300]
        session.go()
        until(lambda: session.report(0).summary()["visits"] > 300)
        return 0

    monkeypatch.setattr("engine.cli.explore_game.show", show)
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


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<!doctype html><title>Teresa: the search</title> Content-Security-Policy", True),
        (b" <!doctype html><title>Teresa: the search</title> Content-Security-Policy", False),
        (b"<!doctype html><title>Teresa: the search</title>", False),
        (b"<!doctype html> Content-Security-Policy", False),
        (b"", False),
    ],
)
def test_how_a_saved_page_begins(head, expected):
    assert is_page(head) is expected


class Numbered:
    """A view of one search: the root with 1000 visits, moves m0, m1, … and nodes of n visits at path n."""

    searches = ("one",)

    def __init__(self, moves, nodes, gone=()):
        self.moves, self.nodes, self.gone, self.asked = moves, nodes, gone, []

    def about(self):
        return {"interactive": True, "searches": ["one"]}

    def icicle(self, _number, _path):
        rectangles = [
            {"path": "", "n": 1000},
            *({"path": path, "n": n} for path, n in self.nodes),
            {"path": None, "n": 99},
        ]
        return {"visits": 1000, "rectangles": rectangles}

    def node(self, number, path):
        if path in self.gone:
            raise NotInMemoryError(path)
        return {"number": number, "at": path, "rows": [{"uci": f"m{move}"} for move in range(self.moves)]}

    def position(self, path):
        return {"position": path}

    def report(self, number):
        return SimpleNamespace(summary=lambda: {"of": number})

    def history(self, number, curves):
        return {"of": number, "curves": curves}

    def why(self, number, move):
        return {"why": (number, move)}

    def lesson(self, number, path, move):
        return {"lesson": (number, path, move)}


def test_what_is_saved_of_a_search():
    view = Numbered(14, [("a", 500), ("b", 5), ("c", 4), ("d", 6)], gone=("d",))
    saved = page_files.saved(view)
    assert saved["about"] == {"interactive": False, "searches": ["one"]}
    assert list(saved["positions"]) == ["", "a", "b"], "at least 0.5 % of the visits, and still in memory"
    assert saved["positions"]["a"] == {"position": "a"}
    (search,) = saved["searches"]
    assert list(search["nodes"]) == ["", "a", "b"]
    assert (search["summary"], search["history"]) == ({"of": 0}, {"of": 0, "curves": 6})
    assert search["why"] == {"": {"why": (0, None)}, **{f"m{n}": {"why": (0, f"m{n}")} for n in range(12)}}
    assert search["lessons"] == {f"m{n}": {"lesson": (0, "", f"m{n}")} for n in range(12)}


def test_at_most_400_nodes_are_saved_and_no_reasons_without_moves():
    saved = page_files.saved(Numbered(0, [(f"p{number}", 900) for number in range(450)]))
    assert len(saved["searches"][0]["nodes"]) == 401
    assert (saved["searches"][0]["why"], saved["searches"][0]["lessons"]) == ({}, {})


def test_a_page_without_its_marks_is_not_made():
    for html in ("", "<x><x>"):
        with pytest.raises(ValueError, match=r"^the page must hold <x> once$"):
            page_files._replaced(html, "<x>", "y")
    assert page_files._replaced("a<x>b", "<x>", "y") == "ayb"
