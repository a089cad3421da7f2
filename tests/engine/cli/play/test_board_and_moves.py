import chess
import pytest

from engine.cli.play.board_and_moves import understood
from movegen import Position

START = chess.STARTING_FEN
CASTLING = "r3k2r/8/8/8/8/8/P6P/R3K2R w KQkq - 0 1"
PROMOTION = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1"
PAWN_AND_BISHOP = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1"
BISHOP = "4k3/8/8/8/8/2p5/3B4/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "expected"),
    [
        *((START, text, "g1f3") for text in ("Nf3", "nf3", "NF3", "g1f3", "g1-f3", "G1F3", "Ng1f3", "ng1-f3", "N f3")),
        *((START, text, "e2e4") for text in ("e4", "E4", "e2-e4", "e2e4", "e2 e4", "1. e4", "1.e4", "e4!?", "pe2e4")),
        *((CASTLING, text, "e1g1") for text in ("O-O", "0-0", "o-o", "oo", "e1g1", "e1-g1", "o-o!")),
        *((CASTLING, text, "e1c1") for text in ("O-O-O", "0-0-0", "o-o-o", "OOO")),
        *((PROMOTION, text, "e7e8q") for text in ("e8=Q", "e8Q", "e8q", "e8=q", "e7e8=Q", "e7-e8=q", "e7e8q", "E7E8Q")),
        *((PROMOTION, text, "e7d8n") for text in ("exd8=N", "exd8n", "e7xd8=N", "e7d8N", "EXD8=N")),
        *((PAWN_AND_BISHOP, text, "b2c3") for text in ("bxc3", "b2xc3", "bc3")),
        *((PAWN_AND_BISHOP, text, "d2c3") for text in ("Bxc3", "d2-c3")),
        *((BISHOP, text, "d2c3") for text in ("bxc3", "Bxc3", "bd2xc3")),
    ],
)
def test_moves_as_people_type_them(fen, text, expected):
    position = Position(fen)
    assert position.uci(position.code(understood(position, text))) == expected


@pytest.mark.parametrize(
    ("text", "meant"),
    [("nf4", "Nf4"), ("g1-g3", "g1g3"), ("dance", "dance"), ("Bg1f3", "Bg1f3"), ("", ""), ("o-o", "O-O")],
)
def test_moves_that_cannot_be_played_stay_what_was_meant(text, meant):
    position = Position()
    assert understood(position, text) == meant
    assert not position.is_legal(meant)


def test_every_legal_move_is_understood_in_every_writing():
    board = chess.Board("r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1")
    position = Position(board.fen())
    for move in board.legal_moves:
        uci, san = move.uci(), board.san(move)
        dashed = f"{uci[:2]}-{uci[2:]}"
        for text in (uci, uci.upper(), san, dashed, board.lan(move), board.lan(move).lower(), f"12. {san}"):
            assert position.uci(position.code(understood(position, text))) == uci, text
