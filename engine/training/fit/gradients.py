"""Loss and gradients of both nets, position by position: only the rows that a position uses are touched.

Everything that belongs to one position stays in the nearest cache, so that a core sees a hundred thousand and more
positions a second. Sums of floats are reordered freely here; inference, which must not, is in `engine.network`.
"""

import numpy as np

from engine.network.architecture import OUTCOMES, PIECES_PER_PHASE
from movegen.compiler.jit import float_kernel, inlined

f32 = np.float32
ZERO, ONE = f32(0), f32(1)


@inlined
def add_inputs(rows: np.ndarray, bias: np.ndarray, inputs: np.ndarray, count: int, hidden: np.ndarray) -> None:
    """The bias and the rows of the inputs that are on."""
    size = hidden.size
    for j in range(size):
        hidden[j] = bias[j]
    place = 0
    while place + 4 <= count:
        a, b, c, d = rows[inputs[place]], rows[inputs[place + 1]], rows[inputs[place + 2]], rows[inputs[place + 3]]
        for j in range(size):
            hidden[j] += (a[j] + b[j]) + (c[j] + d[j])
        place += 4
    while place < count:
        a = rows[inputs[place]]
        for j in range(size):
            hidden[j] += a[j]
        place += 1


@inlined
def add_to_inputs(slopes: np.ndarray, inputs: np.ndarray, count: int, rows: np.ndarray, bias: np.ndarray) -> None:
    """The reverse: add the slopes of the hidden layer to the slopes of those rows."""
    size = slopes.size
    for j in range(size):
        bias[j] += slopes[j]
    place = 0
    while place + 2 <= count:
        a, b = rows[inputs[place]], rows[inputs[place + 1]]
        for j in range(size):
            a[j] += slopes[j]
            b[j] += slopes[j]
        place += 2
    if place < count:
        a = rows[inputs[place]]
        for j in range(size):
            a[j] += slopes[j]


@inlined
def activate(hidden: np.ndarray, squares: np.ndarray) -> None:
    """SCReLU: clip to 0 … 1, then square."""
    for j in range(hidden.size):
        v = min(max(hidden[j], ZERO), ONE)
        hidden[j] = v
        squares[j] = v * v


@inlined
def slopes_before_activation(hidden: np.ndarray, slopes: np.ndarray) -> None:
    """From slopes after `activate` to those before it, given the clipped sums; where they were clipped, none."""
    for j in range(hidden.size):
        v = hidden[j]
        slopes[j] *= (v + v) if v < ONE else ZERO


@inlined
def shares_and_loss(logits: np.ndarray, targets: np.ndarray, count: int) -> float:
    """Turn logits into the slopes of the cross-entropy (share − target); -> the cross-entropy."""
    highest = logits[0]
    for place in range(1, count):
        highest = max(highest, logits[place])
    total = ZERO
    for place in range(count):
        total += np.exp(logits[place] - highest)
    log_total = np.log(total) + highest
    loss = 0.0
    for place in range(count):
        log_share = logits[place] - log_total
        loss -= targets[place] * log_share
        logits[place] = np.exp(log_share) - targets[place]
    return loss


@float_kernel
def value_slopes(
    inputs: np.ndarray,
    counts: np.ndarray,
    targets: np.ndarray,
    weights: tuple[np.ndarray, ...],
    slopes: tuple[np.ndarray, ...],
) -> float:
    """Cross-entropy of win, draw and loss, summed over positions; its slopes are added to `slopes`.

    Weights and slopes are (input rows, hidden bias, outcome rows, outcome bias).
    """
    rows, bias, outcomes, outcome_bias = weights
    d_rows, d_bias, d_outcomes, d_outcome_bias = slopes
    size = bias.size
    hidden, squares, back = np.empty(size, f32), np.empty(size, f32), np.empty(size, f32)
    logits, loss = np.empty(OUTCOMES, f32), 0.0
    for line in range(counts.size):
        add_inputs(rows, bias, inputs[line], counts[line], hidden)
        activate(hidden, squares)
        first = (counts[line] - 1) // PIECES_PER_PHASE * OUTCOMES
        win, draw, lost = outcomes[first], outcomes[first + 1], outcomes[first + 2]
        w, d, l = outcome_bias[first], outcome_bias[first + 1], outcome_bias[first + 2]
        for j in range(size):
            w += squares[j] * win[j]
            d += squares[j] * draw[j]
            l += squares[j] * lost[j]
        logits[0], logits[1], logits[2] = w, d, l
        loss += shares_and_loss(logits, targets[line], OUTCOMES)
        w, d, l = logits[0], logits[1], logits[2]
        d_win, d_draw, d_lost = d_outcomes[first], d_outcomes[first + 1], d_outcomes[first + 2]
        for j in range(size):
            back[j] = w * win[j] + d * draw[j] + l * lost[j]
            d_win[j] += w * squares[j]
            d_draw[j] += d * squares[j]
            d_lost[j] += l * squares[j]
        d_outcome_bias[first] += w
        d_outcome_bias[first + 1] += d
        d_outcome_bias[first + 2] += l
        slopes_before_activation(hidden, back)
        add_to_inputs(back, inputs[line], counts[line], d_rows, d_bias)
    return loss


@inlined
def add_move(move_rows: np.ndarray, four: np.ndarray, total: np.ndarray) -> None:
    """The sum of the four rows of a move."""
    a, b, c, d = move_rows[four[0]], move_rows[four[1]], move_rows[four[2]], move_rows[four[3]]
    for j in range(total.size):
        total[j] = (a[j] + b[j]) + (c[j] + d[j])


@inlined
def add_to_move(move_rows: np.ndarray, four: np.ndarray, slope: float, squares: np.ndarray) -> None:
    """Add the slope of a move's logit to the slopes of its rows."""
    a, b, c, d = move_rows[four[0]], move_rows[four[1]], move_rows[four[2]], move_rows[four[3]]
    for j in range(squares.size):
        step = slope * squares[j]
        a[j] += step
        b[j] += step
        c[j] += step
        d[j] += step


@float_kernel
def policy_slopes(
    inputs: np.ndarray,
    counts: np.ndarray,
    rows_of_moves: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    weights: tuple[np.ndarray, ...],
    slopes: tuple[np.ndarray, ...],
) -> float:
    """Cross-entropy over the legal moves, summed over positions; its slopes are added to `slopes`.

    Weights and slopes are (input rows, hidden bias, move rows, move bias). Targets are shares of 1 for each move.
    """
    rows, bias, move_rows, move_bias = weights
    d_rows, d_bias, d_move_rows, d_move_bias = slopes
    size = bias.size
    hidden, squares, back = np.empty(size, f32), np.empty(size, f32), np.empty(size, f32)
    sums, logits, loss = np.empty((512, size), f32), np.empty(512, f32), 0.0
    for line in range(counts.size):
        begin, moves = starts[line], starts[line + 1] - starts[line]
        if moves == 0:
            continue
        add_inputs(rows, bias, inputs[line], counts[line], hidden)
        activate(hidden, squares)
        for move in range(moves):
            four, total = rows_of_moves[begin + move], sums[move]
            add_move(move_rows, four, total)
            logit = move_bias[four[0]] + move_bias[four[1]] + move_bias[four[2]] + move_bias[four[3]]
            for j in range(size):
                logit += total[j] * squares[j]
            logits[move] = logit
        loss += shares_and_loss(logits, targets[begin:], moves)
        for j in range(size):
            back[j] = ZERO
        for move in range(moves):
            slope, total, four = logits[move], sums[move], rows_of_moves[begin + move]
            for j in range(size):
                back[j] += slope * total[j]
            if abs(slope) > f32(1e-4):  # the others change nothing worth the time
                for group in range(4):
                    d_move_bias[four[group]] += slope
                add_to_move(d_move_rows, four, slope, squares)
        slopes_before_activation(hidden, back)
        add_to_inputs(back, inputs[line], counts[line], d_rows, d_bias)
    return loss
