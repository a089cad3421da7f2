"""Kernels that read the tree, also while threads search in it. They change nothing.

A node may be recycled while it is read: it is looked at before and after, and counts as not expanded if it changed.
"""

import math

import numpy as np

from engine.mcts.params import UCB1, SearchParams
from engine.mcts.proof import DRAW, LOSS, UNPROVEN, WIN, distance_of, result_of
from engine.mcts.selection import (
    PRIOR_SCALE,
    SCORE_SCALE,
    exploration_of,
    first_play_of,
    is_lost,
    mean_of,
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

# The columns of an icicle's lines.
PARENT, DEPTH, START, WIDTH, VISITS, WINS, CODE, PROVEN, MERGED, EDGE = range(10)
COLUMNS = 10
NOBODY = np.int64(-1)


@inlined
def node_of(tree: Tree, edge: np.uint64) -> np.uint64:
    """The header of the node below an edge; 0 if there is none, or it is being made or recycled."""
    header = U64(read(tree.link, edge))
    if header in (NO_NODE, BUSY) or header >= U64(tree.visits.size):
        return ZERO
    edges = U64(tree.visits[header])
    is_whole = tree.move[header] == LIVE and U64(tree.wins[header]) == edge and edges <= U64(MAX_MOVES)
    return header if is_whole and header + edges < U64(tree.visits.size) else ZERO


# What the search would take next


@kernel
def urgencies(tree: Tree, params: SearchParams, edge: np.uint64, means: np.ndarray, bonuses: np.ndarray) -> int:
    """Write Q and U of the moves below an edge as the formula takes them; -> how many there are.

    U is infinite for what UCB1 has not visited, and minus infinity for lost moves: those are never taken.
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
            means[index], bonuses[index] = 0.0, -math.inf
            continue
        visits, prior = visits_of(tree, slot), U64(tree.prior[slot])
        if visits > 0.0:
            means[index] = mean_of(tree, slot, visits)
        elif params.formula == UCB1:
            means[index] = 0.0
        else:
            means[index] = first_play_of(parent_mean, params.first_play, float(prior_visited) * PRIOR_SCALE)
        if params.formula != UCB1:
            bonuses[index] = puct(0.0, float(prior), visits, exploration)
        elif visits > 0.0:
            bonuses[index] = ucb1(0.0, visits, log_of_parent, params.exploration)
        else:
            bonuses[index] = math.inf
        if visits > 0.0:
            prior_visited += prior
    return count


# The best moves from here on


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
    """The edge of a node that `choice.best_of` would choose among those that anything is known of; 0 if nothing is."""
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
    """Write the edges of the best moves below an edge, and the moves; -> how many, as many as fit at most.

    At the end all is looked at again: what was recycled meanwhile is left out, with all that follows.
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
    for place in range(count):
        header = node_of(tree, above)
        if not header < edges[place] <= header + U64(tree.visits[header]) or header == ZERO:
            return place
        above = edges[place]
    return count


# The whole tree in one picture


@inlined
def write_line(tree: Tree, lines: np.ndarray, place: int, parent: int, slot: np.uint64) -> None:
    """A rectangle for a move."""
    line = lines[place]
    line[PARENT], line[DEPTH] = parent, lines[parent, DEPTH] + 1
    line[VISITS], line[WINS] = np.int64(tree.visits[slot]), tree.wins[slot]
    line[CODE], line[PROVEN] = np.int64(tree.move[slot]), np.int64(tree.proven[slot])
    line[MERGED], line[EDGE] = 0, np.int64(slot)


@inlined
def put_in_order(lines: np.ndarray, first: int, place: int) -> None:
    """Move the last line before those of its parent with fewer visits. By insertion: there are few."""
    while place > first and lines[place - 1, VISITS] < lines[place, VISITS]:
        for column in range(COLUMNS):
            lines[place - 1, column], lines[place, column] = lines[place, column], lines[place - 1, column]
        place -= 1


@inlined
def lay_out(lines: np.ndarray, parent: int, first: int, end: int) -> None:
    """Set lines side by side within their parent. Threads may have added visits since it was read: those are cut."""
    start, left = lines[parent, START], lines[parent, WIDTH]
    for place in range(first, end):
        width = min(lines[place, VISITS], left)
        lines[place, START], lines[place, WIDTH] = start, width
        start, left = start + width, left - width


@inlined
def divide(tree: Tree, lines: np.ndarray, parent: int, used: int, least_visits: np.int64) -> int:
    """Add the moves below a line; those with too few visits become one. -> how many lines are used now."""
    edge = U64(lines[parent, EDGE])
    header = node_of(tree, edge)
    if header == ZERO:
        return used
    first, end, merged, rest_visits, rest_wins = used, used, 0, np.int64(0), np.int64(0)
    for index in range(U64(tree.visits[header])):
        slot = header + ONE + U64(index)
        visits = np.int64(tree.visits[slot])
        if visits >= least_visits:
            if end + 1 >= len(lines):  # the last line is for a rest
                return used
            write_line(tree, lines, end, parent, slot)
            put_in_order(lines, first, end)
            end += 1
        elif visits > 0:
            merged, rest_visits, rest_wins = merged + 1, rest_visits + visits, rest_wins + tree.wins[slot]
    if merged > 0:
        line = lines[end]
        line[PARENT], line[DEPTH], line[VISITS], line[WINS] = parent, lines[parent, DEPTH] + 1, rest_visits, rest_wins
        line[CODE], line[PROVEN], line[MERGED], line[EDGE] = NOBODY, UNPROVEN, merged, NOBODY
        end += 1
    if node_of(tree, edge) != header:
        return used
    lay_out(lines, parent, first, end)
    return end


@kernel
def icicle(tree: Tree, edge: np.uint64, least_visits: np.int64, deepest: np.int64, lines: np.ndarray) -> int:
    """The visits below an edge as rectangles, ply by ply; -> how many lines of `lines` were written.

    A node whose moves find no room any more is not divided.
    """
    first = lines[0]
    first[:] = 0
    first[PARENT], first[VISITS], first[WINS] = NOBODY, np.int64(tree.visits[edge]), tree.wins[edge]
    first[WIDTH] = first[VISITS]
    first[CODE], first[PROVEN], first[EDGE] = NOBODY, np.int64(tree.proven[edge]), np.int64(edge)
    used, place = 1, 0
    while place < used:
        if lines[place, MERGED] == 0 and lines[place, DEPTH] < deepest:
            used = divide(tree, lines, place, used, least_visits)
        place += 1
    return used
