"""Counters without a table: walk the tree of legal moves to a depth and count its leaves.

`count_leaves` is the fast one (it counts the moves of the last ply without making them); the others are for
comparisons with it and with other programs.
"""

import numpy as np

from movegen.apply import apply, apply_keyed
from movegen.bits import ONE, TWO, ZERO
from movegen.board import Board
from movegen.compiler.jit import kernel
from movegen.legal import count_moves, list_moves
from movegen.moves import load_move, move_buffer

# MAX_MOVES ** 7 < 2 ** 64: down to this depth a count fits a word, whatever the position.
DEEPEST_FOR_ONE_WORD = 7


@kernel
def count_leaves(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at a depth of 1 or more; the last ply by counting target sets ("popcount bulk")."""
    if depth == ONE:
        return count_moves(board)
    moves = move_buffer()
    found = list_moves(board, moves)
    leaves, index = ZERO, ZERO
    while index < found:
        after = apply(board, load_move(moves, index))
        if depth == TWO:
            leaves += count_moves(after)
        else:
            leaves += count_leaves(after, depth - ONE)
        index += ONE
    return leaves


@kernel
def count_by_lists(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at a depth of 1 or more; the last ply by the length of the move list, as Stockfish does it."""
    moves = move_buffer()
    found = list_moves(board, moves)
    if depth == ONE:
        return found
    leaves, index = ZERO, ZERO
    while index < found:
        leaves += count_by_lists(apply(board, load_move(moves, index)), depth - ONE)
        index += ONE
    return leaves


@kernel
def count_by_lists_keyed(board: Board, key: np.uint64, clock: np.uint64, depth: np.uint64) -> np.uint64:
    """`count_by_lists` with keys and 50-move counts kept, as a search does."""
    moves = move_buffer()
    found = list_moves(board, moves)
    if depth == ONE:
        return found
    leaves, index = ZERO, ZERO
    while index < found:
        after, new_key, new_clock = apply_keyed(board, key, clock, load_move(moves, index))
        leaves += count_by_lists_keyed(after, new_key, new_clock, depth - ONE)
        index += ONE
    return leaves


@kernel
def count_without_bulk(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at any depth, every single move made."""
    if depth == ZERO:
        return ONE
    moves = move_buffer()
    found = list_moves(board, moves)
    leaves, index = ZERO, ZERO
    while index < found:
        leaves += count_without_bulk(apply(board, load_move(moves, index)), depth - ONE)
        index += ONE
    return leaves
