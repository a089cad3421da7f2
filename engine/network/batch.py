"""Kernels over many positions, for training and evaluation: they call the functions that the search uses."""

import numpy as np

from engine.network.architecture import Network, Scratch
from engine.network.features import attack_maps, fill_inputs
from engine.network.infer import move_logits, value
from engine.network.move_features import fill_rows, move_context_of
from engine.network.quiescence import quiet_leaf, quiet_value
from movegen.bits import U64
from movegen.board import board_at
from movegen.compiler.jit import kernel
from movegen.generate import fill_moves


@kernel
def inputs_of(boards: np.ndarray, chosen: np.ndarray, inputs: np.ndarray, counts: np.ndarray) -> None:
    """The inputs of the chosen boards: a row of `inputs` for each, and how many of the row are used."""
    for number in range(chosen.size):
        board = board_at(boards, chosen[number])
        counts[number] = fill_inputs(board, attack_maps(board), inputs[number])


@kernel
def moves_of(
    boards: np.ndarray,
    chosen: np.ndarray,
    found: np.ndarray,
    moves: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
) -> None:
    """The legal moves of the chosen boards one after the other, with their rows; `starts` bounds each board's part.

    Boards that do not fit get no moves. `found`: room for the moves of one board.
    """
    room = moves.size
    starts[0] = 0
    for number in range(chosen.size):
        board = board_at(boards, chosen[number])
        context = move_context_of(board, attack_maps(board))
        begin, count = starts[number], np.int64(fill_moves(board, found))
        if begin + count > room:
            count = np.int64(0)
        for index in range(count):
            moves[begin + index] = found[index]
            fill_rows(board, context, U64(found[index]), rows, begin + index)
        starts[number + 1] = begin + count


@kernel
def values_of(network: Network, scratch: Scratch, boards: np.ndarray, shares: np.ndarray) -> None:
    """Win, draw and loss of each board."""
    for number in range(len(boards)):
        win, draw, loss = value(network, scratch, board_at(boards, number))
        shares[number, 0], shares[number, 1], shares[number, 2] = win, draw, loss


@kernel
def quiet_values_of(network: Network, scratch: Scratch, boards: np.ndarray, shares: np.ndarray) -> None:
    """The same, once hanging pieces are taken."""
    for number in range(len(boards)):
        win, draw, loss = quiet_value(network, scratch, board_at(boards, number))
        shares[number, 0], shares[number, 1], shares[number, 2] = win, draw, loss


@kernel
def quiet_leaves_of(
    network: Network, scratch: Scratch, boards: np.ndarray, leaves: np.ndarray, plies: np.ndarray
) -> None:
    """The positions whose values count once hanging pieces are taken, and how many captures lead there."""
    for number in range(len(boards)):
        leaf, row = quiet_leaf(network, scratch, board_at(boards, number)), leaves[number]
        row[0], row[1], row[2], row[3], row[4], row[5] = leaf.board
        plies[number] = leaf.plies


@kernel
def move_logits_of(
    network: Network, scratch: Scratch, boards: np.ndarray, moves: np.ndarray, logits: np.ndarray, counts: np.ndarray
) -> None:
    """The legal moves of each board and their logits, a row for each board."""
    for number in range(len(boards)):
        board = board_at(boards, number)
        count = np.int64(fill_moves(board, moves[number]))
        move_logits(network, scratch, board, moves[number], count)
        for index in range(count):
            logits[number, index] = scratch.logits[index]
        counts[number] = count
