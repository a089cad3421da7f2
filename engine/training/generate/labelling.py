"""Games while they are labelled: the next question to the teacher, the move to play, the end of the game.

There are two kinds. In a `TeacherGame` the teacher's move is a label and usually played; in noisy games some moves are
random, in self-play the first moves are sampled by their visits. Where another move than the label is played, the
record ends, and a new one starts after it. In a `ValueGame` only the scores are labels; random moves, preferably
captures, lead to positions that follow from mistakes.

The starts are random moves from the standard position or one of Chess960, and random endgames.
"""

import random

from engine.training.data.viriformat import (
    CHESS960_START,
    DRAWN,
    ENDGAME_START,
    LOST,
    NOISY,
    STANDARD_START,
    START_MASK,
    VALUE_ONLY,
    WON,
    LabelledGame,
    Visits,
)
from engine.training.generate.teachers import Label, LabelRequest
from movegen import Ending, Position
from movegen.fen import Setup, write_fen

ENDGAME_PIECES = "pppnbrrq"  # pawns and rooks are the most frequent
LONGEST_GAME = 300


# Starts


def random_start(rng: random.Random, endgames: float, chess960: float, plies: tuple[int, int]) -> tuple[Position, int]:
    """-> a position with legal moves, and its kind. The two shares are those of endgames and of Chess960."""
    sample = rng.random()
    if sample < endgames:
        return random_endgame(rng), ENDGAME_START
    kind = CHESS960_START if sample < endgames + chess960 else STANDARD_START
    while True:
        position = random_chess960_start(rng) if kind == CHESS960_START else Position(chess960=True)
        for _ in range(rng.randint(*plies)):
            if not position.move_codes:
                break
            position = position.play(rng.choice(position.move_codes))
        if position.move_codes:
            return without_past(position), kind


def without_past(position: Position) -> Position:
    """The same position as the start of a game."""
    return Position(position.fen(shredder=True), chess960=True)


def random_chess960_start(rng: random.Random) -> Position:
    """One of the 960 starts: bishops on different colours, the king between the rooks."""
    rank: list[str] = [""] * 8
    rank[rng.randrange(0, 8, 2)] = "b"
    rank[rng.randrange(1, 8, 2)] = "b"
    for letter in "qnn":
        rank[rng.choice([file for file in range(8) if not rank[file]])] = letter
    for letter in "rkr":
        rank[rank.index("")] = letter
    text = "".join(rank)
    return Position(f"{text}/pppppppp/8/8/8/8/PPPPPPPP/{text.upper()} w KQkq - 0 1", chess960=True)


def random_endgame(rng: random.Random) -> Position:
    """Three to eight pieces on random squares, the kings among them."""
    while True:
        squares = rng.sample(range(64), rng.randint(3, 8))
        pieces = {squares[0]: "K", squares[1]: "k"}
        for square in squares[2:]:
            letter = rng.choice(ENDGAME_PIECES)
            if letter == "p" and not 8 <= square < 56:
                letter = "r"
            pieces[square] = letter.upper() if rng.random() < 0.5 else letter
        setup = Setup(pieces=pieces, white_to_move=rng.random() < 0.5)
        try:
            position = Position(write_fen(setup), chess960=True)
        except ValueError:  # the player who is not to move is in check
            continue
        if position.move_codes and position.score() is None:
            return position


# Games


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
        self._games = [LabelledGame(self._position, extra=self._extra)]
        self._won_plies = self._drawn_plies = 0
        self._result: int | None = None
        self._is_cut_off = False

    def question(self) -> LabelRequest:
        """The position with the game before it, so that the teacher sees repetitions."""
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        return LabelRequest(self._position, f"fen {self._first}{moves}", self._rng)

    def take(self, answer: Label) -> bool:
        """Take a label and make a move; -> is the game over?"""
        if answer.move is None or answer.score is None:
            return True
        if not self._moves and abs(answer.score) > self.UNBALANCED and self._extra & START_MASK != ENDGAME_START:
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

    def records(self) -> list[LabelledGame]:
        """The records to write. The result of a game that was cut off is a guess, as that of a noisy game."""
        if self._result is None:
            return []
        for game in self._games:
            game.result = self._result
            game.extra |= NOISY if self._is_cut_off else 0
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
            self._games.append(LabelledGame(without_past(self._position), extra=self._extra))
        ending = self._position.outcome(claim_draw=True)
        if ending is Ending.CHECKMATE:
            self._result = result_for_white(self._position, mover_wins=False)
        elif ending is not Ending.NONE:
            self._result = DRAWN
        elif len(self._moves) > LONGEST_GAME:
            self._result, self._is_cut_off = DRAWN, True


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
        self._game = LabelledGame(self._position, extra=kind | VALUE_ONLY)
        self._noise, self._decided = rng.choice(self.NOISE), 0

    def question(self) -> LabelRequest:
        """The position alone."""
        return LabelRequest(self._position, f"fen {self._position.fen(shredder=True)}", self._rng)

    def take(self, answer: Label) -> bool:
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

    def records(self) -> list[LabelledGame]:
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
