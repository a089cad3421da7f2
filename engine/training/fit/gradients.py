"""Loss and gradients of both nets, position by position: only the rows that a position uses are touched.

Forward, with the rows x of the inputs that are on:

    hidden = Σ x + bias        clipped = min(max(hidden, 0), 1)        squares = clipped²
    logit of an output = its row · squares + its bias        (the row of a move is the sum of four rows)
    loss = −Σ target · log softmax(logits)

Backward, with d… for the derivative of the loss:

    d logit = softmax − target        d row = d logit · squares        d squares = Σ d logit · row
    d hidden = d squares · 2 · clipped, 0 where the sum was clipped        d x = d bias = d hidden

The data of one position stay in the nearest cache, so that a core processes more than a hundred thousand positions a
second. Sums of floats are reordered freely here; inference, which must not, is in `engine.network`. Steps that sum up
floats are `inlined_source`: so they are compiled with the options of the kernel that uses them.
"""

import numpy as np

from engine.network.architecture import OUTCOMES, PIECES_PER_PHASE, ROWS_PER_MOVE
from movegen.compiler.jit import float_kernel, inlined, inlined_source
from movegen.moves import MAX_MOVES

f32 = np.float32
ZERO, ONE = f32(0), f32(1)
NEGLIGIBLE = f32(1e-4)  # smaller derivatives of a move's logit do not change its rows: not worth the time


@inlined
def add_inputs(rows: np.ndarray, bias: np.ndarray, inputs: np.ndarray, count: int, hidden: np.ndarray) -> None:
    """The bias and the rows of the inputs that are on."""
    size = hidden.size
    for j in range(size):
        hidden[j] = bias[j]
    index = 0
    while index + 4 <= count:
        a, b, c, d = rows[inputs[index]], rows[inputs[index + 1]], rows[inputs[index + 2]], rows[inputs[index + 3]]
        for j in range(size):
            hidden[j] += (a[j] + b[j]) + (c[j] + d[j])
        index += 4
    while index < count:
        a = rows[inputs[index]]
        for j in range(size):
            hidden[j] += a[j]
        index += 1


@inlined
def add_to_inputs(d_hidden: np.ndarray, inputs: np.ndarray, count: int, d_rows: np.ndarray, d_bias: np.ndarray) -> None:
    """The reverse: add the gradient of the hidden layer to the gradients of the bias and those rows."""
    size = d_hidden.size
    for j in range(size):
        d_bias[j] += d_hidden[j]
    index = 0
    while index + 2 <= count:
        a, b = d_rows[inputs[index]], d_rows[inputs[index + 1]]
        for j in range(size):
            a[j] += d_hidden[j]
            b[j] += d_hidden[j]
        index += 2
    if index < count:
        a = d_rows[inputs[index]]
        for j in range(size):
            a[j] += d_hidden[j]


@inlined
def activate(hidden: np.ndarray, squares: np.ndarray) -> None:
    """SCReLU: clip to 0 … 1, then square."""
    for j in range(hidden.size):
        v = min(max(hidden[j], ZERO), ONE)
        hidden[j] = v
        squares[j] = v * v


@inlined
def before_activation(clipped: np.ndarray, gradient: np.ndarray) -> None:
    """From the gradient of the squares to that of the hidden layer, in place."""
    for j in range(clipped.size):
        v = clipped[j]
        gradient[j] *= (v + v) if v < ONE else ZERO


@inlined
def cross_entropy(logits: np.ndarray, targets: np.ndarray, count: int) -> float:
    """Replace logits by their gradient (softmax − target); -> the cross-entropy."""
    highest = logits[0]
    for index in range(1, count):
        highest = max(highest, logits[index])
    total = ZERO
    for index in range(count):
        total += np.exp(logits[index] - highest)
    log_total = np.log(total) + highest
    loss = 0.0
    for index in range(count):
        log_share = logits[index] - log_total
        loss -= targets[index] * log_share
        logits[index] = np.exp(log_share) - targets[index]
    return loss


@inlined
def weighted_loss(logits: np.ndarray, targets: np.ndarray, count: int, weight: float) -> float:
    """The same, with a factor for loss and gradient."""
    loss = cross_entropy(logits, targets, count)
    for index in range(count):
        logits[index] *= weight
    return loss * weight


@inlined_source
def outcome_forward(
    squares: np.ndarray, outcomes: np.ndarray, outcome_bias: np.ndarray, first: int, logits: np.ndarray
) -> None:
    """The logits of win, draw and loss, whose rows are `first` to `first` + 2."""
    win_row, draw_row, loss_row = outcomes[first], outcomes[first + 1], outcomes[first + 2]
    win, draw, loss = outcome_bias[first], outcome_bias[first + 1], outcome_bias[first + 2]
    for j in range(squares.size):
        win += squares[j] * win_row[j]
        draw += squares[j] * draw_row[j]
        loss += squares[j] * loss_row[j]
    logits[0], logits[1], logits[2] = win, draw, loss


@inlined_source
def outcome_backward(
    d_logits: np.ndarray,
    squares: np.ndarray,
    outcomes: np.ndarray,
    first: int,
    d_outcomes: np.ndarray,
    d_outcome_bias: np.ndarray,
    d_squares: np.ndarray,
) -> None:
    """Add the gradients of the three rows and biases, and write that of the squares."""
    win_row, draw_row, loss_row = outcomes[first], outcomes[first + 1], outcomes[first + 2]
    d_win_row, d_draw_row, d_loss_row = d_outcomes[first], d_outcomes[first + 1], d_outcomes[first + 2]
    d_win, d_draw, d_loss = d_logits[0], d_logits[1], d_logits[2]
    for j in range(squares.size):
        d_squares[j] = d_win * win_row[j] + d_draw * draw_row[j] + d_loss * loss_row[j]
        d_win_row[j] += d_win * squares[j]
        d_draw_row[j] += d_draw * squares[j]
        d_loss_row[j] += d_loss * squares[j]
    d_outcome_bias[first] += d_win
    d_outcome_bias[first + 1] += d_draw
    d_outcome_bias[first + 2] += d_loss


@float_kernel
def value_gradients(
    inputs: np.ndarray,
    counts: np.ndarray,
    targets: np.ndarray,
    weights: tuple[np.ndarray, ...],
    gradients: tuple[np.ndarray, ...],
) -> float:
    """Cross-entropy of win, draw and loss, summed over positions; its gradients are added to `gradients`.

    Weights and gradients are (input rows, hidden bias, outcome rows, outcome bias).
    """
    rows, bias, outcomes, outcome_bias = weights
    d_rows, d_bias, d_outcomes, d_outcome_bias = gradients
    size = bias.size
    hidden, squares, back = np.empty(size, f32), np.empty(size, f32), np.empty(size, f32)
    logits, loss = np.empty(OUTCOMES, f32), 0.0
    for number in range(counts.size):
        first = (counts[number] - 1) // PIECES_PER_PHASE * OUTCOMES
        add_inputs(rows, bias, inputs[number], counts[number], hidden)
        activate(hidden, squares)
        outcome_forward(squares, outcomes, outcome_bias, first, logits)
        loss += cross_entropy(logits, targets[number], OUTCOMES)
        outcome_backward(logits, squares, outcomes, first, d_outcomes, d_outcome_bias, back)
        before_activation(hidden, back)
        add_to_inputs(back, inputs[number], counts[number], d_rows, d_bias)
    return loss


@inlined
def add_move_gradient(move_rows: np.ndarray, four: np.ndarray, total: np.ndarray) -> None:
    """The sum of the four rows of a move."""
    a, b, c, d = move_rows[four[0]], move_rows[four[1]], move_rows[four[2]], move_rows[four[3]]
    for j in range(total.size):
        total[j] = (a[j] + b[j]) + (c[j] + d[j])


@inlined
def add_to_move(d_move_rows: np.ndarray, four: np.ndarray, d_logit: float, squares: np.ndarray) -> None:
    """Add the gradient of a move's row to the gradients of its four rows."""
    a, b, c, d = d_move_rows[four[0]], d_move_rows[four[1]], d_move_rows[four[2]], d_move_rows[four[3]]
    for j in range(squares.size):
        step = d_logit * squares[j]
        a[j] += step
        b[j] += step
        c[j] += step
        d[j] += step


@inlined_source
def moves_forward(
    squares: np.ndarray,
    rows_of_moves: np.ndarray,
    move_rows: np.ndarray,
    move_bias: np.ndarray,
    sums: np.ndarray,
    logits: np.ndarray,
) -> None:
    """The logits of the moves of a position, and the sum of the four rows of each."""
    for move in range(len(rows_of_moves)):
        four, total = rows_of_moves[move], sums[move]
        add_move_gradient(move_rows, four, total)
        logit = move_bias[four[0]] + move_bias[four[1]] + move_bias[four[2]] + move_bias[four[3]]
        for j in range(squares.size):
            logit += total[j] * squares[j]
        logits[move] = logit


@inlined_source
def moves_backward(
    d_logits: np.ndarray,
    squares: np.ndarray,
    rows_of_moves: np.ndarray,
    sums: np.ndarray,
    d_move_rows: np.ndarray,
    d_move_bias: np.ndarray,
    d_squares: np.ndarray,
) -> None:
    """Add the gradients of the moves' rows and biases, and write that of the squares."""
    for j in range(squares.size):
        d_squares[j] = ZERO
    for move in range(len(rows_of_moves)):
        d_logit, total, four = d_logits[move], sums[move], rows_of_moves[move]
        for j in range(squares.size):
            d_squares[j] += d_logit * total[j]
        if abs(d_logit) > NEGLIGIBLE:
            for group in range(ROWS_PER_MOVE):
                d_move_bias[four[group]] += d_logit
            add_to_move(d_move_rows, four, d_logit, squares)


@float_kernel
def policy_gradients(
    inputs: np.ndarray,
    counts: np.ndarray,
    rows_of_moves: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    sample_weights: np.ndarray,
    weights: tuple[np.ndarray, ...],
    gradients: tuple[np.ndarray, ...],
) -> float:
    """Cross-entropy over the legal moves, summed over positions; its gradients are added to `gradients`.

    Weights and gradients are (input rows, hidden bias, move rows, move bias). Targets are shares of 1 for each move;
    `starts` bounds the part of each position in them and in `rows_of_moves`; `sample_weights`: factors of the losses.
    """
    rows, bias, move_rows, move_bias = weights
    d_rows, d_bias, d_move_rows, d_move_bias = gradients
    size = bias.size
    hidden, squares, back = np.empty(size, f32), np.empty(size, f32), np.empty(size, f32)
    sums, logits, loss = np.empty((MAX_MOVES, size), f32), np.empty(MAX_MOVES, f32), 0.0
    for number in range(counts.size):
        begin, end = starts[number], starts[number + 1]
        if begin == end:
            continue
        rows_here = rows_of_moves[begin:end]
        add_inputs(rows, bias, inputs[number], counts[number], hidden)
        activate(hidden, squares)
        moves_forward(squares, rows_here, move_rows, move_bias, sums, logits)
        loss += weighted_loss(logits, targets[begin:end], end - begin, sample_weights[number])
        moves_backward(logits, squares, rows_here, sums, d_move_rows, d_move_bias, back)
        before_activation(hidden, back)
        add_to_inputs(back, inputs[number], counts[number], d_rows, d_bias)
    return loss
