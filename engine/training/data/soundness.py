"""Is the start of a record a position of chess? Kernels trust boards, and a flipped bit can make an impossible one.

The rules are those of `movegen.fen`, but in kernels: files have hundreds of thousands of records. Only the start of a
record needs them: legal moves lead from sound boards to sound boards.
"""

import numpy as np

from engine.training.data.decode import (
    EN_PASSANT_MASK,
    TYPE_MASK,
    decode_board,
    decode_move,
    half_word_at,
    piece_code_at,
    read_setup,
    word_at,
)
from engine.training.data.viriformat import (
    CASTLING_ROOK,
    EN_PASSANT_AT,
    HEADER_SIZE,
    NO_SQUARE,
    PAIR_SIZE,
    RESULT_AT,
    WON,
)
from movegen.apply import apply
from movegen.bits import ONE, U64, ZERO, Bitboard, popcount, several
from movegen.board import Board, kings, occupied_squares, pawns
from movegen.compiler.jit import inlined, kernel
from movegen.generate import is_legal_move
from movegen.geometry import RANK_1, RANK_6, RANK_8, north, south
from movegen.outcome import is_opponent_in_check

MOST_PIECES, MOST_OF_A_SIDE, MOST_PAWNS = U64(32), U64(16), U64(8)
NO_FAULT = -1


@inlined
def can_be_read(data: np.ndarray, offset: int) -> bool:
    """Is each byte of a header valid in itself?"""
    count = popcount(word_at(data, offset))
    if count > MOST_PIECES or data[offset + RESULT_AT] > WON:
        return False
    for index in range(np.int64(count)):
        if piece_code_at(data, offset, index) & TYPE_MASK > U64(CASTLING_ROOK):
            return False
    return bool(U64(data[offset + EN_PASSANT_AT]) & EN_PASSANT_MASK <= U64(NO_SQUARE))


@inlined
def has_sound_pieces(board: Board, side: Bitboard) -> bool:
    """Has a side one king, and no more pieces than a game can have?"""
    return bool(
        popcount(kings(board) & side) == ONE
        and popcount(pawns(board) & side) <= MOST_PAWNS
        and popcount(side) <= MOST_OF_A_SIDE
    )


@inlined
def has_sound_castling(board: Board, side: Bitboard, home: Bitboard) -> bool:
    """King and rooks that may castle on the first rank of their side, one rook on either side of the king."""
    rooks, king = board.castling & side, kings(board) & side
    if rooks == ZERO:
        return True
    left = rooks & (king - ONE)
    return bool((rooks | king) & ~home == ZERO and not several(left) and not several(rooks ^ left))


@inlined
def has_sound_en_passant(board: Board) -> bool:
    """Has a pawn of the opponent just jumped over the en-passant square, if there is one?"""
    square, occupied = board.en_passant, occupied_squares(board)
    return bool(
        square == ZERO
        or (
            square & RANK_6 != ZERO
            and (square | north(square)) & occupied == ZERO
            and south(square) & pawns(board) & ~board.own != ZERO
        )
    )


@inlined
def is_sound_start(data: np.ndarray, offset: int) -> bool:
    """Is the header at this offset one of a game of chess?"""
    if not can_be_read(data, offset):
        return False
    board, _ = read_setup(data, offset)
    theirs = occupied_squares(board) & ~board.own
    return bool(
        has_sound_pieces(board, board.own)
        and has_sound_pieces(board, theirs)
        and pawns(board) & (RANK_1 | RANK_8) == ZERO
        and has_sound_castling(board, board.own, RANK_1)
        and has_sound_castling(board, theirs, RANK_8)
        and has_sound_en_passant(board)
        and not is_opponent_in_check(board)
    )


@kernel
def index_games(data: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> tuple[int, int]:
    """Find the games of a file: the offset of each, and its number of positions.

    -> the number of complete games; the offset of the first bytes that are not chess, or NO_FAULT. An incomplete record
    at the end of the file is left out.
    """
    offset, games = 0, 0
    while offset + HEADER_SIZE + PAIR_SIZE <= data.size and games < starts.size:
        if not is_sound_start(data, offset):
            return games, offset
        board, black = decode_board(data, offset)
        end, size = offset + HEADER_SIZE, 0
        while end + PAIR_SIZE <= data.size and half_word_at(data, end) != ZERO:
            move = decode_move(board, half_word_at(data, end), black)
            if not is_legal_move(board, move):
                return games, end
            board, black = apply(board, move), black ^ ONE
            end, size = end + PAIR_SIZE, size + 1
        if end + PAIR_SIZE > data.size:
            break
        if half_word_at(data, end + 2) != ZERO:  # a game ends with four zeros
            return games, end
        starts[games], sizes[games] = offset, size
        games, offset = games + 1, end + PAIR_SIZE
    return games, NO_FAULT
