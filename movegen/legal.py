"""The legal moves of a position: how many, which, is this one, and one at random."""

import numpy as np

from movegen.bits import ONE, TWO, U64, ZERO, multiply_high, nth_square, popcount
from movegen.board import Board
from movegen.collect import BY_DISTANCE, COUNT, SAMPLE, LIST
from movegen.compiler.buffers import Buffer, buffer_of, load_move, load_word, move_buffer, set_buffer
from movegen.compiler.jit import kernel
from movegen.generate import walk_moves
from movegen.moves import NO_MOVE, SQUARE_MASK, TARGET_SHIFT, Move


@kernel
def count_moves(board: Board) -> np.uint64:
    """How many legal moves there are, without making a list."""
    return walk_moves(COUNT, board, ZERO).moves


@kernel
def list_moves(board: Board, buffer: Buffer) -> np.uint64:
    """Write all legal moves into a buffer; -> how many."""
    return walk_moves(LIST, board, buffer).moves


@kernel
def fill_moves(board: Board, moves: np.ndarray) -> np.uint64:
    """Write all legal moves into a numpy array of MAX_MOVES 16-bit numbers; -> how many."""
    return list_moves(board, buffer_of(moves))


@kernel
def is_legal_move(board: Board, move: Move) -> bool:
    """Is this number one of the legal moves?"""
    moves = move_buffer()
    found = list_moves(board, moves)
    index = ZERO
    while index < found and load_move(moves, index) != move:
        index += ONE
    return bool(index < found)


@kernel
def sample_move(board: Board, random: np.uint64) -> Move:
    """One legal move, each with the same chance, given 64 random bits; NO_MOVE if there is none."""
    sets = set_buffer()
    found = walk_moves(SAMPLE, board, sets)
    if found.moves == ZERO:
        return NO_MOVE
    left, place = multiply_high(random, found.moves), ZERO
    while left >= popcount(load_word(sets, place)):
        left -= popcount(load_word(sets, place))
        place += TWO
    square = nth_square(load_word(sets, place), left)
    source = load_word(sets, place + ONE)
    start = source & SQUARE_MASK
    if source & BY_DISTANCE:
        start = square - start
    return start | square << TARGET_SHIFT | source & U64(0xF000)
