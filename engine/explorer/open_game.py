"""The game that a page shows: its moves and variations, the node that is shown, and what was judged of it."""

import threading
from collections.abc import Callable

from engine.explorer.asked import Data, OldRevisionError
from engine.pgn.annotated import Annotation
from engine.pgn.game_tree import GameTree
from engine.review.kept import KeptReview
from movegen import Position

LONGEST_MOVE = 10  # letters
EXERCISE = "exercise"  # a note of what is kept; nodes of the original game have the numbers of its plies


class Moments:
    """Numbers what happens one after the other, in any thread."""

    def __init__(self) -> None:
        self._lock, self.now = threading.Lock(), 0

    def next(self) -> int:
        """Something happens now: the number of it."""
        with self._lock:
            self.now += 1
            return self.now


class OpenGame:
    """A game with a number by which requests name it. Threads change and read it with its `lock`."""

    def __init__(self, tree: GameTree, revision: int, moments: Moments, number: int | None = None) -> None:
        """`number`: of the game in its file."""
        self.tree, self.revision, self.number = tree, revision, number
        self.lock = threading.RLock()
        self.current = 0
        self.changes = 0  # of the tree since the game was opened
        self.original = [node.id for node in tree.main_line()]  # the moves that are judged; they never go away
        self.judged: dict[int, tuple[int, Data]] = {}  # node after the move -> when it was judged, and what was found
        self.annotations: dict[int, Annotation] = {}  # the same for PGN
        self.judging: Data = {"state": "off", "done": 0, "of": len(self.original) - 1, "message": ""}
        self.numbers: Data = {"opening": None, "phases": None, "players": None}
        self.exercises: dict[str, Data] = {}
        self._kept: KeptReview | None = None
        self._moments, self._changed_at, self._numbers_at = moments, moments.next(), 0

    def check(self, revision: int) -> None:
        """`OldRevisionError` if a page asks about another game."""
        if revision != self.revision:
            raise OldRevisionError("another game is open now")

    def check_node(self, node: int) -> None:
        """`ValueError` if there is no such node."""
        with self.lock:
            self.tree.node(node)

    # What a page reads

    def data(self) -> Data:
        """All of it."""
        with self.lock:
            tree = self.tree
            start = tree.start
            return {
                "revision": self.revision,
                "number": self.number,
                "headers": dict(tree.headers),
                "note": tree.note,
                "start": {"fen": start.fen, "turn": start.turn, "chess960": tree.chess960},
                "nodes": tree.data(),
                "current": self.current,
                "changed": tree.is_changed,
                "changes": self.changes,
                "judging": self.judging,
                "judged": {str(node): judged for node, (_, judged) in self.judged.items()},
                "exercises": dict(self.exercises),
                "cursor": self._moments.now,
                **self.numbers,
            }

    def news(self, cursor: int) -> Data | None:
        """What was judged since a moment; None: nothing has changed, or it is just being changed."""
        if cursor >= max(self._changed_at, self._numbers_at) or not self.lock.acquire(blocking=False):
            return None
        try:
            fresh = {str(node): judged for node, (moment, judged) in self.judged.items() if moment > cursor}
            return {
                "revision": self.revision,
                "changes": self.changes,
                "changed": self.tree.is_changed,
                "cursor": max(self._changed_at, self._numbers_at),
                "judging": self.judging,
                "judged": fresh,
                **(self.numbers if self._numbers_at > cursor else {}),
            }
        finally:
            self.lock.release()

    def position(self, node: int) -> tuple[Position, list[int]]:
        """Where the game begins, and the moves to a node."""
        with self.lock:
            return self.tree.position(node)

    def position_at(self, node: int) -> Position:
        """The position of a node, with the moves before it."""
        with self.lock:
            return self.tree.position_at(node)

    def clocks(self) -> list[float | None]:
        """Of the player of each move of the game after it, in seconds, where the game says so."""
        with self.lock:
            return [self.tree.node_data(node)["clock"] for node in self.original[1:]]

    def move_after(self, node: int) -> int | None:
        """The node of the move that was played in the game; None where it ended, and off the game."""
        index = self.original.index(node) + 1 if node in self.original else len(self.original)
        return self.original[index] if index < len(self.original) else None

    # What changes it

    def begin(self, revision: int) -> None:
        """It is the open game from now on, under another number."""
        with self.lock:
            self.revision = revision
            self.has_new_state()

    def add(self, node: int, move: str, name: str = "") -> Data:
        """Play a move from a node; -> the node after it. `name`: of the variation, if the move begins one."""
        with self.lock:
            count, tree = len(self.tree), self.tree
            added = tree.add(node, move[:LONGEST_MOVE])
            if len(tree) > count:
                if name and tree.starts_variation(tree.node(added)):
                    tree.rename(added, name)
                self._has_changed()
            return tree.node_data(added)

    def change(self, work: Callable[[GameTree], object]) -> Data:
        """Change the variations; -> the whole game."""
        with self.lock:
            work(self.tree)
            if self.current not in self.tree:
                self.current = 0
            self._has_changed()
            return self.data()

    def has_new_state(self) -> None:
        """Something changes that pages show."""
        self._changed_at = self._moments.next()

    def _has_changed(self) -> None:
        self.changes += 1
        self.has_new_state()

    # What the judge finds

    def add_judged(self, node: int, judged: Data, annotation: Annotation, judging: Data) -> None:
        """A move that was judged, by the node after it; `judging`: what has changed there."""
        with self.lock:
            moment = self._moments.next()
            self.judged[node], self.annotations[node] = (moment, judged), annotation
            self.judging = {**self.judging, **judging}
            self._changed_at = moment

    def set_judging(self, state: str, message: str = "", **counts: int) -> None:
        """How far the judge is: `done` moves `of` all in this pass."""
        with self.lock:
            self.judging = {**self.judging, "state": state, "message": message, **counts}
            self.has_new_state()

    def set_numbers(self, numbers: Data) -> None:
        """The opening, the phases, and the sums of the players."""
        with self.lock:
            self.numbers = numbers
            self._numbers_at = self._moments.next()

    def judged_move(self, node: int) -> Data | None:
        """What is known of a move, by the node after it."""
        with self.lock:
            return self.judged[node][1] if node in self.judged else None

    def keep(self, kept: KeptReview) -> None:
        """Where exercises are kept, with what is kept of them."""
        with self.lock:
            self._kept = kept
            for ply, note in kept.notes(EXERCISE).items():
                is_solved, hints = note.get("solved"), note.get("hints")
                if ply in self.original and type(is_solved) is bool and type(hints) is int:
                    self.exercises[str(ply)] = {"solved": is_solved, "hints": hints}

    def set_exercise(self, node: int, *, is_solved: bool, hints: int) -> None:
        """What came of an exercise, by the node of the mistake. What was solved stays so."""
        with self.lock:
            before = self.exercises.get(str(node), {"solved": False, "hints": 0})
            after = {"solved": is_solved or before["solved"], "hints": max(hints, before["hints"])}
            self.exercises[str(node)] = after
            if self._kept is not None and after != before:
                self._kept.note(EXERCISE, node, after)
