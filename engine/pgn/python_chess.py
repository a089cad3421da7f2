"""Positions, moves and games, to python-chess and back."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess
    import chess.pgn

    from movegen import Position


def as_chess_board(position: "Position") -> "chess.Board":
    """The position, without the moves before it."""
    import chess

    return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)


def chess960_start(number: int) -> "Position":
    """The start position of Chess960 with a number from 0 to 959."""
    import chess

    return position_of(chess.Board.from_chess960_pos(number))


def new_game(start: "Position", headers: dict[str, str]) -> "chess.pgn.Game":
    """A game of python-chess without moves."""
    import chess.pgn

    game = chess.pgn.Game()
    game.setup(as_chess_board(start))
    game.headers.update(headers)
    return game


def add_move(node: "chess.pgn.GameNode", uci: str) -> "chess.pgn.GameNode":
    """Continue the main line of a game with a move; -> the node after it."""
    return node.add_main_variation(node.board().parse_uci(uci))


def position_of(board: "chess.Board") -> "Position":
    """The same position, without what was played before; `ValueError` if it cannot be played."""
    from movegen import Position

    return Position(board.fen(shredder=board.chess960), chess960=board.chess960)


def board_uci(board: "chess.Board", moves: list["chess.Move"]) -> list[str]:
    """Moves of a game as Teresa writes them."""
    texts = []
    for move in moves:
        texts.append(board.uci(move))
        board.push(move)
    return texts


def positions_of(game: "chess.pgn.Game") -> list["Position"]:
    """Every position of the main line, each with what was played before it."""
    board = game.board()
    positions = [position_of(board)]
    for uci in board_uci(board, list(game.mainline_moves())):
        positions.append(positions[-1].play(uci))
    return positions
