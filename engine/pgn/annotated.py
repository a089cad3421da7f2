"""A game tree as PGN: comments, marks, clocks and variations are kept, what a judge says of moves is added.

Headers stay as they are written in the file, letter by letter, and so do moves that cannot be played.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn

from engine.pgn.headers import read_tags, split_text
from engine.pgn.movetext import AFTER_RESULT, RESULT_OF_WORD, TOKEN

if TYPE_CHECKING:
    from engine.pgn.game_tree import GameTree
    from engine.pgn.tree_node import TreeNode

Evaluation = Mapping[str, int]  # for White: `cp` (centipawns) or `mate` (moves)


@dataclass(frozen=True)
class Annotation:
    """What a judge says of a move."""

    evaluation: Evaluation | None = None  # after the move; None after checkmate
    nags: Sequence[int] = ()
    comment: str = ""
    better: Sequence[str] = ()  # a line instead of the move, in UCI notation
    better_evaluation: Evaluation | None = None


def annotate(node: chess.pgn.ChildNode, annotation: Annotation) -> None:
    """Write an annotation beside a move of python-chess; what is there is kept, but for an evaluation."""
    if annotation.evaluation is not None:
        node.set_eval(_score(annotation.evaluation))
    node.nags.update(annotation.nags)
    if annotation.comment not in node.comment:
        node.comment = f"{node.comment} {annotation.comment}".strip()
    _add_line(node.parent, annotation)


def _add_line(node: chess.pgn.GameNode, annotation: Annotation) -> None:
    """Add the better line as a variation, its first move with the evaluation."""
    board = node.board()
    for number, uci in enumerate(annotation.better):
        move = board.parse_uci(uci)
        board.push(move)
        node = node.variation(move) if node.has_variation(move) else node.add_variation(move)
        if number == 0 and annotation.better_evaluation is not None:
            node.set_eval(_score(annotation.better_evaluation))


def _score(evaluation: Evaluation) -> chess.engine.PovScore:
    score = chess.engine.Mate(evaluation["mate"]) if "mate" in evaluation else chess.engine.Cp(evaluation["cp"])
    return chess.engine.PovScore(score, chess.WHITE)


def tree_text(
    tree: "GameTree", annotations: Mapping[int, Annotation] | None = None, headers: Mapping[str, str] | None = None
) -> str:
    """The PGN of a tree, without a blank line at its end; annotations by node, headers that are added or replaced."""
    game, moves = _as_game(tree)
    for node_id, annotation in (annotations or {}).items():
        annotate(moves[tree.node(node_id).id], annotation)
    rest = " ".join(tree.rest.split())
    if rest and tree.main_line()[-1] is not tree.last_read:  # another main line was chosen
        last: chess.pgn.GameNode = moves.get(tree.last_read.id, game)
        last.comment = f"{last.comment} Not legal from here on: {re.sub('[{}]', ' ', rest)}".strip()
    movetext = game.accept(_Movetext()).strip()
    end = _rest(tree) if tree.main_line()[-1] is tree.last_read and rest else _result(tree)
    return f"{_header_text(tree, headers or {})}{movetext}{_space_before(movetext, end)}{end}"


def _rest(tree: "GameTree") -> str:
    """The moves that cannot be played, as they are written, with the number of the first one."""
    if tree.note.endswith(AFTER_RESULT):
        words = (match[0] for match in TOKEN.finditer(_movetext(tree).strip().removesuffix(tree.rest)))
        results = [word for word in words if word in RESULT_OF_WORD]
        return f"{results[-1] if results else '*'} {tree.rest}"
    if tree.rest[0].isdigit():
        return tree.rest
    number = tree.last_read.fen.split()[-1]
    return f"{number}{'.' if tree.last_read.turn == 'white' else '...'} {tree.rest}"


class _Movetext(chess.pgn.StringExporter):
    """Moves, comments and variations, without headers and result."""

    def __init__(self) -> None:
        super().__init__(headers=False)

    def visit_result(self, result: str) -> None:
        """It is written as it was."""


def _space_before(movetext: str, end: str) -> str:
    if not movetext:
        return ""
    is_short = "\n" not in end and len(movetext) - movetext.rfind("\n") + len(end) < 80
    return " " if is_short else "\n"


def _as_game(tree: "GameTree") -> tuple[chess.pgn.Game, dict[int, chess.pgn.ChildNode]]:
    """The game of python-chess, and its nodes by the numbers of the tree.

    What follows the end of the game becomes variations that repeat its last move.
    """
    game = chess.pgn.Game(tree.headers)
    game.comment = tree.start.comment
    nodes: dict[int, chess.pgn.ChildNode] = {}
    waiting: list[tuple[chess.pgn.GameNode, TreeNode]] = [(game, tree.start)]
    while waiting:
        parent, node = waiting.pop()
        for child in node.children:
            under = parent
            if node is tree.end and node.parent is not None and parent.parent is not None:
                under = parent.parent.add_variation(node.move, starting_comment=child.name)
            added = under.add_variation(child.move, comment=child.comment, nags=child.nags)
            if under is parent:
                added.starting_comment = child.name
            nodes[child.id] = added
            waiting.append((added, child))
    return game, nodes


def _movetext(tree: "GameTree") -> str:
    """The moves as they are written in the file."""
    return "" if tree.found is None else split_text(tree.found.text)[1]


def _result(tree: "GameTree") -> str:
    """The result at the end of the moves, as it is written there; else that of the headers."""
    for match in reversed(list(TOKEN.finditer(_movetext(tree)))):
        if match[0] in RESULT_OF_WORD:
            return match[0]
        if match[0][0] not in "{;":
            break
    return RESULT_OF_WORD.get(tree.headers.get("Result", "*"), "*")


def _header_text(tree: "GameTree", added: Mapping[str, str]) -> str:
    """The lines before the moves."""
    if tree.found is None:
        lines = [_tag(name, value) for name, value in tree.headers.items()]
        text = "\n".join(lines) + "\n\n"
    else:
        text = tree.found.text.removesuffix(_movetext(tree))
    if not added:
        return text if not text or text.endswith("\n\n") else text.rstrip("\n") + "\n\n"
    kept = [line for line in text.rstrip().split("\n") if not _is_replaced(line, added)]
    lines = [*filter(None, kept), *(_tag(name, value) for name, value in added.items())]
    return "\n".join(lines) + "\n\n"


def _is_replaced(line: str, added: Mapping[str, str]) -> bool:
    tags = read_tags(line)
    return bool(tags) and all(name in added for name, _ in tags)


def _tag(name: str, value: str) -> str:
    return f'[{name} "{value}"]'
