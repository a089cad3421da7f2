"""The conversation of a game in the terminal: what a person types, and what happens then."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console

from engine.cli.play.board import board_text, wants_letters
from engine.cli.play.game import Match, other
from engine.cli.play.hints import Adviser
from engine.cli.play.opponent import Opponent
from engine.cli.play.typed import understood
from engine.cli.table import moves_table, print_lines
from engine.explain.legality import objection
from engine.pgn.game_file import Coding, text_of
from engine.report.effort import rest_text
from engine.report.score import short_score
from engine.system.output_file import write_whole
from engine.uci.parse import read_question

ROWS = 10
PLIES_BEFORE_DRAW = 20  # that must have been played before Teresa thinks of a draw
DRAW_SCORE = 0.52  # what she gives up for it at most
PROMPT = "> "
HELP = """\
MOVE              play: Nf3, exd5, O-O, e8=Q, g1f3; also nf3, g1-f3, 0-0
hint              the best move, by another search than hers
moves             a table of your best moves
why               why Teresa's last move
why [not] MOVE [VISITS]   why your move, or why not; of a move that was Teresa's to make: why she did not
threat            Teresa's best move if you passed
undo              take back your last move
board, flip       show the board; turn it round
draw?             offer a draw
resign            give up
save FILE.pgn     write the game
new               begin another game
quit              leave; a game that was not saved is saved then"""


UTF8 = Coding()


@dataclass(frozen=True)
class OwnFile:
    """A file that holds this game and nothing else."""

    path: Path
    content: bytes  # as Teresa knows it

    def check(self) -> None:
        """`ValueError` if somebody else wrote into it meanwhile."""
        try:
            is_same = self.path.read_bytes() == self.content
        except OSError:  # it is gone, or cannot be read; then writing says what is wrong
            return
        if not is_same:
            raise ValueError(f"{self.path} was changed by another program; choose another name")


class Talk:
    """A person and Teresa at a board."""

    def __init__(
        self,
        match: Match,
        opponent: Opponent,
        adviser: Callable[[Callable[[Callable[[], None]], None]], Adviser],
        console: Console,
        *,
        pieces: str = "auto",
        file: "OwnFile | None" = None,
        coding: Coding = UTF8,
        begin_anew: Callable[[], Match],
    ) -> None:
        """`file`: where the game came from. `begin_anew` gives another game. `adviser` is made with a way to wait."""
        self.match, self.opponent, self.console, self.file, self.coding = match, opponent, console, file, coding
        self.adviser, self._begin_anew = adviser(self._wait), begin_anew
        self._letters, self._is_flipped = wants_letters(console, pieces), match.human == "black"
        self._is_left = False
        self.commands: dict[str, Callable[[str], None]] = {
            "hint": self.hint,
            "moves": self.moves,
            "why": self.why,
            "threat": self.threat,
            "undo": self.undo,
            "board": self.board,
            "flip": self.flip,
            "draw?": self.draw,
            "draw": self.draw,
            "resign": self.resign,
            "save": self.save,
            "new": self.new,
            "quit": self.quit,
            "exit": self.quit,
            "help": self.help,
            "?": self.help,
        }

    def run(self) -> None:
        """Play until the person leaves. `EOFError`, `KeyboardInterrupt` and `OSError` go to the caller."""
        self._begin()
        while not self._is_left:
            self.obey(input(PROMPT))

    def obey(self, line: str) -> None:
        """Do what a line says."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return
        command = self.commands.get(word.lower())
        try:
            if command is not None:
                command(rest.strip())
            else:
                self.play(line.strip())
        except ValueError as error:
            self.say(str(error))

    def say(self, text: str) -> None:
        """Print a text. A terminal that is gone, or a full disk behind a pipe, does not stop anything."""
        with suppress(OSError):
            self.console.print(text, markup=False, soft_wrap=True)

    # Moves

    def play(self, text: str) -> None:
        """The person's move, and Teresa's answer."""
        self._check_open()
        move = understood(self.match.position, text)
        wrong = objection(self.match.position, move)
        if wrong is not None:
            raise ValueError(f"{wrong.text} (`help` lists the commands)")
        self.match.play(self.match.position.code(move))
        self._go_on()

    def undo(self, _rest: str) -> None:
        """Take back the person's last move."""
        if not self.match.undo():
            raise ValueError("there is no move of yours to take back")
        self._go_on()

    def resign(self, _rest: str) -> None:
        """Teresa wins."""
        self._check_open()
        self.match.end(0.0 if self.match.human == "white" else 1.0)
        self.say(f"You resign. Teresa wins, {self.match.result}.")

    def draw(self, _rest: str) -> None:
        """Teresa takes a draw if the game is well under way, and a search of the position does not see her ahead."""
        self._check_open()
        if len(self.match.codes) < PLIES_BEFORE_DRAW:
            raise ValueError(f"Teresa plays on: she thinks of a draw after {PLIES_BEFORE_DRAW // 2} moves")
        score = 1 - self.adviser.score(self.match.position)
        if score > DRAW_SCORE:
            raise ValueError(f"Teresa plays on: her search gives her {short_score(score)}, a draw is .50")
        self.match.end(0.5)
        self.say(f"Teresa takes the draw: her search gives her {short_score(score)}.")

    def _go_on(self) -> None:
        """Teresa's move, if it is hers; then the board, and how the game ended."""
        match = self.match
        if not match.is_over and not match.is_humans_turn:
            self._wait(lambda: match.play(self.opponent.choose(match.positions, match.codes)))
            self.say(f"Teresa plays {match.move_name()}")
        self.board("")
        if match.is_over:
            self.say(self._ending())

    def _ending(self) -> str:
        ending, result = self.match.ending(), self.match.result
        if ending == "checkmate":
            ending += ": Teresa wins" if self.match.is_humans_turn else ": you win"
        return f"The game is over, {result}: {ending}. You may `undo`, `save FILE.pgn`, `new` or `quit`."

    def _check_open(self) -> None:
        if self.match.is_over:
            raise ValueError(f"the game is over, {self.match.result}; `undo`, `save FILE.pgn`, `new` or `quit`")

    def _wait(self, work: Callable[[], None]) -> None:
        """Do something long; on a terminal one sees that it is being done."""
        shows = self.console.is_terminal
        with self.console.status("Teresa thinks", spinner="line") if shows else nullcontext():
            work()

    # Advice

    def hint(self, _rest: str) -> None:
        """The best move."""
        self._check_open()
        self.say(self.adviser.hint(self.match.position))

    def moves(self, _rest: str) -> None:
        """A table of moves."""
        self._check_open()
        node = self.adviser.rows(self.match.position, ROWS)
        self.console.print(moves_table(node, self.console.width))
        rest = rest_text(node["rest"])
        self.say(f"{rest + '; ' if rest else ''}scores are for you: win 1, draw 1/2, loss 0")

    def threat(self, _rest: str) -> None:
        """What Teresa would play if the person passed."""
        self._check_open()
        self.say(self.adviser.threat(self.match.position))

    def why(self, rest: str) -> None:
        """Why Teresa's last move; or why, or why not, a move of the person's; or one that Teresa did not make."""
        question = read_question(rest.split())
        visits, position = question.visits, self.match.position
        move = None if question.move is None else self._meant(question.move)
        if move is None or self._was_teresas_to_make(move):
            if not self._can_tell_why:
                raise ValueError("there is no move of Teresa's to explain")
            lines = self.opponent.explain(move, visits)
        else:
            self._check_open()
            wrong = objection(position, move)
            lines = [wrong.text] if wrong is not None else self.adviser.explain(position, move, visits)
        print_lines(self.console, lines)

    def _meant(self, text: str) -> str:
        """A move of the person's, or one that Teresa might have made."""
        own = understood(self.match.position, text)
        if self.match.position.is_legal(own) or not self._can_tell_why:
            return own
        hers = understood(self.opponent.position, text)
        return hers if self.opponent.position.is_legal(hers) else own

    @property
    def _can_tell_why(self) -> bool:
        """Is Teresa's last search one of this game, as it stands?"""
        searched = self.opponent.position
        return self.opponent.has_moved and any(position is searched for position in self.match.positions[:-1])

    def _was_teresas_to_make(self, move: str) -> bool:
        """Is it no move of the person's, but one that Teresa had in her last search?"""
        is_persons = not self.match.is_over and self.match.position.is_legal(move)
        return not is_persons and self._can_tell_why and self.opponent.position.is_legal(move)

    # The board, files, other games

    def board(self, _rest: str) -> None:
        """Show the board."""
        match = self.match
        last = match.node.move.uci() if match.node.move else ""
        picture = board_text(match.position, last, self.console, is_flipped=self._is_flipped, letters=self._letters)
        self.console.print(picture)

    def flip(self, rest: str) -> None:
        """Turn the board round."""
        self._is_flipped = not self._is_flipped
        self.board(rest)

    def save(self, name: str) -> None:
        """Write the game; never over a file that has nothing to do with it."""
        if not name and self.file is None:
            raise ValueError("the name of a file must follow")
        if self.file is not None and (not name or Path(name).expanduser() == self.file.path):
            self.file.check()
            self._write(self.file.path)
            return
        path = Path(name).expanduser()
        if path.exists():
            raise ValueError(f"{path} exists already; choose another name")
        self._write(path)

    def _write(self, path: Path) -> None:
        content = self.coding.mark + self.coding.encode(self._text())
        try:
            write_whole(path, content)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from None
        self.file, self.match.is_saved = OwnFile(path, content), True
        self.say(f"saved as {path}")

    def _text(self) -> str:
        return text_of(self.match.game).rstrip() + "\n"

    def leave(self, *, after_prompt: bool = False) -> None:
        """Save what was not saved: in its own file, else in a new one; where that cannot be, show it."""
        if after_prompt:
            self.say("")
        if self.match.is_saved:
            return
        names = ["", _new_name()] if self.file else [_new_name()]
        wrong = []
        for name in names:
            try:
                self.save(name)
            except ValueError as error:
                wrong.append(str(error))
            else:
                break
        for text in wrong:
            self.say(text)
        self.say(self._how_to_go_on() if self.match.is_saved else self._text())

    def _how_to_go_on(self) -> str:
        path = self.file.path if self.file else ""
        what = "opens it again" if self.match.is_over else "goes on"
        return f"`teresa play --resume {path}` {what}"

    def new(self, _rest: str) -> None:
        """Another game."""
        self.leave()
        self.match, self.file, self.coding = self._begin_anew(), None, UTF8
        self.opponent.forget()
        self._is_flipped = self.match.human == "black"
        self._begin()

    def quit(self, _rest: str) -> None:
        """Leave."""
        self.leave()
        self._is_left = True

    def help(self, _rest: str) -> None:
        """List the commands."""
        self.say(HELP)

    def _begin(self) -> None:
        headers = self.match.game.headers
        elo = headers.get(f"{other(self.match.human).capitalize()}Elo")
        strength = f" at about {elo} Elo" if elo else ""
        self.say(f"You play {self.match.human.capitalize()} against Teresa{strength}. `help` lists the commands.")
        if self.match.former_result:
            self.say(f"The game had ended, {self.match.former_result}; it goes on from its last position.")
        if self.match.is_humans_turn or self.match.is_over:
            self.board("")
        if self.match.is_over:
            self.say(self._ending())
        elif not self.match.is_humans_turn:
            self._go_on()


def _new_name() -> str:
    """A name for a game without one: when it was played, and no file has it."""
    begin = f"teresa-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    names = (f"{begin}{suffix}.pgn" for suffix in ("", *(f"-{number}" for number in range(2, 100))))
    return next((name for name in names if not Path(name).exists()), f"{begin}.pgn")
