"""The player of last resort: the textbook search, while the kernels are being compiled at the very first start.

Random games would tell too little in the time that plain Python has. So a playout is cut off where it begins, after the
move that is judged: captures are played as long as they pay, and what is left counts, material first, then mobility.
"""

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property

import chess

from engine.clock import Limits, budget
from engine.textbook.chess_state import ChessState
from engine.textbook.mcts import Node, Search

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
EVERYTHING = 1000
EXPLORATION = 0.3
MATERIAL_SCALE = 8.0  # pawns that are worth three quarters of a mate
MOBILITY_WEIGHT = 0.02  # pawns for a move
LARGEST_GUESS = 0.9
DEEPEST_EXCHANGE = 6
SIMULATIONS = 200  # each move is judged once; the rest only makes the best one clear
SECONDS_TO_THINK, SECONDS_BETWEEN_LOOKS = 0.4, 0.2


def material(board: chess.Board) -> int:
    """Own men less the opponent's, in pawns, for the player to move."""
    total = 0
    for piece, value in VALUES.items():
        own, other = board.pieces_mask(piece, board.turn), board.pieces_mask(piece, not board.turn)
        total += value * (own.bit_count() - other.bit_count())
    return total


def settled_material(board: chess.Board, alpha: int = -EVERYTHING, beta: int = EVERYTHING, depth: int = 0) -> int:
    """The material that is left when both sides have made the captures that pay, for the player to move."""
    best = material(board)
    if best >= beta or depth == DEEPEST_EXCHANGE:
        return best
    captures = sorted(board.generate_legal_captures(), key=lambda move: _gain(board, move), reverse=True)
    for move in captures:
        board.push(move)
        best = max(best, -settled_material(board, -beta, -max(alpha, best), depth + 1))
        board.pop()
        if best >= beta:
            break
    return best


def _gain(board: chess.Board, move: chess.Move) -> int:
    """What a capture takes, the cheapest man taking first."""
    return 10 * VALUES[board.piece_type_at(move.to_square) or chess.PAWN] - VALUES[_man(board, move)]


def _man(board: chess.Board, move: chess.Move) -> chess.PieceType:
    return board.piece_type_at(move.from_square) or chess.PAWN


def mobility(board: chess.Board) -> int:
    """How many moves more than the opponent the player to move has."""
    own = board.legal_moves.count()
    board.push(chess.Move.null())
    other = board.legal_moves.count()
    board.pop()
    return own - other


def can_mate(board: chess.Board) -> bool:
    """Has the player to move a mate in one?"""
    for move in board.legal_moves:
        if board.gives_check(move):
            board.push(move)
            is_mate = board.is_checkmate()
            board.pop()
            if is_mate:
                return True
    return False


def guess(pawns: float, moves: float) -> float:
    """Material and mobility as a score: in (−1, 1), for less than a mate is worth."""
    return LARGEST_GUESS * math.tanh((pawns + MOBILITY_WEIGHT * moves) / MATERIAL_SCALE)


class OnePlyState(ChessState):
    """A position to search from, or one after a move: that is judged and not searched any further.

    Deeper, the mean of a move would be that of replies which nobody plays.
    """

    def __init__(self, board: chess.Board, *, is_judged: bool = False) -> None:
        super().__init__(board)
        self._is_judged = is_judged

    @property
    def is_game_over(self) -> bool:
        """Does the search end here?"""
        return self._is_judged or super().is_game_over

    @cached_property
    def current_score(self) -> float:
        """The end of the game, or a guess: positive if White stands better."""
        if self._outcome is not None:
            return super().current_score
        board = self.board.copy(stack=False)
        own = LARGEST_GUESS if can_mate(board) else guess(settled_material(board), mobility(board))
        return own if self.is_max_turn else -own

    def perform(self, action: chess.Move) -> "OnePlyState":
        """The position after a move, to be judged."""
        return OnePlyState(super().perform(action).board, is_judged=True)

    def copy(self) -> "OnePlyState":
        """A position of its own that equals this one."""
        return OnePlyState(self.board.copy(), is_judged=self._is_judged)


def new_search(board: chess.Board, wished: Sequence[chess.Move], rng: random.Random | None = None) -> Search:
    """The textbook search with playouts that are cut off at once; of the moves wished for, if there are any."""
    state = OnePlyState(board.copy(stack=False))
    if wished:
        state.valid_actions = list(wished)
    return Search(state, rng, EXPLORATION, simulate=lambda judged, _rng: judged)


class Clock:
    """When the stopgap has to answer."""

    def __init__(self, limits: Limits, overhead: int, started: float, is_alone: Callable[[], bool]) -> None:
        """`is_alone`: will the real search never come?"""
        self.started = started
        self._limits, self._is_alone = limits, is_alone
        self._budget = budget(limits, overhead)
        self._counts_from = None if limits.ponder else started

    def ponder_hit(self, moment: float) -> None:
        """From now on the clock counts."""
        self._counts_from = moment

    def seconds_left(self) -> float:
        """Until an answer is due. Without a limit of time, the real search is waited for."""
        if self._counts_from is None or self._limits.infinite:
            return math.inf
        if self._budget.hard is not None:
            return self._counts_from + self._budget.hard - time.perf_counter()
        return SECONDS_TO_THINK if self._is_alone() else math.inf


class Stopgap:
    """One search by the textbook, in a thread of its own."""

    def __init__(
        self,
        board: chess.Board,
        wished: Sequence[chess.Move],
        clock: Clock,
        say: Callable[[str], None],
        on_end: Callable[[], None],
    ) -> None:
        self._board, self._clock, self._say, self._on_end = board, clock, say, on_end
        self._stopped = self._gives_way = False
        self._news = threading.Event()
        self.has_answered = False
        self._search = new_search(board, wished)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer now."""
        self._stopped = True
        self._news.set()

    def ponder_hit(self, moment: float) -> None:
        """The expected move was played."""
        self._clock.ponder_hit(moment)
        self._news.set()

    def end(self) -> None:
        """Answer now, and wait for it."""
        self.stop()
        self._thread.join()

    def give_way(self) -> None:
        """The real search is ready: end without an answer, unless it is given already."""
        self._gives_way = True
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        """Wait for the real search as long as possible: what thinks here takes time from loading it."""
        while not (self._gives_way or self._stopped) and (left := self._clock.seconds_left()) > SECONDS_TO_THINK:
            self._news.wait(min(left - SECONDS_TO_THINK, SECONDS_BETWEEN_LOOKS))
            self._news.clear()
        self._think()
        if not self._gives_way:
            self._answer()

    def _think(self) -> None:
        """Look at each move a few times, as far as the clock allows."""
        root = self._search.root
        while root.visits < SIMULATIONS and not (self._gives_way or root.state.is_game_over):
            self._search.run(1)
            if self._clock.seconds_left() <= 0:
                return

    def _answer(self) -> None:
        line = main_line(self._search.root) or self._any_move()
        self._say(self._info(line))
        self._say("bestmove " + (" ponder ".join(line[:2]) or "0000"))
        self.has_answered = True
        self._on_end()

    def _any_move(self) -> list[str]:
        """A move although the game is drawn, if there is one."""
        return [self._board.uci(move) for move in self._board.legal_moves][:1]

    def _info(self, line: list[str]) -> str:
        root = self._search.root
        milliseconds = int((time.perf_counter() - self._clock.started) * 1000)
        speed = 1000 * root.visits // max(1, milliseconds)
        work = f"nodes {root.visits} nps {speed} hashfull 0 tbhits 0 time {milliseconds}"
        if not line:
            return f"info depth 0 score {'mate 0' if self._board.is_check() else 'cp 0'} {work}"
        depth = f"depth {min(2, len(line))} seldepth {len(line)} multipv 1"
        return f"info {depth} score {score_text(root)} {work} pv {' '.join(line)}"


def best_child(node: Node) -> Node:
    """The child that was visited most."""
    return max(node.children, key=lambda child: (child.visits, child.total))


def main_line(node: Node) -> list[str]:
    """The moves that were visited most, one after the other."""
    line: list[str] = []
    while node.children and (not line or node.visits > 1):
        child = best_child(node)
        line.append(node.state.board.uci(child.action))
        node = child
    return line


def score_text(root: Node) -> str:
    """The mate that the best move gives, or the material that it promises."""
    if not root.children:
        return "cp 0"
    after = best_child(root).state
    if after.board.is_checkmate():
        return "mate 1"
    return f"cp {-100 * settled_material(after.board.copy(stack=False))}"
