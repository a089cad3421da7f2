"""Games while they are labelled: the next question to the teacher, the move to play, the end of the game.

There are two kinds. In a `TeacherGame` the teacher's move is a label and usually played; in noisy games some moves are
random, in self-play the first moves are sampled by their visits. Where another move than the label is played, the
record ends, and a new one starts after it. In a `ValueGame` only the scores are labels; random moves, preferably
captures, lead to positions that follow from mistakes.
"""

import random

from engine.training.data.viriformat import DRAWN, ENDGAME, LOST, NOISY, START_MASK, VALUE_ONLY, WON, Game, Visits
from engine.training.generate.starts import random_start, without_past
from engine.training.generate.teacher import Answer, Question
from movegen import Ending, Position

LONGEST_GAME = 300


def result_for_white(position: Position, mover_wins: bool) -> int:
    """WON or LOST, given whether the player to move wins."""
    return WON if mover_wins == (position.turn == "white") else LOST


class TeacherGame:
    """A game of the teacher against itself, every position labelled."""

    NOISY_GAMES, NOISE = 0.35, 0.15
    VARIED_PLIES = 16  # in which moves are sampled by their visits, if these are known
    PLAYED_OUT = 0.2  # share of games without adjudication
    WON_SCORE, WON_PLIES = 1800, 6
    DRAWN_SCORE, DRAWN_PLIES, EARLIEST_DRAW = 6, 12, 70
    UNBALANCED = 1200  # starts with a larger score are dropped, except for endgames

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._position, kind = random_start(rng, endgames=0.1, chess960=0.1, plies=(4, 11))
        self._noisy, self._played_out = rng.random() < self.NOISY_GAMES, rng.random() < self.PLAYED_OUT
        self._extra = kind | (NOISY if self._noisy else 0)
        self._first, self._moves = self._position.fen(shredder=True), list[str]()
        self._games = [Game(self._position, extra=self._extra)]
        self._won_plies = self._drawn_plies = 0
        self._result: int | None = None

    def question(self) -> Question:
        """The position with the game before it, so that the teacher sees repetitions."""
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        return Question(self._position, f"fen {self._first}{moves}", self._rng)

    def take(self, answer: Answer) -> bool:
        """Take a label and make a move; -> is the game over?"""
        if answer.move is None or answer.score is None:
            return True
        if not self._moves and abs(answer.score) > self.UNBALANCED and self._extra & START_MASK != ENDGAME:
            return True
        best = self._position.code(answer.move)
        self._games[-1].moves.append(best)
        self._games[-1].scores.append(answer.score)
        if answer.visits:
            self._games[-1].visits.append(answer.visits)
        self._adjudicate(answer.score)
        if self._result is None:
            self._play(self._choose(best, answer.visits), best)
        return self._result is not None

    def records(self) -> list[Game]:
        """The records to write."""
        if self._result is None:
            return []
        for game in self._games:
            game.result = self._result
        return [game for game in self._games if game.moves]

    def _choose(self, best: int, visits: Visits) -> int:
        """The move to play: the best one, or a random one."""
        if self._noisy and self._rng.random() < self.NOISE:
            return self._rng.choice(self._position.move_codes)
        if visits and len(self._moves) < self.VARIED_PLIES:
            moves, counts = zip(*visits, strict=True)
            return int(self._rng.choices(moves, counts)[0])
        return best

    def _adjudicate(self, score: int) -> None:
        if self._played_out:
            return
        self._won_plies = self._won_plies + 1 if abs(score) > self.WON_SCORE else 0
        quiet = abs(score) < self.DRAWN_SCORE and len(self._moves) > self.EARLIEST_DRAW
        self._drawn_plies = self._drawn_plies + 1 if quiet else 0
        if self._won_plies >= self.WON_PLIES:
            self._result = result_for_white(self._position, score > 0)
        elif self._drawn_plies >= self.DRAWN_PLIES:
            self._result = DRAWN

    def _play(self, code: int, best: int) -> None:
        self._moves.append(self._position.uci(code))
        self._position = self._position.play(code)
        if code != best:
            self._games.append(Game(without_past(self._position), extra=self._extra))
        ending = self._position.outcome(claim_draw=True)
        if ending is Ending.CHECKMATE:
            self._result = result_for_white(self._position, mover_wins=False)
        elif ending is not Ending.NONE or len(self._moves) > LONGEST_GAME:
            self._result = DRAWN


class ValueGame:
    """A game in which only the scores are labels."""

    NOISE = (0.02, 0.06, 0.12, 0.25)  # share of random moves, one of these for each game
    CAPTURES = 0.4  # share of captures among the random moves, if there is one
    DECIDED_SCORE, DECIDED_PLIES = 1500, 4
    WON_SCORE = 600  # of the last position: the result is an estimate
    LONGEST, LONGEST_QUIET = 200, 40

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._position, kind = random_start(rng, endgames=0.12, chess960=0.1, plies=(2, 10))
        self._game = Game(self._position, extra=kind | VALUE_ONLY)
        self._noise, self._decided = rng.choice(self.NOISE), 0

    def question(self) -> Question:
        """The position alone."""
        return Question(self._position, f"fen {self._position.fen(shredder=True)}", self._rng)

    def take(self, answer: Answer) -> bool:
        """Take a label and make a move; -> is the game over?"""
        if answer.move is None or answer.score is None:
            return True
        move = self._random_move() if self._rng.random() < self._noise else self._position.code(answer.move)
        self._game.moves.append(move)
        self._game.scores.append(answer.score)
        white_score = answer.score if self._position.turn == "white" else -answer.score
        self._game.result = WON if white_score > self.WON_SCORE else LOST if white_score < -self.WON_SCORE else DRAWN
        self._decided = self._decided + 1 if abs(answer.score) > self.DECIDED_SCORE else 0
        self._position = without_past(self._position.play(move))
        return (
            self._decided >= self.DECIDED_PLIES
            or self._position.halfmove_clock >= self.LONGEST_QUIET
            or len(self._game.moves) >= self.LONGEST
            or self._position.outcome() is not Ending.NONE
        )

    def records(self) -> list[Game]:
        """The records to write."""
        return [self._game] if self._game.moves else []

    def _random_move(self) -> int:
        moves = self._position.move_codes
        own, diagonal, straight, leaper = (int(word) for word in self._position.board[:4])
        theirs = (diagonal | straight | leaper) & ~own
        captures = [code for code in moves if theirs >> (code >> 6 & 63) & 1]
        if captures and self._rng.random() < self.CAPTURES:
            return self._rng.choice(captures)
        return self._rng.choice(moves)
