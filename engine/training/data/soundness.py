"""Is the start of a record a position of chess? Kernels trust boards, and a flipped bit makes a board of nonsense.

The same is refused as by `movegen.fen`, in kernels: files have records by the hundred thousand. What follows the start
needs no further rules: legal moves lead from sound boards to sound boards.
"""

import numpy as np

from engine.training.data.decode import (
    CASTLING_ROOK,
    EN_PASSANT_AT,
    HEADER,
    NO_SQUARE,
    PAIR,
    RESULT_AT,
    half_word_at,
    piece_code_at,
    read_board,
    read_move,
    read_setup,
    word_at,
)
from movegen.apply import apply
from movegen.bits import ONE, U64, ZERO, Bitboard, popcount, several
from movegen.board import Board, kings, occupied_squares, pawns
from movegen.compiler.jit import inlined, kernel
from movegen.geometry import RANK_1, RANK_6, RANK_8, north, south
from movegen.legal import is_legal_move
from movegen.outcome import is_opponent_in_check

MOST_PIECES, MOST_OF_A_SIDE, MOST_PAWNS = U64(32), U64(16), U64(8)
WON = 2
NO_FAULT = -1


@inlined
def can_be_read(data: np.ndarray, place: int) -> bool:
    """Do the bytes of a header mean something, one by one?"""
    count = popcount(word_at(data, place))
    if count > MOST_PIECES or data[place + RESULT_AT] > WON:
        return False
    for index in range(np.int64(count)):
        if piece_code_at(data, place, index) & U64(7) > CASTLING_ROOK:
            return False
    return bool(U64(data[place + EN_PASSANT_AT]) & U64(127) <= NO_SQUARE)


@inlined
def has_sound_pieces(board: Board, side: Bitboard) -> bool:
    """Has a side one king, and no more than a game can give it?"""
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
def is_sound_start(data: np.ndarray, place: int) -> bool:
    """Is the header at this place one of a game of chess?"""
    if not can_be_read(data, place):
        return False
    board, _ = read_setup(data, place)
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
    """Find the games of a file: where each starts, how many positions it has.

    -> how many games are whole; the first byte of what is no chess, or NO_FAULT. A record that breaks off at the end of
    the file is left out.
    """
    place, games = 0, 0
    while place + HEADER + PAIR <= data.size and games < starts.size:
        if not is_sound_start(data, place):
            return games, place
        board, black = read_board(data, place)
        end, size = place + HEADER, 0
        while end + PAIR <= data.size and half_word_at(data, end) != ZERO:
            move = read_move(board, half_word_at(data, end), black)
            if not is_legal_move(board, move):
                return games, end
            board, black = apply(board, move), black ^ ONE
            end, size = end + PAIR, size + 1
        if end + PAIR > data.size:
            break
        if half_word_at(data, end + 2) != ZERO:  # the mark of the end is four zeros
            return games, end
        starts[games], sizes[games] = place, size
        games, place = games + 1, end + PAIR
    return games, NO_FAULT
