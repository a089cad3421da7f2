"""The loop of a game in the terminal: what the user types, and what happens then."""

from collections.abc import Callable
from contextlib import suppress

from rich.console import Console

from engine.cli.console import TABLE_ROWS, moves_table, print_lines
from engine.cli.play.board_and_moves import board_text, understood, wants_letters
from engine.cli.play.played_game import PlayedGame, engine_maia, other
from engine.cli.play.saving import UTF8, GameSaver, OwnFile
from engine.cli.play.searches import Hints, Opponent, thinking
from engine.explain.legality import objection
from engine.pgn.encoding import Encoding
from engine.report.effort import rest_text
from engine.report.move_stats import short_score
from engine.uci.parse import read_question

PLIES_BEFORE_DRAW = 20  # that must have been played before Teresa considers a draw
DRAW_SCORE = 0.52  # Teresa accepts a draw up to this score
PROMPT = "> "
HELP = """\
MOVE              play: Nf3, exd5, O-O, e8=Q, g1f3; also nf3, g1-f3, 0-0
hint              the best move, by a separate search
moves             a table of your best moves
why               why Teresa's last move
why [not] MOVE [VISITS]   why your move, or why not; for a move of Teresa's last position: why it was not played
threat            Teresa's best move if you passed
undo              take back your last move
board, flip       show the board; turn it round
draw?             offer a draw
resign            give up
save FILE.pgn     write the game
new               begin another game
quit              leave; a game that is not saved is saved then"""


class GameLoop:
    """Reads lines from the user until the user leaves."""

    def __init__(
        self,
        game: PlayedGame,
        opponent: Opponent,
        hints: Hints,
        console: Console,
        *,
        new_game: Callable[[], PlayedGame],
        pieces: str = "auto",
        file: OwnFile | None = None,
        encoding: Encoding = UTF8,
    ) -> None:
        """`file`: where the game came from, and its encoding. `new_game` makes another game."""
        self.game, self.opponent, self.hints, self.console = game, opponent, hints, console
        self._new_game, self._saver = new_game, GameSaver(self.say, file, encoding)
        self._letters, self._is_flipped = wants_letters(console, pieces), game.human == "black"
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
        """Play until the user leaves. `EOFError`, `KeyboardInterrupt` and `OSError` go to the caller."""
        self._begin()
        while not self._is_left:
            self.obey(input(PROMPT))

    def obey(self, line: str) -> None:
        """Run the command, or play the move, of a line."""
        name, _, rest = line.strip().partition(" ")
        if not name:
            return
        command = self.commands.get(name.lower())
        try:
            if command is not None:
                command(rest.strip())
            else:
                self.play(line.strip())
        except ValueError as error:
            self.say(str(error))

    def say(self, text: str) -> None:
        """Print a text. A closed terminal, or a full disk behind a pipe, does not stop the program."""
        with suppress(OSError):
            self.console.print(text, markup=False, soft_wrap=True)

    # Moves

    def play(self, text: str) -> None:
        """The user's move, and Teresa's answer."""
        self._check_open()
        move = understood(self.game.position, text)
        wrong = objection(self.game.position, move)
        if wrong is not None:
            raise ValueError(f"{wrong.text} (`help` lists the commands)")
        self.game.play(self.game.position.code(move))
        self._continue()

    def undo(self, _rest: str) -> None:
        """Take back the user's last move."""
        if not self.game.undo():
            raise ValueError("there is no move of yours to take back")
        self._continue()

    def resign(self, _rest: str) -> None:
        """Teresa wins."""
        self._check_open()
        self.game.end(0.0 if self.game.human == "white" else 1.0)
        self.say(f"You resign. Teresa wins, {self.game.result}.")

    def draw(self, _rest: str) -> None:
        """Teresa accepts a draw after some moves, if a search does not see it ahead."""
        self._check_open()
        if len(self.game.codes) < PLIES_BEFORE_DRAW:
            raise ValueError(f"Teresa plays on: it considers a draw after {PLIES_BEFORE_DRAW // 2} moves")
        score = 1 - self.hints.score(self.game.position)
        if score > DRAW_SCORE:
            raise ValueError(f"Teresa plays on: its search gives it {short_score(score)}, a draw is .50")
        self.game.end(0.5)
        self.say(f"Teresa takes the draw: its search gives it {short_score(score)}.")

    def _continue(self) -> None:
        """Play Teresa's move, if it is Teresa's turn; then show the board and the end of the game."""
        game = self.game
        if not game.is_over and not game.is_humans_turn:
            with thinking(self.console):
                game.play(self.opponent.choose(game.positions, game.codes))
            self.say(f"Teresa plays {game.move_name()}")
        self.board("")
        if game.is_over:
            self.say(self._ending())

    def _ending(self) -> str:
        ending, result = self.game.ending(), self.game.result
        if ending == "checkmate":
            ending += ": Teresa wins" if self.game.is_humans_turn else ": you win"
        return f"The game is over, {result}: {ending}. You may `undo`, `save FILE.pgn`, `new` or `quit`."

    def _check_open(self) -> None:
        if self.game.is_over:
            raise ValueError(f"the game is over, {self.game.result}; `undo`, `save FILE.pgn`, `new` or `quit`")

    # Hints and explanations

    def hint(self, _rest: str) -> None:
        """The best move."""
        self._check_open()
        self.say(self.hints.best(self.game.position))

    def moves(self, _rest: str) -> None:
        """A table of moves."""
        self._check_open()
        node = self.hints.rows(self.game.position, TABLE_ROWS)
        self.console.print(moves_table(node, self.console.width))
        rest = rest_text(node["rest"])
        self.say(f"{rest + '; ' if rest else ''}scores are for you: win 1, draw 1/2, loss 0")

    def threat(self, _rest: str) -> None:
        """What Teresa would play if the user passed."""
        self._check_open()
        self.say(self.hints.threat(self.game.position))

    def why(self, rest: str) -> None:
        """Explain Teresa's last move, a move that Teresa did not play, or a move of the user."""
        question = read_question(rest.split())
        visits, position = question.visits, self.game.position
        move = None if question.move is None else self._meant(question.move)
        if move is None or self._is_for_opponent(move):
            if not self._can_explain_last_move:
                raise ValueError("there is no move of Teresa's to explain")
            lines = self.opponent.explain(move, visits)
        else:
            self._check_open()
            wrong = objection(position, move)
            lines = [wrong.text] if wrong is not None else self.hints.explain(position, move, visits)
        print_lines(self.console, lines)

    def _meant(self, text: str) -> str:
        """A move of the user, or one of Teresa's last position."""
        own = understood(self.game.position, text)
        if self.game.position.is_legal(own) or not self._can_explain_last_move:
            return own
        theirs = understood(self.opponent.position, text)
        return theirs if self.opponent.position.is_legal(theirs) else own

    @property
    def _can_explain_last_move(self) -> bool:
        """Was Teresa's last search in this game, and not taken back?"""
        searched = self.opponent.position
        return self.opponent.has_moved and any(position is searched for position in self.game.positions[:-1])

    def _is_for_opponent(self, move: str) -> bool:
        """Is it legal in Teresa's last position, and not now?"""
        is_humans = not self.game.is_over and self.game.position.is_legal(move)
        return not is_humans and self._can_explain_last_move and self.opponent.position.is_legal(move)

    # The board, files, other games

    def board(self, _rest: str) -> None:
        """Show the board."""
        game = self.game
        text = board_text(
            game.position, game.last_uci, self.console, is_flipped=self._is_flipped, letters=self._letters
        )
        self.console.print(text)

    def flip(self, rest: str) -> None:
        """Turn the board round."""
        self._is_flipped = not self._is_flipped
        self.board(rest)

    def save(self, name: str) -> None:
        """Write the game to a file."""
        self._saver.save(self.game, name)

    def leave(self, *, after_prompt: bool = False) -> None:
        """Save the game if it is not saved. `after_prompt`: the cursor is behind the prompt."""
        if after_prompt:
            self.say("")
        self._saver.save_if_needed(self.game)

    def new(self, _rest: str) -> None:
        """Begin another game."""
        self.leave()
        self.game, self._saver = self._new_game(), GameSaver(self.say)
        self.opponent.forget()
        self._is_flipped = self.game.human == "black"
        self._begin()

    def quit(self, _rest: str) -> None:
        """Leave."""
        self.leave()
        self._is_left = True

    def help(self, _rest: str) -> None:
        """List the commands."""
        self.say(HELP)

    def _begin(self) -> None:
        game = self.game
        elo = game.pgn.headers.get(f"{other(game.human).capitalize()}Elo")
        maia = engine_maia(game.pgn)
        strength = f" with Maia {maia}" if maia else f" at about {elo} Elo" if elo else ""
        self.say(f"You play {game.human.capitalize()} against Teresa{strength}. `help` lists the commands.")
        if game.former_result:
            self.say(f"The game had ended, {game.former_result}; it goes on from its last position.")
        if game.is_humans_turn or game.is_over:
            self.board("")
        if game.is_over:
            self.say(self._ending())
        elif not game.is_humans_turn:
            self._continue()
