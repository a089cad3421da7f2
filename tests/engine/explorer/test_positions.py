import pytest

pytest.importorskip("starlette")

from engine.__main__ import main
from engine.pgn.positions import position_in_text

MATE = "1. f3 e5 2. g4 Qh4# 0-1"


@pytest.mark.parametrize(
    ("content", "arguments", "reason"),
    [
        (b"My notes\n", [], "games.txt: there is no game in it"),
        (b"\x00\x01" * 99, [], "games.txt: there is no game in it"),
        (b'[Variant "Atomic"]\n\n1. e4 *', [], "games.txt, game 1: Atomic is not played here"),
        (
            b"1. e4 *\n\n1. d4 Ke2 *\n",
            ["--game", "2", "--ply", "1", "--save", "x.html"],
            "games.txt, game 2: 1... Ke2 is not a legal move",
        ),
        (b"1. e4 *\n", ["--game", "2"], "games.txt: it has one game, there is no game 2"),
        (MATE.encode(), ["--ply", "4", "--save", "x.html"], "the game is over"),
    ],
)
def test_what_cannot_be_explored_is_said(tmp_path, capsys, monkeypatch, content, arguments, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.txt").write_bytes(content)
    assert main(["explore", "games.txt", *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_a_game_that_breaks_off_is_shown_as_far_as_it_can_be_played(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("engine.cli.explore_game.show", lambda page, *_, **__: shown.append(page.game.data()) or 0)
    (tmp_path / "games.pgn").write_text("1. d4 e5 2. Ke3 *")
    assert main(["explore", str(tmp_path / "games.pgn"), "--hash", "4"]) == 0
    assert (len(shown[0]["nodes"]), shown[0]["note"]) == (3, "2. Ke3 is not a legal move")
    (tmp_path / "mate.pgn").write_text(MATE)
    assert main(["explore", str(tmp_path / "mate.pgn"), "--hash", "4", "--ply", "4"]) == 0
    assert shown[1]["current"] == 4, "there is nothing to search, but something to see"


def test_texts_that_are_typed_in():
    assert position_in_text("1. e4 e5").fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8")
    assert position_in_text("7k/8/8/8/8/8/R7/K7 w - - 0 1").turn == "white"
    for text, reason in (("hello", "neither a FEN nor a PGN"), ("1. e4 e5 2. Ke3", "2. Ke3 is not a legal move")):
        with pytest.raises(ValueError, match=reason):
            position_in_text(text)
