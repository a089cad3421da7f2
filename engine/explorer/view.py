"""What a page shows: one search, or two of the same position side by side. Looking changes nothing."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.explain.explain import explain
from engine.report.columns import COLUMNS, context_of, lesson
from engine.report.icicle import DEEPEST
from engine.report.node import Shape
from engine.report.positions import TreePosition
from engine.report.report import Report
from engine.report.rows import DIGITS, mean_score
from engine.report.snapshot import LONGEST_PATH, NotInMemoryError

MOST_LINES = 64
IN_FRAMES = Shape(lines=8, longest=16)
ON_DEMAND = Shape(lines=MOST_LINES, longest=16, first_look=True)
MOST_CURVES = 64


class Shown(NamedTuple):
    """One search."""

    name: str
    report: Callable[[], Report]  # of the root as it stands now


class Show:
    """The searches that a page shows."""

    is_own = False  # may the page start, stop and move the search?

    def __init__(self, searches: Sequence[Shown]) -> None:
        self.searches = tuple(searches)

    def look(self) -> None:
        """Somebody is watching."""

    def about(self) -> dict[str, Any]:
        """What the page must know before all else."""
        names = [search.name for search in self.searches]
        columns = [{"key": column.key, "name": column.name, "meaning": column.meaning} for column in COLUMNS]
        return {"searches": names, "own": self.is_own, "columns": columns}

    def report(self, number: int) -> Report:
        """The report of one search; `ValueError` if there is no such search."""
        if not 0 <= number < len(self.searches):
            raise ValueError("there is no such search")
        return self.searches[number].report()

    def signature(self) -> list[tuple[int, int, str]]:
        """Changes whenever there is something new to show."""
        sources = [search.report().snapshot for search in self.searches]
        return [(id(source.positions), int(source.tree.visits[0]), str(source.progress.state)) for source in sources]

    def frame(self, path: str, lines: int = IN_FRAMES.lines) -> list[dict[str, Any]]:
        """How each search stands: the whole, the root's moves, and those of an opened node, the first with lines."""
        shape = IN_FRAMES._replace(lines=min(lines, MOST_LINES))
        return [_frame(search.report(), path, shape) for search in self.searches]

    def node(self, number: int, path: str) -> dict[str, Any]:
        """The moves of a node, with the network's first look at each."""
        return self.report(number).children(path, shape=ON_DEMAND)

    def icicle(self, number: int, path: str, depth: int = DEEPEST) -> dict[str, Any]:
        """The visits below a node."""
        return self.report(number).icicle(path, depth)

    def history(self, number: int, curves: int) -> dict[str, Any]:
        """Visits and scores over time of the best moves; the trends of all."""
        report = self.report(number)
        return {**report.history(min(curves, MOST_CURVES)), "trends": _trends(report)}

    def why(self, number: int, move: str | None) -> dict[str, Any]:
        """Why a move, or why not, by what is known now."""
        return explain(self.report(number), move).data()

    def lesson(self, number: int, path: str, move: str) -> dict[str, list[str]]:
        """How the numbers of a row come about: column -> lines of text."""
        report = self.report(number)
        place, _ = report.snapshot.find(path)
        rows = report.rows(path, shape=Shape(lines=0, first_look=True))
        row = next((row for row in rows if row.uci == move), None)
        if row is None:
            raise ValueError("there is no such move")
        context = context_of(report.snapshot, path)
        return {
            column.key: lesson(column, row, context, place.position.turn.capitalize())
            for column in COLUMNS
            if context.visits and (row.n or column.key != "u")
        }

    def place(self, path: str) -> dict[str, Any]:
        """A position below the root, in the tree or not, and what can be played there."""
        places, words = self.report(0).snapshot.positions, path.split("/") if path else []
        if len(words) > LONGEST_PATH:
            raise ValueError(f"the path has more than {LONGEST_PATH} moves")
        place, names = places.root, []
        for word in words:
            after = places.play(place, place.position.code(word))
            if after is None:
                raise ValueError("the move is not legal")
            place = after
            names.append(place.san)
        return _place(place, names)


def _place(place: TreePosition, names: list[str]) -> dict[str, Any]:
    position = place.position
    return {
        "path": place.path,
        "names": names,
        "fen": place.fen,
        "turn": position.turn,
        "check": position.in_check,
        "over": place.is_over,
        "moves": [] if place.is_over else position.legal_moves,
    }


def _trends(report: Report) -> dict[str, float]:
    """How the score of each move changed since the root had half its visits."""
    codes, samples = report.snapshot.history.read()
    if not samples:
        return {}
    now = samples[-1]
    before = next(sample for sample in samples if 2 * sample.visits >= now.visits)
    scores = [map(mean_score, sample.wins.tolist(), sample.counts.tolist()) for sample in (before, now)]
    pairs = zip(map(report.snapshot.position.uci, codes), *scores, strict=True)
    return {uci: round(new - old, DIGITS) for uci, old, new in pairs if old is not None and new is not None}


def _frame(report: Report, path: str, shape: Shape) -> dict[str, Any]:
    root = report.children("", shape=shape)
    told: dict[str, Any] = {"summary": report.summary(), "root": root, "path": path, "node": None}
    if path:
        try:
            told["node"] = report.children(path, shape=shape)
        except (NotInMemoryError, ValueError):  # the page says that the search has not been there
            told["node"] = None
    return told
