"""The legal moves of a position: count, list, test for one, sample one."""

import numpy as np

from movegen.bits import ONE, TWO, ZERO, multiply_high, nth_square, popcount
from movegen.board import Board
from movegen.collect import BY_DISTANCE, COUNT, LIST, SAMPLE, set_buffer
from movegen.compiler.buffers import Buffer, buffer_of, load_64
from movegen.compiler.jit import kernel
from movegen.generate import walk_moves
from movegen.moves import KIND_MASK, NO_MOVE, SQUARE_MASK, TARGET_SHIFT, Move, load_move, move_buffer


@kernel
def count_moves(board: Board) -> np.uint64:
    """The number of legal moves, without making a list."""
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
    """A legal move, each with the same probability, given 64 random bits; NO_MOVE if there is none."""
    sets = set_buffer()
    found = walk_moves(SAMPLE, board, sets)
    if found.moves == ZERO:
        return NO_MOVE
    skip, index = multiply_high(random, found.moves), ZERO
    while skip >= popcount(load_64(sets, index)):
        skip -= popcount(load_64(sets, index))
        index += TWO
    target = nth_square(load_64(sets, index), skip)
    source = load_64(sets, index + ONE)
    origin = source & SQUARE_MASK
    if source & BY_DISTANCE:
        origin = target - origin
    return origin | target << TARGET_SHIFT | source & KIND_MASK
