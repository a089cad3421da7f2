"""A move of a game tree: what is known of the position after it, and what is written beside it."""

import re
from dataclasses import dataclass, field
from typing import Any

import chess
import chess.pgn

COMMAND = re.compile(r"\s*\[%[^\]]*\]")  # in a comment, for programs: clocks, evaluations, arrows


@dataclass(eq=False, slots=True)
class TreeNode:
    """A move and the position after it; the start has no move."""

    id: int
    parent: "TreeNode | None" = field(repr=False)
    ply: int  # from the start of the game
    move: chess.Move
    uci: str
    san: str
    fen: str
    turn: str
    check: bool
    is_original: bool = False  # a move of the main line as it was read
    name: str = ""  # of the variation that begins here
    comment: str = ""  # as it is written, with commands
    nags: set[int] = field(default_factory=set)
    children: list["TreeNode"] = field(default_factory=list, repr=False)

    def child(self, move: chess.Move) -> "TreeNode | None":
        """The node after a move."""
        return next((child for child in self.children if child.move == move), None)

    def add_comment(self, text: str) -> None:
        """Add to the comment what it does not say yet."""
        if text and text not in self.comment:
            self.comment = f"{self.comment} {text}".strip()

    def path(self) -> list["TreeNode"]:
        """The nodes after the start that lead here, this one included."""
        nodes: list[TreeNode] = []
        node = self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def data(self, *, is_main: bool) -> dict[str, Any]:
        """For JSON."""
        is_start = self.parent is None
        return {
            "id": self.id,
            "parent": None if self.parent is None else self.parent.id,
            "ply": self.ply,
            "uci": None if is_start else self.uci,
            "san": None if is_start else self.san,
            "fen": self.fen,
            "turn": self.turn,
            "check": self.check,
            "main": is_main,
            "name": self.name,
            "comment": COMMAND.sub("", self.comment).strip(),
            "nags": sorted(self.nags),
            **_times(self.comment),
        }


def start_node(board: chess.Board) -> TreeNode:
    """The node of a position before the first move."""
    return TreeNode(0, None, 0, chess.Move.null(), "", "", board.fen(), chess.COLOR_NAMES[board.turn], board.is_check())


def node_after(board: chess.Board, move: chess.Move, number: int, parent: TreeNode) -> TreeNode:
    """A new node after a legal move, which is made on the board; the parent gets a child."""
    uci, san = board.uci(move), board.san(move)
    board.push(move)
    turn = chess.COLOR_NAMES[board.turn]
    node = TreeNode(number, parent, parent.ply + 1, move, uci, san, board.fen(), turn, board.is_check())
    parent.children.append(node)
    return node


def _times(comment: str) -> dict[str, float | None]:
    """The clock after a move and the time that it took, in seconds, if the comment says so."""
    found = {"clock": chess.pgn.CLOCK_REGEX.search(comment), "elapsed": chess.pgn.EMT_REGEX.search(comment)}
    return {name: match and _seconds(match) for name, match in found.items()}


def _seconds(match: re.Match[str]) -> float:
    return 3600 * int(match["hours"]) + 60 * int(match["minutes"]) + float(match["seconds"])
