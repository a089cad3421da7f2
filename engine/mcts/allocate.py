"""Blocks for new nodes in the ring of a full tree.

A cursor goes round the ring. It frees the nodes that were not visited since it last came by, and merges free
neighbours, until the free slots in a row are enough for the new node:

    cursor
      v
    [ free | free | live ............ | free | old node .... | free ...... ]
      too short     visited, or kept    start  freed           end
                                        |------- slots -------|- rest -|
                                        the new node            stays free; the cursor is here now

One thread at a time allocates; others go on searching, also in the nodes that the cursor comes by.
"""

import numpy as np

from engine.mcts.tree import BEFORE, CURSOR, FREE, IN_USE, LIVE, LOCK, NO_NODE, RECYCLED, ROOT, Tree
from movegen.bits import ONE, U64, ZERO
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import exchange, publish, read, swap_if

LONGEST_SWEEP = 2048  # blocks that one allocation looks at: bounds its time
LONGEST_SPIN = 4096  # looks at a lock that another thread holds: it may have lost its processor meanwhile


@inlined
def is_lock_taken(tree: Tree) -> bool:
    """Wait until no other thread allocates; -> may this one? Not if the wait is too long."""
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
    """Make slots one free block. Nothing below it is linked any more."""
    tree.move[header] = FREE
    tree.visits[header] = slots - ONE
    tree.link[header] = NO_NODE


@inlined
def clear_edges(tree: Tree, first: np.uint64, end: np.uint64) -> None:
    """Make slots edges without statistics; the caller writes their moves and priors."""
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

    A thread first counts itself in `in_flight` of an edge and then follows its link; here the link is cut first, and
    then `in_flight` is read. So one of the two always sees the other. Meanwhile another thread may have taken the
    edge for an unexpanded one: then the node stays cut off, and is freed once no thread is in it.
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
    """Free a block if it is not needed; -> is it free?"""
    if tree.move[header] == FREE:
        return True
    if header == tree.control[BEFORE]:  # another move may be played instead of the last one
        return False
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


@inlined
def sweep(tree: Tree, slots: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Free blocks behind the cursor until `slots` are free in a row; -> the first of them, and the slot after the last.

    There may be fewer, if it takes too long.
    """
    size = U64(tree.visits.size)
    start = block = tree.control[CURSOR]
    looked = 0
    while block - start < slots and looked < LONGEST_SWEEP:
        if block == size:  # no block goes round the end of the ring
            block = start = ONE
        following = block + ONE + U64(tree.visits[block])
        if not recycle(tree, block):
            start = following
        elif block != start:
            mark_free(tree, start, following - start)
        block = following
        looked += 1
    return start, block


@inlined
def mark_live(tree: Tree, header: np.uint64, edge: np.uint64, edges: np.uint64) -> None:
    """Make a header for a node below this edge."""
    tree.move[header], tree.visits[header], tree.link[header] = LIVE, edges, NO_NODE
    tree.wins[header], tree.draws[header], tree.in_flight[header] = edge, 0, 0
    tree.control[IN_USE] += edges + ONE


@kernel
def allocate(tree: Tree, edge: np.uint64, edges: np.uint64) -> np.uint64:
    """A block for a node below this edge; -> its header, or 0 if none is free soon enough."""
    if not is_lock_taken(tree):
        return ZERO
    slots, header = edges + ONE, ZERO
    start, end = sweep(tree, slots)
    if end - start >= slots:
        header = start
        start += slots
        if start < end:
            mark_free(tree, start, end - start)
        mark_live(tree, header, edge, edges)
    tree.control[CURSOR] = ONE if start == U64(tree.visits.size) else start
    release_lock(tree)
    return header
