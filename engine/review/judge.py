"""Every position of a game is searched; a move is judged by the score before it and the score after it.

A move that looks like a mistake is searched longer before it is called one: the point of a sacrifice often shows late.
First all positions quickly, then those at which the game turns. Each result follows from the game, the plan and the
seed alone: a review that goes on where it was interrupted finds the same numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.config.options import Options
from engine.report.move_stats import DIGITS
from engine.report.node import Row, Shape
from engine.review.exchange import given_up
from engine.review.judged import DEEP, QUICK, Judged, Rival, Worth
from engine.review.plan import USUAL_SEED, Plan
from engine.review.turning import RIVALS, may_be_only, turns
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from movegen import Ending, Position

LONGEST_BETTER_LINE = 10
ROWS = 5
SHAPE = Shape(lines=ROWS, longest=LONGEST_BETTER_LINE)
ROW_FIELDS = ("uci", "san", "n", "share", "q", "wdl", "p", "proven", "pv", "line")
SECOND_LOOKS = 4  # searches more, each as long as the first, for a move that looks like a mistake …
LOOKS_AT_CLEAR_LOSSES, CLEAR_LOSS = 2, 0.3  # … fewer where it looks far worse than a blunder …
MOST_SECOND_LOOKS, ENOUGH_VISITS = 16, 100_000  # … and more where those make few visits, unless a deep pass follows
PLIES_IN_ONE_TREE = 16  # then it is cleared: an interrupted review goes on from there


class Judge:
    """Searches position after position."""

    def __init__(
        self,
        settings: Options,
        plan: Plan,
        search: Callable[[Searcher, Limits], None],
        resources: Resources | None = None,
    ) -> None:
        """`settings` are changed. `search` returns when the limits are reached; what it raises ends the judging."""
        settings.analyse_mode = True
        settings.seed = settings.seed or USUAL_SEED
        settings.move_overhead = 0
        self.plan, self._search = plan, search
        if resources is None:
            resources = Resources()
            resources.open_files(settings)
        self._searcher = Searcher(settings, SilentListener(), resources)

    # All positions

    def quick(self, start: Position, codes: Sequence[int], known: Sequence[Judged] = ()) -> Iterator[Judged]:
        """A game, move by move. `known`: the first moves, judged before, which do not come again."""
        count = len(known)  # the caller may add to it
        if count >= len(codes):
            return
        worths = [*(move.before for move in known[:1]), *(move.after for move in known)]
        first = len(worths) // PLIES_IN_ONE_TREE * PLIES_IN_ONE_TREE  # the tree of what follows begins here
        del worths[first:]
        before = position = start
        for index in range(len(codes) + 1):
            if index:
                before, position = position, position.play(codes[index - 1])
            if index < first:
                continue
            is_first = index % PLIES_IN_ONE_TREE == 0
            worth = self._worth(position, None if is_first else (codes[index - 1],), self.plan.quick, QUICK)
            if index:
                move = _new(before, codes[index - 1], index - 1, worths[-1], worth)
                move = self._judged_again(move, self.plan.quick)
                worth = move.after
                if index > count:
                    yield move
            worths.append(worth)

    def _judged_again(self, judged: Judged, limits: Limits) -> Judged:
        """The same after more visits, if it looks like a mistake."""
        while judged.is_in_doubt and self._wants_look(judged):
            after = self._searched(limits, judged.after.depth_pass)
            judged = replace(judged, after=replace(after, looks=judged.after.looks + 1))
        return judged

    def _wants_look(self, judged: Judged) -> bool:
        looks = judged.after.looks
        if looks < (LOOKS_AT_CLEAR_LOSSES if judged.loss >= CLEAR_LOSS else SECOND_LOOKS):
            return True
        comes_again = self.plan.deep is not None and judged.after.depth_pass == QUICK
        return not comes_again and looks < MOST_SECOND_LOOKS and judged.after.visits < ENOUGH_VISITS

    # Where the game turns

    def deepen(self, start: Position, codes: Sequence[int], judged: Sequence[Judged]) -> Iterator[Judged]:
        """Better versions of moves judged before, until all at which the game turns are settled.

        A move comes again each time when one of its positions was searched longer, or its best rival.
        """
        moves = list(judged)
        positions = [start]
        for code in codes[: len(moves)]:
            positions.append(positions[-1].play(code))
        while left := self.open_plies(moves):
            for ply in self._settle(positions, moves, left[0]):
                yield moves[ply]

    def open_plies(self, moves: Sequence[Judged]) -> list[int]:
        """The moves that `deepen` has still to look at, as far as is known now."""
        return [ply for ply in range(len(moves)) if self._is_not_deep(moves[ply]) or self._lacks_rival(moves, ply)]

    def _is_not_deep(self, move: Judged) -> bool:
        if self.plan.deep is None or not turns(move):
            return False
        return move.depth_pass != DEEP or (move.is_in_doubt and self._wants_look(move))

    def _lacks_rival(self, moves: Sequence[Judged], ply: int) -> bool:
        return moves[ply].rival is None and may_be_only(moves, ply)

    def _settle(self, positions: list[Position], moves: list[Judged], ply: int) -> list[int]:
        """Search longer for a move; -> the plies of all moves that this changes."""
        if not self._is_not_deep(moves[ply]):
            moves[ply] = replace(moves[ply], rival=self._rival(positions[ply], moves[ply]))
            return [ply]
        before = moves[ply].before
        moves[ply] = self._deep(positions[ply], positions[ply + 1], moves[ply])
        is_new = moves[ply].before is not before
        changed = [ply]
        if ply and is_new:
            moves[ply - 1] = replace(moves[ply - 1], after=moves[ply].before)
            changed.insert(0, ply - 1)
        if ply + 1 < len(moves):
            moves[ply + 1] = replace(moves[ply + 1], before=moves[ply].after, rival=None)
            changed.append(ply + 1)
        return changed

    def _deep(self, position: Position, following: Position, move: Judged) -> Judged:
        """A move by longer searches of the positions before and after it, each in an empty tree."""
        limits, before, after = self.plan.deep or self.plan.quick, move.before, move.after
        if before.depth_pass != DEEP:
            before = self._worth(position, None, limits, DEEP)
            move = replace(move, before=before, rival=None)
        if after.depth_pass != DEEP or move.is_in_doubt:
            move = replace(move, after=self._worth(following, None, limits, DEEP))
        return self._judged_again(move, limits)

    def _rival(self, position: Position, move: Judged) -> Rival:
        """The better of the next moves, each searched for itself."""
        found: list[Rival] = []
        for row in move.before.rows[1 : 1 + RIVALS]:
            worth = self._worth(position.play(row["uci"]), None, self.plan.deep or self.plan.quick, DEEP)
            score = round(1 - worth.score, DIGITS)
            found.append(Rival(row["uci"], row["san"], score, worth.visits, worth.proven is not None))
        return max(found, key=lambda rival: rival.score)

    # A position

    def _worth(self, position: Position, moves: tuple[int, ...] | None, limits: Limits, depth_pass: str) -> Worth:
        """`moves` lead to it from the position before; None: what was searched before is forgotten."""
        self._searcher.set_position(position, moves)
        ending = position.outcome()
        if not position.move_codes or ending is not Ending.NONE:
            is_mate = ending is Ending.CHECKMATE
            result = {"result": "loss" if is_mate else "draw", "plies": 0}
            return Worth(0.0 if is_mate else 0.5, result, 0, None, None, [], [], depth_pass=depth_pass)
        return self._searched(limits, depth_pass)

    def _searched(self, limits: Limits, depth_pass: str) -> Worth:
        """What the present position is worth after a search, which goes on where the last one ended."""
        self._search(self._searcher, limits)
        report = self._searcher.report()
        rows = report.rows(k=ROWS, shape=SHAPE)
        best, visits = rows[0], report.summary()["visits"]
        score = 0.5 if best.q is None else best.q
        shown = tuple(_row_data(row) for row in rows)
        return Worth(score, best.proven, visits, best.uci, best.san, best.pv, best.line, shown, depth_pass)


def _new(position: Position, code: int, ply: int, before: Worth, after: Worth) -> Judged:
    number, uci, san = position.fullmove_number, position.uci(code), position.san(code)
    return Judged(ply, number, position.turn, uci, san, before, after, given_up=given_up(position, uci))


def _row_data(row: Row) -> dict[str, Any]:
    data = row.data()
    return {name: data[name] for name in ROW_FIELDS}
