"""A game in the page: the search follows the node that is shown, while the moves are judged in the background."""

import threading
from collections.abc import Sequence
from typing import NamedTuple

from engine.analysis import Analysis
from engine.config.options import Options
from engine.explorer.asked import Data
from engine.explorer.background_judge import BackgroundJudge
from engine.explorer.game_library import GameLibrary, tree_in_text
from engine.explorer.interactive import InteractiveSession, codes_of
from engine.explorer.open_game import Moments, OpenGame
from engine.explorer.opponent import RATINGS
from engine.pgn.game_tree import GameTree
from engine.review.plan import Plan
from movegen import Position


class GameSession(InteractiveSession):
    """The searches of a page, and the game that they follow; `GamePage` has the requests."""

    def __init__(
        self,
        searches: Sequence[tuple[str, Analysis]],
        tree: GameTree,
        library: GameLibrary | None = None,
        *,
        number: int | None = None,
        node: int = 0,
        options: Options | None = None,
        plan: Plan | None = None,
        visits: int | None = None,
    ) -> None:
        """`library`: the file of the game, `number`: of the game in it, `node`: the one that is shown first."""
        super().__init__(searches, visits)
        self.library, self.options, self._moments = library, options or Options(), Moments()
        self.judge = BackgroundJudge(self.options, plan or Plan.default(), self.analyses[0].searcher.resources)
        self._opening, self._showing, self._shown = threading.Lock(), threading.Lock(), Moments()
        self._root: _Root | None = None  # None: the searches are at a position that is not of this game
        self.game = OpenGame(tree, 1, self._moments, number)
        self._left: list[OpenGame] = []  # games of the file with changes that are not saved
        self._is_paused = True
        self._show(self.game, node)
        self._is_paused = False

    def look(self) -> None:
        """A page is open and has its first picture: now there is time for the judge and the list of games."""
        super().look()
        if self._is_closed:
            return
        if not self.judge.has_begun:
            self.judge.start(self.game)
        if self.library is not None:
            self.library.start()

    def close(self) -> None:
        """End everything."""
        self.judge.close()
        if self.library is not None:
            self.library.close()
        super().close()

    def about(self) -> Data:
        """What the page needs first."""
        file = self.library.about() if self.library is not None else None
        return {**super().about(), "game": True, "file": file, "levels": list(RATINGS)}

    def news(self, cursor: int) -> Data | None:
        """What was judged, or is open now, since a moment."""
        return self.game.news(cursor)

    def switch_judge(self, *, is_on: bool) -> Data:
        """Pause judging, or go on."""
        self.judge.switch(self.game, is_on=is_on)
        return {"judging": self.game.judging}

    def asked_game(self, revision: int) -> OpenGame:
        """The open game, which a page asks about."""
        game = self.game
        game.check(revision)
        return game

    # Another game

    def open_number(self, number: int) -> Data:
        """Open another game of the file. One that was left with unsaved changes comes back with them."""
        if self.library is None:
            raise ValueError("no file is open")
        changed = next((game for game in self.unsaved() if game.number == number), None)
        return self._open(changed or OpenGame(self.library.tree(number), 0, self._moments, number))

    def unsaved(self) -> list[OpenGame]:
        """The games of the file with changes that are not saved, the open one first."""
        known = [self.game, *(game for game in self._left if game is not self.game)]
        return [game for game in known if game.number is not None and game.tree.is_changed]

    def paste(self, text: str) -> Data:
        """Open a game, or an empty one from a position."""
        return self._open(OpenGame(tree_in_text(text), 0, self._moments))

    def _open(self, game: OpenGame) -> Data:
        with self._opening:
            self._left = self.unsaved()
            game.begin(self.game.revision + 1)
            self.game = game
            self.judge.start(game)
        with self._showing:
            if game is self.game:  # no other one was opened meanwhile
                self._root = None
                self._shown.next()
                self._show(game, 0)
        return game.data()

    # The node that is shown

    def show(self, revision: int, node: int) -> Data:
        """Search a node of the game. Of several requests that wait, only the newest one moves the search."""
        game = self.asked_game(revision)
        game.check_node(node)
        wanted = self._shown.next()
        with self._showing:
            is_newest = wanted == self._shown.now and game is self.game
            if is_newest:
                self._show(game, node)
            return {**self.position(""), "revision": game.revision, "node": node, "newest": is_newest}

    def _show(self, game: OpenGame, node: int) -> None:
        """Make a node the root of the searches, and keep their trees where the moves allow it."""
        start, codes = game.position(node)
        position = start
        for code in codes:
            position = position.play(code)
        root, self._root = self._root, _Root(start, codes)
        game.current = node
        moves, takes_back = self._root.moves_from(root)
        if moves != () or takes_back:
            self._move([position] * len(self.analyses), moves, takes_back=takes_back)

    def descend(self, path: str) -> Data:
        """Make a node of the search its root."""
        with self._showing:
            root, self._root = self._root, None
            here, position = self.analyses[0].position, super().descend(path)
            if root is not None:
                self._root = _Root(root.start, [*root.codes, *codes_of(here, position["path"].split("/"))])
            return position

    def setup(self, text: str) -> Data:
        """Search a position that does not belong to the game."""
        with self._showing:
            self._root = None
            return super().setup(text)


class _Root(NamedTuple):
    """The root of the searches: the moves of the game that lead to it."""

    start: Position
    codes: list[int]

    def moves_from(self, before: "_Root | None") -> tuple[tuple[int, ...] | None, bool]:
        """How the searches get here from another root: the moves, and whether its last move is taken back first.

        Without moves (None) what they know is lost.
        """
        if before is None or self.start.fen() != before.start.fen():
            return None, False
        count = len(before.codes)
        if self.codes[:count] == before.codes:
            return tuple(self.codes[count:]), False
        if self.codes[: count - 1] == before.codes[:-1]:
            return tuple(self.codes[count - 1 :]), True
        return None, False
