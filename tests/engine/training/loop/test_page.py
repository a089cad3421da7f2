"""The report page: what it says, and that it is one file that needs nothing else."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from engine.training.loop.chart import ChartPoint, strength_svg, ticks
from engine.training.loop.loop_journal import LoopJournal
from engine.training.loop.net_strength import Strength
from engine.training.loop.page import chart_points, report_page
from engine.training.loop.rounds import Step, read_state
from tests.engine.training.loop.fake_work import TWO_GATES, FakeWork, begun, run

SETTINGS = replace(TWO_GATES, teacher="<b>fish</b> & co")


@pytest.fixture
def state(tmp_path):
    """Three rounds, of which the second was dropped, and one that is under way."""
    folder = tmp_path / "loop"
    begun(folder, SETTINGS)
    run(folder, FakeWork(folder, lambda number, gate: number != 2 or gate == "visits"), 3)
    journal = LoopJournal(folder)
    with journal.held():
        journal.add("begin", round=4, old=[])
        journal.add("labels", round=4, part="games", chunk="c", games=1, positions=12345, cpu_seconds=1800)
    return read_state(journal.entries)


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.rows, self.cell, self.words = [], [], [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "line", "circle", "path", "polyline"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag not in ("line", "circle", "path", "polyline"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["td"]:
            self.rows[-1][-1] += data
        self.words.append(data)


def test_a_page_is_one_file_without_anything_from_elsewhere(state):
    text = report_page(state, Step("labels", "trees"), 0.0)
    page = _Page(text)
    assert page.open == []
    names = {name for tag, attributes in page.tags for name in attributes}
    assert not {"src", "href", "onclick", "onload"} & names
    assert "script" not in {tag for tag, _ in page.tags}
    assert not re.search(r"https?://|url\(|@import", text)
    assert "prefers-color-scheme:dark" in text
    assert "<b>fish" not in text
    assert "&lt;b&gt;fish&lt;/b&gt; &amp; co" in text


def test_the_table_of_rounds(state):
    page = _Page(report_page(state, Step("labels", "trees"), 0.0))
    rows = [row for row in page.rows if row]
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    assert [row[1] for row in rows] == ["20", "20", "20", "12,345"]
    assert [row[4] for row in rows] == ["1 2 3", "1 2 3", "1 2 3", "–"]
    assert [row[9].split()[-1] for row in rows] == ["kept", "dropped", "kept", "way"]
    elo = round(state.rounds[0].gain.elo)
    assert [row[10] for row in rows] == [f"{elo:+}", f"{elo:+}", f"{round(state.strength.elo):+}", rows[2][10]]
    assert [row[11] for row in rows] == ["0.06", "0.12", "0.17", "0.68"]
    words = " ".join(page.words)
    assert "nets kept: 2 of 3; core hours: 0.68" in words
    assert "round 4, labels trees." in words


def test_a_new_loop_and_one_that_is_not_under_way_have_a_page(tmp_path):
    begun(tmp_path / "loop")
    state = read_state(LoopJournal(tmp_path / "loop").entries)
    page = report_page(state, None, 0.0)
    assert ": not under way." in page
    assert "nets kept: 0 of 0; core hours: 0.00; Elo: +0 (+0 … +0)" in page


def test_the_chart_has_a_point_for_each_net_that_was_judged(state):
    points = chart_points(state)
    assert [point.is_kept for point in points] == [True, True, False, True]
    hours = [0, 210 / 3600, 420 / 3600, 630 / 3600]
    assert [point.hours for point in points] == pytest.approx(hours)
    assert points[0].strength == Strength()
    assert points[2].strength.elo == points[1].strength.elo + state.rounds[1].gain.elo
    assert points[3].strength == state.strength


def test_places_in_the_chart():
    """Times to the right, Elo upwards, in proportion; the line goes through the nets that were kept."""
    points = [
        ChartPoint(0.0, Strength(), True, "a"),
        ChartPoint(1.0, Strength(-50, -60, -40), False, "b"),
        ChartPoint(2.0, Strength(100, 80, 130), True, "c"),
        ChartPoint(4.0, Strength(90, 70, 110), False, "d"),
    ]
    root = ET.fromstring(strength_svg(points))  # noqa: S314  (made here)
    circles = [(float(one.get("cx")), float(one.get("cy"))) for one in root.iter("circle")]
    assert [one.findtext("title") for one in root.iter("circle")] == ["a", "c"]
    assert [one.findtext("title") for one in root.iter("path")] == ["b", "d"]
    line = [tuple(map(float, place.split(","))) for place in root.find("polyline").get("points").split()]
    (first_x, first_y), (second_x, second_y) = circles
    end = first_x + 2 * (second_x - first_x)
    assert line == [(first_x, first_y), (second_x, first_y), (second_x, second_y), (pytest.approx(end), second_y)]
    per_elo = (first_y - second_y) / 100
    bounds = [one for one in root.iter("line") if one.get("class") == "bounds"][1]
    assert float(bounds.get("y1")) == pytest.approx(first_y - 80 * per_elo, abs=0.2)
    assert float(bounds.get("y2")) == pytest.approx(first_y - 130 * per_elo, abs=0.2)
    cross = re.match(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", next(root.iter("path")).get("d"))
    left, top, right, bottom = map(float, cross.groups())
    assert (left + right) / 2 == pytest.approx(first_x + (second_x - first_x) / 2, abs=0.2)
    assert (top + bottom) / 2 == pytest.approx(first_y + 50 * per_elo, abs=0.2)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 6, [0, 1, 2, 3, 4, 5, 6]), (-30, 90, [-20, 0, 20, 40, 60, 80]), (0, 0.013, [0, 0.005, 0.01])],
)
def test_round_numbers_on_the_axes(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)
