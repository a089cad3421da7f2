"""Who labels positions: any UCI engine as a teacher. Many questions are sent at once, the answers are read in order."""

import random
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from engine.training.viriformat import LARGEST_SCORE, MATE
from engine.training.visits import Visits
from movegen import Position


class Question(NamedTuple):
    """A position to label."""

    position: Position
    words: str  # what UCI says of it after `position`
    rng: random.Random  # of the game; a teacher who leaves something to chance draws here


@dataclass
class Answer:
    """What the teacher says of a position."""

    score: int | None  # for the player to move
    move: str | None  # UCI; None where there is no legal move
    visits: Visits = ()  # of a search of Teresa's, the most visited move first


class Teacher:
    """A UCI engine in a child process."""

    def __init__(self, command: str, limit: str, hash_megabytes: int) -> None:
        try:
            self._process = subprocess.Popen(
                [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 18
            )
        except OSError as error:
            raise ValueError(f"{command} cannot be started: {error.strerror}") from error
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018  (both are pipes)
        self._input, self._output = self._process.stdin, self._process.stdout
        self._limit = limit
        self._send("uci", f"setoption name Hash value {hash_megabytes}", "setoption name UCI_Chess960 value true")
        self.new_game()

    def new_game(self) -> None:
        """Make the engine forget everything."""
        self._send("ucinewgame", "isready")
        for _ in self._lines_until("readyok"):
            pass

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Label positions."""
        for question in questions:
            self._send(f"position {question.words}", f"go {self._limit}", flush=False)
        self._input.flush()
        return [self._answer() for _ in questions]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._input.close()
        self._output.close()

    def _send(self, *lines: str, flush: bool = True) -> None:
        try:
            self._input.write("".join(line + "\n" for line in lines))
            if flush:
                self._input.flush()
        except OSError as error:
            raise ValueError("the teacher has gone away") from error

    def _lines_until(self, word: str) -> Iterator[str]:
        for line in self._output:
            yield line
            if line.startswith(word):
                return
        raise ValueError("the teacher has gone away")

    def _answer(self) -> Answer:
        score, line = None, ""
        for line in self._lines_until("bestmove"):
            found = read_score(line)
            score = score if found is None else found
        words = line.split()
        move = words[1] if len(words) > 1 else "(none)"
        return Answer(score, None if move in ("(none)", "0000") else move)


def read_score(line: str) -> int | None:
    """The score of an info line, if it has one that is no bound."""
    place = line.find(" score ")
    if not line.startswith("info") or place < 0 or "bound" in line:
        return None
    kind, number = line[place:].split()[1:3]
    if kind == "cp":
        return max(-LARGEST_SCORE, min(LARGEST_SCORE, int(number)))
    moves = int(number)
    return (MATE - abs(moves)) * (1 if moves > 0 else -1)


@dataclass(frozen=True)
class UciEngine:
    """Which engine is to label, and how."""

    command: str
    limit: str  # what follows `go`, as "nodes 1000"
    hash_megabytes: int = 4

    @contextmanager
    def open(self) -> Iterator[Teacher]:
        """A teacher that is closed whatever happens."""
        opened = Teacher(self.command, self.limit, self.hash_megabytes)
        try:
            yield opened
        finally:
            opened.close()
