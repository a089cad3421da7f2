"""The 112 planes that lc0's nets see: eight boards of 13 planes each, then eight planes of the position.

    0 … 5      own pawns, knights, bishops, rooks, queens, king; 6 … 11 those of the opponent
    12         all ones if the position had occurred before
    13 … 103   the same for the seven boards before, seen by the same player
    104, 105   classical: own right to castle towards a, towards h; else the rooks of both that may castle so
    106, 107   classical: the opponent's rights; else zero
    108        classical: all ones for Black; canonical: the file of a pawn that may be captured en passant, on rank 8
    109        half-moves since the last capture or pawn move; in some formats hundredths of it
    110        Armageddon: all ones for Black; 111 all ones

A word has a bit for each square of a plane, a1 first, as the boards of `movegen.board`. In canonical formats boards
are reflected (`engine.lc0.reflections`), and those before the last irreversible move are left out.
"""

import numpy as np

from engine.lc0.net_format import (
    INPUT_CANONICAL,
    INPUT_CASTLING_PLANE,
    INPUT_CLASSICAL,
    INPUT_HECTOPLIES,
    INPUT_HECTOPLIES_ARMAGEDDON,
    INPUT_V2,
    INPUT_V2_ARMAGEDDON,
)
from engine.lc0.reflections import canonical_reflection, reflected
from movegen.bits import ALL, ONE, U64, ZERO, lowest_square
from movegen.board import (
    Board,
    as_words,
    board_at,
    board_from_setup,
    diagonal_sliders,
    kings,
    knights,
    occupied_squares,
    own_king,
    pawns,
    straight_sliders,
    turned,
)
from movegen.compiler.jit import inlined, kernel
from movegen.fen import START_FEN, read_fen

PLANES, SQUARES, BOARDS, PLANES_OF_A_BOARD = 112, 64, 8, 13
CASTLING, SIDE, CLOCK, ARMAGEDDON, ONES = 104, 108, 109, 110, 111

# Which parts of a format a kernel is asked for: bits of its `layout`.
CASTLING_ROOKS, CANONICAL, HUNDREDTHS, REPEATED_ONLY, SIDE_IN_ARMAGEDDON = 1, 2, 4, 8, 16
LAYOUTS = {
    INPUT_CLASSICAL: 0,
    INPUT_CASTLING_PLANE: CASTLING_ROOKS,
    INPUT_CANONICAL: CASTLING_ROOKS | CANONICAL,
    INPUT_HECTOPLIES: CASTLING_ROOKS | CANONICAL | HUNDREDTHS,
    INPUT_HECTOPLIES_ARMAGEDDON: CASTLING_ROOKS | CANONICAL | HUNDREDTHS | SIDE_IN_ARMAGEDDON,
    INPUT_V2: CASTLING_ROOKS | CANONICAL | HUNDREDTHS | REPEATED_ONLY,
    INPUT_V2_ARMAGEDDON: CASTLING_ROOKS | CANONICAL | HUNDREDTHS | REPEATED_ONLY | SIDE_IN_ARMAGEDDON,
}

START: Board = as_words(board_from_setup(read_fen(START_FEN, chess960=False)))

UPPER_HALF, NEXT_RANK, RANKS_2 = U64(0xFFFF_FFFF_0000_0000), U64(8), U64(16)


@inlined
def write_pieces(board: Board, words: np.ndarray, first: int) -> None:
    """The twelve planes of one board."""
    own, other = board.own, occupied_squares(board) & ~board.own
    queens = board.diagonal & board.straight
    kinds = (
        pawns(board),
        knights(board),
        diagonal_sliders(board) & ~queens,
        straight_sliders(board) & ~queens,
        queens,
        kings(board),
    )
    plane = first
    for kind in kinds:
        words[plane] = kind & own
        words[plane + 6] = kind & other
        plane += 1


@inlined
def undo_double_push(board: Board, words: np.ndarray, first: int) -> None:
    """A board repeated in place of the one before: the pawn that may be captured en passant is back on its square."""
    if board.en_passant & UPPER_HALF:  # the opponent's pawn
        words[first + 6] ^= board.en_passant << NEXT_RANK | board.en_passant >> NEXT_RANK
    else:
        words[first] ^= board.en_passant << NEXT_RANK | board.en_passant >> NEXT_RANK


@inlined
def is_start(board: Board, side: np.uint64) -> bool:
    """Is this the position a game starts from?"""
    return bool(
        side == ZERO
        and board.own == START.own
        and board.diagonal == START.diagonal
        and board.straight == START.straight
        and board.leaper == START.leaper
        and board.castling == START.castling
    )


@inlined
def write_boards(
    history: np.ndarray,
    count: int,
    repetitions: np.ndarray,
    side: np.uint64,
    clock: int,
    layout: int,
    words: np.ndarray,
) -> None:
    """The planes of up to eight boards. If there are fewer, the oldest is repeated, unless games start with it."""
    present = board_at(history, 0)
    place, age = 0, 0
    while place < BOARDS:
        index = min(age, count - 1)
        board = board_at(history, index)
        if age >= count and (layout & REPEATED_ONLY != 0 or is_start(board, (side + U64(index)) & ONE)):
            break
        if index & 1:
            board = turned(board)
        changed = board.castling != present.castling or (age > 0 and board.en_passant != ZERO)
        if layout & CANONICAL and changed:
            break
        repeated = repetitions[index] > 0
        age += 1
        if repeated or place == 0 or layout & REPEATED_ONLY == 0:
            first = place * PLANES_OF_A_BOARD
            write_pieces(board, words, first)
            if age > count and board.en_passant:
                undo_double_push(board, words, first)
            if repeated:
                words[first + 12] = ALL
            place += 1
        if layout & CANONICAL and clock == index:  # nothing before the last irreversible move
            break


@inlined
def write_castling(board: Board, layout: int, words: np.ndarray) -> None:
    """The planes of castling rights."""
    king, other_king = own_king(board), lowest_square(kings(board) & ~board.own)
    own, other = board.castling & board.own, board.castling & ~board.own
    below, other_below = (ONE << king) - ONE, (ONE << other_king) - ONE
    if layout & CASTLING_ROOKS:
        words[CASTLING] = own & below | other & other_below
        words[CASTLING + 1] = own & ~below | other & ~other_below
        return
    words[CASTLING] = ALL if own & below else ZERO
    words[CASTLING + 1] = ALL if own & ~below else ZERO
    words[CASTLING + 2] = ALL if other & other_below else ZERO
    words[CASTLING + 3] = ALL if other & ~other_below else ZERO


@inlined
def write_words(
    history: np.ndarray,
    count: int,
    repetitions: np.ndarray,
    side: np.uint64,
    clock: int,
    layout: int,
    words: np.ndarray,
) -> np.uint64:
    """A word for each plane, all ones for the clock; the reflection."""
    words[:] = ZERO
    board = board_at(history, 0)
    write_boards(history, count, repetitions, side, clock, layout, words)
    write_castling(board, layout, words)
    black = ALL if side else ZERO
    words[SIDE] = board.en_passant << RANKS_2 if layout & CANONICAL else black
    words[CLOCK] = ALL
    words[ARMAGEDDON] = black if layout & SIDE_IN_ARMAGEDDON else ZERO
    words[ONES] = ALL
    reflection = canonical_reflection(board) if layout & CANONICAL else ZERO
    if reflection:
        for plane in range(SIDE + 1):
            words[plane] = reflected(words[plane], reflection)
    return reflection


@kernel
def fill_planes(
    history: np.ndarray,
    counts: np.ndarray,
    repetitions: np.ndarray,
    sides: np.ndarray,
    clocks: np.ndarray,
    layout: int,
    words: np.ndarray,
    planes: np.ndarray,
    reflections: np.ndarray,
) -> None:
    """Planes float32 [leaf, 112, 64] of as many leaves as there is room for, and their reflections.

    `words`: uint64 [112], scratch. The others: see `engine.network.leaves`.
    """
    for leaf in range(len(planes)):
        count, clock = int(counts[leaf]), int(clocks[leaf])
        reflections[leaf] = write_words(history[leaf], count, repetitions[leaf], U64(sides[leaf]), clock, layout, words)
        for plane in range(PLANES):
            word, row = words[plane], planes[leaf, plane]
            for square in range(SQUARES):
                row[square] = np.float32(word >> U64(square) & ONE)
        value = np.float32(clock)
        if layout & HUNDREDTHS:
            value /= np.float32(100)
        planes[leaf, CLOCK, :] = value
