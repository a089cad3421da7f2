"""What the engine does when it is asked: one method for each UCI command.

Nothing here waits: searches and other long work run in threads of their own.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.commands import read_go, read_option, read_position, read_question
from engine.conversation import Conversation
from engine.explorer.guest import Guest
from engine.knowledge import Knowledge
from engine.options import BY_NAME, OPTIONS
from engine.startup import Loader
from engine.transcript import Transcript

if TYPE_CHECKING:
    from engine.game import Game
    from engine.jobs import Job
    from engine.report.info import Info
    from engine.search import Searcher
    from engine.why.explain import Explanation

SECONDS_TO_END = 0.5
FORGETTING = frozenset(
    {"Hash", "Clear Hash", "Formula", "Evaluator", "EvalFile", "Policy Temperature", "Root Temperature"}
)  # options with which the tree means something else

HELP = """\
uci, isready, debug on|off, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],
go [limits], stop, ponderhit, quit
d        show the position
eval     judge the position without a search
moves    show what the search thinks of each move
why      [MOVE]: why this move, or the best one; whynot MOVE [VISITS]: why not that one
savetree FILE, loadtree FILE: write the search to a file, and take it over again (.npz)
bench    search some positions and tell speed and signature
help     this text
go       infinite ponder wtime btime winc binc movestogo movetime nodes depth mate perft searchmoves"""


class Session(Conversation):
    """The engine's side of a conversation with a GUI."""

    def __init__(
        self, say: Callable[[str], None], transcript: Transcript | None = None, loader: Loader | None = None
    ) -> None:
        """`say` writes a line."""
        super().__init__(say, loader)
        self._transcript = transcript or Transcript()
        self.knowledge = Knowledge()
        self._searcher: Searcher | None = None
        self._job: Job | None = None
        self._aside: Job | None = None  # a search for `why`, which disturbs no other
        self._game: Game | None = None
        self._debug = False
        self._guest = Guest(self.say, lambda: self._loaded_searcher().report())
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

    def on_loaded(self) -> None:
        """The kernels are there."""
        self._loaded_searcher().prepare()

    def close(self) -> None:
        """End everything."""
        self._guest.close()
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait(SECONDS_TO_END)
        self.loader.close()

    # UCI commands

    def uci(self, _words: list[str], _moment: float) -> None:
        """Who are you?"""
        from importlib.metadata import version

        self.say(f"id name Teresa {version('teresa-chess')}")
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
        if option is not None and option.name in self._files:  # first see whether the file is good
            self._files[option.name](text)
        self.settings.set(name, value)
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
        """Forget the game before."""
        self._game = None
        if self._searcher is not None:
            self._searcher.forget()

    def position(self, words: list[str], _moment: float) -> None:
        """Take over a position; the last good one stays if it is wrong."""
        from engine.game import Game

        fen, texts = read_position(words)
        game, chess960 = self._game, self.settings.flag("UCI_Chess960")
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
        """Start a search; one that is going on ends first."""
        go = read_go(words)
        for complaint in go.complaints:
            self.complain("go", complaint)
        self._end_search()
        searcher = self._loaded_searcher()
        if self._game is None:
            self.position(["startpos"], moment)
        if "perft" in go.numbers:
            self._start("perft", [str(go.numbers["perft"])])
            return
        self._search_ended = False
        limits = go.limits(searcher.position.turn == "white")
        if self._debug:
            self.say(f"info string {limits}")
        searcher.go(limits, wished=self._wished(go.wished), started=moment)

    def stop(self, _words: list[str], _moment: float) -> None:
        """End the search."""
        if self._searcher is not None:
            self._searcher.stop()
        for job in (self._job, self._aside):
            if job is not None:
                job.stop()

    def ponderhit(self, _words: list[str], moment: float) -> None:
        """The expected move was played."""
        if self._searcher is None or not self._searcher.is_pondering:
            raise ValueError("no search is pondering")
        self._searcher.ponder_hit(moment)

    # Commands for people

    def d(self, _words: list[str], _moment: float) -> None:
        """Show the position."""
        position = self._loaded_searcher().position
        self.say(f"{position}\nFen: {position.fen()}\nKey: {position.key:016X}")

    def eval(self, _words: list[str], _moment: float) -> None:
        """Judge the position without a search."""
        self._start("eval", [])

    def bench(self, words: list[str], _moment: float) -> None:
        """Search some positions."""
        self._start("bench", words)

    def moves(self, _words: list[str], _moment: float) -> None:
        """Show what the search thinks of each move."""
        from engine.lines import move_line
        from engine.report.node import LONG

        rows = self._loaded_searcher().report().rows(shape=LONG)
        if not rows:
            raise ValueError("nothing was searched yet")
        for row in rows:
            self.say(f"info string {move_line(row)}")

    def why(self, words: list[str], _moment: float) -> None:
        """Why a move, or why not; a move that was hardly looked at gets a search of its own first."""
        from engine.why.explain import NotLegal, explain
        from engine.why.words import lines_of

        question = read_question(words)
        told = explain(self._loaded_searcher().report(), question.move)
        if not isinstance(told, NotLegal) and (question.visits is not None or told.needs_search):
            self._look_closer(told, question.visits)
            return
        for line in lines_of(told):
            self.say(f"info string {line}")

    def whynot(self, words: list[str], moment: float) -> None:
        """Why not a move."""
        self.why(["not", *words], moment)

    def help(self, _words: list[str], _moment: float) -> None:
        """List the commands."""
        for line in HELP.splitlines():
            self.say(f"info string {line}")

    def savetree(self, words: list[str], _moment: float) -> None:
        """Write the search to a file."""
        from pathlib import Path

        from engine.saved_tree import save
        from movegen.fen import START_FEN

        game, searcher = self._game, self._loaded_searcher()
        if not words or game is None or not searcher.report().rows():
            raise ValueError("the name of a file must follow" if not words else "nothing was searched yet")
        path = Path(" ".join(words))
        try:
            moves = save(path, searcher, game.fen or START_FEN, game.texts)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from None
        self.say(f"info string {moves:,} moves saved in {path}")

    def loadtree(self, words: list[str], _moment: float) -> None:
        """Take over a search from a file: its position is the present one then."""
        from pathlib import Path

        from engine.game import Game
        from engine.saved_tree import load

        if not words:
            raise ValueError("the name of a file must follow")
        found = load(Path(" ".join(words)))
        searcher = self._loaded_searcher()
        searcher.load(found.position, found.history, found.fill)
        self._game = Game(found.start, found.chess960, found.moves, found.position)
        self.say(f"info string {int(searcher.prepare().visits[0]):,} visits of {found.position.fen()}")

    # Behind the commands

    def _show(self, option: str) -> None:
        """Open or close the page, as an option says."""
        port = self.settings.number("Explorer Port")
        if option == "Open Explorer":
            self._guest.open_in_browser(port)
        elif not self.settings.flag("Explorer"):
            self._guest.close()
        elif option == "Explorer":
            self._guest.open(port)

    def _loaded_searcher(self) -> "Searcher":
        """The searcher, made when it is first needed."""
        if self._searcher is None:
            from engine.search import Searcher

            self._searcher = Searcher(self.settings, self, self.knowledge)
        return self._searcher

    def _wished(self, texts: list[str]) -> tuple[int, ...]:
        """The moves of `searchmoves`; what is no legal move is told and left out."""
        position, codes = self._loaded_searcher().position, []
        for text in texts:
            try:
                codes.append(position.code(text))
            except ValueError as error:
                self.complain("go", f"searchmoves: {error}, left out")
        return tuple(codes)

    def _end_search(self) -> None:
        """End what is going on, and carry out what was kept for its end."""
        if self._search_ended:
            return
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait()
        if self._job is not None:
            self._job.stop()
            self._job.join()
        self._search_ended = True
        self._go_on()

    def _start(self, name: str, words: list[str]) -> None:
        """Do something long beside the conversation."""
        from engine.jobs import JOBS, Job

        work = JOBS[name](words, self._loaded_searcher().position, self.settings, self.knowledge)
        self._search_ended = False
        self._job = Job(work, self.say, self._on_job_end)

    def _look_closer(self, told: "Explanation", visits: int | None) -> None:
        """Search a move for itself, beside all else; one after the other."""
        from engine.jobs import Job, look_closer

        self._aside = Job(look_closer(told, visits, self._aside), self.say, lambda: None)

    def _on_job_end(self) -> None:
        self._search_ended = True
        self.wake()

    # What a search tells (see engine.search.Listener)

    def on_message(self, text: str) -> None:
        """Something that people may want to know."""
        self.say(f"info string {text}")

    def on_info(self, info: "Info") -> None:
        """How the search stands."""
        from engine.lines import info_lines

        for line in info_lines(info, self.settings.flag("UCI_ShowWDL")):
            self.say(line)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The search has ended."""
        if self.settings.flag("MoveStats") and best is not None:
            self.moves([], time.perf_counter())
        if best is None:
            in_check = self._loaded_searcher().position.in_check
            self.say(f"info depth 0 score {'mate 0' if in_check else 'cp 0'}")
        self._search_ended = True  # before the GUI can answer
        self.say(f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else ""))
        self.wake()
