"""A game of a match as PGN, with what the players thought."""

from collections.abc import Sequence

import chess.engine
import chess.pgn

from engine.match.game import MatchGame
from engine.match.openings import Opening
from engine.match.player import LARGEST_CENTIPAWNS, MATE_CENTIPAWNS
from engine.pgn.game_file import text_of
from engine.pgn.positions import add_move, new_game
from movegen import Position

EVENT = "Teresa match"
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
# The words of the PGN standard (9.8.1) for games that end otherwise than by play.
TERMINATIONS = {"time": "time forfeit", "illegal move": "rules infraction"}


def game_text(
    game: MatchGame, opening: Opening, names: Sequence[str], round_: str, *, with_seconds: bool = False
) -> str:
    """The game from the opening's first move; `names` of White and Black."""
    start = Position(opening.fen, chess960=opening.chess960)
    headers = {"Event": EVENT, "Round": round_, "White": names[0], "Black": names[1]}
    pgn = new_game(start, headers | {"Result": RESULTS[game.points], "Termination": termination_of(game)})
    node: chess.pgn.GameNode = pgn
    for move in opening.moves:
        node = add_move(node, move)
    for move, score, seconds in zip(game.moves, game.scores, game.seconds, strict=True):
        mover = node.turn()
        node = add_move(node, move)
        if score is not None:
            node.set_eval(chess.engine.PovScore(_as_score(score), mover))
        if with_seconds:
            node.set_emt(seconds)
    node.comment = f"{node.comment} {game.reason}".strip()
    return text_of(pgn)


def begins_a_match(head: bytes) -> bool:
    """Does a file begin with a game of a match?"""
    return head.startswith(f'[Event "{EVENT}"]'.encode())


def termination_of(game: MatchGame) -> str:
    """How a game ended, in the words of the PGN standard."""
    if game.forfeit is not None:
        return TERMINATIONS.get(game.forfeit, "abandoned")
    return "adjudication" if game.is_adjudicated else "normal"


def _as_score(centipawns: int) -> chess.engine.Score:
    if abs(centipawns) <= LARGEST_CENTIPAWNS:
        return chess.engine.Cp(centipawns)
    moves = MATE_CENTIPAWNS - abs(centipawns)
    return chess.engine.Mate(moves if centipawns > 0 else -moves)
