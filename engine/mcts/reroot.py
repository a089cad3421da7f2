"""Changes of a whole tree between searches: another root, other moves of the root, smaller counts."""

from collections.abc import Collection

import numpy as np

from engine.mcts.allocate import allocate
from engine.mcts.tree import BEFORE, LIVE, NO_NODE, ROOT, SCORE_UNIT, Tree, clear, edges_of
from engine.network.architecture import PRIOR_UNIT
from movegen.bits import U64

SLOTS_AT_ONCE = 1 << 20  # that are halved together: bounds the memory for it


def new_root(tree: Tree, move: int) -> None:
    """Make the position after a move of the root the new root. What is not below it is recycled in time.

    But the node of the root before stays: see `take_back`.
    """
    slot = next((slot for slot in edges_of(tree, int(ROOT)) if int(tree.move[slot]) == move), None)
    if slot is None or tree.link[slot] == NO_NODE:
        clear(tree)
        return
    header, tree.control[int(BEFORE)] = int(tree.link[slot]), tree.link[int(ROOT)]
    for array in (tree.visits, tree.wins, tree.draws, tree.link):
        array[int(ROOT)] = array[slot]
    tree.proven[int(ROOT)] = 0  # `prove_root` finds it again from the replies
    tree.link[slot] = NO_NODE
    tree.wins[header], tree.draws[header] = int(ROOT), 0
    tree.kept[0] = 0


def take_back(tree: Tree) -> None:
    """Make the root before the last `new_root` the root again, with what is left below its other moves.

    What is below the last move is lost. If the root before is not known, the tree is cleared.
    """
    header = int(tree.control[int(BEFORE)])
    if header == 0:
        clear(tree)
        return
    root = int(ROOT)
    tree.link[root], tree.proven[root], tree.control[int(BEFORE)] = header, 0, 0
    sum_up_root(tree)


def sum_up_root(tree: Tree) -> None:
    """Give the edge above the root the sums of the root's moves."""
    root, edges = int(ROOT), edges_of(tree, int(ROOT))
    block = slice(edges.start, edges.stop)
    tree.visits[root] = tree.visits[block].sum()
    tree.wins[root] = int(tree.visits[root]) * SCORE_UNIT - int(tree.wins[block].sum())
    tree.draws[root] = tree.draws[block].sum()
    tree.kept[0] = 0


def temper_root(tree: Tree, exponent: float) -> None:
    """Raise the priors of the root's moves to a power, and let them add up to 1 again. Their order stays."""
    edges = edges_of(tree, int(ROOT))
    block = slice(edges.start, edges.stop)
    powers = tree.prior[block].astype(np.float64) ** exponent
    if len(edges):
        tree.prior[block] = np.maximum(1, PRIOR_UNIT * powers / powers.sum()).astype(np.uint16)


def restrict_root(tree: Tree, moves: Collection[int]) -> None:
    """Leave the root only these of its moves, with their statistics. Not while threads search."""
    kept = [slot for slot in edges_of(tree, int(ROOT)) if int(tree.move[slot]) in moves]
    header = 0
    while header == 0:
        header = int(allocate(tree, ROOT, U64(len(kept))))
    block = slice(header + 1, header + 1 + len(kept))
    for array in tree.fields:
        array[block] = array[kept]
    for slot in range(block.start, block.stop):
        if tree.link[slot] != NO_NODE:
            tree.wins[tree.link[slot]] = slot
    root = int(ROOT)
    tree.link[root], tree.proven[root] = header, 0
    sum_up_root(tree)


def halve(tree: Tree) -> None:
    """Halve the statistics of all edges, so that they can grow further. Means stay. Not while threads search.

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
