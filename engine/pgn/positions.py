"""Positions and games, to python-chess and back; the position that a user asks for, by a FEN or a game in a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

from engine.pgn.game_file import STANDARD_INPUT, FoundGame, GameFile
from engine.pgn.movetext import is_game, read_game
from engine.system.files import printable
from movegen import Position
from movegen.fen import START_FEN, read_fen, write_fen

LONGEST_PASTED = 32 << 10  # letters of a FEN or PGN that a user types or pastes


# To python-chess and back


def as_chess_board(position: Position) -> chess.Board:
    """The position, without the moves before it."""
    return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)


def new_game(start: Position, headers: dict[str, str]) -> chess.pgn.Game:
    """A game of python-chess without moves."""
    game = chess.pgn.Game()
    game.setup(as_chess_board(start))
    game.headers.update(headers)
    return game


def add_move(node: chess.pgn.GameNode, uci: str) -> chess.pgn.GameNode:
    """Continue the main line of a game with a move; -> the node after it."""
    return node.add_main_variation(node.board().parse_uci(uci))


def position_of(board: chess.Board) -> Position:
    """The same position, without what was played before; `ValueError` if it cannot be played."""
    return Position(board.fen(shredder=board.chess960), chess960=board.chess960)


def board_uci(board: chess.Board, moves: list[chess.Move]) -> list[str]:
    """Moves of a game as Teresa writes them."""
    texts = []
    for move in moves:
        texts.append(board.uci(move))
        board.push(move)
    return texts


def is_move(board: chess.Board, text: str) -> bool:
    """Is this text a legal move, in UCI notation or SAN?"""
    for read in (board.parse_uci, board.parse_san):
        try:
            return bool(read(text))
        except ValueError:
            continue
    return False


def positions_of(game: chess.pgn.Game) -> list[Position]:
    """Every position of the main line, each with what was played before it."""
    board = game.board()
    positions = [position_of(board)]
    for uci in board_uci(board, list(game.mainline_moves())):
        positions.append(positions[-1].play(uci))
    return positions


# The position that a user asks for


class OpenedPosition(NamedTuple):
    """A position that was asked for."""

    position: Position
    remark: str = ""  # for the user


@dataclass(frozen=True)
class AskedPosition:
    """A position that a user asks for, checked by python-chess: kernels, perhaps not compiled yet, are for `open`."""

    board: chess.Board
    fen: str = START_FEN
    game: chess.pgn.Game | None = None
    origin: str = ""  # file and number of the game
    is_before_end: bool = False  # the game goes on to an end, in which nothing can be searched

    @property
    def is_over(self) -> bool:
        """Has the game ended here?"""
        return is_over(self.board)

    def open(self) -> OpenedPosition:
        """The position; `ValueError` says why it cannot be played."""
        if self.game is None:
            return OpenedPosition(Position(self.fen, chess960=self.board.chess960))
        try:
            positions = positions_of(self.game)
        except ValueError as error:
            raise ValueError(f"{self.origin}: {error}") from None
        return OpenedPosition(positions[len(self.board.move_stack)], self._remark(positions[-1]))

    def _remark(self, last: Position) -> str:
        if not self.is_before_end:
            return ""
        ending, ply = last.outcome(claim_draw=True).name.lower().replace("_", " "), len(self.board.move_stack)
        return f"{self.origin}: the game is over: {ending}; this is the last position before it (--ply {ply})"


def is_over(board: chess.Board) -> bool:
    """Has the game ended, by the position or by a draw that can be claimed?"""
    return board.is_game_over() or board.is_fifty_moves() or board.is_repetition()


def is_file_name(text: str) -> bool:
    """Is it the name of a file, and not a FEN?"""
    if text == STANDARD_INPUT or text.lower().endswith(".pgn"):
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or it holds a NUL
        return False


def find_position(
    text: str, *, chess960: bool = False, game: int | None = None, ply: int | None = None, encoding: str | None = None
) -> AskedPosition:
    """The position of a FEN or of a game in a file; nothing is the start. `ValueError` says what is wrong."""
    if is_file_name(text):
        with GameFile(text, encoding) as file:
            return position_in(file.game(game or 1), ply)
    if ply is not None or game is not None:
        raise ValueError(f"--{'ply' if game is None else 'game'} is for PGN files")
    if not text:
        return AskedPosition(chess.Board())
    try:
        return AskedPosition(checked_board(text, chess960=chess960), text)
    except ValueError as error:
        if " " in text.strip():
            raise
        raise ValueError(f"{printable(text)}: there is no such file, and as a FEN: {error}") from None


def chess960_start(number: int) -> AskedPosition:
    """The start position of Chess960 with a number from 0 to 959."""
    board = chess.Board.from_chess960_pos(number)
    return AskedPosition(board, board.fen(shredder=True))


def position_in(found: FoundGame, ply: int | None = None) -> AskedPosition:
    """A position of a game: after `ply` half-moves; without it the last one in which the game is not over."""
    origin, game = found.origin, found.read_whole()
    start, moves = game.board(), list(game.mainline_moves())
    try:
        checked_board(start.fen(shredder=start.chess960), chess960=start.chess960)
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None
    if ply is not None and not 0 <= ply <= len(moves):
        raise ValueError(f"{origin}: it has {len(moves)} half-moves, not {ply}")
    board = _after(start, moves[:ply])
    if ply is None:
        board = _last_open(board)
    is_before_end = ply is None and len(board.move_stack) < len(moves)
    return AskedPosition(board, game=game, origin=origin, is_before_end=is_before_end)


def _after(start: chess.Board, moves: list[chess.Move]) -> chess.Board:
    board = start.copy()
    for move in moves:
        board.push(move)
    return board


def _last_open(board: chess.Board) -> chess.Board:
    """The last position in which the game is not over; the given one if there is none."""
    found = board.copy()
    while found.move_stack and is_over(found):
        found.pop()
    return board if is_over(found) else found


def checked_board(fen: str, *, chess960: bool) -> chess.Board:
    """The board of a FEN that can be played; `ValueError` says what is wrong with it."""
    setup = read_fen(fen, chess960)
    board = chess.Board(write_fen(setup, shredder=chess960), chess960=chess960)
    if board.was_into_check():
        Position(fen, chess960=chess960)  # says so
    return board


def position_in_text(text: str) -> Position:
    """The position of a FEN, or the last one of a PGN; `ValueError` says what is wrong with the text."""
    if len(text) > LONGEST_PASTED:
        raise ValueError("the text is too long")
    if text.count("/") >= 7 and "\n" not in text.strip():
        return Position(text.strip())
    found = read_game(text)
    if not is_game(text) or not (found.problem or found.game.headers.get("FEN") or found.game.variations):
        raise ValueError("neither a FEN nor a PGN")
    if found.problem:
        raise ValueError(found.problem)
    return positions_of(found.game)[-1]
