"""`teresa review` takes over what was judged before, by the command or the page; and opens the page."""

import json
import sys
from types import SimpleNamespace

import pytest

from engine.__main__ import main
from engine.review.plan import DEEP_VISITS, QUICK_VISITS, Plan
from tests.engine.pgn.games import read_games

QUICK = ("--visits", "80", "--hash", "16", "--seed", "1")
GAME = """[White "A"]
[Black "B"]
[TimeControl "60+1"]

1. e4 { [%clk 0:00:58] } e5 { [%clk 0:00:57] } 2. Nf3 { [%clk 0:00:49] } Qh4 { [%clk 0:00:56] } 3. Nxh4 *
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr("engine.cli.progress.SECONDS_BETWEEN_LINES", 1e9)  # lines depend on what ran before
    (tmp_path / "game.pgn").write_text(GAME)
    return tmp_path


@pytest.fixture
def searches(monkeypatch):
    """A list with an entry for each search; `stop_at` raises Ctrl-C."""
    from engine.search import searcher as searcher_module

    found, search = SimpleNamespace(count=0, stop_at=0), searcher_module.search_to_end

    def counted(searcher, limits):
        found.count += 1
        if found.count == found.stop_at:
            raise KeyboardInterrupt
        search(searcher, limits)

    monkeypatch.setattr("engine.cli.review_games.search_to_end", counted)
    return found


def review(capsys, *arguments, status=0):
    assert main(["review", *QUICK, "game.pgn", *arguments]) == status
    return capsys.readouterr()


def test_what_was_judged_is_not_judged_again(capsys, searches, folder):
    first = review(capsys, "--json", "-o", "a.pgn")
    made = searches.count
    assert review(capsys, "--json", "-o", "b.pgn") == first
    assert searches.count == made
    assert (folder / "a.pgn").read_bytes() == (folder / "b.pgn").read_bytes()
    (folder / "game.pgn").write_text(GAME.replace('"A"', '"Other headers"'))
    review(capsys)
    assert searches.count == made
    assert review(capsys, "--fresh", "--json").out.count('"ply"')
    assert searches.count == 2 * made
    review(capsys, "--visits", "81")
    assert searches.count > 2 * made


def test_an_interrupted_game_goes_on(capsys, searches):
    expected = review(capsys, "--json", "--fresh").out
    made = searches.count
    searches.count, searches.stop_at = 0, 4
    review(capsys, "--fresh", status=130)
    searches.count, searches.stop_at = 0, 0
    assert review(capsys, "--json").out == expected
    assert 0 < searches.count <= made


def test_damage_is_said_and_mended(capsys, folder):
    expected = review(capsys, "--json").out
    (path,) = (folder / "kept").glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"visits": 8', b'"visits": 9', 1))
    shown = review(capsys, "--json")
    assert "a line is damaged or of others, and ignored" in shown.err
    assert shown.out == expected


def test_the_numbers_of_a_game(capsys):
    (game,) = json.loads(review(capsys, "--json").out)["games"]
    assert game["opening"] == {"eco": "C40", "name": "King's Knight Opening", "ply": 3}
    assert game["phases"] == {"middlegame": None, "endgame": None}
    black = game["players"]["black"]
    assert (black["seconds"], black["seconds_per_move"], black["blunder"]) == (6.0, 3.0, 1)
    assert black["accuracy"] < 60 < game["players"]["white"]["accuracy"]
    assert black["by_phase"]["opening"] == {name: black[name] for name in black["by_phase"]["opening"]}
    assert black["by_phase"]["endgame"]["accuracy"] is None
    blunder = game["moves"][3]
    assert (blunder["mark"], blunder["pass"], blunder["rival"]) == ("blunder", "quick", None)
    text = review(capsys).out
    for part in ("Opening       C40 King's Knight Opening", "accuracy", "black loss, cp", "black time", "6.0 s"):
        assert part in text


def test_a_second_pass_that_was_interrupted_is_not_whole(capsys, monkeypatch, searches, folder):
    """With -o it says so, and --resume judges the game to its end."""
    monkeypatch.setattr("engine.review.plan.QUICK_VISITS", 80)
    monkeypatch.setattr("engine.review.plan.DEEP_VISITS", 200)
    words = ["review", *QUICK[2:], "game.pgn"]
    assert main([*words, "-o", "whole.pgn"]) == 0
    made, searches.count = searches.count, 0
    searches.stop_at = made - 1
    assert main([*words, "--fresh", "-o", "out.pgn"]) == 130
    assert "interrupted before all turns of the game were searched longer" in capsys.readouterr().out
    assert "(not to its end), 5 of 5 half-moves" in read_games(folder / "out.pgn")[0].headers["Review"]
    searches.count, searches.stop_at = 0, 0
    assert main([*words, "--resume", "-o", "out.pgn"]) == 0
    assert searches.count < made
    assert (folder / "out.pgn").read_bytes() == (folder / "whole.pgn").read_bytes()
    assert main([*words, "--resume", "-o", "out.pgn"]) == 0
    assert "1 games are judged already" in capsys.readouterr().err


def test_the_page_gets_the_same_plan(capsys, monkeypatch):
    calls = []
    module = SimpleNamespace(explore_game=lambda path, **more: calls.append((path, more)) or 0)
    monkeypatch.setitem(sys.modules, "engine.cli.explore_game", module)
    assert main(["review", "game.pgn", "--explore", "--game", "1", "--seed", "3"]) == 0
    assert main(["review", "game.pgn", "--explore", "--visits", "70"]) == 0
    (path, first), (_, second) = calls
    assert (path, first["game"], first["options"].seed, first["plan"]) == ("game.pgn", 1, 3, Plan.default())
    assert (Plan.default().quick.nodes, Plan.default().deep.nodes) == (QUICK_VISITS, DEEP_VISITS)
    assert (second["game"], second["plan"].quick.nodes, second["plan"].deep) == (None, 70, None)
    for wrong in (["-o", "x.pgn"], ["--json"], ["--fresh"], ["--resume"]):
        assert main(["review", "game.pgn", "--explore", *wrong]) == 2
        assert "--explore" in capsys.readouterr().err
    assert main(["review", "game.pgn", "game.pgn", "--explore"]) == 2
    assert len(calls) == 2
