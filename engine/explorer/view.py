"""What a page shows: one search, or two of the same position side by side. Reading changes nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.explain.explain import explain
from engine.explain.text import data_of
from engine.explorer.asked import Data, Question
from engine.explorer.policy_line import plays_by_policy, policy_line
from engine.network.weights_file import load_weights
from engine.report.columns import CLOSE_LOSS, EXPLAINED, LARGE_LOSS, MOVE_COLUMNS, lesson, state_text
from engine.report.formulas import context_of
from engine.report.icicle import DEEPEST
from engine.report.lines import TreePosition
from engine.report.move_stats import DIGITS, mean_score
from engine.report.node import Shape
from engine.report.report import Report
from engine.report.snapshot import LONGEST_PATH, NotInMemoryError
from engine.report.tree_file import load

MOST_LINES = 64
IN_FRAMES = Shape(lines=8, longest=16)
ON_DEMAND = Shape(lines=MOST_LINES, longest=16, first_look=True)
MOST_CURVES = 64
HEAD_OF_WHY = ("situation", "verdict", "reason", "numbers")
# Columns that only a page has: one needs the history, the other a second search.
PAGE_COLUMNS = (
    {"key": "trend", "title": "trend", "meaning": "change of the score since half the visits", "side": "right"},
    {"key": "delta", "title": "difference", "meaning": "to the score in the first search", "side": "right"},
)

PageAction = Callable[[Data], Data]  # arguments -> answer


class SearchHandle(NamedTuple):
    """A search and the way to its numbers."""

    name: str
    report: Callable[[], Report]  # of the present root


class View:
    """The searches that a page shows."""

    def __init__(self, searches: Sequence[SearchHandle]) -> None:
        self.searches = tuple(searches)

    def actions(self) -> dict[str, PageAction]:
        """What the page may do, by name; nothing here."""
        return {}

    def questions(self) -> dict[str, Question]:
        """What the page may ask besides, by name; nothing here. Each may take its time: it gets a thread."""
        return {}

    def news(self, cursor: int) -> Data | None:  # noqa: ARG002  (there is no game)
        """What has changed of a game since a moment, with the moment of now as `cursor`; None: nothing."""
        return None

    def look(self) -> None:
        """A page is open."""

    def about(self) -> Data:
        """What the page needs first."""
        return {
            "searches": [search.name for search in self.searches],
            "policies": [plays_by_policy(search.report()) for search in self.searches],
            "interactive": bool(self.actions()),
            "game": False,
            "columns": [*(column.heading() for column in MOVE_COLUMNS), *PAGE_COLUMNS],
            "losses": {"close": CLOSE_LOSS, "large": LARGE_LOSS},
        }

    def report(self, number: int) -> Report:
        """The report of one search; `ValueError` if there is no such search."""
        if not 0 <= number < len(self.searches):
            raise ValueError("there is no such search")
        return self.searches[number].report()

    def signature(self) -> list[tuple[int, int, str]]:
        """Changes whenever there is something new to show."""
        snapshots = [search.report().snapshot for search in self.searches]
        return [
            (id(snapshot.positions), snapshot.progress.visits, str(snapshot.progress.state)) for snapshot in snapshots
        ]

    # What a page asks for

    def open(self, number: int, path: str) -> Data:
        """All that is drawn of a node when it is opened. `number`: the search whose reasons are shown."""
        self.report(number)  # is there such a search?
        position, searches = self.position(path), range(len(self.searches))
        path = position["path"]
        return {
            "position": position,
            "nodes": [_if_known(self.node, search, path) for search in searches],
            "icicles": [_if_known(self._picture, search, path) for search in searches],
            "why": self._why_or_trouble(number, path.split("/")[0] or None),
        }

    def frame(self, path: str, lines: int = IN_FRAMES.lines) -> list[Data]:
        """The state of each search: summary, moves of the root and of an opened node; the first `lines` with lines."""
        shape = IN_FRAMES._replace(lines=min(lines, MOST_LINES))
        return [_frame(search.report(), path, shape) for search in self.searches]

    def node(self, number: int, path: str) -> Data:
        """The moves of a node, with the network's first look at each."""
        return _node(self.report(number), path, ON_DEMAND)

    def icicle(self, number: int, path: str, depth: int = DEEPEST) -> Data:
        """The visits below a node; an empty picture where the search has not been."""
        try:
            return self._picture(number, path, depth)
        except NotInMemoryError:
            return {"path": path, "visits": 0, "least": 0, "rectangles": []}

    def _picture(self, number: int, path: str, depth: int = DEEPEST) -> Data:
        return self.report(number).icicle(path, depth)

    def history(self, number: int, curves: int) -> Data:
        """Visits and scores over time of the best moves; the trends of all."""
        report = self.report(number)
        return {**report.history(min(curves, MOST_CURVES)), "trends": _trends(report)}

    def why(self, number: int, move: str | None) -> Data:
        """Why a move, or why not, by what is known now; and what networks of others would play instead."""
        return self.with_policies(data_of(explain(self.report(number), move)), number)

    def with_policies(self, why: Data, number: int) -> Data:
        """An explanation by one search, with the policies of the other ones."""
        move = why.get("move") or {}
        others = [search.report() for other, search in enumerate(self.searches) if other != number]
        found = [line for report in others if (line := policy_line(report, move.get("uci"))) is not None]
        if not found:
            return why
        head = sum(line["label"] in HEAD_OF_WHY for line in why["lines"])
        return {**why, "lines": [*why["lines"][:head], *found, *why["lines"][head:]]}

    def _why_or_trouble(self, number: int, move: str | None) -> Data:
        try:
            return self.why(number, move)
        except (NotInMemoryError, ValueError) as error:
            return {"trouble": str(error)}

    def lesson(self, number: int, path: str, move: str) -> dict[str, list[str]]:
        """How the numbers of a row are made: column -> lines of text."""
        report = self.report(number)
        here, _ = report.snapshot.find(path)
        rows = report.rows(path, shape=Shape(lines=0, first_look=True))
        row = next((row for row in rows if row.uci == move), None)
        if row is None:
            raise ValueError("there is no such move")
        context = context_of(report.snapshot, path)
        return {
            column.key: lesson(column, row, context, here.position.turn.capitalize())
            for column in EXPLAINED
            if context.visits and (row.n or column.key != "u")
        }

    def position(self, path: str) -> Data:
        """A position below the root, in the tree or not, and what can be played there."""
        positions, moves = self.report(0).snapshot.positions, path.split("/") if path else []
        if len(moves) > LONGEST_PATH:
            raise ValueError(f"the path has more than {LONGEST_PATH} moves")
        here, names = positions.root, []
        for move in moves:
            after = positions.play(here, here.position.code(move))
            if after is None:
                raise ValueError("the move is not legal")
            here = after
            names.append(here.san)
        return _position(here, names)


def _if_known(work: Callable[[int, str], Data], number: int, path: str) -> Data | None:
    """None where a search has not been."""
    try:
        return work(number, path)
    except (NotInMemoryError, ValueError):
        return None


def _position(here: TreePosition, names: list[str]) -> Data:
    position = here.position
    return {
        "path": here.path,
        "names": names,
        "fen": here.fen,
        "turn": position.turn,
        "check": position.in_check,
        "over": here.is_over,
        "moves": [] if here.is_over else position.legal_moves,
    }


def _trends(report: Report) -> dict[str, float]:
    """The change of each move's score since the root had half its visits."""
    codes, samples = report.snapshot.history.read()
    if not samples:
        return {}
    now = samples[-1]
    before = next(sample for sample in samples if 2 * sample.visits >= now.visits)
    scores = [map(mean_score, sample.wins.tolist(), sample.counts.tolist()) for sample in (before, now)]
    pairs = zip(map(report.snapshot.position.uci, codes), *scores, strict=True)
    return {uci: round(new - old, DIGITS) for uci, old, new in pairs if old is not None and new is not None}


def _node(report: Report, path: str, shape: Shape) -> Data:
    node = report.children(path, shape=shape)
    for row in node["rows"]:
        row["state"] = state_text(row)
    return node


def _frame(report: Report, path: str, shape: Shape) -> Data:
    frame: Data = {"summary": report.summary(), "root": _node(report, "", shape), "path": path, "node": None}
    if path:
        try:
            frame["node"] = _node(report, path, shape)
        except (NotInMemoryError, ValueError):  # the page says that the search has not been there
            frame["node"] = None
    return frame


def loaded(*names: str) -> View:
    """Trees from files, read-only. `ValueError` if they are not of the same position."""
    network = load_weights().network
    searches = [SearchHandle(Path(name).stem, _always(load(Path(name)).report(network))) for name in names]
    if len({search.report().snapshot.position.fen() for search in searches}) > 1:
        raise ValueError("the trees are of different positions")
    return View(searches)


def _always(report: Report) -> Callable[[], Report]:
    return lambda: report
