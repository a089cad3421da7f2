"""A game in numbers, as players know them: accuracy, average loss and time by phase, marks, the opening."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from engine.report.move_stats import DIGITS
from engine.review.accuracy import (
    CEILING,
    FIRST,
    MoveNumbers,
    accuracy_of,
    average_centipawn_loss,
    numbers_of_moves,
)
from engine.review.clocks import seconds_used
from engine.review.judged import Judged, evaluation_of
from engine.review.marks import Mark, Severity
from engine.review.openings import Opening, find_opening
from engine.review.phases import PHASES, Division, divide
from movegen import Position
from movegen.fen import START_FEN

if TYPE_CHECKING:
    from engine.review.reviewed_game import Review

SIDES = ("white", "black")


@dataclass(frozen=True)
class GameFacts:
    """What is known of a game before it is judged."""

    names: tuple[str, str]
    is_usual_start: bool
    opening: Opening | None
    division: Division
    seconds: tuple[float | None, ...]  # used for each move

    @classmethod
    def of(
        cls,
        start: Position | None,
        codes: Sequence[int],
        headers: Mapping[str, str],
        clocks: Sequence[float | None] = (),
    ) -> "GameFacts":
        """`clocks`: of the player of each move after it, in seconds."""
        positions = [] if start is None else [start]
        for code in codes:
            positions.append(positions[-1].play(code))
        names = headers.get("White", "?"), headers.get("Black", "?")
        known = [*clocks[: len(codes)], *[None] * (len(codes) - len(clocks))]
        seconds = tuple(seconds_used(known, headers.get("TimeControl", "")))
        is_usual = start is not None and start.fen() == START_FEN
        return cls(names, is_usual, find_opening(positions), divide(positions), seconds)


def game_numbers(review: "Review") -> dict[str, Any]:
    """Of a game in a file, as far as it is judged."""
    facts = GameFacts.of(review.start, review.codes, review.game.headers, review.clocks)
    return numbers_of(facts, review.moves)


def numbers_of(facts: GameFacts, moves: Sequence[Judged]) -> dict[str, Any]:
    """The same for JSON; `moves`: those that are judged, from the first one on."""
    table = _move_numbers(facts, moves)
    return {
        "opening": None if facts.opening is None else facts.opening.data(),
        "phases": {"middlegame": facts.division.middlegame, "endgame": facts.division.endgame},
        "players": {side: _player(facts, moves, table, side) for side in SIDES},
    }


def _move_numbers(facts: GameFacts, moves: Sequence[Judged]) -> list[MoveNumbers]:
    if not moves:
        return []
    start = FIRST if facts.is_usual_start else _centipawns(evaluation_of(moves[0].before, _sign(moves[0].turn)))
    return numbers_of_moves(start, [_after(move) for move in moves], moves[0].turn)


def _after(move: Judged) -> float:
    """White's centipawns after a move; a mate counts as the most."""
    return CEILING * _sign(move.turn) if move.evaluation is None else _centipawns(move.evaluation)


def _centipawns(evaluation: Mapping[str, int]) -> float:
    if "cp" in evaluation:
        return evaluation["cp"]
    return CEILING if evaluation["mate"] > 0 else -CEILING


def _sign(turn: str) -> int:
    return 1 if turn == "white" else -1


def _player(facts: GameFacts, moves: Sequence[Judged], table: Sequence[MoveNumbers], side: str) -> dict[str, Any]:
    own = [move for move in moves if move.turn == side]
    of_phase = {name: [move.ply for move in own if facts.division.phase(move.ply) == name] for name in PHASES}
    return {
        "name": facts.names[SIDES.index(side)],
        **_sums(facts, table, [move.ply for move in own]),
        "average_loss": round(fmean(move.loss for move in own), DIGITS) if own else None,
        **{str(one): sum(move.severity is one for move in own) for one in Severity if one},
        "missed_win": sum(move.mark is Mark.MISSED_WIN for move in own),
        "only_move": sum(move.mark is Mark.ONLY_MOVE for move in own),
        "brilliant": sum(move.mark is Mark.BRILLIANT for move in own),
        "by_phase": {name: _sums(facts, table, plies) for name, plies in of_phase.items()},
    }


def _sums(facts: GameFacts, table: Sequence[MoveNumbers], plies: Sequence[int]) -> dict[str, Any]:
    """Of some moves of a player."""
    numbers = [table[ply] for ply in plies]
    used = [seconds for seconds in (facts.seconds[ply] for ply in plies) if seconds is not None]
    return {
        "moves": len(plies),
        "accuracy": _rounded(accuracy_of(numbers)),
        "average_centipawn_loss": _rounded(average_centipawn_loss(numbers)),
        "seconds": round(sum(used), 1) if used else None,
        "seconds_per_move": round(fmean(used), 1) if used else None,
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 1)
