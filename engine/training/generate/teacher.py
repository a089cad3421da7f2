"""Any UCI engine as a teacher that labels positions. Many questions are sent at once, the answers are read in order."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from engine.training.data.viriformat import LARGEST_SCORE, MATE, Visits
from movegen import Position
from perft.engine_process import PATIENCE, EngineProcess


class Question(NamedTuple):
    """A position to label."""

    position: Position
    uci: str  # the arguments of the command `position`
    rng: random.Random  # of the game, for a teacher with random choices


@dataclass
class Answer:
    """The label of a position."""

    score: int | None  # for the player to move
    move: str | None  # UCI; None where there is no legal move
    visits: Visits = ()  # in self-play, the most visited move first


class Teacher:
    """A UCI engine in a child process."""

    def __init__(self, command: str, limit: str, hash_megabytes: int) -> None:
        self._engine, self._limit = EngineProcess([command]), limit
        try:
            self._engine.send("uci")
            self._engine.lines_until("uciok", PATIENCE)
            self._engine.send(f"setoption name Hash value {hash_megabytes}", "setoption name UCI_Chess960 value true")
            self.new_game()
        except ValueError as error:
            self.close()
            raise ValueError(f"{error}: is it a UCI engine?") from None
        except BaseException:
            self.close()
            raise

    def new_game(self) -> None:
        """Make the engine forget everything."""
        self._engine.send("ucinewgame", "isready")
        self._engine.lines_until("readyok")

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Label positions."""
        self._engine.send(*(f"position {question.uci}\ngo {self._limit}" for question in questions))
        return [self._answer() for _ in questions]

    def close(self) -> None:
        """End the process."""
        self._engine.close()

    def _answer(self) -> Answer:
        *infos, last = self._engine.lines_until("bestmove")
        scores = [score for line in infos if (score := read_score(line)) is not None]
        tokens = last.split()
        move = tokens[1] if len(tokens) > 1 else "(none)"
        return Answer(scores[-1] if scores else None, None if move in ("(none)", "0000") else move)


def read_score(line: str) -> int | None:
    """The score of an info line, if it has one that is not a bound."""
    index = line.find(" score ")
    if not line.startswith("info") or index < 0 or "bound" in line:
        return None
    kind, number = line[index:].split()[1:3]
    if kind == "cp":
        return max(-LARGEST_SCORE, min(LARGEST_SCORE, int(number)))
    moves = int(number)
    return (MATE - abs(moves)) * (1 if moves > 0 else -1)


@dataclass(frozen=True)
class UciEngine:
    """The engine that labels, and its limit."""

    command: str
    limit: str  # what follows `go`, as "nodes 1000"
    hash_megabytes: int = 4

    def check(self) -> None:
        """Raise a `ValueError` if it cannot be started, or does not speak UCI."""
        with self.open():
            pass

    @contextmanager
    def open(self) -> Iterator[Teacher]:
        """A teacher that is closed at the end."""
        opened = Teacher(self.command, self.limit, self.hash_megabytes)
        try:
            yield opened
        finally:
            opened.close()
