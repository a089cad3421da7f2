"""The commands that search, and the lines in which the search answers. Imports the kernels.

Handlers run under the lock of the queue, so the game changes under it too. None of them waits for a search.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

from engine.config.options import Options
from engine.report.effort import plies_text
from engine.report.move_stats import LOSS, WIN, MoveStats, centipawns, wdl
from engine.report.node import LONG, Row
from engine.search.reporter import Info
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from engine.uci.background import Background, Say, Work
from engine.uci.parse import Command, read_go, read_start_and_moves
from engine.uci.queue import CommandHandler, CommandQueue
from movegen import Position
from movegen.fen import START_FEN

DEEPEST_PERFT = 99


@dataclass(frozen=True)
class GuiGame:
    """The game as the GUI sends it: a start and the moves since. GUIs send all of it again at each move."""

    fen: str  # of the start
    chess960: bool
    texts: tuple[str, ...]  # the moves as the GUI wrote them
    position: Position  # after them

    @classmethod
    def start(cls, fen: str, chess960: bool) -> Self:
        """A game without moves. `ValueError` for a FEN that cannot be played."""
        return cls(fen, chess960, (), Position(fen, chess960=chess960))

    def is_continued_by(self, fen: str, chess960: bool, texts: list[str]) -> bool:
        """Whether another game is this one, or this one with more moves."""
        same_start = (fen, chess960) == (self.fen, self.chess960)
        return same_start and tuple(texts[: len(self.texts)]) == self.texts

    def has_other_last_move(self, fen: str, chess960: bool, texts: list[str]) -> bool:
        """Whether another game is this one with another last move, and perhaps more moves after it."""
        same_start = (fen, chess960) == (self.fen, self.chess960)
        is_as_long = 0 < len(self.texts) <= len(texts)
        return same_start and is_as_long and tuple(texts[: len(self.texts) - 1]) == self.texts[:-1]

    def play(self, texts: list[str]) -> tuple["GuiGame", tuple[int, ...]]:
        """The game after more moves, and the codes of these moves. `ValueError` if one is not legal."""
        position, codes = self.position, []
        for text in texts:
            codes.append(position.code(text))
            position = position.play(codes[-1])
        return GuiGame(self.fen, self.chess960, (*self.texts, *texts), position), tuple(codes)


class Parts(Protocol):
    """What these commands use of a session."""

    say: Say
    options: Options
    resources: Resources
    background: Background
    queue: CommandQueue
    is_debugging: bool


class SearchCommands:
    """The game, its searcher, and a method for each command that needs them; listens to the search."""

    def __init__(self, session: Parts) -> None:
        self.say, self.options, self.resources = session.say, session.options, session.resources
        self.background, self._queue, self._session = session.background, session.queue, session
        self.game: GuiGame | None = None
        self.searcher = Searcher(self.options, self, self.resources)

    def handlers(self) -> dict[str, CommandHandler]:
        """What runs each command."""
        return {
            "ucinewgame": self.ucinewgame,
            "position": self.position,
            "go": self.go,
            "ponderhit": self.ponderhit,
        }

    def ucinewgame(self, _command: Command) -> None:
        """Forget what is known of the game before; its last position stays until another comes."""
        self.searcher.forget()

    def position(self, command: Command) -> None:
        """Set the position; the last good one stays if it is wrong."""
        self._set_game(*read_start_and_moves(command.arguments))

    def _set_game(self, fen: str, moves: list[str]) -> None:
        before, chess960 = self.game, self.options.chess960
        if before is not None and before.is_continued_by(fen, chess960, moves):
            game, new = before.play(moves[len(before.texts) :])
            self.searcher.set_position(game.position, new)
        else:
            game = GuiGame.start(fen, chess960)
            for repair in game.position.repairs:
                self._queue.complain("position", repair)
            game, codes = game.play(moves)
            if before is not None and before.has_other_last_move(fen, chess960, moves):  # as after a ponder miss
                self.searcher.set_position(game.position, codes[len(before.texts) - 1 :], takes_back=True)
            else:
                self.searcher.set_position(game.position, None)
        self.game = game

    def take_rules(self) -> None:
        """Take the same game by the present rules of castling; its position alone if moves are written otherwise."""
        game = self.game
        if game is None or game.chess960 == self.options.chess960:
            return
        try:
            self._set_game(game.fen, list(game.texts))
        except ValueError:
            self._set_game(game.position.fen(), [])

    def go(self, command: Command) -> None:
        """Start a search, or count leaves; nothing else runs then."""
        go = read_go(command.arguments)
        for complaint in go.complaints:
            self._queue.complain("go", complaint)
        if self.game is None:
            self._set_game(START_FEN, [])
        position = self.searcher.position
        if go.perft is not None:
            self.background.start_job(perft_work(position, go.perft, self.options.threads))
            return
        limits = go.limits(position.turn == "white")
        if self._session.is_debugging:
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
                self._queue.complain("go", f"searchmoves: {error}, left out")
        return tuple(codes)

    def ponderhit(self, command: Command) -> None:
        """The expected move was played."""
        if not self.searcher.is_pondering:
            raise ValueError("no search is pondering")
        self.searcher.ponder_hit(command.moment)
        self.background.ponder_hit()

    # Answers of the search, from its thread (see engine.search.reporter.Listener)

    def on_message(self, text: str) -> None:
        """Print something that users may want to know."""
        self.say(f"info string {text}")

    def on_info(self, info: Info) -> None:
        """Print how far the search is."""
        for line in info_lines(info, self.options.show_wdl):
            self.say(line)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Print the move: the search has ended."""
        if best is None:
            self.say(no_move_line(self.searcher.position.in_check))
        elif self.options.move_stats:
            self._queue.attempt("MoveStats", self.show_moves)
        with self.background.answering():
            self.say(best_move_line(best, reply))
        self._queue.wake()

    def show_moves(self) -> None:
        """Print a line for each move of the root."""
        rows = self.searcher.report().rows(shape=LONG)
        if not rows:
            raise ValueError("nothing was searched yet")
        for row in rows:
            self.say(f"info string {move_line(row)}")


def perft_work(position: Position, depth: int, threads: int) -> Work:
    """The work of `go perft`, which prints what other engines print."""

    def work(say: Say, should_stop: Callable[[], bool]) -> None:
        from perft.counter import Counter, Interrupted  # games do not need it

        counter, total = Counter(threads, should_stop=should_stop), 0
        try:
            for move in sorted(position.legal_moves):
                leaves = counter.perft(position.play(move), max(1, min(depth, DEEPEST_PERFT)) - 1)
                total += leaves
                say(f"{move}: {leaves}")
        except Interrupted:
            say("info string perft: stopped")
            return
        say(f"\nNodes searched: {total}")

    return work


# Lines


def info_lines(info: Info, with_wdl: bool) -> list[str]:
    """One `info` line for each variation."""
    milliseconds = int(info.seconds * 1000)
    speed = int(info.nodes / info.seconds) if info.seconds > 0 else 0
    work = f"nodes {info.nodes} nps {speed} hashfull {info.hashfull} tbhits {info.tbhits} time {milliseconds}"
    lines = []
    for number, (move, pv) in enumerate(info.lines, 1):
        score = f"score {score_text(move, info.known_score)}"
        if with_wdl:
            score += " wdl {} {} {}".format(*wdl(move, info.known_score))
        depth = f"depth {info.depth} seldepth {info.deepest} multipv {number}"
        lines.append(f"info {depth} {score} {work} pv {' '.join(pv)}")
    return lines


def score_text(move: MoveStats, known_score: float | None = None) -> str:
    """`cp 35`, `mate 3` or `mate -2`: a proven mate in moves of the player, negative for the player who is mated.

    What tablebases know of the position replaces the score of the search.
    """
    if move.result == WIN:
        return f"mate {(move.distance + 1) // 2}"
    if move.result == LOSS:
        return f"mate {-(move.distance // 2)}"
    return f"cp {centipawns(move.score if known_score is None else known_score)}"


def best_move_line(best: str | None, reply: str | None) -> str:
    """The answer to `go`; None: there is no legal move, or no reply to think about."""
    return f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else "")


def no_move_line(in_check: bool) -> str:
    """The score of a position without a legal move."""
    return f"info depth 0 score {'mate 0' if in_check else 'cp 0'}"


def move_line(row: Row) -> str:
    """One move of the table. All numbers are for the player who moves."""
    proven = f" proven {row.proven['result']} in {plies_text(row.proven['plies'])}" if row.proven else ""
    shares = " ".join(map(str, row.wdl)) if row.wdl else "-"
    return (
        f"{row.uci:5} N {row.n} ({row.share:.1%}) P {row.p:.1%} Q {number(row.q)} U {number(row.u)} S {number(row.s)} "
        f"WDL {shares}{proven} pv {' '.join(row.pv)}"
    )


def number(value: float | None) -> str:
    """Four digits; None: unknown or infinite."""
    return "-" if value is None else f"{value:.4f}"
