"""What the engine does when it is asked: one method for each UCI command.

Nothing here waits: searches run in threads of their own, and what has to wait for the end of a search is kept.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.commands import read_go, read_option, read_position
from engine.options import OPTIONS, Settings
from engine.startup import Loader

if TYPE_CHECKING:
    from engine.report import MoveStats
    from engine.search import Info, Searcher
    from movegen import Position

KEPT_DURING_SEARCH = frozenset({"position", "setoption", "ucinewgame"})
NEED_NO_KERNELS = frozenset({"uci", "isready", "debug", "register", "help"})
READY_SECONDS = 4.0  # after which `isready` is answered although kernels are still being compiled

HELP = """\
uci, isready, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],
go [limits], stop, ponderhit, quit
d        show the position
moves    show what the search thinks of each move
help     this text
go       infinite ponder wtime btime winc binc movestogo movetime nodes depth mate perft"""


class Session:
    """The state of a conversation with a GUI."""

    def __init__(self, say: Callable[[str], None], wake: Callable[[], None], loader: Loader) -> None:
        """`say` writes a line; `wake` makes the conversation call `go_on` soon, from any thread."""
        self.say, self._wake, self.loader = say, wake, loader
        self.settings = Settings()
        self._searcher: Searcher | None = None
        self._position: Position | None = None
        self._game: tuple[str | None, bool, tuple[int, ...]] = (None, False, ())
        self._kept: deque[list[str]] = deque()
        self._search_ended = True
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self.uci,
            "isready": self.isready,
            "setoption": self.setoption,
            "ucinewgame": self.ucinewgame,
            "position": self.position,
            "go": self.go,
            "stop": self.stop,
            "ponderhit": self.ponderhit,
            "debug": self.nothing,
            "register": self.nothing,
            "d": self.d,
            "moves": self.moves,
            "help": self.help,
        }

    def handle(self, line: str) -> bool:
        """Do what a line says; -> does the conversation go on?"""
        words = line.split()
        while words and words[0] not in self._commands and words[0] != "quit":
            self.complain(words.pop(0)[:40], "unknown command, skipped (try 'help')")
        if not words:
            return True
        if words[0] == "quit":
            return False
        if self._must_wait(words[0]):
            self._kept.append(words)
        else:
            self._carry_out(words)
        return True

    def go_on(self) -> None:
        """Carry out what was kept until the kernels were loaded or the search had ended."""
        while self._kept and not self._must_wait(self._kept[0][0]):
            self._carry_out(self._kept.popleft())

    def _must_wait(self, command: str) -> bool:
        """Must a command be kept for later?"""
        if not self.loader.is_ready:
            return command not in NEED_NO_KERNELS
        return command in KEPT_DURING_SEARCH and not self._search_ended

    def _carry_out(self, words: list[str]) -> None:
        try:
            self._commands[words[0]](words[1:])
        except ValueError as error:
            self.complain(words[0], f"{error}; ignored")

    def close(self) -> None:
        """End everything."""
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait()
        self.loader.close()

    def complain(self, command: str, reason: str) -> None:
        """Tell the user what is wrong."""
        self.say(f"info string {ascii(command)[1:-1]}: {reason}")

    # UCI commands

    def uci(self, _words: list[str]) -> None:
        """Who are you?"""
        from importlib.metadata import version

        self.say(f"id name Teresa {version('teresa-chess')}")
        self.say("id author the Teresa developers")
        for option in OPTIONS:
            self.say(option.uci_line())
        self.say("uciok")

    def isready(self, _words: list[str]) -> None:
        """Answer when all is loaded, or after a few seconds."""
        self.loader.wait(READY_SECONDS)
        self.say("readyok")

    def setoption(self, words: list[str]) -> None:
        """Set an option, or press a button."""
        name, value = read_option(words)
        option = self.settings.set(name, value)
        if self._searcher is not None and option.name in ("Hash", "Clear Hash"):
            self._searcher.forget()
        if option.name == "UCI_Chess960" and self._position is not None:
            self._position = None

    def ucinewgame(self, _words: list[str]) -> None:
        """Forget the game before."""
        self._position = None
        if self._searcher is not None:
            self._searcher.forget()

    def position(self, words: list[str]) -> None:
        """Take over a position; the last good one stays if it is wrong."""
        fen, texts = read_position(words)
        from movegen import Position
        from movegen.fen import START_FEN

        chess960 = self.settings.flag("UCI_Chess960")
        position = Position(START_FEN if fen is None else fen, chess960=chess960)
        for repair in position.repairs:
            self.complain("position", repair)
        codes = []
        for text in texts:
            codes.append(position.code(text))
            position = position.play(codes[-1])
        self._take_over(position, (fen, chess960, tuple(codes)))

    def go(self, words: list[str]) -> None:
        """Start a search; one that is going on ends first."""
        go = read_go(words)
        for complaint in go.complaints:
            self.complain("go", complaint)
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait()
            self._search_ended = True
            self.go_on()  # what came before this command
        searcher = self._loaded_searcher()
        if self._position is None:
            self.position(["startpos"])
        if "perft" in go.numbers:
            self._perft(go.numbers["perft"])
            return
        self._search_ended = False
        searcher.go(go.limits(searcher.position.turn == "white"))

    def stop(self, _words: list[str]) -> None:
        """End the search."""
        if self._searcher is not None:
            self._searcher.stop()

    def ponderhit(self, _words: list[str]) -> None:
        """The expected move was played."""
        if self._searcher is None or self._search_ended:
            raise ValueError("no search is pondering")
        self._searcher.ponder_hit()

    def nothing(self, _words: list[str]) -> None:
        """Commands that ask for nothing."""

    def d(self, _words: list[str]) -> None:
        """Show the position."""
        position = self._loaded_searcher().position
        self.say(f"{position}\nFen: {position.fen()}\nKey: {position.key:016X}")

    def moves(self, _words: list[str]) -> None:
        """Show what the search thinks of each move."""
        searcher = self._loaded_searcher()
        if searcher.tree is None:
            raise ValueError("nothing was searched yet")
        from engine import report

        for move in report.moves_below(searcher.tree, 0):
            line = report.main_line(searcher.tree, searcher.position, move)
            self.say(f"info string {move_text(move, int(searcher.tree.visits[0]), line)}")

    def help(self, _words: list[str]) -> None:
        """List the commands."""
        for line in HELP.splitlines():
            self.say(f"info string {line}")

    # Behind the commands

    def _loaded_searcher(self) -> "Searcher":
        """The searcher, made when it is first needed."""
        if self._searcher is None:
            from engine.search import Searcher

            self._searcher = Searcher(self.settings, self._on_info, self._on_best_move)
        return self._searcher

    def _take_over(self, position: "Position", game: tuple[str | None, bool, tuple[int, ...]]) -> None:
        """Go to a position; if it continues the game, the tree comes along."""
        before, self._game = self._game, game
        same_start = self._position is not None and before[:2] == game[:2]
        continues = same_start and game[2][: len(before[2])] == before[2]
        self._position = position
        self._loaded_searcher().set_position(position, game[2][len(before[2]) :] if continues else None)

    def _perft(self, depth: int) -> None:
        from perft.run import Counter

        position, counter = self._loaded_searcher().position, Counter(self.settings.number("Threads"))
        depth = max(1, min(depth, 99))
        total = 0
        for move in sorted(position.legal_moves):
            leaves = counter.perft(position.play(move), depth - 1)
            total += leaves
            self.say(f"{move}: {leaves}")
        self.say(f"\nNodes searched: {total}")

    def _on_info(self, info: "Info") -> None:
        from engine import report

        milliseconds = int(info.seconds * 1000)
        speed = int(info.nodes / info.seconds) if info.seconds > 0 else 0
        for number, (move, line) in enumerate(info.lines, 1):
            wdl = " wdl {} {} {}".format(*report.wdl(move)) if self.settings.flag("UCI_ShowWDL") else ""
            score = f"score {report.score_text(move)}{wdl}"
            work = f"nodes {info.nodes} nps {speed} hashfull {info.hashfull} tbhits 0 time {milliseconds}"
            depth = f"depth {info.depth} seldepth {info.deepest}"
            self.say(f"info {depth} multipv {number} {score} {work} pv {' '.join(line)}")

    def _on_best_move(self, best: str | None, reply: str | None) -> None:
        if self.settings.flag("MoveStats") and best is not None:
            self.moves([])
        if best is None:
            self.say("info depth 0 score cp 0")
        self._search_ended = True  # before the GUI can answer
        self.say(f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else ""))
        self._wake()


def move_text(move: "MoveStats", parent_visits: int, line: list[str]) -> str:
    """One move of the table: visits, share, prior, score, win/draw/loss, proof, line."""
    from engine import report

    share = move.visits / max(1, parent_visits)
    proven = ("", " proven loss", " proven draw", " proven win")[move.result]
    distance = f" in {move.distance} plies" if move.result else ""
    wins, draws, losses = report.wdl(move)
    numbers = f"N {move.visits} ({share:.1%}) P {move.prior:.1%} Q {move.score:.4f} WDL {wins} {draws} {losses}"
    return f"{line[0]} {numbers}{proven}{distance} pv {' '.join(line)}"
