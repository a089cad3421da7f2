"""A game between the user and Teresa: a growing PGN, with the position after each move."""

from datetime import datetime
from typing import TYPE_CHECKING

from engine.cli.play.maia import RATINGS
from engine.config.strength import STRONGEST, WEAKEST
from engine.pgn.endings import ENDINGS
from engine.pgn.positions import add_move, new_game, positions_of
from engine.system.environment import version
from engine.system.files import printable
from movegen import Position
from movegen.position import Side

if TYPE_CHECKING:
    import chess.pgn

ENGINE, MAIA = "Teresa", ", Maia "
RESULT_OF_SCORE = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
OPEN = "*"


def other(side: Side) -> Side:
    """The opponent."""
    return "black" if side == "white" else "white"


class PlayedGame:
    """A game while it is played. Draws by repetition and by the 50-move rule need no claim."""

    def __init__(self, pgn: "chess.pgn.Game", human: Side) -> None:
        """`pgn`: the moves so far. `ValueError` if the game cannot be continued."""
        self.pgn, self.human = pgn, human
        self.positions = positions_of(pgn)
        moves = zip(self.positions, pgn.mainline_moves(), strict=False)
        self.codes = [position.code(move.uci()) for position, move in moves]
        self._node = pgn.end()
        self.is_saved = True
        before = pgn.headers.get("Result", OPEN)
        self._update_result()
        self.former_result = "" if self.is_over or before == OPEN else before  # resigned, agreed, or lost on time

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def is_humans_turn(self) -> bool:
        """Is it the user's turn?"""
        return self.position.turn == self.human

    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` before the end."""
        return self.pgn.headers["Result"]

    @property
    def is_over(self) -> bool:
        """Has it a result?"""
        return self.result != OPEN

    def play(self, code: int) -> None:
        """Make a move."""
        self._node = add_move(self._node, self.position.uci(code))
        self._append(code)
        self.is_saved = False
        self._update_result()

    def undo(self) -> bool:
        """Take back the user's last move, and the moves after it; -> was there one?"""
        turns = [position.turn for position in self.positions[:-1]]
        if self.human not in turns:
            return False
        keep = max(ply for ply, turn in enumerate(turns) if turn == self.human)
        while len(self.codes) > keep:
            parent = self._node.parent
            if parent is not None:
                parent.variations.clear()  # alternatives to the move that is taken back
                self._node = parent
            del self.codes[-1], self.positions[-1]
        self.is_saved = False
        self._update_result()
        return True

    def end(self, white_score: float) -> None:
        """Give it a result: 1 won by White, 1/2 drawn, 0 lost."""
        self.pgn.headers["Result"], self.pgn.headers["Termination"] = RESULT_OF_SCORE[white_score], "normal"
        self.is_saved = False

    def ending(self) -> str:
        """How it ended, as a text; empty if the position does not end it."""
        return ENDINGS.get(self.position.outcome(claim_draw=True), "")

    @property
    def last_uci(self) -> str:
        """The last move in UCI notation; empty before the first."""
        return self._node.move.uci() if self._node.move else ""

    def move_name(self) -> str:
        """The last move, as `14. Nf3` or `14... Nf6`."""
        before = self.positions[-2]
        dots = "." if before.turn == "white" else "..."
        return f"{before.fullmove_number}{dots} {before.san(self.codes[-1])}"

    def _append(self, code: int) -> None:
        self.positions.append(self.position.play(code))
        self.codes.append(code)

    def _update_result(self) -> None:
        score = self.position.score(claim_draw=True)
        self.pgn.headers["Result"] = OPEN if score is None else RESULT_OF_SCORE[score]
        self.pgn.headers["Termination"] = "unterminated" if score is None else "normal"


# PGN games


def new_pgn(start: Position, human: Side, name: str, elo: int | None, maia: int | None = None) -> "chess.pgn.Game":
    """A game without moves, with its headers. `name`: the user's; `elo`: Teresa's; `maia`: of the network."""
    now = datetime.now().astimezone()
    engine = f"{ENGINE} {version()}" if maia is None else f"{ENGINE} {version()}{MAIA}{maia}"
    name = printable(name).replace('"', "'")
    white, black = (name, engine) if human == "white" else (engine, name)
    headers = {"Event": "Game in the terminal", "Site": "?", "Date": f"{now:%Y.%m.%d}", "Round": "-"}
    headers |= {"White": white, "Black": black, "Result": OPEN}
    if elo is not None:
        headers["BlackElo" if human == "white" else "WhiteElo"] = str(elo)
    return new_game(start, headers)


def engine_side(game: "chess.pgn.Game") -> Side | None:
    """The side that Teresa plays, by the headers of a game."""
    names: dict[Side, str] = {"white": game.headers.get("White", ""), "black": game.headers.get("Black", "")}
    sides = [side for side, name in names.items() if name.startswith(ENGINE)]
    return sides[0] if len(sides) == 1 else None


def engine_maia(game: "chess.pgn.Game") -> int | None:
    """The rating of the Maia network that plays, by the headers of a game; None if Teresa plays itself."""
    side = engine_side(game)
    _, _, text = game.headers.get(side.capitalize(), "").partition(MAIA) if side else ("", "", "")
    return int(text) if text.isascii() and text.isdigit() and int(text) in RATINGS else None


def engine_elo(game: "chess.pgn.Game") -> int | None:
    """The rating at which Teresa plays, by the headers of a game; None if it is out of range."""
    side = engine_side(game)
    text = game.headers.get(f"{side.capitalize()}Elo", "") if side else ""
    elo = int(text) if text.isascii() and text.isdigit() else 0
    return elo if WEAKEST <= elo <= STRONGEST else None
