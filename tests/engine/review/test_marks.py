"""What moves are called, and what they give up: material by python-chess and by hand."""

import chess
import pytest

from engine.review.exchange import given_up, most_won, pieces_of
from engine.review.judged import Judged, Rival, Worth
from engine.review.marks import Mark
from movegen import Position
from tests.engine.review.sacrifices import balance, read

PROVEN = {"result": "win", "plies": 5}


def judged(before, after, *, is_best=False, rival=None, given=0, other=0.4):
    """A move by the score before it and what it left, both for the player who made it."""
    best = "a2a4" if is_best else "e2e4"
    rows = tuple({"uci": uci, "san": uci, "q": q} for uci, q in ((best, before), ("g1f3", other), ("b1c3", other)))
    left = Worth(round(1 - after, 6), None, 900, "e7e5", "e5", [], [])
    found = None if rival is None else Rival("g1f3", "Nf3", rival, 700)
    worth = Worth(before, None, 1000, best, "e4", [best], ["e4"], rows)
    return Judged(0, 1, "white", "a2a4", "a4", worth, left, found, given)


@pytest.mark.parametrize(
    ("move", "mark", "nag", "glyph"),
    [
        (judged(0.5, 0.46), Mark.NONE, None, ""),
        (judged(0.5, 0.45), Mark.INACCURACY, 6, "?!"),
        (judged(0.5, 0.40), Mark.MISTAKE, 2, "?"),
        (judged(0.5, 0.35), Mark.BLUNDER, 4, "??"),
        (judged(0.9, 0.5), Mark.MISSED_WIN, 4, "??"),
        (judged(0.9, 0.3), Mark.BLUNDER, 4, "??"),  # more than the win is lost
        (judged(0.95, 0.8), Mark.BLUNDER, 4, "??"),  # it is still won
        (judged(0.7, 0.7, is_best=True), Mark.NONE, None, ""),
        (judged(0.7, 0.7, is_best=True, rival=0.54), Mark.ONLY_MOVE, 8, "□"),
        (judged(0.7, 0.7, is_best=True, rival=0.56), Mark.NONE, None, ""),
        (judged(0.7, 0.6, is_best=True, rival=0.5), Mark.NONE, None, ""),  # less than it seemed
        (judged(0.7, 0.69, rival=0.3), Mark.NONE, None, ""),  # another move was better
        (judged(0.7, 0.7, is_best=True, rival=0.3, given=3), Mark.BRILLIANT, 3, "!!"),
        (judged(0.7, 0.7, is_best=True, given=2), Mark.BRILLIANT, 3, "!!"),
        (judged(0.7, 0.7, is_best=True, given=1), Mark.NONE, None, ""),
        (judged(0.7, 0.6, is_best=True, given=5), Mark.NONE, None, ""),  # the search of the move itself finds less
        (judged(0.45, 0.45, is_best=True, given=5), Mark.NONE, None, ""),  # it does not work
        (judged(0.97, 0.97, is_best=True, given=5, other=0.95), Mark.NONE, None, ""),  # anything wins
    ],
)
def test_marks(move, mark, nag, glyph):
    assert (move.mark, move.nag, move.glyph) == (mark, nag, glyph)


def test_evidence_names_the_rival_of_the_best_move():
    assert judged(0.7, 0.7, is_best=True, rival=0.54).evidence == "score .70 (900 visits); Nf3 has .54 (700)"
    assert judged(0.7, 0.7, is_best=True).evidence == "score .70 (900 visits)"


@pytest.mark.parametrize(
    ("fen", "move", "pawns"),
    [
        ("4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5", 0),  # a pawn for nothing: little
        ("4k3/8/8/3q4/8/8/8/3QK3 w - - 0 1", "Qxd5", -9),
        ("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5", 8),  # the queen for a pawn
        ("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "Qd2", 0),
        ("3rk3/8/8/3q4/8/8/8/3QK3 w - - 0 1", "Qxd5", 0),  # an exchange
        ("b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 0 24", "Rxd4", 3),  # Kasparov - Topalov: 5 - 1 - 1
        ("rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10", "Nxb5", 0),  # a knight for two pawns
        ("4kb1r/p2r1ppp/4qn2/1B2p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 1", "Bxd7+", -2),  # a rook for a bishop
        ("4k3/P7/8/8/8/8/r7/4K3 w - - 0 1", "a8=Q", 0),
        ("7k/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3", 0),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", 0),
    ],
)
def test_what_a_move_gives_up(fen, move, pawns):
    position = Position(fen)
    assert given_up(position, position.uci(move)) == pawns


def test_a_piece_that_cannot_be_saved_is_not_given_up():
    position = Position("4k3/8/8/2p1p3/1P1R1P2/2P1P3/8/4K3 w - - 0 1")  # the rook can go
    assert given_up(position, "e1d1") > 0
    trapped = Position("N2r4/p2k4/8/8/8/8/8/4K3 w - - 0 1")
    assert [most_won(trapped.play(uci)) for uci in trapped.legal_moves] == [3] * len(trapped.legal_moves)
    assert given_up(trapped, "e1d1") == 0


def plain_most_won(board):
    """The same by python-chess, as a search through the captures on each square."""

    def won_on(board, target):
        captures = [move for move in board.legal_moves if move.to_square == target and board.is_capture(move)]
        if not captures:
            return 0
        worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}

        def gain(move):
            victim = board.piece_type_at(target) or chess.PAWN
            return worth[victim] + (worth[move.promotion] - 1 if move.promotion else 0)

        move = min(captures, key=lambda move: (worth[board.piece_type_at(move.from_square)], -gain(move)))
        after = board.copy(stack=False)
        after.push(move)
        return max(0, gain(move) - won_on(after, target))

    return max((won_on(board, square) for square in chess.SQUARES), default=0)


def test_captures_of_real_positions():
    for one in read()[::25]:
        position, board = Position(one.fen), chess.Board(one.fen)
        pieces = {chess.square_name(square): piece.symbol() for square, piece in board.piece_map().items()}
        assert pieces_of(position) == pieces
        for uci in [one.uci, *position.legal_moves[:4]]:
            after = board.copy(stack=False)
            after.push_uci(uci)
            assert most_won(position.play(uci)) == plain_most_won(after)
            assert balance(after, chess.WHITE) == -balance(after, chess.BLACK)
