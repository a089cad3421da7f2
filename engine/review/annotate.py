"""The judgements written into the PGN; existing annotations are kept."""

from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn

from engine.review.judge import Judged, evaluation
from engine.review.severity import NAGS, Severity
from engine.system.version import version

if TYPE_CHECKING:
    from engine.review.reviewed_game import Review


def annotate(review: "Review") -> None:
    """Evaluations for all moves; for those that lost something a mark, a comment and the better line."""
    if not review.moves:
        return
    headers = review.game.headers
    if headers.get("Annotator", "?") == "?":
        headers["Annotator"] = f"Teresa {version()}"
    board = review.game.board()
    for node, judged in zip(list(review.game.mainline()), review.moves, strict=False):
        if judged.evaluation is not None:
            node.set_eval(_score(judged.evaluation))
        if judged.severity is not Severity.NONE:
            node.nags.add(NAGS[judged.severity])
            node.comment = f"{node.comment} {comment(judged)}".strip()
            _add_line(node.parent, board.copy(stack=False), judged)
        board.push(node.move)


def comment(judged: Judged) -> str:
    """`Blunder: score .12 (96,000 visits); Nf6 has .48 (8,000).`"""
    return f"{str(judged.severity).capitalize()}: {judged.evidence}."


def _add_line(node: chess.pgn.GameNode, board: chess.Board, judged: Judged) -> None:
    """The better line as a variation, its first move with the evaluation."""
    best, first = judged.before, True
    for uci in best.pv:
        move = board.parse_uci(uci)
        board.push(move)
        node = node.variation(move) if node.has_variation(move) else node.add_variation(move)
        if first:
            node.set_eval(_score(evaluation(best, 1 if judged.turn == "white" else -1)))
            first = False


def _score(evaluated: dict[str, int]) -> chess.engine.PovScore:
    score = chess.engine.Mate(evaluated["mate"]) if "mate" in evaluated else chess.engine.Cp(evaluated["cp"])
    return chess.engine.PovScore(score, chess.WHITE)
