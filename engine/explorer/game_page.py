"""What the page of a game may ask and do, besides what every page may. Arguments come from outside and are checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.analysis import Analysis
from engine.explorer.asked import Attachment, Data, Question, number_of, text_in, truth_in, whole_in
from engine.explorer.exercises import Exercises
from engine.explorer.export import exported
from engine.explorer.game_session import GameSession
from engine.explorer.open_game import OpenGame
from engine.explorer.play_out import PlayOuts
from engine.explorer.view import PageAction
from engine.pgn.game_tree import GameTree
from engine.pgn.setup import problems_of
from movegen import Position

DIGITS_OF_GAME = 7


class GamePage(GameSession):
    """A session with a game, and its requests."""

    def __init__(self, searches: Sequence[tuple[str, Analysis]], tree: GameTree, *others: Any, **named: Any) -> None:
        super().__init__(searches, tree, *others, **named)
        resources = self.analyses[0].searcher.resources
        self._play_outs = PlayOuts(self.options, resources)
        self._exercises = Exercises(self.options, resources)

    def close(self) -> None:
        """End everything."""
        self._play_outs.end()
        super().close()

    # Questions

    def questions(self) -> dict[str, Question]:
        """By name."""
        return {
            **super().questions(),
            "game": lambda _: self.game.data(),
            "games": self._games,
            "export": self._export,
            "legality": self._legality,
        }

    def _games(self, asked: Mapping[str, str]) -> Data:
        if self.library is None:
            raise ValueError("no file is open")
        first, count = number_of(asked, "from", digits=DIGITS_OF_GAME), number_of(asked, "count", 100)
        return self.library.rows(first, count, asked.get("text", ""))

    def _export(self, asked: Mapping[str, str]) -> Attachment:
        return exported(self, asked.get("kind", ""))

    def _legality(self, asked: Mapping[str, str]) -> Data:
        fen, is_chess960 = asked.get("fen", ""), asked.get("chess960", "") in ("1", "true")
        problems = problems_of(fen, is_chess960)
        return {"fen": None if problems else Position(fen, chess960=is_chess960).fen(), "problems": problems}

    # Actions

    def actions(self) -> dict[str, PageAction]:
        """By name."""
        return {
            **super().actions(),
            "show": lambda asked: self.show(whole_in(asked, "revision"), whole_in(asked, "node")),
            "open": lambda asked: self.open_number(whole_in(asked, "number")),
            "paste": lambda asked: self.paste(text_in(asked, "text")),
            "judge": lambda asked: self.switch_judge(is_on=truth_in(asked, "on")),
            "add": self._add,
            "rename": self._rename,
            "remove": self._remove,
            "promote": self._promote,
            "save": self._save,
            "play": self._play,
            "move": lambda asked: self._play_outs.move(self.game, text_in(asked, "move")),
            "endplay": lambda _: self._play_outs.end(),
            "try": self._try,
        }

    def _asked_node(self, asked: Data) -> tuple[OpenGame, int]:
        return self.asked_game(whole_in(asked, "revision")), whole_in(asked, "node")

    def _add(self, asked: Data) -> Data:
        game, node = self._asked_node(asked)
        added = game.add(node, text_in(asked, "move"))
        return {"node": added, "changes": game.changes}

    def _rename(self, asked: Data) -> Data:
        (game, node), name = self._asked_node(asked), text_in(asked, "name")
        return game.change(lambda tree: tree.rename(node, name))

    def _remove(self, asked: Data) -> Data:
        game, node = self._asked_node(asked)
        return game.change(lambda tree: tree.remove(node))

    def _promote(self, asked: Data) -> Data:
        game, node = self._asked_node(asked)
        return game.change(lambda tree: tree.promote(node))

    def _save(self, asked: Data) -> Data:
        game = self.asked_game(whole_in(asked, "revision"))
        if self.library is None or game.number is None:
            raise ValueError("the game is not from a file: download it as PGN")
        self.library.save(game)
        return {"saved": self.library.name}

    def _play(self, asked: Data) -> Data:
        game, node = self._asked_node(asked)
        elo = None if asked.get("elo") is None else whole_in(asked, "elo")
        return self._play_outs.begin(game, node, elo, text_in(asked, "user"))

    def _try(self, asked: Data) -> Data:
        (game, node), move = self._asked_node(asked), text_in(asked, "move")
        hints = 0 if asked.get("hints") is None else whole_in(asked, "hints")
        return self._exercises.tried(game, node, move, hints, is_revealed=truth_in(asked, "reveal", otherwise=False))
