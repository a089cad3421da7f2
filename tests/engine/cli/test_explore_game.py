"""`teresa explore` and a game of a file: which one is opened, and what is saved."""

import json

import pytest

from engine.cli import explore, explore_game
from engine.cli.explore import main
from engine.cli.explore_game import ChosenGame
from engine.explorer.page_files import is_page
from engine.review.plan import Plan
from engine.search.clock import Limits
from tests.engine.explorer.games import ATOMIC, FILE, FOOLS_MATE, LONG


@pytest.fixture(autouse=True)
def reviews(monkeypatch, tmp_path):
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "reviews"))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(f"{ATOMIC}\n{FILE}", encoding="utf-8")
    return path


@pytest.fixture
def shown(monkeypatch):
    """Pages are kept instead of served."""
    found = []
    monkeypatch.setattr(explore_game, "show", lambda page, port, **named: found.append((page, port, named)) or 0)
    return found


def test_the_first_game_that_can_be_opened_is_shown(file, shown):
    assert main([str(file), "--hash", "4", "--no-browser", "--port", "4567"]) == 0
    ((page, port, named),) = shown
    game = page.game.data()
    assert (game["number"], game["headers"]["White"], game["current"]) == (2, "Anna, B", 0)
    assert (port, named) == (4567, {"has_browser": False})
    assert page.about()["file"]["name"] == "games.pgn"


def test_what_is_wrong_with_a_file_is_said_with_its_name_as_typed(file, monkeypatch, capsys):
    monkeypatch.chdir(file.parent)
    file.write_text("no game\n", encoding="utf-8")
    assert main([file.name]) == 2
    assert capsys.readouterr().err == f"teresa explore: {file.name}: there is no game in it\n"


def test_variations_that_were_not_saved_are_named_at_the_end(file, monkeypatch, capsys):
    def change(page, _port, **_named):
        page.game.add(1, "d7d5")
        return 0

    monkeypatch.setattr(explore_game, "show", change)
    assert main([str(file), "--hash", "4"]) == 0
    assert "not saved are gone: game 2\n" in capsys.readouterr().err


def test_a_game_by_its_number_at_a_ply(file, shown):
    assert main([str(file), "--hash", "4", "--game", "4", "--ply", "3"]) == 0
    game = shown[0][0].game.data()
    assert (game["number"], game["headers"]["White"], game["current"]) == (4, "Dora", 3)
    assert shown[0][0].position("")["turn"] == "black"


def test_a_position_is_a_game_without_moves(shown):
    fen = "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47"
    assert main([fen, "--hash", "4"]) == 0
    game = shown[0][0].game.data()
    assert (game["number"], game["start"]["fen"], len(game["nodes"])) == (None, fen, 1)
    assert main(["bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1", "--chess960", "--hash", "4"]) == 0
    assert shown[1][0].game.data()["start"]["chess960"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "1"], "game 1: Atomic is not played here"),
        (["--game", "9"], "it has 4 games, there is no game 9"),
        (["--game", "2", "--ply", "5"], "game 2: it has 4 half-moves, not 5"),
        (["--ply", "-1"], "it has 4 half-moves, not -1"),
        (["--save-pgn", "games.pgn"], "the original stays as it is"),
        (["--save-pgn", "x.pgn", "--ply", "1"], "--save-pgn is for a PGN file, without --ply"),
        (["--save", "x.html", "--beside", "formula=ucb1"], "--beside is for a position"),
        (["--encoding", "klingon"], "there is no encoding"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_compiled(file, monkeypatch, capsys, words, message):
    monkeypatch.chdir(file.parent)
    monkeypatch.setattr(explore, "warm_up", lambda: pytest.fail("compiled first"))
    assert main([str(file), *words]) == 2
    assert message in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith(ATOMIC)


def test_a_file_without_a_game_that_can_be_opened(tmp_path, capsys):
    for text, message in ((ATOMIC, "Atomic is not played here"), ("hello\n", "there is no game in it")):
        (tmp_path / "x.pgn").write_text(text, encoding="utf-8")
        assert main([str(tmp_path / "x.pgn")]) == 2
        assert message in capsys.readouterr().err
    assert main([str(tmp_path / "missing.pgn")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_later_games_are_found_by_the_list(tmp_path):
    path = tmp_path / "many.pgn"
    path.write_text("\n".join([LONG] * 60 + [FOOLS_MATE]), encoding="utf-8")
    chosen = ChosenGame.in_file(path, 61)
    assert (chosen.number, chosen.tree.headers["White"]) == (61, "Anna, B")
    chosen.library.close()


@pytest.mark.jit
def test_a_whole_game_is_judged_and_saved(file, tmp_path, capsys):
    page, pgn = tmp_path / "game.html", tmp_path / "judged.pgn"
    words = [str(file), "--game", "2", "--save", str(page), "--save-pgn", str(pgn), "--visits", "30", "--hash", "4"]
    assert main(words) == 0
    assert capsys.readouterr().out.count(" kB\n") == 2
    content = page.read_bytes()
    assert is_page(content[:4096])
    saved = json.loads(content.decode().partition('id="saved">')[2].partition("</script>")[0])
    assert saved["game"]["judging"]["state"] == "done"
    assert sorted(saved["game"]["judged"]) == ["1", "2", "3", "4"]
    assert saved["about"]["interactive"] is False
    text = pgn.read_text(encoding="utf-8")
    assert text.count("[%eval") >= 3
    assert "[%clk 0:00:59]" in text
    assert main(words) == 0, "its own files may be replaced"
    pgn.write_text(FOOLS_MATE, encoding="utf-8")
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


@pytest.mark.jit
def test_an_interrupted_judge_saves_what_it_has(file, tmp_path, monkeypatch, capsys):
    def interrupt(_page):
        raise KeyboardInterrupt

    monkeypatch.setattr(explore_game, "_wait_for_judge", interrupt)
    page = tmp_path / "game.html"
    assert main([str(file), "--save", str(page), "--visits", "30", "--hash", "4"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert page.exists()


@pytest.mark.jit
def test_a_single_position_of_a_game_is_saved_as_before(file, tmp_path):
    page = tmp_path / "position.html"
    assert main([str(file), "--game", "4", "--ply", "2", "--save", str(page), "--visits", "50", "--hash", "4"]) == 0
    saved = json.loads(page.read_text(encoding="utf-8").partition('id="saved">')[2].partition("</script>")[0])
    assert (saved["about"]["game"], saved["searches"][0]["summary"]["visits"]) == (False, 50)


def test_a_review_opens_the_same_page(file, shown):
    pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")
    plan = Plan(Limits(nodes=7))
    assert explore_game.explore_game(file, game=4, plan=plan, has_browser=False) == 0
    ((page, _, named),) = shown
    assert (page.game.number, page.judge._plan, named) == (4, plan, {"has_browser": False})
