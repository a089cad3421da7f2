"""Kernels over many positions that only tests need."""

import numba
import numpy as np

from engine.network.batch import board_at
from engine.network.captures import capture_buffer, load_capture, winning_captures
from engine.network.features import attack_maps
from engine.network.infer import outcome_logits, policy
from movegen.bits import U64
from movegen.compiler.jit import KERNEL_OPTIONS
from movegen.generate import fill_moves


@numba.njit(**KERNEL_OPTIONS)
def outcome_logits_of(network, scratch, boards, logits):
    """The three logits of each board."""
    for row in range(len(boards)):
        board = board_at(boards, row)
        win, draw, loss = outcome_logits(network, scratch, board, attack_maps(board))
        logits[row, 0], logits[row, 1], logits[row, 2] = win, draw, loss


@numba.njit(**KERNEL_OPTIONS)
def priors_of(network, scratch, boards, sharpness, moves, priors, counts):
    """The legal moves of each board and their priors, a row for each board."""
    for row in range(len(boards)):
        board = board_at(boards, row)
        count = np.int64(fill_moves(board, moves[row]))
        policy(network, scratch, board, moves[row], count, sharpness, priors[row])
        counts[row] = count


@numba.njit(**KERNEL_OPTIONS)
def winning_captures_of(boards, moves, counts):
    """The winning captures of each board in their order, a row for each board."""
    for row in range(len(boards)):
        board, captures = board_at(boards, row), capture_buffer()
        counts[row] = winning_captures(board, attack_maps(board), captures)
        for index in range(counts[row]):
            moves[row, index] = load_capture(captures, U64(index))
