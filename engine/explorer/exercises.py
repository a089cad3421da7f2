"""Find the better move: a move that is tried instead of a mistake is searched for itself before it is called bad."""

import threading
from dataclasses import replace

from engine.config.options import Options
from engine.explorer.asked import Data
from engine.explorer.open_game import OpenGame
from engine.report.move_stats import DIGITS, short_score
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position

MEGABYTES = 64
FIRST_VISITS = 3000  # of the tried move, and each time again …
MOST_LOOKS = 5  # … while it looks bad
LEAST_LOSS = 0.05  # of score: from here on a move is an inaccuracy
DOUBT = 0.01  # of score: differences below are noise
BEST, GOOD, WORSE, UNCLEAR = "best", "good", "worse", "unclear"


class Exercises:
    """Judges what the user tries."""

    def __init__(self, options: Options, resources: Resources) -> None:
        own = replace(options, analyse_mode=True, move_overhead=0, threads=1)
        own.hash_megabytes = min(MEGABYTES, options.hash_megabytes)
        self._searcher = Searcher(own, SilentListener(), resources)
        self._one_at_a_time = threading.Lock()

    def tried(self, game: OpenGame, node: int, move: str, hints: int, *, is_revealed: bool) -> Data:
        """The verdict on a move that is tried instead of the one of the game; the result of the exercise is kept.

        `hints`: how many the user has seen. `is_revealed`: the best move is asked for, whatever the verdict.
        """
        game.check_node(node)
        mistake = game.move_after(node)
        known = None if mistake is None else game.judged_move(mistake)
        if mistake is None or known is None:
            raise ValueError("this move of the game is not judged yet")
        position, best = game.position_at(node), known["best"]
        of_mover = best["score"] if position.turn == "white" else round(1 - best["score"], DIGITS)
        answer = self._judge(position, move, best["uci"], of_mover)
        is_solved = answer["verdict"] in (BEST, GOOD)
        if is_solved or is_revealed:
            answer["best"] = best
            game.set_exercise(mistake, is_solved=is_solved and not is_revealed, hints=hints)
        return answer

    def _judge(self, position: Position, move: str, best: str, best_score: float) -> Data:
        """Scores are those of the mover."""
        code = position.code(move)
        name = position.san(code)
        if position.uci(code) == best:
            return _answer(BEST, name, best_score, best_score, 0)
        if not self._one_at_a_time.acquire(blocking=False):
            raise ValueError("one move at a time")
        try:
            score, visits = self._searched(position.play(code), best_score)
        finally:
            self._one_at_a_time.release()
        return _answer(_verdict(best_score - score), name, score, best_score, visits)

    def _searched(self, after: Position, best: float) -> tuple[float, int]:
        """The score that a move leaves its player, and the visits that say so; 0: the rules say so."""
        if after.is_game_over():
            own = after.score()
            return (0.5 if own is None else own if after.turn == "black" else 1 - own), 0
        self._searcher.set_position(after, None)
        score, visits = 0.0, 0
        for _ in range(MOST_LOOKS):
            search_to_end(self._searcher, Limits(nodes=FIRST_VISITS))
            score, visits, is_proven = self._look()
            if best - score < LEAST_LOSS - DOUBT or is_proven:
                break
        return score, visits

    def _look(self) -> tuple[float, int, bool]:
        """What the search has found: the score of the move, by how many visits, and whether it is proven."""
        found = self._searcher.report().summary()
        opponents = 0.5 if found["q"] is None else found["q"]
        return round(1 - opponents, DIGITS), found["visits"], found["proven"] is not None


def _verdict(loss: float) -> str:
    """Of a move that was searched for itself."""
    if abs(loss - LEAST_LOSS) < DOUBT:
        return UNCLEAR
    return GOOD if loss < LEAST_LOSS else WORSE


def _answer(verdict: str, name: str, score: float, best: float, visits: int) -> Data:
    own, other = short_score(score), short_score(best)
    texts = {
        BEST: f"{name} is the best move.",
        GOOD: f"{name} is good: score {own}; the best move has {other}.",
        WORSE: f"{name} loses {short_score(max(0.0, best - score))}: score {own}, not {other}.",
        UNCLEAR: f"{name} is unclear: score {own}; the best move has {other}.",
    }
    loss = max(0.0, round(best - score, DIGITS))
    return {"verdict": verdict, "loss": loss, "score": score, "visits": visits, "text": texts[verdict]}
