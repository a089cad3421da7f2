"""Games that a worker sends are replayed before they are recorded: what is damaged or made up does not count."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import chess.pgn

from engine.match.game_text import RESULTS
from engine.match.pairs import PGN, opening_of
from engine.pgn.positions import as_chess_board
from perft.runner.units import Unit, UnitAnswer


def check_pairs(unit: Unit, answer: UnitAnswer) -> None:
    """`ValueError` unless the games are those of the openings, with legal moves and the results that are reported."""
    try:
        _check_pairs(unit.input["openings"], answer)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no pairs of games ({error!r})") from None


def _check_pairs(openings: Sequence[Mapping[str, Any]], answer: UnitAnswer) -> None:
    rows = answer.value
    if len(rows) != len(openings):
        raise ValueError(f"{len(rows)} pairs instead of {len(openings)}")
    games = io.StringIO(answer.files.get(PGN, b"").decode())
    for values, row in zip(openings, rows, strict=True):
        if len(row["points"]) != 2 or len(row["forfeits"]) != 2:
            raise ValueError("a pair that has not two games")
        for half, points in enumerate(row["points"]):
            _check_game(chess.pgn.read_game(games), values, points if half == 0 else 1.0 - points)
    if chess.pgn.read_game(games) is not None:
        raise ValueError("more games than openings")


def _check_game(game: chess.pgn.Game | None, opening: Mapping[str, Any], points: float) -> None:
    """Raise a `ValueError` unless a game is as it is reported; `points`: those of White."""
    if game is None:
        raise ValueError("a game is missing")
    if game.errors:
        raise ValueError(f"a game that cannot be replayed ({game.errors[0]})")
    if game.headers["Result"] != RESULTS.get(points):
        raise ValueError("a game with another result than the one that is reported")
    board = game.board()
    for move in list(game.mainline_moves())[: len(opening["moves"])]:
        board.push(move)
    if board.fen() != as_chess_board(opening_of(opening).position()).fen():
        raise ValueError("a game that begins with another opening")
