"""The 112 planes from a python-chess board and its moves, as `engine.lc0.planes` describes them."""

from collections import Counter
from collections.abc import Hashable

import chess
import numpy as np

from engine.lc0 import net_format as nf

CANONICAL = {
    nf.INPUT_CANONICAL,
    nf.INPUT_HECTOPLIES,
    nf.INPUT_V2,
    nf.INPUT_HECTOPLIES_ARMAGEDDON,
    nf.INPUT_V2_ARMAGEDDON,
}
REPEATED_ONLY = {nf.INPUT_V2, nf.INPUT_V2_ARMAGEDDON}
ARMAGEDDON = {nf.INPUT_HECTOPLIES_ARMAGEDDON, nf.INPUT_V2_ARMAGEDDON}
HUNDREDTHS = CANONICAL - {nf.INPUT_CANONICAL}


def key_of(board: chess.Board) -> Hashable:
    return board._transposition_key()


def boards_of(board: chess.Board) -> list[tuple[chess.Board, bool]]:
    """The positions of a game, the newest first, and whether each had occurred before."""
    game, seen, found = board.root(), Counter[Hashable](), []
    for move in [None, *board.move_stack]:
        if move:
            game.push(move)
        found.append((game.copy(stack=False), seen[key_of(game)] > 0))
        seen[key_of(game)] += 1
    return found[::-1][:8]


def planes_of(board: chess.Board, input_format: int) -> tuple[np.ndarray, list[str]]:
    """Planes [112, 64], and the reflections done."""
    me, canonical = board.turn, input_format in CANONICAL
    planes = np.zeros((112, 64))
    fill_boards(planes, board, input_format)
    fill_castling(planes, board, input_format)
    if canonical and board.has_legal_en_passant():
        planes[108, 56 + chess.square_file(board.ep_square)] = 1
    elif not canonical:
        planes[108] = me == chess.BLACK
    planes[109] = board.halfmove_clock / (100 if input_format in HUNDREDTHS else 1)
    planes[110] = me == chess.BLACK and input_format in ARMAGEDDON
    planes[111] = 1
    names = reflections(board) if canonical else []
    for name in names:
        planes = planes[:, [REFLECTIONS[name](square) for square in range(64)]]
    return planes, names


def fill_boards(planes: np.ndarray, board: chess.Board, input_format: int) -> None:
    history, place = boards_of(board), 0
    for age in range(8):
        past, repeated = history[min(age, len(history) - 1)]
        if age >= len(history) and (input_format in REPEATED_ONLY or is_start(past)):
            break
        if input_format in CANONICAL and cannot_be_repeated(past, board, age):
            break
        if repeated or not place or input_format not in REPEATED_ONLY:
            shown = past.copy(stack=False)
            if age >= len(history) and past.has_legal_en_passant():
                undo_double_push(shown)
            fill_pieces(planes[place * 13 :], shown, board.turn)
            planes[place * 13 + 12] = repeated
            place += 1
        if input_format in CANONICAL and past.halfmove_clock == 0:
            break


def cannot_be_repeated(past: chess.Board, board: chess.Board, age: int) -> bool:
    rights = past.clean_castling_rights() != board.clean_castling_rights()
    return rights or (age > 0 and past.has_legal_en_passant())


def fill_pieces(planes: np.ndarray, board: chess.Board, me: bool) -> None:
    for kind in chess.PIECE_TYPES:
        for other in (False, True):
            planes[kind - 1 + 6 * other] = as_plane(seen_by(int(board.pieces(kind, me != other)), me))


def is_start(board: chess.Board) -> bool:
    return board.fen().split()[:3] == chess.STARTING_FEN.split()[:3]


def undo_double_push(board: chess.Board) -> None:
    up = 8 if board.turn == chess.WHITE else -8  # the pawn of the other side came from above
    board.set_piece_at(board.ep_square + up, board.remove_piece_at(board.ep_square - up))


def seen_by(squares: int, me: bool) -> int:
    return squares if me else chess.flip_vertical(squares)


def as_plane(squares: int) -> list[int]:
    return [squares >> square & 1 for square in range(64)]


def fill_castling(planes: np.ndarray, board: chess.Board, input_format: int) -> None:
    rights = board.clean_castling_rights()
    for index, (colour, left) in enumerate(
        [(board.turn, 1), (board.turn, 0), (not board.turn, 1), (not board.turn, 0)]
    ):
        king = board.king(colour)
        rooks = [s for s in chess.scan_forward(rights & board.occupied_co[colour]) if (s < king) == bool(left)]
        if input_format == nf.INPUT_CLASSICAL:
            planes[104 + index] = bool(rooks)
        else:
            planes[104 + index % 2] += as_plane(seen_by(sum(1 << rook for rook in rooks), board.turn))


# Reflections: where the plane's square comes from

REFLECTIONS = {
    "files": lambda square: square ^ 7,
    "ranks": lambda square: square ^ 56,
    "diagonal": lambda square: (7 - square % 8) * 8 + 7 - square // 8,
}


def reflections(board: chess.Board) -> list[str]:
    if board.clean_castling_rights():
        return []
    king = board.king(board.turn) ^ (0 if board.turn else 56)
    names = ["files"] if king % 8 < 4 else []
    king ^= 7 if names else 0
    if board.pawns:
        return names
    if king // 8 > 3:
        names.append("ranks")
        king ^= 56
    file, rank = 7 - king % 8, king // 8
    if rank > file or (rank == file and is_larger_than_transposed(board, names)):
        names.append("diagonal")
    return names


def is_larger_than_transposed(board: chess.Board, names: list[str]) -> bool:
    sets = (
        board.occupied,
        board.occupied_co[board.turn],
        *(board.pieces_mask(kind, True) | board.pieces_mask(kind, False) for kind in (6, 5, 4, 2, 3)),
    )
    for squares in sets:
        word = seen_by(squares, board.turn)
        for name in names:
            word = sum(1 << REFLECTIONS[name](square) for square in chess.scan_forward(word))
        other = sum(1 << REFLECTIONS["diagonal"](square) for square in chess.scan_forward(word))
        if word != other:
            return word > other
    return False
