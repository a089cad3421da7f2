"""A game between a person and Teresa: a PGN that grows, with the position after each move beside it."""

from datetime import datetime
from typing import TYPE_CHECKING

from engine.config.strength import STRONGEST, WEAKEST
from engine.pgn.convert import positions_of
from engine.system.text import printable
from engine.system.version import version
from movegen import Ending, Position
from movegen.position import Side

if TYPE_CHECKING:
    import chess
    import chess.pgn

ENGINE = "Teresa"
ENDINGS = {
    Ending.CHECKMATE: "checkmate",
    Ending.STALEMATE: "a draw: stalemate",
    Ending.INSUFFICIENT_MATERIAL: "a draw: neither side has enough material to mate",
    Ending.SEVENTY_FIVE_MOVES: "a draw by the 75-move rule",
    Ending.FIVEFOLD_REPETITION: "a draw: this position stood five times on the board",
    Ending.FIFTY_MOVES: "a draw by the 50-move rule",
    Ending.THREEFOLD_REPETITION: "a draw: this position stood three times on the board",
}
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
OPEN = "*"


def other(side: Side) -> Side:
    """The opponent."""
    return "black" if side == "white" else "white"


class Match:
    """A game as it stands. Draws by repetition and by the 50-move rule need no claim."""

    def __init__(self, game: "chess.pgn.Game", human: Side) -> None:
        """`game`: what was played so far. `ValueError` if it is no game that can be played on."""
        self.game, self.human = game, human
        self.positions = positions_of(game)
        moves = zip(self.positions, game.mainline_moves(), strict=False)
        self.codes = [position.code(move.uci()) for position, move in moves]
        self.node = game.end()
        self.is_saved = True
        before = game.headers.get("Result", OPEN)
        self._note_result()
        self.former_result = "" if self.is_over or before == OPEN else before  # resigned, agreed, or lost on time

    @property
    def position(self) -> Position:
        """How it stands."""
        return self.positions[-1]

    @property
    def is_humans_turn(self) -> bool:
        """Is it the person's move?"""
        return self.position.turn == self.human

    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` while it goes on."""
        return self.game.headers["Result"]

    @property
    def is_over(self) -> bool:
        """Has it a result?"""
        return self.result != OPEN

    def play(self, code: int) -> None:
        """Make a move."""
        board = self.node.board()
        self.node = self.node.add_main_variation(board.parse_uci(self.position.uci(code)))
        self._append(code)
        self.is_saved = False
        self._note_result()

    def undo(self) -> bool:
        """Take back the person's last move, and what came after it; -> was there one?"""
        turns = [position.turn for position in self.positions[:-1]]
        if self.human not in turns:
            return False
        keep = max(ply for ply, turn in enumerate(turns) if turn == self.human)
        while len(self.codes) > keep:
            parent = self.node.parent
            if parent is not None:
                parent.variations.clear()  # they were alternatives to a move that is no more
                self.node = parent
            del self.codes[-1], self.positions[-1]
        self.is_saved = False
        self._note_result()
        return True

    def end(self, white_score: float) -> None:
        """Give it a result: 1 won by White, 1/2 drawn, 0 lost."""
        self.game.headers["Result"], self.game.headers["Termination"] = RESULTS[white_score], "normal"
        self.is_saved = False

    def ending(self) -> str:
        """How it ended, in words; empty while the position leaves it open."""
        return ENDINGS.get(self.position.outcome(claim_draw=True), "")

    def move_name(self) -> str:
        """The last move, as `14. Nf3` or `14... Nf6`."""
        before = self.positions[-2]
        dots = "." if before.turn == "white" else "..."
        return f"{before.fullmove_number}{dots} {before.san(self.codes[-1])}"

    def _append(self, code: int) -> None:
        self.positions.append(self.position.play(code))
        self.codes.append(code)

    def _note_result(self) -> None:
        score = self.position.score(claim_draw=True)
        self.game.headers["Result"] = OPEN if score is None else RESULTS[score]
        self.game.headers["Termination"] = "unterminated" if score is None else "normal"


# Where games come from


def new_game(board: "chess.Board", human: Side, name: str, elo: int | None) -> "chess.pgn.Game":
    """A game without moves, with its headers."""
    import chess.pgn

    game = chess.pgn.Game()
    game.setup(board)
    now = datetime.now().astimezone()
    engine, name = f"{ENGINE} {version()}", printable(name).replace('"', "'")
    white, black = (name, engine) if human == "white" else (engine, name)
    headers = {"Event": "Game in the terminal", "Site": "?", "Date": f"{now:%Y.%m.%d}", "Round": "-"}
    game.headers.update({**headers, "White": white, "Black": black, "Result": OPEN})
    if elo is not None:
        game.headers["BlackElo" if human == "white" else "WhiteElo"] = str(elo)
    return game


def engine_side(game: "chess.pgn.Game") -> Side | None:
    """Which side Teresa plays by the headers of a game."""
    names: dict[Side, str] = {"white": game.headers.get("White", ""), "black": game.headers.get("Black", "")}
    sides = [side for side, name in names.items() if name.startswith(ENGINE)]
    return sides[0] if len(sides) == 1 else None


def engine_elo(game: "chess.pgn.Game") -> int | None:
    """The rating at which Teresa plays by the headers of a game; None if she cannot play at it."""
    side = engine_side(game)
    text = game.headers.get(f"{side.capitalize()}Elo", "") if side else ""
    elo = int(text) if text.isascii() and text.isdigit() else 0
    return elo if WEAKEST <= elo <= STRONGEST else None
