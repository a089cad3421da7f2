"""A search for scripts and notebooks: start it, look at it while it runs, ask it why."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine import notebook
from engine.config.options import Options
from engine.explain.explain import answer
from engine.explain.text import data_of
from engine.report.node import DEFAULT_SHAPE, Shape
from engine.report.report import Report
from engine.search.clock import limits_of
from engine.search.reporter import Listener, SilentListener
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from engine.warmup import ensure_warm
from movegen import Position
from movegen.fen import read_fen

USUAL_SECONDS = 5.0


class Analysis:
    """One search of one position. docs/search-report.md describes all numbers."""

    def __init__(
        self,
        position: Position | str,
        options: Mapping[str, object] | Options | None = None,
        *,
        listener: Listener | None = None,
        resources: Resources | None = None,
    ) -> None:
        """`position`: a `movegen.Position`, or a FEN. `options`, also by UCI name; `ValueError` for wrong ones.

        Files that the options name are opened, unless `resources` are given.
        """
        settings = replace(options) if isinstance(options, Options) else Options()
        settings.analyse_mode = True
        settings.move_overhead = 0
        if not isinstance(options, Options):
            for name, value in (options or {}).items():
                settings.set(name, str(value))
        if isinstance(position, str):
            read_fen(position)  # what is wrong with it need not wait for the compiler
        if resources is None:
            resources = Resources()
            resources.open_files(settings)
        ensure_warm()  # time counts from the start of a search
        self.position = Position(position) if isinstance(position, str) else position
        self.searcher = Searcher(settings, listener or SilentListener(), resources)
        self.searcher.set_position(self.position, None)
        self._shown_in: int | None = None  # the cell of a notebook that has shown it

    # The search

    def start(self, seconds: float | None = None, visits: int | None = None) -> None:
        """Go on searching in the background, for some seconds or visits more; without limits until `stop`."""
        self.searcher.go(limits_of(seconds, visits))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the search has ended, at most `seconds`."""
        self.searcher.wait(seconds)

    def stop(self) -> None:
        """End the search."""
        self.searcher.stop()
        self.searcher.wait()

    @property
    def is_searching(self) -> bool:
        """Is the search running?"""
        return self.searcher.is_searching

    def watch(self) -> None:
        """Wait until the search has ended; in a notebook, show its progress meanwhile."""
        shell = notebook.shell()
        if shell is None:
            self.wait()
            return
        self._shown_in = notebook.cell_number(shell)
        notebook.watch(self)

    # What it knows, now

    @property
    def report(self) -> Report:
        """All that is known now."""
        return self.searcher.report()

    def summary(self) -> dict[str, Any]:
        """The whole search in a few numbers."""
        return self.report.summary()

    def children(self, path: str = "", k: int | None = None, shape: Shape = DEFAULT_SHAPE) -> dict[str, Any]:
        """The moves of a node, named by the moves that lead there."""
        return self.report.children(path, k, shape)

    def icicle(self, path: str = "") -> dict[str, Any]:
        """The visits below a node, as rectangles."""
        return self.report.icicle(path)

    def history(self, k: int | None = None) -> dict[str, Any]:
        """Visits and scores of the root's moves over time."""
        return self.report.history(k)

    def explain(self, move: str | None = None, visits: int | None = None) -> dict[str, Any]:
        """Why a move (None: the best one), or why not.

        A move with few visits, or that looks refuted, first gets a separate search; so does any other if `visits` are
        given.
        """
        return data_of(answer(self.report, move, visits))

    # For notebooks

    def _repr_html_(self) -> str:
        """The board with arrows, and the table of moves."""
        return notebook.html_of(self.summary(), self.children(k=notebook.ROWS, shape=notebook.SHAPE))

    def _ipython_display_(self) -> None:
        """Show nothing at the end of the cell that has shown it; elsewhere IPython takes `_repr_html_`."""
        shell = notebook.shell()
        if shell is None or self._shown_in != notebook.cell_number(shell):
            raise NotImplementedError


def analyse(
    position: Position | str,
    *,
    seconds: float | None = None,
    visits: int | None = None,
    options: Mapping[str, object] | None = None,
    wait: bool = True,
) -> Analysis:
    """Search a position for some seconds (five by default) or visits; -> the analysis.

    In a notebook a table shows the progress meanwhile. With `wait=False` the search goes on in the background, and the
    answers change until it ends; `watch` shows it then.
    """
    analysis = Analysis(position, options)
    analysis.start(USUAL_SECONDS if seconds is None and visits is None else seconds, visits)
    if wait:
        analysis.watch()
    return analysis
