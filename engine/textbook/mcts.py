"""Monte Carlo tree search, the textbook version: any game, random simulations, UCB1.

One simulation is four steps. *Select*: walk down from the root, always to the most urgent child.
*Expand*: give a leaf that was visited before its children. *Simulate*: play random moves to the end.
*Back up*: add the result to every node on the way. After many simulations, the move that was visited
most is the best one.
"""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, TypeVar

EXPLORATION = math.sqrt(2)


class State(Protocol):
    """A position of a two-player game. "Max" wants a high score, "min" a low one; states never change."""

    score_limit: float
    """No score is larger than this, nor smaller than its negative."""

    @property
    def current_player(self) -> Any:
        """The player to move, by the name the game uses."""

    @property
    def is_max_turn(self) -> bool:
        """Is it max's turn?"""

    @property
    def is_game_over(self) -> bool:
        """Has the game ended?"""

    @property
    def current_score(self) -> float:
        """The result so far: positive if max has won, negative if min has, else 0."""

    @property
    def valid_actions(self) -> Sequence[Any]:
        """The actions the player may take."""

    def perform(self, action: Any) -> Self:
        """The state after an action."""

    def copy(self) -> Self:
        """An equal state that shares no memory with this one."""


AnyState = TypeVar("AnyState", bound=State)


def reward(score: float, limit: float, *, for_max: bool) -> float:
    """A score as a reward in [0, 1] for one of the players.

    A draw is ½. A win is between ¾ and 1 and a loss between ¼ and 0, by the size of the score: any win is better
    than any draw, and a larger win better than a smaller one.
    """
    if score == 0:
        return 0.5
    share = 0.75 + 0.25 * abs(score) / limit
    return share if (score > 0) == for_max else 1 - share


class Node:
    """A state in the tree, with the rewards of the simulations through it for the player who moved there."""

    def __init__(self, state: Any, parent: "Node | None" = None, action: Any = None) -> None:
        self.state = state
        self.parent = parent
        self.action = action
        self.children: list[Node] = []
        self.visits = 0
        self.total = 0.0  # of the rewards

    def urgency(self, exploration: float) -> float:
        """UCB1: the mean reward, and a bonus for children with few visits."""
        if self.visits == 0 or self.parent is None:
            return math.inf
        return self.total / self.visits + exploration * math.sqrt(math.log(self.parent.visits) / self.visits)


Evaluator = Callable[[Any, random.Random], Any]


def play_randomly(state: AnyState, rng: random.Random) -> AnyState:
    """Play random moves to the end of the game."""
    state = state.copy()
    while not state.is_game_over:
        state = state.perform(rng.choice(state.valid_actions))
    return state


class Search:
    """A tree of simulations with one state at the root."""

    def __init__(
        self,
        state: State,
        rng: random.Random | None = None,
        exploration: float = EXPLORATION,
        simulate: Evaluator = play_randomly,
    ) -> None:
        self.root = Node(state)
        self.rng = rng or random.Random()
        self.exploration = exploration
        self.simulate = simulate

    def run(self, simulations: int) -> "Search":
        """Make this many simulations."""
        for _ in range(simulations):
            leaf = self.expand(self.select())
            self.back_up(leaf, self.simulate(leaf.state, self.rng))
        return self

    def select(self) -> Node:
        """Walk down to a leaf; ties between children are broken at random."""
        node = self.root
        while node.children:
            urgencies = [child.urgency(self.exploration) for child in node.children]
            highest = max(urgencies)
            ties = [child for child, urgency in zip(node.children, urgencies, strict=True) if urgency == highest]
            node = self.rng.choice(ties)
        return node

    def expand(self, leaf: Node) -> Node:
        """Give a leaf its children at the second visit, and go to one of them; the root's at the first."""
        if leaf.state.is_game_over or (leaf.visits == 0 and leaf.parent is not None):
            return leaf
        leaf.children = [Node(leaf.state.perform(action), leaf, action) for action in leaf.state.valid_actions]
        return self.rng.choice(leaf.children)

    def back_up(self, leaf: Node, end: State) -> None:
        """Add the result to all nodes up to the root, each for the player who moved there."""
        node: Node | None = leaf
        while node is not None:
            mover_is_max = node.state.is_max_turn if node.parent is None else node.parent.state.is_max_turn
            node.visits += 1
            node.total += reward(end.current_score, end.score_limit, for_max=mover_is_max)
            node = node.parent

    def best_action(self) -> Any:
        """The action that was visited most; of equals, the one with the better mean."""
        if not self.root.children:
            raise ValueError("there is nothing to choose: the game is over, or nothing was simulated")
        return max(self.root.children, key=lambda child: (child.visits, child.total)).action
