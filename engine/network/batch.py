"""Kernels over many positions, for training, evaluation and tests: the very functions that the search uses."""

import numpy as np

from engine.network.attack_maps import attack_maps
from engine.network.features import fill_inputs
from engine.network.infer import move_logits, outcome_logits, policy, value
from engine.network.move_context import move_context_of
from engine.network.move_features import fill_rows
from engine.network.weights import Network, Scratch
from movegen.bits import U64
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.legal import fill_moves


@inlined
def board_at(boards: np.ndarray, index: int) -> Board:
    """One board of an array of their six words."""
    words = boards[index]
    return Board(words[0], words[1], words[2], words[3], words[4], words[5])


@kernel
def inputs_of(boards: np.ndarray, chosen: np.ndarray, inputs: np.ndarray, counts: np.ndarray) -> None:
    """The inputs of the chosen boards: a line of `inputs` for each, and how many of it are meant."""
    for line in range(chosen.size):
        board = board_at(boards, chosen[line])
        counts[line] = fill_inputs(board, attack_maps(board), inputs[line])


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

    Boards for which there is no room any more get no moves. `found`: room for the moves of one board.
    """
    room = moves.size
    starts[0] = 0
    for line in range(chosen.size):
        board = board_at(boards, chosen[line])
        scene = move_context_of(board, attack_maps(board))
        begin, count = starts[line], np.int64(fill_moves(board, found))
        if begin + count > room:
            count = np.int64(0)
        for place in range(count):
            moves[begin + place] = found[place]
            fill_rows(board, scene, U64(found[place]), rows, begin + place)
        starts[line + 1] = begin + count


@kernel
def values_of(network: Network, scratch: Scratch, boards: np.ndarray, shares: np.ndarray) -> None:
    """Win, draw and loss of each board."""
    for line in range(len(boards)):
        win, draw, loss = value(network, scratch, board_at(boards, line))
        shares[line, 0], shares[line, 1], shares[line, 2] = win, draw, loss


@kernel
def outcome_logits_of(network: Network, scratch: Scratch, boards: np.ndarray, logits: np.ndarray) -> None:
    """The three logits of each board."""
    for line in range(len(boards)):
        board = board_at(boards, line)
        win, draw, loss = outcome_logits(network, scratch, board, attack_maps(board))
        logits[line, 0], logits[line, 1], logits[line, 2] = win, draw, loss


@kernel
def move_logits_of(
    network: Network, scratch: Scratch, boards: np.ndarray, moves: np.ndarray, logits: np.ndarray, counts: np.ndarray
) -> None:
    """The legal moves of each board and their logits, a line for each board."""
    for line in range(len(boards)):
        board = board_at(boards, line)
        count = np.int64(fill_moves(board, moves[line]))
        move_logits(network, scratch, board, moves[line], count)
        for place in range(count):
            logits[line, place] = scratch.logits[place]
        counts[line] = count


@kernel
def priors_of(
    network: Network,
    scratch: Scratch,
    boards: np.ndarray,
    sharpness: int,
    moves: np.ndarray,
    priors: np.ndarray,
    counts: np.ndarray,
) -> None:
    """The legal moves of each board and their priors, a line for each board."""
    for line in range(len(boards)):
        board = board_at(boards, line)
        count = np.int64(fill_moves(board, moves[line]))
        policy(network, scratch, board, moves[line], count, sharpness, priors[line])
        counts[line] = count
