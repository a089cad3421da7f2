"""One session with a GUI: a method for each UCI command, and the answers of the search.

Handlers run under the lock of the queue, so the state of a session changes under it too. None of them waits: searches
and other long work run in threads.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from engine.config.options import BY_NAME, OPTIONS, Options
from engine.explorer.embedded import EmbeddedExplorer
from engine.loader import Loader
from engine.search.resources import Resources
from engine.uci.background import Background
from engine.uci.other_commands import EXTRAS, count_leaves, move_table
from engine.uci.parse import Command, read_go, read_option, read_position
from engine.uci.queue import CommandQueue, Handler
from engine.uci.transcript import Transcript

if TYPE_CHECKING:
    from engine.report.info import Info
    from engine.report.report import Report
    from engine.search.searcher import Searcher
    from engine.uci.fallback import Fallback
    from engine.uci.game import Game

FORGETTING = frozenset(
    {"Hash", "Clear Hash", "Formula", "Evaluator", "EvalFile", "Policy Temperature", "Root Temperature"}
)  # options with which the tree means something else
SECONDS_TO_END = 0.5


class Session:
    """The engine's side: a queue of commands, a game, a searcher and what runs in the background."""

    def __init__(
        self, say: Callable[[str], None], transcript: Transcript | None = None, loader: Loader | None = None
    ) -> None:
        """`say` prints a line."""
        self.say, self.options, self.resources = say, Options(), Resources()
        self.game: Game | None = None
        self._searcher: Searcher | None = None
        self._transcript, self._debug = transcript or Transcript(), False
        self._explorer = EmbeddedExplorer(self.on_message, self._report)
        self.loader = loader or Loader(self._wake, self.on_message)
        self.background = Background(say, self._wake)
        self.queue = CommandQueue(
            self._handlers(), self.background, self.loader, say, self._new_fallback, self._on_loaded
        )

    def _handlers(self) -> dict[str, Handler]:
        return {
            "uci": self.uci,
            "isready": self.isready,
            "setoption": self.setoption,
            "ucinewgame": self.ucinewgame,
            "position": self.position,
            "go": self.go,
            "stop": self.stop,
            "ponderhit": self.ponderhit,
            "debug": self.debug,
            "register": self.register,
            **{name: partial(extra.run, self) for name, extra in EXTRAS.items()},
        }

    @property
    def searcher(self) -> "Searcher":
        """The searcher, made when it is first needed: it imports the kernels."""
        if self._searcher is None:
            from engine.search.searcher import Searcher

            self._searcher = Searcher(self.options, self, self.resources)
        return self._searcher

    def _report(self) -> "Report":
        return self.searcher.report()

    def _wake(self) -> None:
        self.queue.wake()

    def _on_loaded(self) -> None:
        self.searcher.prepare()

    def _new_fallback(self) -> "Fallback":
        from engine.uci.fallback import Fallback  # imports python-chess, which later starts do not need

        return Fallback(self.options, self.loader, self.say, self.queue.wake)

    def close(self) -> None:
        """Stop everything; without the lock, as another thread may hold it."""
        self._explorer.close()
        self.loader.close()
        if self._searcher is not None:
            self._searcher.stop()
            with suppress(RuntimeError):  # its thread is just being started
                self._searcher.wait(SECONDS_TO_END)

    # Commands

    def uci(self, _command: Command) -> None:
        """Print name and options."""
        from engine.system.version import version

        self.say(f"id name Teresa {version()}")
        self.say("id author the Teresa developers")
        for option in OPTIONS:
            self.say(option.uci_line())
        self.say("uciok")

    def isready(self, _command: Command) -> None:
        """Answer; the queue decides when."""
        self.say("readyok")

    def debug(self, command: Command) -> None:
        """Print more, or less."""
        if command.arguments not in (["on"], ["off"]):
            raise ValueError("'on' or 'off' must follow")
        self._debug = command.arguments == ["on"]

    def register(self, _command: Command) -> None:
        """Do nothing: no registration is needed."""

    def setoption(self, command: Command) -> None:
        """Set an option, or press a button."""
        name, value = read_option(command.arguments)
        known = BY_NAME.get(name.lower())
        try:
            if known is not None and known.name in self._files:  # first see whether the file is good
                self._files[known.name]("" if value == "<empty>" else value)
            option = self.options.set(name, value)
        except ValueError as error:
            raise ValueError(str(error) if known is None else f"{known.name}: {error}") from None
        if "Explorer" in option.name:
            self._show_explorer(option.name)
        if option.name in FORGETTING and self._searcher is not None:
            self._searcher.forget()
            self._searcher.prepare()
        if option.name == "UCI_Chess960":
            self.game = None

    @property
    def _files(self) -> dict[str, Callable[[str], None]]:
        """Options that name files, and what opens them."""
        return {
            "BookFile": self.resources.set_book,
            "SyzygyPath": self.resources.set_tablebases,
            "EvalFile": self.resources.set_network,
            "LogFile": self._transcript.open,
        }

    def _show_explorer(self, option: str) -> None:
        """Open or close the page, as an option says."""
        port = self.options.explorer_port
        if option == "Open Explorer":
            self._explorer.open_in_browser(port)
        elif not self.options.explorer:
            self._explorer.close()
        elif option == "Explorer":
            self._explorer.open(port)

    def ucinewgame(self, _command: Command) -> None:
        """Forget what is known of the game before; its last position stays until another comes."""
        if self._searcher is not None:
            self._searcher.forget()

    def position(self, command: Command) -> None:
        """Set the position; the last good one stays if it is wrong."""
        self._set_game(*read_position(command.arguments))

    def _set_game(self, fen: str | None, moves: list[str]) -> None:
        from engine.uci.game import Game

        game, chess960 = self.game, self.options.chess960
        if game is not None and game.is_continued_by(fen, chess960, moves):
            game, new = game.play(moves[len(game.texts) :])
            self.searcher.set_position(game.position, new)
        else:
            game = Game.start(fen, chess960)
            for repair in game.position.repairs:
                self.queue.complain("position", repair)
            game, _ = game.play(moves)
            self.searcher.set_position(game.position, None)
        self.game = game

    def go(self, command: Command) -> None:
        """Start a search, or count leaves; nothing else runs then."""
        go = read_go(command.arguments)
        for complaint in go.complaints:
            self.queue.complain("go", complaint)
        if self.game is None:
            self._set_game(None, [])
        position = self.searcher.position
        if go.perft is not None:
            self.background.start_job(count_leaves(position, go.perft, self.options.threads))
            return
        limits = go.limits(position.turn == "white")
        if self._debug:
            self.say(f"info string {limits}")
        search_moves = self._search_moves(go.search_moves)
        self.background.begin_search(limits, self.searcher.stop)
        try:  # the GUI's clock runs since the command came; all other time counts from now
            self.searcher.go(limits, search_moves=search_moves, started=command.moment if limits.has_clock else None)
        except BaseException:
            self.background.cancel_search()
            raise

    def _search_moves(self, texts: list[str]) -> tuple[int, ...]:
        """The moves of `searchmoves`; what is not a legal move is reported and left out."""
        position, codes = self.searcher.position, []
        for text in texts:
            try:
                codes.append(position.code(text))
            except ValueError as error:
                self.queue.complain("go", f"searchmoves: {error}, left out")
        return tuple(codes)

    def stop(self, _command: Command) -> None:
        """Stop what runs."""
        self.background.stop()

    def ponderhit(self, command: Command) -> None:
        """The expected move was played."""
        if self._searcher is None or not self._searcher.is_pondering:
            raise ValueError("no search is pondering")
        self._searcher.ponder_hit(command.moment)
        self.background.ponder_hit()

    # Answers of the search, from its thread (see engine.search.searcher.Listener)

    def on_message(self, text: str) -> None:
        """Print something that users may want to know."""
        self.say(f"info string {text}")

    def on_info(self, info: "Info") -> None:
        """Print how far the search is."""
        from engine.uci.format import info_lines

        for line in info_lines(info, self.options.show_wdl):
            self.say(line)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Print the move: the search has ended."""
        from engine.uci.format import best_move_line, no_move_line

        if best is None:
            self.say(no_move_line(self.searcher.position.in_check))
        elif self.options.move_stats:
            self.queue.attempt("MoveStats", lambda: move_table(self.searcher, self.say))
        with self.background.answering():
            self.say(best_move_line(best, reply))
        self.queue.wake()
