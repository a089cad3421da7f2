"""Inference in integers only: the result is the same on every CPU, and nothing is allocated.

The loops are written so that the compiler vectorises them: rows are taken out of the arrays before the loop, four rows
go into each pass, and every intermediate result is cut to the width it needs.

Softmax: e^−d is the product of two table entries, one for the whole sixteenths of d, one for the rest. The tables are
computed with decimal arithmetic, which rounds correctly everywhere.
"""

from decimal import Decimal

import numpy as np

from engine.network.architecture import (
    LOGIT_BITS,
    MOVE_HALF,
    MOVE_SHIFT,
    ONE_HIDDEN,
    OUTCOME_SHIFT,
    OUTCOMES,
    PIECES_PER_PHASE,
    PRIOR_UNIT,
    SCALE_BITS,
    VALUE_UNIT,
    Network,
    Scratch,
)
from engine.network.features import AttackMaps, attack_maps, fill_inputs
from engine.network.move_features import fill_rows, move_context_of
from movegen.bits import U64
from movegen.board import Board
from movegen.compiler.jit import inlined, lookup

EXP_BITS = 30  # 1.0 is ONE_EXP
COARSE_STEPS = 512  # sixteenths: e^−32 and less counts as 0
FINE_BITS = LOGIT_BITS - 4
FINE_STEPS = 1 << FINE_BITS

ONE_EXP = 1 << EXP_BITS
i16, i32, i64, u16 = np.int16, np.int32, np.int64, np.uint16
LOWEST, FULL, HALF = i16(0), i16(ONE_HIDDEN), i32(MOVE_HALF)
SHARPNESS_BITS = LOGIT_BITS
PLAIN_SHARPNESS = 1 << SHARPNESS_BITS  # the sharpness of temperature 1


# Softmax


def exponentials(count: int, steps_per_unit: int) -> np.ndarray:
    """e^−(i / steps per unit) for i = 0 … count − 1, in 1 / ONE_EXP."""
    powers = ((Decimal(-step) / steps_per_unit).exp() * ONE_EXP for step in range(count))
    return np.array([int(power.to_integral_value()) for power in powers], dtype=np.uint64)


_coarse = lookup("exp_coarse", exponentials(COARSE_STEPS, 16))
_fine = lookup("exp_fine", exponentials(FINE_STEPS, 1 << LOGIT_BITS))


@inlined
def exp_of_minus(distance: np.uint64) -> np.uint64:
    """e^−distance in 1 / ONE_EXP; the distance is in 1 / (1 << LOGIT_BITS)."""
    coarse = distance >> U64(FINE_BITS)
    if coarse >= U64(COARSE_STEPS):
        return U64(0)
    return _coarse(coarse) * _fine(distance & U64(FINE_STEPS - 1)) >> U64(EXP_BITS)


def sharpness(temperature: float) -> int:
    """The factor of the logits in `policy`: temperatures above 1 make priors more equal, below 1 less."""
    return max(1, min(round(PLAIN_SHARPNESS / temperature), PLAIN_SHARPNESS << 6))


# The two nets


@inlined
def sum_rows(rows: np.ndarray, bias: np.ndarray, inputs: np.ndarray, count: int, hidden: np.ndarray) -> None:
    """The bias and the rows of all inputs that are on."""
    size = hidden.size
    for j in range(size):
        hidden[j] = bias[j]
    index = 0
    while index + 4 <= count:
        a, b, c, d = rows[inputs[index]], rows[inputs[index + 1]], rows[inputs[index + 2]], rows[inputs[index + 3]]
        for j in range(size):
            hidden[j] = i16(i16(hidden[j] + i16(a[j] + b[j])) + i16(c[j] + d[j]))
        index += 4
    while index < count:
        a = rows[inputs[index]]
        for j in range(size):
            hidden[j] = i16(hidden[j] + a[j])
        index += 1


@inlined
def outcome_sums(network: Network, hidden: np.ndarray, pieces: int) -> tuple[np.int32, np.int32, np.int32]:
    """Clip, square and weigh the hidden layer of the value; -> the sums for win, draw and loss."""
    first = (pieces - 1) // PIECES_PER_PHASE * OUTCOMES
    rows, bias = network.outcome_rows, network.outcome_bias
    wins, draws, losses = rows[first], rows[first + 1], rows[first + 2]
    win, draw, loss = bias[first], bias[first + 1], bias[first + 2]
    for j in range(hidden.size):
        v = u16(min(max(hidden[j], LOWEST), FULL))
        square = i16(u16(v * v) >> u16(OUTCOME_SHIFT))
        win = i32(win + i32(i32(square) * i32(wins[j])))
        draw = i32(draw + i32(i32(square) * i32(draws[j])))
        loss = i32(loss + i32(i32(square) * i32(losses[j])))
    return win, draw, loss


@inlined
def as_logit(total: np.int32, scale: np.int64) -> np.int64:
    """A sum of products as a logit in 1 / (1 << LOGIT_BITS)."""
    return i64(total) * scale >> SCALE_BITS


@inlined
def outcome_logits(
    network: Network, scratch: Scratch, board: Board, maps: AttackMaps
) -> tuple[np.int64, np.int64, np.int64]:
    """The logits of win, draw and loss for the player to move."""
    count = fill_inputs(board, maps, scratch.inputs)
    sum_rows(network.value_rows, network.value_bias, scratch.inputs, count, scratch.value_hidden)
    win, draw, loss = outcome_sums(network, scratch.value_hidden, count)
    scale = network.scales[0]
    return as_logit(win, scale), as_logit(draw, scale), as_logit(loss, scale)


@inlined
def value(network: Network, scratch: Scratch, board: Board) -> tuple[np.int64, np.int64, np.int64]:
    """The shares of win, draw and loss for the player to move; their sum is VALUE_UNIT."""
    return value_with_maps(network, scratch, board, attack_maps(board))


@inlined
def value_with_maps(
    network: Network, scratch: Scratch, board: Board, maps: AttackMaps
) -> tuple[np.int64, np.int64, np.int64]:
    """The same, given the attacks."""
    win, draw, loss = outcome_logits(network, scratch, board, maps)
    highest = max(win, draw, loss)
    w, d, l = exp_of_minus(U64(highest - win)), exp_of_minus(U64(highest - draw)), exp_of_minus(U64(highest - loss))
    total = w + d + l
    wins, losses = i64(w * U64(VALUE_UNIT) // total), i64(l * U64(VALUE_UNIT) // total)
    return wins, i64(VALUE_UNIT) - wins - losses, losses


@inlined
def square_hidden(hidden: np.ndarray) -> None:
    """Clip and square the hidden layer of the policy, in index, to 7 bits."""
    for j in range(hidden.size):
        v = i32(min(max(hidden[j], LOWEST), FULL))
        hidden[j] = i16(i32(i32(v * v) + HALF) >> MOVE_SHIFT)


@inlined
def move_sum(network: Network, hidden: np.ndarray, rows: np.ndarray, index: int) -> np.int32:
    """The four rows of a move times the hidden layer."""
    first, second, third, fourth = rows[index, 0], rows[index, 1], rows[index, 2], rows[index, 3]
    a, b, c, d = (
        network.move_rows[first],
        network.move_rows[second],
        network.move_rows[third],
        network.move_rows[fourth],
    )
    bias = network.move_bias
    total = i32(bias[first] + bias[second] + bias[third] + bias[fourth])
    for j in range(hidden.size):
        weight = i16(i16(i16(a[j]) + i16(b[j])) + i16(i16(c[j]) + i16(d[j])))
        total = i32(total + i32(i32(weight) * i32(hidden[j])))
    return total


@inlined
def move_logits(network: Network, scratch: Scratch, board: Board, moves: np.ndarray, count: np.int64) -> np.int64:
    """Write the logits of the legal moves into `scratch.logits`; -> the highest."""
    maps = attack_maps(board)
    pieces = fill_inputs(board, maps, scratch.inputs)
    sum_rows(network.policy_rows, network.policy_bias, scratch.inputs, pieces, scratch.policy_hidden)
    square_hidden(scratch.policy_hidden)
    context = move_context_of(board, maps)
    scale, highest = network.scales[1], i64(-(1 << 62))
    for index in range(count):
        fill_rows(board, context, U64(moves[index]), scratch.rows, index)
        logit = as_logit(move_sum(network, scratch.policy_hidden, scratch.rows, index), scale)
        scratch.logits[index] = logit
        highest = max(highest, logit)
    return highest


@inlined
def policy(
    network: Network,
    scratch: Scratch,
    board: Board,
    moves: np.ndarray,
    count: np.int64,
    sharpness: int,
    priors: np.ndarray,
) -> None:
    """Write a prior for each of the legal moves: at least 1, their sum at most PRIOR_UNIT.

    `moves` and `priors` are arrays of uint16; `sharpness` is the result of the function of that name.
    """
    highest = move_logits(network, scratch, board, moves, count)
    total = U64(0)
    for index in range(count):
        share = exp_of_minus(U64((highest - scratch.logits[index]) * sharpness >> SHARPNESS_BITS))
        scratch.logits[index] = i64(share)
        total += share
    to_give = U64(PRIOR_UNIT - count)
    for index in range(count):
        priors[index] = np.uint16(U64(1) + U64(scratch.logits[index]) * to_give // total)
