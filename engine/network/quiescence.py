"""The value of a position once hanging pieces are taken: a search of winning captures, two plies deep.

The player to move takes the network's value of the position, or of what is left after a capture that wins material;
so does the opponent after it. The network sees what is attacked, but does not know as well what an exchange leaves.
A function of the position alone: it is the same in every search.
"""

from typing import NamedTuple

import numpy as np

from engine.network.architecture import VALUE_UNIT, Network, Scratch
from engine.network.captures import capture_buffer, load_capture, winning_captures
from engine.network.features import AttackMaps, attack_maps
from engine.network.infer import value_with_maps
from movegen.apply import apply
from movegen.bits import ONE, ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined

WON = np.int64(2 * VALUE_UNIT)  # the points of a win


class Leaf(NamedTuple):
    """A position at the end of some captures, or of none, and its value for the player to move before them."""

    win: np.int64
    draw: np.int64
    loss: np.int64
    board: Board
    plies: np.int64


@inlined
def points(leaf: Leaf) -> np.int64:
    """Two for a win, one for a draw."""
    return leaf.win + leaf.win + leaf.draw


@inlined
def leaf_here(network: Network, scratch: Scratch, board: Board, maps: AttackMaps) -> Leaf:
    """The position as it is."""
    win, draw, loss = value_with_maps(network, scratch, board, maps)
    return Leaf(win, draw, loss, board, np.int64(0))


@inlined
def one_ply_before(leaf: Leaf) -> Leaf:
    """The same for the other player, who moves before."""
    return Leaf(leaf.loss, leaf.draw, leaf.win, leaf.board, leaf.plies + 1)


@inlined
def leaf_after_reply(network: Network, scratch: Scratch, board: Board, enough: np.int64) -> Leaf:
    """The best leaf for the player to move, at most one capture away.

    No more is searched once it has `enough` points: then the opponent avoids the position.
    """
    maps = attack_maps(board)
    best = leaf_here(network, scratch, board, maps)
    if points(best) >= enough:
        return best
    captures = capture_buffer()
    count, index = winning_captures(board, maps, captures), ZERO
    while index < count and points(best) < enough:
        after = apply(board, load_capture(captures, index))
        leaf = one_ply_before(leaf_here(network, scratch, after, attack_maps(after)))
        if points(leaf) > points(best):
            best = leaf
        index += ONE
    return best


@inlined
def quiet_leaf(network: Network, scratch: Scratch, board: Board) -> Leaf:
    """The best leaf for the player to move, at most two captures away, the second one by the opponent."""
    maps = attack_maps(board)
    best = leaf_here(network, scratch, board, maps)
    captures = capture_buffer()
    count, index = winning_captures(board, maps, captures), ZERO
    while index < count:
        after = apply(board, load_capture(captures, index))
        leaf = one_ply_before(leaf_after_reply(network, scratch, after, WON - points(best)))
        if points(leaf) > points(best):
            best = leaf
        index += ONE
    return best


@inlined
def quiet_value(network: Network, scratch: Scratch, board: Board) -> tuple[np.int64, np.int64, np.int64]:
    """The shares of win, draw and loss for the player to move; their sum is VALUE_UNIT."""
    leaf = quiet_leaf(network, scratch, board)
    return leaf.win, leaf.draw, leaf.loss
