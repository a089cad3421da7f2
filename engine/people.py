"""Commands for people: look at the position and the search, ask why, keep a search in a file."""

from engine.commands import read_question
from engine.work import Work

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


class CommandsForPeople(Work):
    """What no GUI asks."""

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
        self._tell_moves()

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
