"""What the tree says, as plain data: the moves of a node with their statistics, the best move, the main line."""

import math
from dataclasses import dataclass

from engine.mcts.tree import SCORE_UNIT, Tree, edges_of
from movegen import Position

LOSS, DRAW, WIN = 1, 2, 3
CENTIPAWNS_PER_LOGIT = 250
LARGEST_CENTIPAWNS = 9999
LONGEST_LINE = 64


@dataclass(frozen=True)
class MoveStats:
    """A move of a node. All values are for the player who makes it."""

    slot: int
    code: int
    visits: int
    wins: int
    draws: int
    prior: float
    result: int  # 0, or LOSS, DRAW, WIN if proven
    distance: int  # plies to the end, if proven

    @property
    def score(self) -> float:
        """Expected score in [0, 1]: exact if proven, ½ while nothing is known."""
        if self.result:
            return {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}[self.result]
        return self.wins / SCORE_UNIT / self.visits if self.visits else 0.5

    @property
    def draw_share(self) -> float:
        """The share of draws in [0, 1]."""
        if self.result:
            return 1.0 if self.result == DRAW else 0.0
        return self.draws / SCORE_UNIT / self.visits if self.visits else 0.0


def stats_of(tree: Tree, slot: int) -> MoveStats:
    """What is known of an edge."""
    proven = int(tree.proven[slot])
    return MoveStats(
        slot,
        int(tree.move[slot]),
        int(tree.visits[slot]),
        int(tree.wins[slot]),
        int(tree.draws[slot]),
        int(tree.prior[slot]) / 65535,
        proven >> 14,
        proven & 0x3FFF,
    )


def moves_below(tree: Tree, slot: int) -> list[MoveStats]:
    """The moves of the node below an edge, best first; empty if it was not expanded."""
    return sorted((stats_of(tree, edge) for edge in edges_of(tree, slot)), key=rank, reverse=True)


def rank(move: MoveStats) -> tuple[float, ...]:
    """The order of final moves: proven wins, the quickest first; others by visits and score; losses, the longest first.

    Proven draws stand among the others; `best_of` judges them by their exact score.
    """
    if move.result == WIN:
        return (2, -move.distance)
    if move.result == LOSS:
        return (0, move.distance)
    return (1, move.visits, move.score)


def best_of(moves: list[MoveStats]) -> MoveStats:
    """The move to play. A proven draw is taken if the best of the others promises less."""
    best = moves[0]
    if best.result == 0 and best.score < 0.5:
        drawn = [move for move in moves if move.result == DRAW]
        if drawn:
            return drawn[0]
    return best


def main_line(tree: Tree, position: Position, first: MoveStats) -> list[str]:
    """The best moves from a position on, as far as the tree goes.

    Threads may recycle a node while it is read here: the line ends where a move is not legal.
    """
    line: list[str] = []
    move = first
    while len(line) < LONGEST_LINE:
        line.append(position.uci(move.code))
        position = position.play(move.code)
        replies = [reply for reply in moves_below(tree, move.slot) if reply.visits or reply.result]
        if not replies or position.is_game_over(claim_draw=True):
            break
        move = best_of(replies)
        if move.code not in position.move_codes:
            break
    return line


def centipawns(score: float) -> int:
    """A score as GUIs show it: 250 · ln(s / (1 − s)), so ½ is 0 and ¾ about 275."""
    if score <= 0.0 or score >= 1.0:
        return -LARGEST_CENTIPAWNS if score <= 0.0 else LARGEST_CENTIPAWNS
    value = CENTIPAWNS_PER_LOGIT * math.log(score / (1 - score))
    return round(max(-LARGEST_CENTIPAWNS, min(LARGEST_CENTIPAWNS, value)))


def score_text(move: MoveStats) -> str:
    """`cp 35`, `mate 3` or `mate -2`: a proven mate in moves of the player, negative if he is mated."""
    if move.result == WIN:
        return f"mate {(move.distance + 1) // 2}"
    if move.result == LOSS:
        return f"mate {-(move.distance // 2)}"
    return f"cp {centipawns(move.score)}"


def wdl(move: MoveStats) -> tuple[int, int, int]:
    """Win, draw and loss in permille; they add up to 1000."""
    draws = round(1000 * move.draw_share)
    wins = min(1000 - draws, max(0, round(1000 * (move.score - move.draw_share / 2))))
    return wins, draws, 1000 - wins - draws
