"""Find the first position where another program's legal moves differ from ours.

With python-chess both sides walk the tree together and compare the moves of every position. A UCI engine
that knows `go perft` only gives numbers: there, the branch whose number differs is followed down.
Depths are tried from 1 upwards, so the shortest way to a difference is found.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Protocol, cast

import chess

from movegen import Position
from perft.run import Counter


@dataclass(frozen=True)
class Difference:
    """A position where the two disagree."""

    path: tuple[str, ...]
    fen: str  # as python-chess has it after these moves
    our_fen: str
    missing: tuple[str, ...] = ()  # theirs, not ours
    extra: tuple[str, ...] = ()  # ours, not theirs
    rules: tuple[str, ...] = ()  # which rules the moves concern

    def __str__(self) -> str:
        lines = [
            f"first difference after: {' '.join(self.path) or '(no moves)'}",
            f"position: {self.fen}" + ("" if self.fen == self.our_fen else f"\nbut here: {self.our_fen}"),
            f"missing moves: {' '.join(self.missing) or '-'}",
            f"extra moves: {' '.join(self.extra) or '-'}",
            f"concerns: {', '.join(self.rules) or '-'}",
        ]
        return "\n".join(lines)


class Opponent(Protocol):
    """Another program to compare with."""

    name: str

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """The first difference in the tree down to this depth, or None."""


def compare(opponent: Opponent, position: Position, depth: int) -> Iterator[tuple[int, Difference | None]]:
    """Compare depth by depth, up to the first difference."""
    for reached in range(1, depth + 1):
        difference = opponent.first_difference(position, reached)
        yield reached, difference
        if difference is not None:
            return


class PythonChess:
    """python-chess, which walks every branch with us. Slow, and independent of everything here."""

    name = "python-chess"

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """Compare the move sets of all positions at `depth` − 1 plies; those above were compared before."""
        board = chess.Board(position.fen(), chess960=position.chess960)
        return self._walk(position, board, depth, ())

    def _walk(self, position: Position, board: chess.Board, depth: int, path: tuple[str, ...]) -> Difference | None:
        moves = [board.uci(move) for move in board.legal_moves]
        if depth == 1:
            return difference_of(position, board, set(moves), path)
        for move in sorted(moves):
            board.push_uci(move)
            found = self._walk(position.play(move), board, depth - 1, (*path, move))
            board.pop()
            if found is not None:
                return found
        return None


@dataclass
class UciEngine:
    """A UCI engine that prints `go perft` as Stockfish does."""

    command: list[str]
    chess960: bool
    name: str = field(init=False)
    process: "subprocess.Popen[str]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.name = self.command[0]
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise ValueError(f"cannot start {self.name}: {error.strerror or error}") from None

    def shake_hands(self) -> None:
        """Begin to speak UCI."""
        self._send("uci")
        self._read_until("uciok")
        self._send(f"setoption name UCI_Chess960 value {str(self.chess960).lower()}")

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """Follow the branch whose number of leaves differs, until the moves themselves differ."""
        path: tuple[str, ...] = ()
        board = chess.Board(position.fen(), chess960=position.chess960)
        while True:
            theirs = self.divide(position, depth)
            if set(theirs) != set(position.legal_moves):
                return difference_of(position, board, set(theirs), path)
            ours = {move: Counter().perft(position.play(move), depth - 1) for move in position.legal_moves}
            wrong = sorted(move for move in ours if ours[move] != theirs[move])
            if not wrong:
                if path:
                    raise ValueError(f"{self.name} contradicts itself after {' '.join(path)}")
                return None
            board.push_uci(wrong[0])
            path, position, depth = (*path, wrong[0]), position.play(wrong[0]), depth - 1

    def divide(self, position: Position, depth: int) -> dict[str, int]:
        """The engine's leaves for each move."""
        self._send(f"position fen {position.fen(shredder=self.chess960)}\ngo perft {depth}")
        lines = self._read_until("Nodes searched")
        pairs = (line.split(":") for line in lines if line.count(":") == 1)
        return {move.strip(): int(count) for move, count in pairs if count.strip().isdigit()}

    def close(self) -> None:
        """End the engine."""
        self.process.kill()
        self.process.communicate()

    def _send(self, text: str) -> None:
        stdin = cast("IO[str]", self.process.stdin)
        try:
            stdin.write(text + "\n")
            stdin.flush()
        except OSError:
            raise ValueError(f"{self.name} has ended") from None

    def _read_until(self, beginning: str) -> list[str]:
        lines: list[str] = []
        for line in cast("IO[str]", self.process.stdout):
            if line.startswith(beginning):
                return lines
            lines.append(line)
        raise ValueError(f"{self.name} ended without saying '{beginning}': is it a UCI engine that knows 'go perft'?")


@contextmanager
def opponent(command: list[str] | None, chess960: bool) -> Iterator[Opponent]:
    """python-chess, or the engine that a command starts."""
    if command is None:
        yield PythonChess()
        return
    engine = UciEngine(command, chess960)
    try:
        engine.shake_hands()
        yield engine
    finally:
        engine.close()


def difference_of(position: Position, board: chess.Board, theirs: set[str], path: tuple[str, ...]) -> Difference | None:
    """What is missing in our moves, and what is too much, or None if nothing is."""
    ours = set(position.legal_moves)
    if ours == theirs:
        return None
    missing, extra = tuple(sorted(theirs - ours)), tuple(sorted(ours - theirs))
    rules = {rule_of(board, chess.Move.from_uci(move)) for move in missing + extra}
    return Difference(path, board.fen(), position.fen(), missing, extra, tuple(sorted(rules)))


def rule_of(board: chess.Board, move: chess.Move) -> str:
    """The rule that a disputed move most likely concerns."""
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en passant"
    if board.is_check():
        return "check evasion"
    if board.is_pinned(board.turn, move.from_square):
        return "pin"
    if move.promotion:
        return "promotion"
    piece = board.piece_at(move.from_square)
    return "no man there" if piece is None else f"{chess.piece_name(piece.piece_type)} moves"
