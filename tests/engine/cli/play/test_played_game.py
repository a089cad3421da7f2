import io

import chess
import chess.pgn
import pytest

from engine.cli.play.played_game import PlayedGame, engine_elo, engine_side, new_pgn
from engine.pgn.game_file import text_of
from engine.pgn.positions import position_of
from engine.system.files import write_whole
from movegen import Position
from tests.engine.pgn.games import read_games


def game_of(moves, human="white", board=None):
    played = PlayedGame(new_pgn(position_of(board or chess.Board()), human, "Me", 1500), human)
    for move in moves.split():
        played.play(played.position.code(move))
    return played


def read(played):
    return chess.pgn.read_game(io.StringIO(text_of(played.pgn)))


@pytest.mark.parametrize(
    ("board", "moves", "result", "words"),
    [
        (chess.Board(), "f3 e5 g4 Qh4", "0-1", "checkmate"),
        (chess.Board("7k/8/6QK/8/8/8/8/8 w - - 0 1"), "Qf7", "1/2-1/2", "stalemate"),
        (chess.Board("7k/8/8/8/8/8/6r1/7K w - - 0 1"), "Kxg2", "1/2-1/2", "enough material"),
        (chess.Board(), 2 * "Nf3 Nf6 Ng1 Ng8 ", "1/2-1/2", "three times"),
        (chess.Board("7k/8/8/8/8/8/R7/K7 w - - 99 80"), "Kb1", "1/2-1/2", "50-move rule"),
        (chess.Board(), "e4", "*", ""),
    ],
)
def test_ends_are_reported_and_written(board, moves, result, words):
    played = game_of(moves, board=board)
    game = read(played)
    assert played.result == result == game.headers["Result"]
    assert words in played.ending()
    assert played.is_over == (result != "*")
    assert [move.uci() for move in game.mainline_moves()] == [
        position.uci(code) for position, code in zip(played.positions, played.codes, strict=False)
    ]
    assert game.end().board().fen() == played.position.fen()


def test_undo_goes_back_to_the_persons_move():
    played = game_of("e4 e5 Nf3 Nc6")
    assert played.undo()
    assert played.position.fen() == game_of("e4 e5").position.fen()
    assert [str(move) for move in read(played).mainline_moves()] == ["e2e4", "e7e5"]
    assert played.undo()
    assert not played.undo()
    black = game_of("e4", human="black")
    assert not black.undo()
    mated = game_of("f3 e5 g4 Qh4", human="black")
    assert mated.undo()
    assert not mated.is_over
    assert mated.is_humans_turn


@pytest.mark.parametrize("name", ['A "B" C', "two\nlines", "\udcff", "Łukasz", "back\\slash"])
def test_any_name_can_be_written_and_read(name):
    played = PlayedGame(new_pgn(Position(), "white", name, None), "white")
    text_of(played.pgn).encode()
    game = read(played)
    assert game.headers["Black"].startswith("Teresa")
    assert len(game.headers["White"]) == len(name)


def test_what_was_in_a_resumed_game_stays():
    text = '[White "Teresa 1"]\n[Black "Me"]\n[WhiteElo "1200"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 *'
    game = chess.pgn.read_game(io.StringIO(text))
    assert engine_side(game) == "white"
    assert engine_elo(game) == 1200
    played = PlayedGame(game, "black")
    played.play(played.position.code("Nc6"))
    written = str(read(played))
    assert "{ good }" in written
    assert "( 1... c5 2. Nf3 )" in written
    assert written.endswith("2... Nc6 *") or "2. Nf3 Nc6 *" in written


@pytest.mark.parametrize("headers", [{"White": "Teresa", "Black": "Teresa"}, {}, {"White": "Teresa", "WhiteElo": "9"}])
def test_headers_that_say_nothing(headers):
    game = chess.pgn.Game(headers)
    assert engine_elo(game) is None


@pytest.mark.parametrize("number", [0, 518, 959])
def test_chess960_has_its_headers(number):
    board = chess.Board.from_chess960_pos(number)
    played = game_of("", board=board)
    played.play(played.position.move_codes[0])
    game = read(played)
    assert game.headers["Variant"] == "Chess960"
    assert ("FEN" in game.headers) == (number != 518)  # that is the start of chess
    assert game.board().chess960_pos() == number
    assert game.end().board().board_fen() == played.position.fen().split()[0]


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "game.pgn"
    write_whole(path, "1. e4 *")
    assert [str(move) for move in read_games(path)[0].mainline_moves()] == ["e2e4"]
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text() == "1. e4 *"
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.pgn"]
