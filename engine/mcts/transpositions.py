"""Tables by position: two move orders to the same position need one evaluation of its value, and one of its moves.

What the network says of a position does not depend on the moves before it; repetition and the 50-move rule are handled
elsewhere. So a search with these tables is the same as without them. Only the option by which a new leaf takes the mean
of another node of its position (`mean_elsewhere`) changes the search: such a mean may rest on repetitions and 50-move
draws of the other line. It counts as one visit, and proofs are never taken over.

An entry of the values is two words: the value, and the key of the position xor the value. If two threads write at
once, the words do not fit together, and the entry counts as empty.

An entry of the nodes is the header of a node, which holds the key in turn: a node with the same position has the same
moves and priors. Not at the root, where priors have another temperature, and moves may be left out.

Another thread may recycle a node while this one reads it: then the key in its header is another one afterwards, and
its numbers may be anything.
"""

import numpy as np

from engine.mcts.params import Worker
from engine.mcts.tree import LIVE, SCORE_UNIT, VALUE_ENTRIES, Tree
from movegen.bits import ONE, U64, ZERO, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined
from movegen.compiler.memory import publish, read
from movegen.generate import fill_moves

# A value: score and draw share, each from 0 to 2²⁰, and a bit that says that there is one.
DRAWS_SHIFT, PRESENT, PART = U64(21), U64(1) << U64(63), U64((1 << 21) - 1)


# The table of values


@inlined
def entry_of(key: np.uint64) -> np.uint64:
    """The number of a position's entry, in both tables."""
    return multiply_high(key, U64(VALUE_ENTRIES))


@inlined
def index_of(key: np.uint64) -> np.uint64:
    """The index of the first word of a position's value."""
    return entry_of(key) << ONE


@inlined
def known_value(values: np.ndarray, key: np.uint64) -> np.uint64:
    """The value of a position; 0 if it is not in the table."""
    index = index_of(key)
    value = values[index]
    return value if value ^ values[index + ONE] == key else ZERO


@inlined
def keep_value(values: np.ndarray, key: np.uint64, score: int, draw_share: int) -> None:
    """Store the network's value of a position."""
    index = index_of(key)
    value = U64(score) | U64(draw_share) << DRAWS_SHIFT | PRESENT
    values[index], values[index + ONE] = value, value ^ key


@inlined
def score_in(value: np.uint64) -> int:
    """The score of a value."""
    return int(value & PART)


@inlined
def draw_share_in(value: np.uint64) -> int:
    """The draw share of a value."""
    return int(value >> DRAWS_SHIFT & PART)


# The table of nodes


@inlined
def name_node(tree: Tree, header: np.uint64, key: np.uint64) -> None:
    """Enter a node below the root into the table."""
    publish(tree.draws, header, np.int64(key >> ONE))  # not negative; after moves and priors
    tree.nodes[entry_of(key)] = header


@inlined
def digest_of(moves: np.ndarray, count: np.uint64) -> np.uint64:
    """A number that does not depend on the order of the moves."""
    digest = ZERO
    for index in range(count):
        move = U64(moves[index])
        digest += move * move * move
    return digest


@inlined
def has_key(tree: Tree, header: np.uint64, key: np.uint64) -> bool:
    """Is this the position of a node, at this moment?"""
    return bool(U64(read(tree.draws, header)) == key >> ONE)


@inlined
def node_of_position(tree: Tree, key: np.uint64) -> np.uint64:
    """The header of a node with this position, not that of the root; 0 if none is known."""
    header = U64(tree.nodes[entry_of(key)])
    if header == ZERO or tree.move[header] != LIVE or not has_key(tree, header, key):
        return ZERO
    return header


@inlined
def mean_elsewhere(tree: Tree, key: np.uint64) -> tuple[int, int, int]:
    """-> the visits of another node of this position, its mean score and draw share for the player who moved there.

    No visits: there is none. Another thread may just be adding to the sums.
    """
    header = node_of_position(tree, key)
    if header == ZERO:
        return 0, 0, 0
    edge = U64(tree.wins[header])
    if edge >= U64(tree.visits.size) or not has_key(tree, header, key):  # not an edge any more
        return 0, 0, 0
    visits = int(tree.visits[edge])
    if visits == 0 or tree.link[edge] != header:  # cut off: the slot of the edge may be used for another one
        return 0, 0, 0
    score = min(max(int(tree.wins[edge]) // visits, 0), SCORE_UNIT)
    draw_share = max(int(tree.draws[edge]) // visits, 0)
    return visits, score, min(draw_share, 2 * score, 2 * (SCORE_UNIT - score))  # rounded, they may not fit together


@inlined
def take_known_priors(tree: Tree, worker: Worker, board: Board, key: np.uint64, count: np.uint64) -> bool:
    """Fill in moves and priors from another node of the same position; -> was there one?

    The worker has the legal moves, and keeps them if there was none.
    """
    header = node_of_position(tree, key)
    if header == ZERO or U64(tree.visits[header]) != count or header + count >= U64(tree.visits.size):
        return False
    digest = digest_of(worker.moves, count)
    for index in range(count):
        slot = header + ONE + index
        worker.moves[index], worker.priors[index] = tree.move[slot], tree.prior[slot]
    if digest_of(worker.moves, count) == digest and has_key(tree, header, key):
        return True
    fill_moves(board, worker.moves)
    return False
