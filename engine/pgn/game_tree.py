"""The moves of a game with its variations, as numbered nodes: 0 is the start, then the main line, then variations.

Nodes keep their numbers. What follows the last move of a game that was read is a variation, too: the game stays as
it was played. In PGN such a variation repeats that move. Variations with the same moves are one.
"""

import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import chess
import chess.pgn

from engine.pgn.game_file import FoundGame, split_games
from engine.pgn.movetext import ReadGame, is_game
from engine.pgn.positions import checked_board, position_of
from engine.pgn.tree_node import TreeNode, node_after, start_node
from engine.system.files import printable
from movegen import Position
from movegen.fen import START_FEN

MOST_NODES = 20_000
LONGEST_NAME, LONGEST_GAME = 200, 4 << 20  # letters


@dataclass
class _Pending:
    """A variation that is still to be read."""

    node: chess.pgn.ChildNode
    parent: TreeNode


class GameTree:
    """A game with variations. Operations raise `ValueError` if there is no such node, or if they are not allowed."""

    def __init__(self, board: chess.Board, headers: dict[str, str], found: FoundGame | None = None) -> None:
        """A game without moves; `of` and `empty` are for callers."""
        self.headers, self.found = headers, found
        self.note = ""  # why the game cannot be played to its end
        self.rest = ""  # the moves that cannot be played, as they are written
        self.has_other_moves = False  # words among the moves that are none, which the text of a tree lacks
        self.chess960 = board.chess960
        self.is_changed = False  # since it was read or saved
        self.start = start_node(board)
        self.end: TreeNode | None = None  # what follows it is no main line: the last move of a game that was read
        self._is_extended = False  # a variation that follows the end was made the main line
        self.last_read = self.start  # the last move of the main line that could be played
        self._nodes, self._next_id = {0: self.start}, 1

    @classmethod
    def of(cls, found: FoundGame | str) -> Self:
        """The tree of a game, as far as it can be played; `ValueError` if it cannot begin, or is no game."""
        game = found if isinstance(found, FoundGame) else _first_game(found)
        if len(game.text) > LONGEST_GAME:
            raise ValueError(f"{game.origin}: it is too long")
        read = game.read()
        if not read.can_start:
            raise ValueError(f"{game.origin}: {read.problem}")
        board = read.game.board()
        try:
            checked_board(board.fen(shredder=board.chess960), chess960=board.chess960)
        except ValueError as error:
            raise ValueError(f"{game.origin}: {error}") from None
        tree = cls(board, dict(read.game.headers), game)
        tree._read(read)
        return tree

    @classmethod
    def empty(cls, fen: str = START_FEN, *, chess960: bool = False) -> Self:
        """A game without moves from a position; `ValueError` says why it cannot be played."""
        board = checked_board(fen, chess960=chess960)
        game = chess.pgn.Game()
        game.setup(board)
        return cls(board, dict(game.headers))

    def _read(self, read: ReadGame) -> None:
        self.note, self.rest, self.has_other_moves = read.problem, read.rest, read.has_other_moves
        self.start.comment = read.game.comment
        pending: deque[_Pending] = deque()
        if read.game.variations:
            pending.append(_Pending(read.game.variations[0], self.start))
        while pending:
            pending.extend(self._read_line(pending.popleft()))
            if self.end is None:
                self._fix_main_line()
        for node in self._nodes.values():
            self._check_name(node)

    def _read_line(self, first: _Pending) -> Iterator[_Pending]:
        """Add a line; -> the variations that branch from it."""
        parent, board = first.parent, self._board(first.parent)
        node: chess.pgn.ChildNode | None = first.node
        name = ""
        while node is not None:
            if node.is_main_variation():
                yield from (_Pending(other, parent) for other in node.parent.variations[1:])
            name = f"{name} {node.starting_comment}".strip()
            known = parent.child(node.move)
            if known is None:
                parent = self._new_node(board, node.move, parent)
                parent.name, name = name, ""
            else:
                board.push(node.move)
                parent = known
            parent.add_comment(node.comment)
            parent.nags |= node.nags
            node = node.next()
        parent.add_comment(name)

    def _fix_main_line(self) -> None:
        """Nothing continues or replaces the game as it was read."""
        node = self.start
        while node.children:
            node = node.children[0]
            node.is_original = True
        self.end = self.last_read = node

    def _new_node(self, board: chess.Board, move: chess.Move, parent: TreeNode) -> TreeNode:
        if len(self._nodes) >= MOST_NODES:
            origin = f"{self.found.origin}: " if self.found is not None else ""
            raise ValueError(f"{origin}a game may have {MOST_NODES - 1:,} moves, variations included")
        node = node_after(board, move, self._next_id, parent)
        self._nodes[node.id] = node
        self._next_id += 1
        return node

    # Nodes

    def __len__(self) -> int:
        """The number of nodes, the start included."""
        return len(self._nodes)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def node(self, node_id: int) -> TreeNode:
        """A node by its number."""
        found = self._nodes.get(node_id) if isinstance(node_id, int) and not isinstance(node_id, bool) else None
        if found is None:
            raise ValueError(f"there is no node {printable(str(node_id)[:20])} in the game")
        return found

    def nodes(self) -> list[TreeNode]:
        """All nodes; each comes after its parent."""
        return list(self._nodes.values())

    def main_line(self) -> list[TreeNode]:
        """The nodes of the main line, the start first."""
        nodes = [self.start]
        while nodes[-1].children and nodes[-1] is not self.end:
            nodes.append(nodes[-1].children[0])
        return nodes

    def starts_variation(self, node: TreeNode) -> bool:
        """Is it the first move of a variation?"""
        parent = node.parent
        return parent is not None and (parent is self.end or parent.children[0] is not node)

    def variation_of(self, node_id: int) -> TreeNode | None:
        """The first move of the variation in which a node is; None: it is in the main line."""
        node: TreeNode | None = self.node(node_id)
        while node is not None and not self.starts_variation(node):
            node = node.parent
        return node

    def data(self) -> list[dict[str, Any]]:
        """All nodes, for JSON."""
        main = {node.id for node in self.main_line()}
        return [node.data(is_main=node.id in main) for node in self._nodes.values()]

    def node_data(self, node_id: int) -> dict[str, Any]:
        """One node, for JSON."""
        return self.node(node_id).data(is_main=self.variation_of(node_id) is None)

    # Positions

    def position(self, node_id: int) -> tuple[Position, list[int]]:
        """Where to start, and the moves from there: with them a search knows the positions before.

        After a null move the start is the position that it left, for it is no move.
        """
        path = self.node(node_id).path()
        nulls = [number for number, node in enumerate(path) if not node.move]
        from_here = path[nulls[-1]] if nulls else self.start
        position = start = position_of(self._board(from_here))
        codes = []
        for node in path[nulls[-1] + 1 :] if nulls else path:
            codes.append(position.code(node.uci))
            position = position.play(codes[-1])
        return start, codes

    def position_at(self, node_id: int) -> Position:
        """The position of a node, with the positions before it."""
        position, codes = self.position(node_id)
        for code in codes:
            position = position.play(code)
        return position

    def _board(self, node: TreeNode) -> chess.Board:
        return chess.Board(node.fen, chess960=self.chess960)

    # Changes

    def add(self, node_id: int, uci: str) -> int:
        """Add a move; -> its node, which may have been there before."""
        parent = self.node(node_id)
        board = self._board(parent)
        try:
            move = board.parse_uci(uci)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise ValueError(f"{printable(uci[:10])} is not a legal move in {parent.fen}")
        known = parent.child(move)
        if known is not None:
            return known.id
        self.is_changed = True
        return self._new_node(board, move, parent).id

    def rename(self, node_id: int, name: str) -> int:
        """Name the variation in which a node is; -> its first node."""
        first = self.variation_of(node_id)
        if first is None:
            raise ValueError("only a variation can be named, and this is a move of the main line")
        name = " ".join(printable(name.replace("\n", " ")).replace("{", "(").replace("}", ")").split())
        if len(name) > LONGEST_NAME:
            raise ValueError(f"a name may have {LONGEST_NAME} letters")
        self.is_changed |= first.name != name
        first.name = name
        return first.id

    def remove(self, node_id: int) -> list[int]:
        """Remove a node and all below it; -> their numbers."""
        node = self.node(node_id)
        if node.parent is None:
            raise ValueError("the start cannot be removed")
        if node.is_original:
            raise ValueError("the moves of the game cannot be removed, only variations")
        removed = [node]
        for one in removed:  # it grows
            removed.extend(one.children)
        for one in removed:
            del self._nodes[one.id]
        node.parent.children.remove(node)
        self._settle(*node.parent.children[:1])
        return [one.id for one in removed]

    def promote(self, node_id: int) -> None:
        """Move the variation in which a node is before the one above it; the first one becomes the main line."""
        first = self.variation_of(node_id)
        if first is None or first.parent is None:
            raise ValueError("it is the main line already")
        siblings = first.parent.children
        index = siblings.index(first)
        if index == 0:
            self._is_extended = True
        else:
            siblings[index - 1 : index + 1] = [first, siblings[index - 1]]
        self._settle(first)

    def _settle(self, *moved: TreeNode) -> None:
        """After a change: the game ends where it did if that is still its main line."""
        self._is_extended &= bool(self.last_read.children)
        is_main = all(node.parent and node.parent.children[0] is node for node in self.last_read.path())
        self.end = self.last_read if is_main and not self._is_extended and self.last_read is not self.start else None
        for node in (*moved, *self.last_read.children[:1]):
            self._check_name(node)
        self.is_changed = True

    def _check_name(self, node: TreeNode) -> None:
        """PGN has names only for what begins a variation; another one becomes a comment."""
        if node.name and not self.starts_variation(node):
            node.comment, node.name = f"{node.name} {node.comment}".strip(), ""


def _first_game(text: str) -> FoundGame:
    lines = io.StringIO(text.removeprefix("\ufeff"), newline=None)
    games = (block for block in split_games(lines) if is_game(block))
    first = next(games, None)
    if first is None:
        raise ValueError("there is no game in the text")
    return FoundGame("the text", 1, first)
