import sys
import types
from html.parser import HTMLParser

import pytest

import engine
from engine.notebook import ROWS, SHAPE, SHOWN_COLUMNS, html_of
from tests.engine.report.searches import MATE_IN_1, MIDDLEGAME

VOID = {"br", "img", "hr", "input", "meta", "link"}


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps the cells of the table."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.tags = [], [], []

    def handle_starttag(self, tag, _attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, _attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def analysis():
    return engine.analyse(MIDDLEGAME, visits=400, options={"Hash": 16, "Seed": 1})


def test_the_html_has_the_numbers_of_the_report(analysis):
    reader = read(analysis._repr_html_())
    head, *rows = reader.rows
    assert tuple(head) == tuple(column.title for column in SHOWN_COLUMNS)
    expected = analysis.children(k=ROWS)["rows"]
    assert [row[0] for row in rows] == [row["san"] for row in expected]
    assert [row[1] for row in rows] == [f"{row['n']:,}" for row in expected]
    assert [row[2] for row in rows] == [f"{row['share']:.1%}" for row in expected]
    assert [row[3] for row in rows] == [f"{row['q']:.2f}".removeprefix("0") for row in expected]
    assert "svg" in reader.tags
    assert "script" not in reader.tags
    assert "400 visits" in analysis._repr_html_()


@pytest.mark.parametrize("fen", [MATE_IN_1, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
def test_proofs_and_games_that_are_over(fen):
    done = engine.analyse(fen, visits=50, options={"Hash": 16})
    read(done._repr_html_())
    assert ("mate in 1" in done._repr_html_()) == (fen == MATE_IN_1)


def test_before_any_search():
    read(engine.Analysis(MIDDLEGAME, {"Hash": 16})._repr_html_())


def test_everything_is_escaped(analysis):
    node, summary = analysis.children(k=2, shape=SHAPE), analysis.summary()
    evil = "<script>alert('&')</script>\x1b"
    node["rows"][0].update(san=evil, line=[evil])
    reader = read(html_of({**summary, "state": evil, "turn": evil}, node))
    assert "script" not in reader.tags
    assert reader.rows[1][0] == "<script>alert('&')</script>?"


class Shell:
    """A notebook, as IPython shows itself."""

    kernel, execution_count = object(), 7


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, html):
        self.shown.append(html)


@pytest.fixture
def notebook(monkeypatch):
    """-> the shell, and all that it was asked to show."""
    shown, shell = [], Shell()

    def display(html, *, display_id):
        assert display_id
        shown.append(html)
        return Handle(shown)

    ipython, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shell, shown


def test_a_notebook_shows_how_the_search_stands(notebook):
    shell, shown = notebook
    analysis = engine.analyse(MIDDLEGAME, seconds=1.2, options={"Hash": 16})
    assert len(shown) > 2
    assert shown[-1] == analysis._repr_html_()
    assert "searching" in shown[0]
    assert "searching" not in shown[-1]
    analysis._ipython_display_()  # the cell has shown it
    shell.execution_count += 1
    with pytest.raises(NotImplementedError):  # so IPython asks for the HTML
        analysis._ipython_display_()


def test_interrupting_the_cell_ends_the_search(notebook, monkeypatch):
    _, shown = notebook
    analysis = engine.Analysis(MIDDLEGAME, {"Hash": 16})
    wait, waits = analysis.wait, []

    def interrupted(seconds=None):
        waits.append(seconds)
        if len(waits) == 1:
            raise KeyboardInterrupt
        wait(seconds)

    monkeypatch.setattr(analysis, "wait", interrupted)
    analysis.start(seconds=60)
    analysis.watch()
    assert not analysis.is_searching
    assert analysis.summary()["state"] == "stop"
    assert len(shown) == 2


def test_plain_python_shows_nothing(analysis, capsys):
    with pytest.raises(NotImplementedError):
        analysis._ipython_display_()
    analysis.start(visits=10)
    analysis.watch()
    assert capsys.readouterr().out == ""
