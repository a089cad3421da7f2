"""The starts of games: positions of an EPD file, games of a PGN file, or random moves from the start position."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.pgn.encoding import read_lines
from engine.pgn.game_file import GameFile
from engine.pgn.positions import board_uci
from movegen import Position
from movegen.fen import START_FEN

RANDOM_PLIES = 8
BOOK_PLIES = 16  # of a game of a PGN file
FIELDS_OF_EPD = 4


@dataclass(frozen=True)
class Opening:
    """A position from which a pair of games begins, with the moves that led to it."""

    fen: str
    moves: tuple[str, ...] = ()  # UCI
    chess960: bool = False

    def position(self) -> Position:
        """The position after the moves; `ValueError` if it cannot be played."""
        start = Position(self.fen, chess960=self.chess960)
        for repair in start.repairs:
            if "castling" in repair:  # a game of Chess960, perhaps
                raise ValueError(repair)
        position = start.play_all(self.moves)
        if position.is_game_over(claim_draw=True):
            raise ValueError("the game is over in this position")
        return position


def read_openings(path: Path, *, chess960: bool = False, plies: int = BOOK_PLIES) -> list[Opening]:
    """All openings of a file, in its order; a `ValueError` names the line or the game that cannot be played."""
    openings = list(_from_pgn(path, plies) if path.suffix.lower() == ".pgn" else _from_epd(path, chess960=chess960))
    if not openings:
        raise ValueError(f"{path}: there is no opening in it")
    return openings


def _from_epd(path: Path, *, chess960: bool) -> Iterator[Opening]:
    for number, line in enumerate(read_lines(path), 1):
        text = line.split(";")[0].strip()
        if not text or text.startswith("#"):
            continue
        opening = Opening(_fen_of(text), chess960=chess960)
        try:
            opening.position()
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        yield opening


def _fen_of(text: str) -> str:
    """A FEN from a line, which may have operations of EPD instead of the two counters."""
    fields = text.split()
    counters = fields[FIELDS_OF_EPD : FIELDS_OF_EPD + 2]
    if len(counters) == 2 and all(map(str.isdigit, counters)):
        return " ".join(fields[: FIELDS_OF_EPD + 2])
    return " ".join([*fields[:FIELDS_OF_EPD], "0", "1"])


def _from_pgn(path: Path, plies: int) -> Iterator[Opening]:
    with GameFile(path) as file:
        for found in file.games():
            game = found.read_whole()
            start, moves = game.board(), list(game.mainline_moves())[:plies]
            opening = Opening(start.fen(shredder=start.chess960), tuple(board_uci(start.copy(), moves)), start.chess960)
            try:
                opening.position()
            except ValueError as error:
                raise ValueError(f"{path}, game {found.number}: {error}") from None
            yield opening


def random_opening(seed: str) -> Opening:
    """Random moves from the start position."""
    rng = random.Random(seed)
    while True:
        position, moves = Position(), list[str]()
        while len(moves) < RANDOM_PLIES and position.move_codes:
            code = rng.choice(position.move_codes)
            moves.append(position.uci(code))
            position = position.play(code)
        if not position.is_game_over(claim_draw=True):
            return Opening(START_FEN, tuple(moves))
