"""Kernels that read the tree, also while threads search in it. They change nothing.

A node may be recycled while it is read: it is checked before and after, and counts as not expanded if it changed.
"""

import math

import numpy as np

from engine.mcts.params import UCB1, SearchParams
from engine.mcts.proof import DRAW, LOSS, UNPROVEN, WIN, distance_of, result_of
from engine.mcts.selection import (
    PRIOR_SCALE,
    SCORE_SCALE,
    exploration_of,
    is_lost,
    mean_of,
    mean_or_first_play,
    natural_log,
    puct,
    ucb1,
    visits_of,
)
from engine.mcts.tree import BUSY, LIVE, NO_NODE, SCORE_UNIT, Tree
from movegen.bits import ONE, U64, ZERO
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import read
from movegen.moves import MAX_MOVES

# The columns of an icicle's table. MERGED: how many moves share the rectangle of a rest; else 0.
PARENT, DEPTH, START, WIDTH, VISITS, WINS, CODE, PROVEN, MERGED, EDGE = range(10)
ICICLE_COLUMNS = 10
NONE = np.int64(-1)


@inlined
def node_of(tree: Tree, edge: np.uint64) -> np.uint64:
    """The header of the node below an edge; 0 if there is none, or it is being made or recycled."""
    header = U64(read(tree.link, edge))
    if header in (NO_NODE, BUSY) or header >= U64(tree.visits.size):
        return ZERO
    edges = U64(tree.visits[header])
    is_whole = tree.move[header] == LIVE and U64(tree.wins[header]) == edge and edges <= U64(MAX_MOVES)
    return header if is_whole and header + edges < U64(tree.visits.size) else ZERO


# What the search would select next


@inlined
def ucb1_terms(tree: Tree, params: SearchParams, slot: np.uint64, log_of_parent: float) -> tuple[float, float]:
    """Q and U of a move by UCB1: infinite without visits."""
    visits = visits_of(tree, slot)
    if visits == 0.0:
        return 0.0, math.inf
    return mean_of(tree, slot, visits), ucb1(0.0, visits, log_of_parent, params.exploration)


@inlined
def puct_terms(
    tree: Tree,
    params: SearchParams,
    slot: np.uint64,
    exploration: float,
    parent_mean: float,
    prior_visited: np.uint64,
) -> tuple[float, float]:
    """Q and U of a move by PUCT, as `select_by_puct` computes them."""
    visits, prior = visits_of(tree, slot), float(tree.prior[slot])
    mean = mean_or_first_play(tree, params, slot, visits, parent_mean, prior_visited)
    return mean, puct(0.0, prior, visits, exploration)


@kernel
def urgencies(tree: Tree, params: SearchParams, edge: np.uint64, means: np.ndarray, bonuses: np.ndarray) -> int:
    """Write Q and U of the moves below an edge as the formula takes them; -> how many there are.

    U is infinite for moves that UCB1 has not visited, and minus infinity for lost moves: those are never selected.
    """
    header = node_of(tree, edge)
    if header == ZERO:
        return 0
    count = int(tree.visits[header])
    parent_visits = max(U64(tree.visits[edge]), ONE)
    log_of_parent = natural_log(parent_visits)
    exploration = exploration_of(params, parent_visits) * PRIOR_SCALE
    parent_mean = 1.0 - float(tree.wins[edge]) * SCORE_SCALE / float(parent_visits)
    prior_visited = ZERO
    for index in range(count):
        slot = header + ONE + U64(index)
        if is_lost(tree, slot):
            mean, bonus = 0.0, -math.inf
        elif params.formula == UCB1:
            mean, bonus = ucb1_terms(tree, params, slot, log_of_parent)
        else:
            mean, bonus = puct_terms(tree, params, slot, exploration, parent_mean, prior_visited)
            if visits_of(tree, slot) > 0.0:
                prior_visited += U64(tree.prior[slot])
        means[index], bonuses[index] = mean, bonus
    return count


# Principal variations


@inlined
def better_of(tree: Tree, slot: np.uint64, other: np.uint64) -> np.uint64:
    """The better of two moves with the same result, `other` if they are equal; it may be 0, for none."""
    if other == ZERO:
        return slot
    result = result_of(tree.proven[slot])
    distance, other_distance = distance_of(tree.proven[slot]), distance_of(tree.proven[other])
    if result == WIN:
        return slot if distance < other_distance else other
    if result == LOSS:
        return slot if distance > other_distance else other
    visits, other_visits = tree.visits[slot], tree.visits[other]
    if visits == other_visits and result == UNPROVEN:
        return slot if tree.wins[slot] > tree.wins[other] else other
    return slot if visits > other_visits else other


@inlined
def best_reply(tree: Tree, header: np.uint64) -> np.uint64:
    """The edge of a node that `move_stats.best_of` would choose among the known ones; 0 if none is known."""
    win, drawn, open_move, loss = ZERO, ZERO, ZERO, ZERO
    for index in range(U64(tree.visits[header])):
        slot = header + ONE + U64(index)
        result = result_of(tree.proven[slot])
        if result == WIN:
            win = better_of(tree, slot, win)
        elif result == LOSS:
            loss = better_of(tree, slot, loss)
        elif result == DRAW:
            drawn = better_of(tree, slot, drawn)
        elif tree.visits[slot] > 0:
            open_move = better_of(tree, slot, open_move)
    if win != ZERO:
        return win
    promises_less = 2 * tree.wins[open_move] < np.int64(tree.visits[open_move]) * SCORE_UNIT
    if drawn != ZERO and (open_move == ZERO or promises_less):
        return drawn
    return open_move if open_move != ZERO else loss


@kernel
def best_line(tree: Tree, edge: np.uint64, edges: np.ndarray, codes: np.ndarray) -> int:
    """Write the edges of the best moves below an edge, and the moves; -> how many, at most as many as fit.

    At the end all are checked again: a node that was recycled meanwhile is left out, with all that follows.
    """
    count, above, room = 0, edge, edges.size
    header = node_of(tree, above)
    while count < room and header != ZERO:
        slot = best_reply(tree, header)
        if slot == ZERO:
            break
        edges[count], codes[count] = slot, tree.move[slot]
        count += 1
        above = slot
        header = node_of(tree, above)
    above = edge
    for index in range(count):
        header = node_of(tree, above)
        if not header < edges[index] <= header + U64(tree.visits[header]) or header == ZERO:
            return index
        above = edges[index]
    return count


# The whole tree in one picture: a table with a row for each rectangle


@inlined
def write_row(tree: Tree, table: np.ndarray, row: int, parent: int, slot: np.uint64) -> None:
    """The rectangle of a move."""
    cells = table[row]
    cells[PARENT], cells[DEPTH] = parent, table[parent, DEPTH] + 1
    cells[VISITS], cells[WINS] = np.int64(tree.visits[slot]), tree.wins[slot]
    cells[CODE], cells[PROVEN] = np.int64(tree.move[slot]), np.int64(tree.proven[slot])
    cells[MERGED], cells[EDGE] = 0, np.int64(slot)


@inlined
def start_rest(table: np.ndarray, row: int, parent: int) -> None:
    """An empty rectangle for the moves of a node that have too few visits."""
    cells = table[row]
    cells[:] = 0
    cells[PARENT], cells[DEPTH] = parent, table[parent, DEPTH] + 1
    cells[CODE], cells[PROVEN], cells[EDGE] = NONE, UNPROVEN, NONE


@inlined
def put_in_order(table: np.ndarray, first: int, row: int) -> None:
    """Move the last row before those of its parent with fewer visits. By insertion: there are few."""
    while row > first and table[row - 1, VISITS] < table[row, VISITS]:
        for column in range(ICICLE_COLUMNS):
            table[row - 1, column], table[row, column] = table[row, column], table[row - 1, column]
        row -= 1


@inlined
def set_side_by_side(table: np.ndarray, parent: int, first: int, end: int) -> None:
    """Set rectangles side by side within their parent. Threads may have added visits since it was read: those are cut.

    START and WIDTH count visits, from the left edge of the top rectangle:

        parent    |---------------------------------|
        children  |-- first --|-- … --|-- rest --|     what is missing: visits that ended at the parent itself
    """
    start, left = table[parent, START], table[parent, WIDTH]
    for row in range(first, end):
        width = min(table[row, VISITS], left)
        table[row, START], table[row, WIDTH] = start, width
        start, left = start + width, left - width


@inlined
def add_children(tree: Tree, table: np.ndarray, parent: int, used: int, least_visits: np.int64) -> int:
    """Add the moves below a rectangle; those with too few visits become one, the rest. -> how many rows are used now.

        row    0 … parent … | used … moves, most visits first … end | … free … | last: collects the rest |

    Nothing is added if there is no room for all of it, or if the node was recycled meanwhile.
    """
    edge, last = U64(table[parent, EDGE]), len(table) - 1
    header = node_of(tree, edge)
    if header == ZERO or used > last:
        return used
    start_rest(table, last, parent)
    rest, end = table[last], used
    for index in range(U64(tree.visits[header])):
        slot = header + ONE + U64(index)
        visits = np.int64(tree.visits[slot])
        if visits >= least_visits:
            if end == last:
                return used
            write_row(tree, table, end, parent, slot)
            put_in_order(table, used, end)
            end += 1
        elif visits > 0:
            rest[MERGED] += 1
            rest[VISITS] += visits
            rest[WINS] += tree.wins[slot]
    if rest[MERGED] > 0:
        for column in range(ICICLE_COLUMNS):
            table[end, column] = rest[column]
        end += 1
    if node_of(tree, edge) != header:
        return used
    set_side_by_side(table, parent, used, end)
    return end


@kernel
def icicle(tree: Tree, edge: np.uint64, least_visits: np.int64, deepest: np.int64, table: np.ndarray) -> int:
    """The visits below an edge as rectangles, ply by ply; -> how many rows of `table` were written.

    A node whose moves find no room is not divided.
    """
    top = table[0]
    top[:] = 0
    top[PARENT], top[VISITS], top[WINS] = NONE, np.int64(tree.visits[edge]), tree.wins[edge]
    top[WIDTH] = top[VISITS]
    top[CODE], top[PROVEN], top[EDGE] = NONE, np.int64(tree.proven[edge]), np.int64(edge)
    used, row = 1, 0
    while row < used:
        if table[row, MERGED] == 0 and table[row, DEPTH] < deepest:
            used = add_children(tree, table, row, used, least_visits)
        row += 1
    return used
