"""The numbers that fix the network's form: inputs, rows of moves, and the units of its whole-number arithmetic.

Two nets of the same make stand side by side, one for the value, one for the policy. Each sums the rows of its inputs,
clips and squares the sum (SCReLU) and multiplies it with output rows: three for win, draw and loss, chosen by how many
pieces are on the board; for the policy, for each move the sum of the rows that describe the move.
"""

# Inputs: piece (own pawn … king, their pawn … king) and square, four times over: is he attacked, is he defended?
SQUARES = 64
PIECES = 12
PIECE_SQUARES = PIECES * SQUARES
INPUTS = 4 * PIECE_SQUARES
MAX_PIECES = 32  # so many inputs are on at most

# Rows of moves: each move is the sum of one row of each group.
PIECE_TO = 6 * SQUARES  # what arrives where
PIECE_FROM = 6 * SQUARES  # what leaves where
KINDS = 6 * 7 * 3 * 2 * 2 * 2  # piece, victim, sign of the exchange, check, attacked before, attacked after
THREATS = 6 * 4 * 3 * 2 * 2  # piece, danger it leaves, threats it makes, may a pawn take it, is it a passed pawn
TO_BASE = 0
FROM_BASE = TO_BASE + PIECE_TO
KIND_BASE = FROM_BASE + PIECE_FROM
THREAT_BASE = KIND_BASE + KINDS
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
PRIOR_UNIT = 65535

# So that no sum overflows: 32 input rows and the bias in 16 bits, the output sums in 32.
LARGEST_INPUT_WEIGHT = 1000
LARGEST_HIDDEN_BIAS = 32767 - MAX_PIECES * LARGEST_INPUT_WEIGHT
LARGEST_MOVE_WEIGHT = 127
LARGEST_SUM = (1 << 31) - 1
