"""The network: its sizes and units, its arrays as kernels take them, and the scratch memory of a thread."""

from typing import NamedTuple

import numpy as np

from movegen.moves import MAX_MOVES

# Inputs: piece (own pawn … king, their pawn … king) and square, four times: attacked or not, defended or not.
SQUARE_COUNT = 64
PIECE_KINDS = 6  # pawn … king
OWNED_PIECES = 2 * PIECE_KINDS
PIECE_SQUARES = OWNED_PIECES * SQUARE_COUNT
INPUTS = 4 * PIECE_SQUARES
MAX_PIECES = 32  # the most inputs that are on

# Rows of moves: each move is the sum of one row of each group.
PIECE_TO = PIECE_KINDS * SQUARE_COUNT  # what arrives where
PIECE_FROM = PIECE_KINDS * SQUARE_COUNT  # what leaves where
# Kinds and threats are numbers in a mixed radix, the most significant digit first.
VICTIMS = 7  # none, pawn … queen, castling
EXCHANGE_SIGNS = 3  # loses, even, wins
MOVE_KINDS = PIECE_KINDS * VICTIMS * EXCHANGE_SIGNS * 2 * 2 * 2  # …, check, attacked before, attacked after
DANGERS = 4  # that the piece leaves: none, attacked, attacked by a cheaper piece, not defended
THREAT_COUNTS = 3  # that the piece makes: 0, 1, 2 or more
THREATS = PIECE_KINDS * DANGERS * THREAT_COUNTS * 2 * 2  # …, may a pawn take it, is it a passed pawn
TO_BASE = 0
FROM_BASE = TO_BASE + PIECE_TO
KIND_BASE = FROM_BASE + PIECE_FROM
THREAT_BASE = KIND_BASE + MOVE_KINDS
MOVE_ROWS = THREAT_BASE + THREATS
ROWS_PER_MOVE = 4

# Rows of outcomes: win, draw and loss, for 1 to 4 pieces on the board, for 5 to 8, and so on.
OUTCOMES = 3
PIECES_PER_PHASE = 4
PHASES = MAX_PIECES // PIECES_PER_PHASE
OUTCOME_ROWS = PHASES * OUTCOMES

# Units. A hidden unit of 1.0 is ONE_HIDDEN; squared it is kept in 15 bits for the outcomes, in 7 for the moves.
ONE_HIDDEN = 255
OUTCOME_SHIFT, ONE_OUTCOME_SQUARE = 1, 32512  # 255² >> 1
MOVE_SHIFT, MOVE_HALF, ONE_MOVE_SQUARE = 9, 1 << 8, 127  # rounded: (255² + 256) >> 9
LOGIT_BITS = 12  # a logit of 1.0 is 1 << 12
SCALE_BITS = 28  # sums of products become logits by a multiplication and a shift
VALUE_UNIT = 1 << 20
PRIOR_UNIT = 65535  # a prior of 1

# So that no sum overflows: 32 input rows and the bias in 16 bits, the output sums in 32.
LARGEST_INPUT_WEIGHT = 1000
LARGEST_HIDDEN_BIAS = 32767 - MAX_PIECES * LARGEST_INPUT_WEIGHT
LARGEST_MOVE_WEIGHT = 127
LARGEST_SUM = (1 << 31) - 1


class Network(NamedTuple):
    """All weights, read-only. V and P are the sizes of the two hidden layers, multiples of 32."""

    value_rows: np.ndarray  # int16 [INPUTS, V]
    value_bias: np.ndarray  # int16 [V]
    outcome_rows: np.ndarray  # int16 [OUTCOME_ROWS, V], win, draw, loss of each phase
    outcome_bias: np.ndarray  # int32 [OUTCOME_ROWS]
    policy_rows: np.ndarray  # int16 [INPUTS, P]
    policy_bias: np.ndarray  # int16 [P]
    move_rows: np.ndarray  # int8 [MOVE_ROWS, P]
    move_bias: np.ndarray  # int32 [MOVE_ROWS]
    scales: np.ndarray  # int64 [2], what turns the sums of outcomes and of moves into logits, see SCALE_BITS


class Scratch(NamedTuple):
    """The memory of one thread for an evaluation."""

    inputs: np.ndarray  # uint16 [MAX_PIECES]
    value_hidden: np.ndarray  # int16 [V]
    policy_hidden: np.ndarray  # int16 [P]
    rows: np.ndarray  # uint16 [MAX_MOVES, ROWS_PER_MOVE]
    logits: np.ndarray  # int64 [MAX_MOVES]


def new_scratch(network: Network) -> Scratch:
    """Memory for one thread."""
    return Scratch(
        np.zeros(MAX_PIECES, dtype=np.uint16),
        np.zeros(network.value_bias.size, dtype=np.int16),
        np.zeros(network.policy_bias.size, dtype=np.int16),
        np.zeros((MAX_MOVES, ROWS_PER_MOVE), dtype=np.uint16),
        np.zeros(MAX_MOVES, dtype=np.int64),
    )


DTYPES = (np.int16, np.int16, np.int16, np.int32, np.int16, np.int16, np.int8, np.int32, np.int64)


def shapes(value_hidden: int, policy_hidden: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays of a network, in their order."""
    return (
        (INPUTS, value_hidden),
        (value_hidden,),
        (OUTCOME_ROWS, value_hidden),
        (OUTCOME_ROWS,),
        (INPUTS, policy_hidden),
        (policy_hidden,),
        (MOVE_ROWS, policy_hidden),
        (MOVE_ROWS,),
        (2,),
    )


def check_bounds(network: Network) -> None:
    """Refuse weights whose sums could overflow: kernels do not check."""
    for rows, bias in ((network.value_rows, network.value_bias), (network.policy_rows, network.policy_bias)):
        if max(-int(rows.min()), int(rows.max())) > LARGEST_INPUT_WEIGHT:
            raise ValueError(f"an input weight is larger than {LARGEST_INPUT_WEIGHT}")
        if np.abs(bias.astype(np.int32)).max() > LARGEST_HIDDEN_BIAS:
            raise ValueError(f"a bias of the hidden layer is larger than {LARGEST_HIDDEN_BIAS}")
    outcomes = np.abs(network.outcome_rows.astype(np.int64)).sum(axis=1) * ONE_OUTCOME_SQUARE
    if (outcomes + np.abs(network.outcome_bias.astype(np.int64))).max() > LARGEST_SUM:
        raise ValueError("the sums of the outcomes could overflow")
    largest_bias = int(np.abs(network.move_bias.astype(np.int64)).max())
    moves = ROWS_PER_MOVE * (128 * ONE_MOVE_SQUARE * network.policy_bias.size + largest_bias)
    if moves > LARGEST_SUM:
        raise ValueError("the sums of the moves could overflow")
    if (network.scales < 1).any() or (network.scales >= 1 << 31).any():
        raise ValueError("a scale is out of range")
