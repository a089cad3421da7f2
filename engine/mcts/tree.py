"""The search tree in preallocated arrays: 32 bytes for each move, no allocation, no pointers.

A node is a block of slots: a header, then one slot for each of its moves (edges). An edge that was expanded links
to the header of the node below it. Blocks stand in a ring; the first slot is the edge above the root.

    slot     0      1        2     3     …           h       h+1   h+2   …
          [ root | header | edge | edge | … ] … [ header | edge | edge | … ] … [ free … ]

When the ring is full, a cursor goes round: nodes that were not visited since it last came by are recycled, and
the edges above them keep their statistics. A node that a thread is in, and one of the kept line, is passed over.
Since a visit to a node is a visit to all nodes above it, whole subtrees age together: children go first.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from engine.mcts.value_table import WORDS
from movegen.bits import ONE, U64, ZERO
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import add_to, aligned_zeros, exchange, publish, read, swap_if
from movegen.moves import MAX_MOVES

ROOT = U64(0)  # the edge above the root
NO_NODE = np.uint32(0)
BUSY = np.uint32(0xFFFF_FFFF)  # link of an edge that a thread is expanding
BYTES_PER_SLOT = 32
SCORE_UNIT = 1 << 20  # a score of 1 in `wins` and `draws`
PRIOR_UNIT = 65535  # a prior of 1

# What stands in `move` of a header slot; no legal move has these numbers.
LIVE, FREE = np.uint16(0xFFFE), np.uint16(0xFFFF)

# Places in `control`.
LOCK, CURSOR, IN_USE, RECYCLED = U64(0), U64(1), U64(2), U64(3)
LONGEST_SWEEP = 2048  # blocks that one allocation looks at: bounds its time
LONGEST_SPIN = 4096  # looks at a lock that another thread holds: it may have lost its processor meanwhile
MOST_VISITS = 1 << 31  # of the root, before all statistics are halved: a count has 32 bits
SLOTS_AT_ONCE = 1 << 20  # that are halved together: bounds the memory for it
LONGEST_KEPT = 63
WORDS_PER_PAGE = U64(4096 // 8)


class Tree(NamedTuple):
    """The fields of all slots, each as an array. In a header slot some have another meaning, given in brackets.

    The arrays are views of one block of memory in which the fields of a slot stand together: a slot is half a cache
    line, and a node a few lines of one page.
    """

    visits: np.ndarray  # uint32  N [how many edges follow]
    wins: np.ndarray  # int64   W, sum of scores for the player who makes the move, in SCORE_UNIT [edge above]
    draws: np.ndarray  # int64   D, sum of draw shares, in SCORE_UNIT
    link: np.ndarray  # uint32  header of the node below; NO_NODE or BUSY
    move: np.ndarray  # uint16  the move, seen by its player [LIVE or FREE]
    prior: np.ndarray  # uint16  P in 1/PRIOR_UNIT; of the edge above the root: 1 if the threads shall stop
    in_flight: np.ndarray  # uint16  threads that are below this edge now [visited since the cursor came by?]
    proven: np.ndarray  # uint16  see engine.mcts.proof
    control: np.ndarray  # uint64  see above
    kept: np.ndarray  # uint32  headers of the line to keep; the first word is their number
    values: np.ndarray  # uint64  see engine.mcts.value_table

    @property
    def fields(self) -> "tuple[np.ndarray, ...]":
        """The arrays over slots."""
        return self[:8]

    @property
    def memory(self) -> np.ndarray:
        """The block of memory behind the slots, as 64-bit words."""
        return np.asarray(self.wins.base).view(np.uint64)


def new_tree(megabytes: int) -> Tree:
    """An empty tree of so many megabytes."""
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
        values=np.zeros(WORDS, dtype=np.uint64),
    )
    clear(tree)
    return tree


def clear(tree: Tree) -> None:
    """Make a tree empty: an unvisited root edge and one large free block. Takes next to no time."""
    for array in tree.fields:
        array[0] = 0
    tree.control[:] = 0
    tree.control[int(CURSOR)] = 1
    tree.kept[0] = 0
    tree.values[:] = 0
    tree.move[1], tree.visits[1], tree.link[1] = FREE, tree.visits.size - 2, NO_NODE


@kernel
def touch(words: np.ndarray) -> None:
    """Make the system provide the memory of a tree now, not when the search comes there.

    Adding 0 changes nothing, so this may go on while others use the tree.
    """
    word = ZERO
    while word < U64(words.size):
        add_to(words, word, ZERO)
        word += WORDS_PER_PAGE


@inlined
def is_lock_taken(tree: Tree) -> bool:
    """Wait until no other thread allocates; -> is it this one's turn? Not if the wait is too long."""
    for _ in range(LONGEST_SPIN):
        if read(tree.control, LOCK) == ZERO and exchange(tree.control, LOCK, ONE) == ZERO:
            return True
    return False


@inlined
def release_lock(tree: Tree) -> None:
    """Let other threads allocate."""
    publish(tree.control, LOCK, ZERO)


@inlined
def mark_free(tree: Tree, header: np.uint64, slots: np.uint64) -> None:
    """Make so many slots one free block. Nothing below it is linked any more."""
    tree.move[header] = FREE
    tree.visits[header] = slots - ONE
    tree.link[header] = NO_NODE


@inlined
def clear_edges(tree: Tree, first: np.uint64, end: np.uint64) -> None:
    """Make slots edges that nothing is known of; their moves and priors are written by others."""
    for slot in range(first, end):
        tree.visits[slot] = 0
        tree.wins[slot] = 0
        tree.draws[slot] = 0
        tree.link[slot] = NO_NODE
        tree.in_flight[slot] = 0
        tree.proven[slot] = 0


@inlined
def is_kept(tree: Tree, header: np.uint64) -> bool:
    """Is the node on the line to keep?"""
    kept = False
    for index in range(tree.kept[0]):
        if tree.kept[index + 1] == header:
            kept = True
    return kept


@inlined
def is_cut_off(tree: Tree, header: np.uint64, edge: np.uint64) -> bool:
    """Cut a node off the edge above it, if no thread is below that edge; -> can no thread be in the node?

    A thread first says that it is below an edge and then follows its link; here the link is cut first and then
    looked whether a thread is there. So one of the two always sees the other. Meanwhile another thread may have
    taken the edge for an unexpanded one: then the node stays cut off, and is freed once nobody is in it.
    A thread that is below the edge needs the link to prove the edge: it is not cut even for a moment.
    """
    if read(tree.in_flight, edge) != 0:
        return False
    linked = swap_if(tree.link, edge, np.uint32(header), NO_NODE) == header
    if read(tree.in_flight, edge) == 0:
        return True
    if linked:
        swap_if(tree.link, edge, NO_NODE, np.uint32(header))
    return False


@inlined
def recycle(tree: Tree, header: np.uint64) -> bool:
    """Free a block if nobody needs it; -> is it free?"""
    if tree.move[header] == FREE:
        return True
    edge = U64(tree.wins[header])
    if tree.link[edge] == header:
        if edge == ROOT or is_kept(tree, header):
            return False
        if tree.in_flight[header] != 0:
            tree.in_flight[header] = 0  # a second chance
            return False
    if edge != ROOT and not is_cut_off(tree, header, edge):  # what an earlier root left behind is cut off already
        return False
    edges = U64(tree.visits[header])
    for slot in range(header + ONE, header + ONE + edges):
        tree.link[slot] = NO_NODE
    tree.move[header] = FREE
    tree.control[IN_USE] -= edges + ONE
    tree.control[RECYCLED] += ONE
    return True


@kernel
def allocate(tree: Tree, edge: np.uint64, edges: np.uint64) -> np.uint64:
    """A block for a node below this edge; -> its header, or 0 if none can be had at once."""
    if not is_lock_taken(tree):
        return ZERO
    slots, end = edges + ONE, U64(tree.visits.size)
    start = place = tree.control[CURSOR]
    looked = 0
    while place - start < slots and looked < LONGEST_SWEEP:
        if place == end:  # a block does not go round the end of the ring
            place = start = ONE
        following = place + ONE + U64(tree.visits[place])
        if not recycle(tree, place):
            start = following
        elif place != start:
            mark_free(tree, start, following - start)
        place = following
        looked += 1
    header = ZERO
    if place - start >= slots:
        header = start
        if place - start > slots:
            mark_free(tree, start + slots, place - start - slots)
        tree.move[header], tree.visits[header], tree.link[header] = LIVE, edges, NO_NODE
        tree.wins[header], tree.in_flight[header] = edge, 0
        tree.control[IN_USE] += slots
        start += slots
    tree.control[CURSOR] = ONE if start == end else start
    release_lock(tree)
    return header


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


def new_root(tree: Tree, move: int) -> None:
    """Make the position after a move of the root the new root. What is not below it is recycled in time."""
    slot = next((slot for slot in edges_of(tree, int(ROOT)) if int(tree.move[slot]) == move), None)
    if slot is None or tree.link[slot] == NO_NODE:
        clear(tree)
        return
    header = int(tree.link[slot])
    for array in (tree.visits, tree.wins, tree.draws, tree.link):
        array[int(ROOT)] = array[slot]
    tree.proven[int(ROOT)] = 0  # found anew from the replies, if there is a proof
    tree.link[slot] = NO_NODE
    tree.wins[header] = int(ROOT)
    tree.kept[0] = 0


def temper_root(tree: Tree, exponent: float) -> None:
    """Raise the priors of the root's moves to a power, and let them add up to 1 again. Their order stays."""
    edges = edges_of(tree, int(ROOT))
    own = slice(edges.start, edges.stop)
    powers = tree.prior[own].astype(np.float64) ** exponent
    if len(edges):
        tree.prior[own] = np.maximum(1, PRIOR_UNIT * powers / powers.sum()).astype(np.uint16)


def restrict_root(tree: Tree, moves: Collection[int]) -> None:
    """Leave the root only these of its moves, with what is known of them. Not while threads search."""
    kept = [slot for slot in edges_of(tree, int(ROOT)) if int(tree.move[slot]) in moves]
    header = 0
    while header == 0:
        header = int(allocate(tree, ROOT, U64(len(kept))))
    own = slice(header + 1, header + 1 + len(kept))
    for array in tree.fields:
        array[own] = array[kept]
    for slot in range(own.start, own.stop):
        if tree.link[slot] != NO_NODE:
            tree.wins[tree.link[slot]] = slot
    root = int(ROOT)
    tree.link[root], tree.proven[root] = header, 0
    tree.visits[root] = tree.visits[own].sum()
    tree.wins[root] = int(tree.visits[root]) * SCORE_UNIT - int(tree.wins[own].sum())
    tree.draws[root] = tree.draws[own].sum()
    tree.kept[0] = 0


def halve(tree: Tree) -> None:
    """Halve the statistics of all edges, so that their counts go on. Means stay. Not while threads search.

    Halves are rounded down: then the moves of a node have no more visits together than the edge above it.
    """
    for first in range(0, tree.visits.size, SLOTS_AT_ONCE):
        part = slice(first, first + SLOTS_AT_ONCE)
        halvings = (tree.move[part] < LIVE).astype(np.int64)  # none of headers; free slots may be halved too
        before = np.maximum(tree.visits[part], 1).astype(np.int64)
        after = before >> halvings
        for sums in (tree.wins, tree.draws):
            quotient, rest = np.divmod(sums[part], before)
            sums[part] = quotient * after + rest * after // before
        tree.visits[part] >>= halvings.astype(np.uint32)


def ask_to_stop(tree: Tree, shall_stop: bool) -> None:
    """Let the threads end after the leaves they are at, or go on. From any thread."""
    tree.prior[int(ROOT)] = shall_stop


def keep(tree: Tree, edges: Collection[int]) -> None:
    """Never recycle the nodes below these edges, until others are named. Also while threads search."""
    headers = [int(tree.link[edge]) for edge in edges][:LONGEST_KEPT]
    tree.kept[0] = 0
    tree.kept[1 : 1 + len(headers)] = headers
    tree.kept[0] = len(headers)
