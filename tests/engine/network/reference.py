"""The network's inputs, rows of moves and answers, slow and obvious, with python-chess and floats."""

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}


def seen_by_mover(board):
    """The board with White to move, mirrored if Black is."""
    return board.copy(stack=False) if board.turn else board.mirror()


def mirrored(square, view):
    return square ^ 7 if chess.square_file(view.king(chess.WHITE)) > 3 else square


def inputs(board):
    view = seen_by_mover(board)
    found = set()
    for square, piece in view.piece_map().items():
        attacked = view.is_attacked_by(not piece.color, square)
        defended = view.is_attacked_by(piece.color, square)
        number = piece.piece_type - 1 + (0 if piece.color else 6)
        found.add(768 * (attacked + 2 * defended) + 64 * number + mirrored(square, view))
    return found


def cheapest_attacker(view, square, colour):
    return min(view.attackers(colour, square), key=lambda s: WORTH[view.piece_type_at(s)], default=None)


def best_capture(view, square, colour):
    """What a side gains at best by capturing on a square, or not."""
    source = cheapest_attacker(view, square, colour)
    if source is None:
        return 0
    piece, victim = view.piece_at(source), view.piece_at(square)
    after = view.copy(stack=False)
    after.remove_piece_at(source)
    after.set_piece_at(square, piece)
    if piece.piece_type == chess.KING and after.attackers(not colour, square):
        return 0
    return max(0, WORTH[victim.piece_type] - best_capture(after, square, not colour))


def exchange(view, move):
    """The balance of a move, in pawns, if both sides capture on its target as long as it pays."""
    gain = 0
    after = view.copy(stack=False)
    if view.is_en_passant(move):
        gain = 1
        after.remove_piece_at(move.to_square - 8)
    elif view.piece_at(move.to_square):
        gain = WORTH[view.piece_type_at(move.to_square)]
    piece = after.remove_piece_at(move.from_square)
    if move.promotion:
        gain += WORTH[move.promotion] - 1
        piece = chess.Piece(move.promotion, chess.WHITE)
    after.set_piece_at(move.to_square, piece)
    return gain - best_capture(after, move.to_square, chess.BLACK)


def danger(view, square):
    piece = view.piece_at(square)
    if piece.piece_type == chess.KING or not view.is_attacked_by(chess.BLACK, square):
        return int(view.is_attacked_by(chess.BLACK, square))
    if WORTH[view.piece_type_at(cheapest_attacker(view, square, chess.BLACK))] < WORTH[piece.piece_type]:
        return 2
    return 1 if view.is_attacked_by(chess.WHITE, square) else 3


def threats(view, after, move):
    """How many pieces the moved one attacks that are worth more than it, or (if it is no pawn) were not defended."""
    count = 0
    arrived = after.piece_type_at(move.to_square)
    for square in after.attacks(move.to_square):
        victim = view.piece_at(square)
        if victim is None or victim.color or victim.piece_type == chess.KING or square == move.to_square:
            continue
        dearer = WORTH[victim.piece_type] > WORTH[arrived]
        loose = arrived != chess.PAWN and not view.is_attacked_by(chess.BLACK, square)
        count += dearer or loose
    return min(count, 2)


def is_passed(view, square):
    file, rank = chess.square_file(square), chess.square_rank(square)
    pawns = view.pieces(chess.PAWN, chess.BLACK)
    return not any(abs(chess.square_file(s) - file) <= 1 and chess.square_rank(s) > rank for s in pawns)


def rows(board, move):
    """The four rows of a legal move (castling as king takes rook)."""
    view = seen_by_mover(board)
    if not board.turn:
        move = chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    start, goal = move.from_square, move.to_square
    piece = view.piece_type_at(start) - 1
    from_row = 384 + 64 * piece + mirrored(start, view)
    if view.is_castling(move):
        return [64 * 5 + mirrored(goal, view), from_row, 768 + ((5 * 7 + 6) * 3 + 1) * 8, 768 + 1008 + 5 * 48]
    after = view.copy(stack=False)
    after.push(move)
    to_row = 64 * piece + mirrored(goal, view)
    if move.promotion == chess.QUEEN:
        to_row = 64 * 4 + mirrored(goal, view)
    elif move.promotion:
        rank = {chess.KNIGHT: 0, chess.BISHOP: 1, chess.ROOK: 7}[move.promotion]
        to_row = 8 * rank + mirrored(goal, view) % 8
    victim = 1 if view.is_en_passant(move) else view.piece_type_at(goal) or 0
    balance = exchange(view, move)
    sign = 0 if balance < 0 else 1 if balance == 0 else 2
    attacked = [int(view.is_attacked_by(chess.BLACK, square)) for square in (start, goal)]
    kind = (((piece * 7 + victim) * 3 + sign) * 2 + after.is_check()) * 4 + attacked[0] * 2 + attacked[1]
    by_pawn = any(view.piece_type_at(s) == chess.PAWN for s in view.attackers(chess.BLACK, goal))
    passed = piece == 0 and is_passed(view, goal)
    threat = (((piece * 4 + danger(view, start)) * 3 + threats(view, after, move)) * 2 + by_pawn) * 2 + passed
    return [to_row, from_row, 768 + kind, 768 + 1008 + threat]
