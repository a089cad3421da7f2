"""The search tree in preallocated arrays: 32 bytes for each move, no allocation, no pointers.

A node is a block of slots: a header, then one slot for each of its moves (edges). An edge that was expanded links
to the header of the node below it. The blocks form a ring; slot 0 is the edge above the root.

    slot     0      1        2     3     …           h       h+1   h+2   …
          [ root | header | edge | edge | … ] … [ header | edge | edge | … ] … [ free … ]
                             |                     ^  |
                             +---- link = h -------+  +---- wins = 2: the edge above

When the ring is full, a cursor goes round (see engine.mcts.allocate): nodes that were not visited since it last came
by are recycled, and the edges above them keep their statistics. A node that a thread is in, and one of the kept line,
is passed over. Since a visit to a node is a visit to all nodes above it, whole subtrees age together: children go
first.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from movegen.bits import U64, ZERO
from movegen.compiler.jit import kernel
from movegen.compiler.memory import add_to, aligned_zeros
from movegen.moves import MAX_MOVES

ROOT = U64(0)  # the edge above the root
NO_NODE = np.uint32(0)
BUSY = np.uint32(0xFFFF_FFFF)  # link of an edge that a thread is expanding
BYTES_PER_SLOT = 32
SCORE_UNIT = 1 << 20  # a score of 1 in `wins` and `draws`

# `move` of a header slot; no legal move has these numbers.
LIVE, FREE = np.uint16(0xFFFE), np.uint16(0xFFFF)

# Indices of `control`.
LOCK, CURSOR, IN_USE, RECYCLED, EVALUATION = U64(0), U64(1), U64(2), U64(3), U64(4)
BEFORE = U64(5)  # the header of the root before the last move; 0 if it is not known
MOST_VISITS = 1 << 31  # of the root, before all statistics are halved: a count has 32 bits
LONGEST_KEPT = 63
WORDS_PER_PAGE = U64(4096 // 8)
VALUE_ENTRIES = 1 << 18  # of the tables by position, see `transpositions`


class Tree(NamedTuple):
    """The fields of all slots, each as an array. In a header slot some have another meaning, given in brackets.

    The arrays are views of one block of memory in which the fields of a slot are neighbours: a slot is half a cache
    line, and a node a few cache lines of one page.
    """

    visits: np.ndarray  # uint32  N [how many edges follow]
    wins: np.ndarray  # int64   W, sum of scores for the player who makes the move, in SCORE_UNIT [edge above]
    draws: np.ndarray  # int64   D, sum of draw shares, in SCORE_UNIT [key of the position, 0 if it is the root]
    link: np.ndarray  # uint32  header of the node below; NO_NODE or BUSY
    move: np.ndarray  # uint16  the move, seen by its player [LIVE or FREE]
    prior: np.ndarray  # uint16  P in 1/PRIOR_UNIT; of the edge above the root: 1 if the threads must stop
    in_flight: np.ndarray  # uint16  threads that are below this edge now [1 if visited since the cursor came by]
    proven: np.ndarray  # uint16  see engine.mcts.proof
    control: np.ndarray  # uint64  see above
    kept: np.ndarray  # uint32  headers of the line to keep; the first word is their number
    values: np.ndarray  # uint64  see engine.mcts.transpositions
    nodes: np.ndarray  # uint32  headers of nodes by their positions, likewise

    @property
    def fields(self) -> "tuple[np.ndarray, ...]":
        """The arrays over slots."""
        return self[:8]

    @property
    def memory(self) -> np.ndarray:
        """The block of memory behind the slots, as 64-bit words."""
        return np.asarray(self.wins.base).view(np.uint64)


def new_tree(megabytes: int) -> Tree:
    """An empty tree of this size."""
    words = aligned_zeros((megabytes << 20) // 8, np.uint64)
    halves, quarters = words.view(np.uint32), words.view(np.uint16)
    tree = Tree(
        wins=words.view(np.int64)[0::4],
        draws=words.view(np.int64)[1::4],
        visits=halves[4::8],
        link=halves[5::8],
        move=quarters[12::16],
        prior=quarters[13::16],
        in_flight=quarters[14::16],
        proven=quarters[15::16],
        control=np.zeros(8, dtype=np.uint64),
        kept=np.zeros(1 + LONGEST_KEPT, dtype=np.uint32),
        values=np.zeros(2 * VALUE_ENTRIES, dtype=np.uint64),
        nodes=np.zeros(VALUE_ENTRIES, dtype=np.uint32),
    )
    clear(tree)
    return tree


def clear(tree: Tree) -> None:
    """Make a tree empty: an unvisited root edge and one large free block. Takes almost no time."""
    for array in tree.fields:
        array[0] = 0
    tree.control[:] = 0
    tree.control[int(CURSOR)] = 1
    tree.kept[0] = 0
    tree.values[:] = 0
    tree.nodes[:] = 0
    tree.move[1], tree.visits[1], tree.link[1] = FREE, tree.visits.size - 2, NO_NODE


@kernel
def touch(words: np.ndarray) -> None:
    """Make the system provide the memory of a tree now, not when the search first uses it.

    Adding 0 changes nothing, so this may run while others use the tree.
    """
    word = ZERO
    while word < U64(words.size):
        add_to(words, word, ZERO)
        word += WORDS_PER_PAGE


def edges_of(tree: Tree, edge: int) -> range:
    """The slots of the moves below an edge; empty if it was not expanded.

    Also while threads search: a node that is recycled at this moment counts as not expanded.
    """
    header = int(tree.link[edge])
    if header in (int(NO_NODE), int(BUSY)):
        return range(0)
    moves = int(tree.visits[header])
    is_whole = tree.move[header] == LIVE and int(tree.wins[header]) == edge and moves <= MAX_MOVES
    return range(header + 1, min(header + 1 + moves, tree.visits.size)) if is_whole else range(0)


def ask_to_stop(tree: Tree, shall_stop: bool) -> None:
    """Let the threads stop after their present leaves, or go on. From any thread."""
    tree.prior[int(ROOT)] = shall_stop


def keep(tree: Tree, edges: Collection[int]) -> None:
    """Never recycle the nodes below these edges, until others are named. Also while threads search."""
    headers = [int(tree.link[edge]) for edge in edges][:LONGEST_KEPT]
    tree.kept[0] = 0
    tree.kept[1 : 1 + len(headers)] = headers
    tree.kept[0] = len(headers)
