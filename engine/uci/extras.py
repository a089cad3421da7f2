"""Commands for people: look at the position and the search, ask why, keep a search in a file."""

from typing import TYPE_CHECKING

from engine.uci.parse import read_question
from engine.uci.work import Work

if TYPE_CHECKING:
    from movegen import Position

HELP = """\
uci, isready, debug on|off, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],
go [limits], stop, ponderhit, quit
d        show the position
eval     judge the position without a search
moves    show what the search thinks of each move
why      [MOVE]: why this move, or the best one; whynot MOVE [VISITS]: why not that one
savetree [--force] FILE: write the search to a file (.npz); --force: also over one that is not a saved tree
loadtree FILE: take a saved search over again, with its position
bench    search some positions and print speed and signature
help     this text
go       infinite ponder wtime btime winc binc movestogo movetime nodes depth mate perft searchmoves"""

FORCE = "--force "


def board_lines(position: "Position") -> list[str]:
    """The board with its coordinates, the position as FEN and key, the player to move and what gives check."""
    ranks = [f"{8 - row}  {pieces}" for row, pieces in enumerate(str(position).split("\n"))]
    facts = [f"Fen: {position.fen()}", f"Key: {position.key:016X}", f"To move: {position.turn}"]
    return [*ranks, "", "   a b c d e f g h", "", *facts, f"Checkers: {' '.join(checkers(position)) or '-'}"]


def checkers(position: "Position") -> list[str]:
    """The squares of the pieces that give check to the player to move."""
    from movegen.fen import SQUARE_NAMES, read_fen

    is_white = position.turn == "white"
    king = read_fen(position.fen(), position.chess960).king_of(is_white)
    return position.attackers(SQUARE_NAMES[king], "black" if is_white else "white")


class CommandsForPeople(Work):
    """What no GUI asks."""

    def d(self, _words: list[str], _moment: float) -> None:
        """Show the position."""
        for line in board_lines(self._loaded_searcher().position):
            self.say(line)

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
        """Why a move, or why not; a move with few visits first gets a separate search."""
        from engine.explain.explain import NotLegal, explain
        from engine.explain.text import WHY_NOT_HINT, lines_of
        from engine.report.snapshot import NotInMemoryError

        question = read_question(words)
        try:
            told = explain(self._loaded_searcher().report(), question.move)
        except NotInMemoryError as error:  # recycled while it was read
            raise ValueError(str(error)) from None
        if not isinstance(told, NotLegal) and (question.visits is not None or told.needs_search):
            self._look_closer(told, question.visits)
            return
        for line in lines_of(told, WHY_NOT_HINT):
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

        from engine.report.tree_file import GameRecord, save
        from movegen.fen import START_FEN

        game, searcher = self._game, self._loaded_searcher()
        name = " ".join(words)
        force = name.startswith(FORCE)
        name = name.removeprefix(FORCE).lstrip()
        if not name or game is None or not searcher.report().rows():
            raise ValueError("nothing was searched yet" if name else "the name of a file must follow")
        path = Path(name)
        record = GameRecord(game.fen or START_FEN, game.texts, searcher.position.chess960)
        moves = save(path, record, searcher.prepare(), searcher.history, searcher.options, force=force)
        self.say(f"info string {moves:,} moves saved in {path}")

    def loadtree(self, words: list[str], _moment: float) -> None:
        """Take over a search from a file: its position is the present one then."""
        from pathlib import Path

        from engine.mcts.tree import ROOT
        from engine.report.tree_file import load
        from engine.uci.game import Game

        if not words:
            raise ValueError("the name of a file must follow")
        searcher = self._loaded_searcher()
        tree = searcher.prepare()
        found = load(Path(" ".join(words)), room=tree.visits.size)
        searcher.load(found.position, found.history, found.fill)
        self._game = Game(found.game.start, found.game.chess960, found.game.moves, found.position)
        self.say(f"info string {int(tree.visits[int(ROOT)]):,} visits of {found.position.fen()}")
        if found.lost_proofs:
            self.say(f"info string {found.lost_proofs:,} proofs are left out: the moves they rest on were recycled")
