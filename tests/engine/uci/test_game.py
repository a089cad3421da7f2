"""Games as a GUI sends them, again and again with more moves."""

import pytest

from engine.uci.parse import read_start_and_moves
from engine.uci.search_commands import GuiGame
from movegen.fen import START_FEN

STARTS = ["startpos", f"fen {START_FEN}"]
OTHER = "fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def game_of(text, chess960=False):
    fen, moves = read_start_and_moves(text.split())
    return GuiGame.start(fen, chess960).play(moves)[0]


def is_continued(game, text, chess960=False):
    fen, moves = read_start_and_moves(text.split())
    return game.is_continued_by(fen, chess960, moves)


@pytest.mark.parametrize("first", STARTS)
@pytest.mark.parametrize("second", STARTS)
def test_the_start_position_is_the_same_however_it_is_written(first, second):
    game = game_of(f"{first} moves e2e4 e7e5")
    assert is_continued(game, f"{second} moves e2e4 e7e5")
    assert is_continued(game, f"{second} moves e2e4 e7e5 g1f3")
    assert not is_continued(game, f"{second} moves e2e4")
    assert not is_continued(game, f"{second} moves e2e4 c7c5 g1f3")
    assert not is_continued(game, f"{second} moves e2e4 e7e5", chess960=True)


def test_another_start_is_another_game():
    game = game_of(OTHER)
    assert is_continued(game, f"{OTHER} moves e2e4")
    assert not any(is_continued(game, start) for start in STARTS)


def has_other_last_move(text, other, chess960=False):
    fen, moves = read_start_and_moves(other.split())
    return game_of(text).has_other_last_move(fen, chess960, moves)


def test_a_game_with_another_last_move():
    game = "startpos moves e2e4 e7e5"
    assert has_other_last_move(game, "startpos moves e2e4 c7c5")
    assert has_other_last_move(game, "startpos moves e2e4 c7c5 g1f3 b8c6")
    assert has_other_last_move("startpos moves e2e4", "startpos moves d2d4")
    assert not has_other_last_move(game, "startpos moves e2e4")
    assert not has_other_last_move(game, "startpos moves d2d4 d7d5")
    assert not has_other_last_move(game, "startpos moves e2e4 c7c5", chess960=True)
    assert not has_other_last_move(game, f"{OTHER} moves e2e4 e8e7")
    assert not has_other_last_move("startpos", "startpos moves e2e4")


def test_moves_that_are_played():
    game, codes = game_of("startpos moves e2e4").play(["e7e5", "Nf3"])
    assert game.texts == ("e2e4", "e7e5", "Nf3")
    assert [len(codes), game.position.turn] == [2, "black"]
    with pytest.raises(ValueError, match="e2e4"):
        game.play(["e2e4"])
