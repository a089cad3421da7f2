"""Positions and games, to python-chess and back; the position that a user asks for, by a FEN or a game in a file."""

from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn

from engine.pgn.game_file import STANDARD_INPUT, FoundGame, GameFile
from engine.pgn.movetext import is_game, read_game
from engine.system.files import printable
from movegen import Position

LONGEST_PASTED = 32 << 10  # letters of a FEN or PGN that a user types or pastes


# To python-chess and back


def as_chess_board(position: Position) -> chess.Board:
    """The position, without the moves before it."""
    return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)


def chess960_start(number: int) -> Position:
    """The start position of Chess960 with a number from 0 to 959."""
    return position_of(chess.Board.from_chess960_pos(number))


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


def is_file_name(text: str) -> bool:
    """Is it the name of a file, and not a FEN?"""
    if text == STANDARD_INPUT or text.lower().endswith(".pgn"):
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or it holds a NUL
        return False


def open_position(
    text: str, *, chess960: bool = False, game: int | None = None, ply: int | None = None, encoding: str | None = None
) -> OpenedPosition:
    """The position of a FEN or of a game in a file; nothing is the start. `ValueError` says what is wrong.

    Of a game: the position after `ply` half-moves; without it the last one in which the game is not over.
    """
    if is_file_name(text):
        with GameFile(text, encoding) as file:
            return position_in(file.game(game or 1), ply)
    if ply is not None or game is not None:
        raise ValueError(f"--{'ply' if game is None else 'game'} is for PGN files")
    try:
        return OpenedPosition(Position(text, chess960=chess960) if text else Position())
    except ValueError as error:
        if " " in text.strip():
            raise
        raise ValueError(f"{printable(text)}: there is no such file, and as a FEN: {error}") from None


def position_in(found: FoundGame, ply: int | None = None) -> OpenedPosition:
    """A position of a game, as `open_position` gives it."""
    origin = f"{found.file}, game {found.number}"
    try:
        positions = positions_of(found.read_whole())
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith(origin) else f"{origin}: {error}") from None
    last = len(positions) - 1
    if ply is not None:
        if not 0 <= ply <= last:
            raise ValueError(f"{origin}: it has {last} half-moves, not {ply}")
        return OpenedPosition(positions[ply])
    open_ply = next((ply for ply in range(last, -1, -1) if not positions[ply].is_game_over(claim_draw=True)), last)
    if open_ply == last:
        return OpenedPosition(positions[last])
    ending = positions[last].outcome(claim_draw=True).name.lower().replace("_", " ")
    remark = f"the game is over: {ending}; this is the last position before it (--ply {open_ply})"
    return OpenedPosition(positions[open_ply], f"{origin}: {remark}")


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
