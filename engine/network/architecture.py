"""The constants of the network: inputs, rows of moves, and the units of its integer arithmetic.

There are two nets of the same kind, one for the value, one for the policy. Each sums the rows of its inputs, clips and
squares the sum (SCReLU) and multiplies it with output rows. The value has three for win, draw and loss, chosen by the
number of pieces on the board; the policy has for each move the sum of the rows that describe the move.
"""

# Inputs: piece (own pawn … king, their pawn … king) and square, four times: attacked or not, defended or not.
SQUARES = 64
PIECE_KINDS = 6  # pawn … king
PIECES = 2 * PIECE_KINDS
PIECE_SQUARES = PIECES * SQUARES
INPUTS = 4 * PIECE_SQUARES
MAX_PIECES = 32  # the most inputs that are on

# Rows of moves: each move is the sum of one row of each group.
PIECE_TO = PIECE_KINDS * SQUARES  # what arrives where
PIECE_FROM = PIECE_KINDS * SQUARES  # what leaves where
# Kinds and threats are numbers in a mixed radix, the most significant digit first.
VICTIMS = 7  # none, pawn … queen, castling
EXCHANGE_SIGNS = 3  # loses, even, wins
KINDS = PIECE_KINDS * VICTIMS * EXCHANGE_SIGNS * 2 * 2 * 2  # …, check, attacked before, attacked after
DANGERS = 4  # that the piece leaves: none, attacked, attacked by a cheaper piece, not defended
THREAT_COUNTS = 3  # that the piece makes: 0, 1, 2 or more
THREATS = PIECE_KINDS * DANGERS * THREAT_COUNTS * 2 * 2  # …, may a pawn take it, is it a passed pawn
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
