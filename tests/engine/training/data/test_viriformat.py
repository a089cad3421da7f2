import chess
import pytest

from engine.training.data.viriformat import MATE_SCORE, LabelledGame, pack_game
from movegen import Position
from tests.engine.network.boards import code_to_move
from tests.engine.training.data.games import known_game, pack_board, random_records
from tests.engine.training.data.unpack import end_of_game, unpack_games


def test_a_known_game_byte_by_byte():
    position = Position(chess960=True)
    moves, scores = [], [30, 20, 55]
    for text in ("e4", "d5", "exd5"):
        moves.append(position.code(text))
        position = position.play(moves[-1])
    game = LabelledGame(Position(chess960=True), moves, scores, result=2, extra=0)
    assert pack_game(game) == known_game()
    assert known_game()[:8].hex() == "ffff00000000ffff"
    assert known_game()[8:24].hex() == "16422561" + "00000000" + "88888888" + "9ecaade9"
    assert known_game()[24:32].hex() == "4000010000000200"
    assert known_game()[32:].hex() == "0c071e00" + "f308ecff" + "dc083700" + "00000000"


@pytest.mark.thorough
def test_reading_agrees_with_python_chess(scaled):
    records = random_records(scaled(300), seed=3)
    games = list(unpack_games(b"".join(data for data, *_ in records)))
    assert len(games) == len(records)
    for game, (_, pairs, result, extra) in zip(games, records, strict=True):
        assert (game.result, game.extra) == (result, extra)
        position = game.start
        for code, score, (board, move, white_score) in zip(game.moves, game.scores, pairs, strict=True):
            assert position.fen(shredder=True).split()[:4] == board.shredder_fen(en_passant="legal").split()[:4]
            assert code_to_move(code, board) == move
            assert score == (white_score if board.turn else -white_score)
            position = position.play(code)


@pytest.mark.thorough
def test_writing_gives_the_bytes_of_python_chess(scaled):
    for data, *_ in random_records(scaled(300), seed=4):
        (game,) = unpack_games(data)
        assert pack_game(game) == data


@pytest.mark.parametrize(("clock", "byte"), [(0, 0), (99, 99), (255, 255), (256, 255), (300, 255), (511, 255)])
def test_the_count_of_half_moves_has_one_byte_and_stays_at_its_end(clock, byte):
    fen = f"4k3/8/8/8/8/8/8/R3K3 w - - {clock} 200"
    data = pack_game(LabelledGame(Position(fen, chess960=True)))
    assert data[:32] == pack_board(chess.Board(fen), result=1, extra=0)
    assert data[25] == byte
    (game,) = unpack_games(data)
    assert (game.start.halfmove_clock, game.start.fullmove_number) == (byte, 200)


def test_scores_are_for_white_in_the_file_and_for_the_mover_outside():
    moves = [Position("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", chess960=True).code("e8d7")]
    start = Position("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", chess960=True)
    data = pack_game(LabelledGame(start, moves, [MATE_SCORE - 3], result=2))
    assert int.from_bytes(data[34:36], "little", signed=True) == 3 - MATE_SCORE
    (game,) = unpack_games(data)
    assert (game.scores, game.result) == ([MATE_SCORE - 3], 2)


def test_a_game_that_breaks_off_is_left_out():
    data = known_game()
    for kept in (0, 10, 32, 35, 47):
        assert end_of_game(data[:kept], 0) is None
        assert len(list(unpack_games(data + data[:kept]))) == 1


def test_an_illegal_move_is_named():
    data = bytearray(known_game())
    data[36:38] = (12 | 20 << 6).to_bytes(2, "little")  # e2e3 once more
    with pytest.raises(ValueError, match="byte 36: no legal move in rnbqkbnr"):
        list(unpack_games(bytes(data)))


def test_python_chess_knows_the_position_of_a_header():
    game = next(unpack_games(known_game()))
    assert chess.Board(game.start.fen()) == chess.Board()
