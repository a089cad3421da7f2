"""What the engine does when it is asked: one method for each UCI command.

Nothing here waits: searches and other long work run in threads of their own.
"""

from collections.abc import Callable

from engine.config.options import BY_NAME, OPTIONS
from engine.explorer.embedded import EmbeddedExplorer
from engine.loader import Loader
from engine.uci.extras import CommandsForPeople
from engine.uci.parse import read_go, read_option, read_position
from engine.uci.transcript import Transcript

FORGETTING = frozenset(
    {"Hash", "Clear Hash", "Formula", "Evaluator", "EvalFile", "Policy Temperature", "Root Temperature"}
)  # options with which the tree means something else


class Session(CommandsForPeople):
    """The engine's side of a conversation with a GUI."""

    def __init__(
        self, say: Callable[[str], None], transcript: Transcript | None = None, loader: Loader | None = None
    ) -> None:
        """`say` writes a line."""
        super().__init__(say, loader)
        self._transcript = transcript or Transcript()
        self._debug = False
        self._guest = EmbeddedExplorer(self.say, lambda: self._loaded_searcher().report())
        self.commands = {
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
            "d": self.d,
            "eval": self.eval,
            "moves": self.moves,
            "why": self.why,
            "whynot": self.whynot,
            "savetree": self.savetree,
            "loadtree": self.loadtree,
            "bench": self.bench,
            "help": self.help,
        }

    def close(self) -> None:
        """End everything."""
        self._guest.close()
        super().close()

    def uci(self, _words: list[str], _moment: float) -> None:
        """Who are you?"""
        from engine.system.version import version

        self.say(f"id name Teresa {version()}")
        self.say("id author the Teresa developers")
        for option in OPTIONS:
            self.say(option.uci_line())
        self.say("uciok")

    def debug(self, words: list[str], _moment: float) -> None:
        """Tell more, or less."""
        if words not in (["on"], ["off"]):
            raise ValueError("'on' or 'off' must follow")
        self._debug = words == ["on"]

    def register(self, _words: list[str], _moment: float) -> None:
        """Nobody needs to register."""

    def setoption(self, words: list[str], _moment: float) -> None:
        """Set an option, or press a button."""
        name, value = read_option(words)
        option = BY_NAME.get(name.lower())
        text = "" if value == "<empty>" else value
        try:
            if option is not None and option.name in self._files:  # first see whether the file is good
                self._files[option.name](text)
            self.options.set(name, value)
        except ValueError as error:
            raise ValueError(str(error) if option is None else f"{option.name}: {error}") from None
        if option is not None and "Explorer" in option.name:
            self._show(option.name)
        if option is None or self._searcher is None:
            return
        if option.name in FORGETTING:
            self._searcher.forget()
            self._searcher.prepare()
        if option.name == "UCI_Chess960":
            self._game = None

    @property
    def _files(self) -> dict[str, Callable[[str], None]]:
        """Options that name files, and what opens them."""
        return {
            "BookFile": self.knowledge.set_book,
            "SyzygyPath": self.knowledge.set_tablebases,
            "EvalFile": self.knowledge.set_network,
            "LogFile": self._transcript.open,
        }

    def ucinewgame(self, _words: list[str], _moment: float) -> None:
        """Forget what is known of the game before; its last position stays until another comes."""
        if self._searcher is not None:
            self._searcher.forget()

    def position(self, words: list[str], _moment: float) -> None:
        """Take over a position; the last good one stays if it is wrong."""
        from engine.uci.game import Game

        fen, texts = read_position(words)
        game, chess960 = self._game, self.options.chess960
        if game is not None and game.is_continued_by(fen, chess960, texts):
            game, new = game.play(texts[len(game.texts) :])
            self._loaded_searcher().set_position(game.position, new)
        else:
            game = Game.start(fen, chess960)
            for repair in game.position.repairs:
                self.complain("position", repair)
            game, _ = game.play(texts)
            self._loaded_searcher().set_position(game.position, None)
        self._game = game

    def go(self, words: list[str], moment: float) -> None:
        """Start a search, or count leaves; nothing else is going on then."""
        go = read_go(words)
        for complaint in go.complaints:
            self.complain("go", complaint)
        searcher = self._loaded_searcher()
        if self._game is None:
            self.position(["startpos"], moment)
        if "perft" in go.numbers:
            self._start("perft", [str(go.numbers["perft"])])
            return
        limits = go.limits(searcher.position.turn == "white")
        if self._debug:
            self.say(f"info string {limits}")
        self._search(limits, self._wished(go.wished), moment)

    def stop(self, _words: list[str], _moment: float) -> None:
        """End what is going on."""
        self.stop_all()

    def ponderhit(self, _words: list[str], moment: float) -> None:
        """The expected move was played."""
        if self._searcher is None or not self._searcher.is_pondering:
            raise ValueError("no search is pondering")
        self._searcher.ponder_hit(moment)

    # Behind the commands

    def _show(self, option: str) -> None:
        """Open or close the page, as an option says."""
        port = self.options.explorer_port
        if option == "Open Explorer":
            self._guest.open_in_browser(port)
        elif not self.options.explorer:
            self._guest.close()
        elif option == "Explorer":
            self._guest.open(port)

    def _wished(self, texts: list[str]) -> tuple[int, ...]:
        """The moves of `searchmoves`; what is no legal move is told and left out."""
        position, codes = self._loaded_searcher().position, []
        for text in texts:
            try:
                codes.append(position.code(text))
            except ValueError as error:
                self.complain("go", f"searchmoves: {error}, left out")
        return tuple(codes)
