"""Reasons against python-chess: every illegal move has one, and it is true."""

import random
import re
from collections import Counter
from itertools import islice

import chess
import pytest

from engine.explain.legality import Fault, objection
from movegen import Position
from tests.positions import random_positions

CASTLING_FAULTS = {
    Fault.CASTLING_BLOCKED,
    Fault.CASTLING_IN_CHECK,
    Fault.CASTLING_THROUGH_CHECK,
    Fault.NO_CASTLING_RIGHT,
}


def texts_of(board, rng):
    """Moves of all kinds, most of them illegal: any squares, what pieces could do on an empty board, castling."""
    own = list(chess.SquareSet(board.occupied_co[board.turn]))
    for _ in range(6):
        yield rng.choice(chess.SQUARE_NAMES) + rng.choice(chess.SQUARE_NAMES)
        yield chess.square_name(rng.choice(own)) + rng.choice(chess.SQUARE_NAMES)
    for move in board.pseudo_legal_moves:
        if not board.is_legal(move):
            yield board.uci(move)
    start = rng.choice(own)
    empty = chess.BaseBoard.empty()
    empty.set_piece_at(start, board.piece_at(start))
    for goal in empty.attacks(start):
        yield chess.Move(start, goal).uci()
    yield "O-O"
    yield "O-O-O"
    king = board.king(board.turn)
    yield chess.Move(king, (king + 2) % 64).uci()
    yield chess.Move(king, king - 2 if king >= 2 else 5).uci()


@pytest.mark.thorough
def test_every_illegal_move_gets_a_reason_that_is_true(scaled):
    rng, faults = random.Random(1), Counter()
    for board in islice(random_positions(scaled(3000), seed=2), 0, None, 15):
        position = Position(board.fen(shredder=board.chess960), chess960=board.chess960)
        for text in texts_of(board, rng):
            found = objection(position, text)
            assert (found is None) == position.is_legal(text), (board.fen(), text)
            if found is not None:
                faults[found.fault] += 1
                assert is_true(board, text, found), (board.fen(), text, found)
    common = {Fault.NO_PIECE, Fault.OPPONENTS_PIECE, Fault.OWN_PIECE_THERE, Fault.NOT_LIKE_THAT, Fault.BLOCKED}
    assert set(faults) >= common | {Fault.PINNED, Fault.IN_CHECK, Fault.KING_ATTACKED, Fault.NOTHING_TO_CAPTURE}


def last_named(text):
    """The square of the last piece that a reason names, as in `the rook on e8`; None if it names none."""
    squares = re.findall(r"\bthe [a-z]+ on ([a-h][1-8])\b", text)
    return chess.parse_square(squares[-1]) if squares else None


def is_true(board, text, found):
    """Does python-chess say so too?"""
    fault, turn = found.fault, board.turn
    named = last_named(found.text)
    if fault in CASTLING_FAULTS:
        return is_true_of_castling(board, text, found.fault, named)
    start, goal = chess.parse_square(text[:2]), chess.parse_square(text[2:4])
    piece = board.piece_at(start)
    if fault is Fault.NO_PIECE:
        return piece is None
    if fault is Fault.OPPONENTS_PIECE:
        return piece.color != turn
    assert piece.color == turn
    if fault is Fault.OWN_PIECE_THERE:
        return board.color_at(goal) == turn
    if fault is Fault.NOT_LIKE_THAT:
        return start == goal or not could_move(piece, start, goal)
    if fault is Fault.BLOCKED:
        in_the_way = chess.SquareSet(chess.between(start, goal)) | ({goal} if piece.piece_type == chess.PAWN else set())
        return could_move(piece, start, goal) and named in in_the_way and board.piece_at(named) is not None
    if fault is Fault.NOTHING_TO_CAPTURE:
        return piece.piece_type == chess.PAWN and board.piece_at(goal) is None and start % 8 != goal % 8
    if fault is Fault.PROMOTION_MISSING:
        return piece.piece_type == chess.PAWN and goal // 8 in (0, 7)
    return is_true_of_the_king(board, start, goal, fault, named)


def is_true_of_the_king(board, start, goal, fault, named):
    after = board.copy(stack=False)
    king = board.king(board.turn)
    if fault is Fault.KING_ATTACKED:
        after.remove_piece_at(start)
        return start == king and named in after.attackers(not board.turn, goal)
    promotion = chess.QUEEN if board.piece_type_at(start) == chess.PAWN and goal // 8 in (0, 7) else None
    after.push(chess.Move(start, goal, promotion))
    still_attacked = named in after.attackers(not board.turn, king)
    if fault is Fault.IN_CHECK:
        return still_attacked and named in board.checkers()
    if fault is Fault.PINNED:
        return still_attacked and named not in board.checkers() and start in board.pin(board.turn, start)
    return fault is Fault.EN_PASSANT_OPENS and still_attacked and goal == board.ep_square


def is_true_of_castling(board, text, fault, named):
    king = board.king(board.turn)
    goal = chess.parse_square(text[2:4]) if text[0] != "O" else king + (1 if text == "O-O" else -1)
    home = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rights = [rook for rook in chess.SquareSet(board.castling_rights & home) if (rook > king) == (goal > king)]
    if fault is Fault.NO_CASTLING_RIGHT:
        return rights == []
    if fault is Fault.CASTLING_IN_CHECK:
        return named in board.checkers()
    if fault is Fault.CASTLING_BLOCKED:
        return board.piece_at(named) is not None and named not in (king, *rights) and chess.BB_SQUARES[named] & home
    return board.color_at(named) != board.turn


def could_move(piece, start, goal):
    """Could this piece move so on some board?"""
    if piece.piece_type == chess.PAWN:
        step = 8 if piece.color else -8
        is_double = goal == start + 2 * step and start // 8 == (1 if piece.color else 6)
        is_diagonal = goal in chess.SquareSet(chess.BB_PAWN_ATTACKS[piece.color][start])
        return goal == start + step or is_double or is_diagonal
    board = chess.BaseBoard.empty()
    board.set_piece_at(start, piece)
    return goal in board.attacks(start)


@pytest.mark.parametrize(
    ("fen", "move", "fault", "words"),
    [
        (None, "e5", Fault.NOT_LIKE_THAT, "no pawn of White reaches e5"),
        (None, "e4e5", Fault.NO_PIECE, "there is no piece on e4"),
        (None, "e7e5", Fault.OPPONENTS_PIECE, "the pawn on e7 is Black's, and it is White's move"),
        (None, "Nd2", Fault.OWN_PIECE_THERE, "White's own pawn is on d2"),
        (None, "Bc4", Fault.BLOCKED, "the pawn on e2 is in the way"),
        (None, "e2d3", Fault.NOTHING_TO_CAPTURE, "there is nothing to capture on d3"),
        (None, "e2e4q", Fault.NO_PROMOTION, "only a pawn that reaches the last rank is promoted"),
        (None, "dance", Fault.UNREADABLE, "'dance' is not a move in UCI notation or SAN"),
        (None, "Nbd4", Fault.NOT_LIKE_THAT, "a knight does not move from b1 to d4"),
        (None, "O-O", Fault.CASTLING_BLOCKED, "the bishop on f1 is in the way"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", Fault.PROMOTION_MISSING, "say to what"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", Fault.PROMOTION_MISSING, "say to what"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Qd4", Fault.NO_PIECE, "White has no queen"),
        ("4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3", Fault.PINNED, "the knight on e2 is pinned: the rook on e8"),
        ("4r2k/8/8/8/8/8/3N4/4K3 w - - 0 1", "Nf3", Fault.IN_CHECK, "in check from the rook on e8"),
        ("4r2k/8/8/8/8/8/8/3K4 w - - 0 1", "Ke2", Fault.KING_ATTACKED, "e2 is attacked by the rook on e8"),
        ("1k3r2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", Fault.CASTLING_THROUGH_CHECK, "passes f1, which is attacked by"),
        ("1k4r1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", Fault.CASTLING_THROUGH_CHECK, "comes to g1, which is attacked by"),
        ("1k2r3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", Fault.CASTLING_IN_CHECK, "in check from the rook on e8"),
        ("2k5/8/8/8/8/8/8/R3K2R w K - 0 1", "O-O-O", Fault.NO_CASTLING_RIGHT, "no right to castle long"),
        ("7k/8/8/8/8/2N5/8/R3K1N1 w - - 0 1", "Ne2", Fault.AMBIGUOUS, "the knight on c3 or g1"),
        ("8/8/8/KPpP3r/8/8/8/7k w - c6 0 1", "d5c6", None, ""),
        ("8/8/8/K1pP3r/8/7k/8/8 w - - 0 1", "dxc6", Fault.NOTHING_TO_CAPTURE, "nothing to capture on c6"),
        ("3r3k/8/8/2pP4/3K4/8/8/8 w - c6 0 1", "Kxc5", None, ""),
    ],
)
def test_the_words(fen, move, fault, words):
    found = objection(Position(fen) if fen else Position(), move)
    assert (found.fault if found else None) == fault
    assert words in (found.text if found else "")
