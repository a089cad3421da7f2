"""The modules of the page one by one, in a real browser: texts of numbers, table, tree, lines, saved answers."""

import math
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.server import Server
from tests.engine.explorer.views import new_session

CODE = Path(__file__).with_name("page_code.js").read_text(encoding="utf-8").partition("\n")[2].strip()


def run(page, name, given=None):
    """What one of the scripts of page_code.js returns."""
    return page.evaluate(f"(given) => {CODE}.{name}(given)", given)


@pytest.fixture(scope="module")
def page(browser):
    session = new_session(visits=200)
    server, opened = Server(session), browser.new_page()
    opened.goto(server.address)
    opened.wait_for_selector("tbody tr")
    yield opened
    opened.close()
    server.close()
    session.close()


NUMBERS = {
    "percent": [(0, "0.0 %"), (0.1234, "12.3 %"), (1, "100.0 %"), (0.0005, "0.1 %")],
    "score": [(None, "–"), (0, ".000"), (0.5, ".500"), (0.12345, ".123"), (1, "1.000"), (-0.25, "-0.250")],
    "rough": [(0.5, ".50"), (1, "1.00"), (0.126, ".13")],
    "short": [
        (0, "0"),
        (9999, "9,999"),
        (10000, "10k"),
        (15499, "15k"),
        (999499, "999k"),
        (1e6, "1.0M"),
        (2.55e6, "2.5M"),
    ],
    "count": [(0, "0"), (999, "999"), (1234567, "1,234,567")],
    "capital": [("white", "White"), ("x", "X")],
    "other": [("white", "black"), ("black", "white")],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_texts_of_numbers(page, name):
    assert run(page, "texts", [name, [given for given, _ in NUMBERS[name]]]) == [text for _, text in NUMBERS[name]]


def test_paths_and_elements(page):
    found = run(page, "elements")
    assert found == ["e2e4", "e2e4/e7e5", '<p id="i" hidden=""><b>z</b>y</p>', 1]


NOT_SAVED = "This was not saved."


def test_a_saved_page_answers_from_what_it_has(page):
    questions = [
        ("about", {}),
        ("position", {"path": "b"}),
        ("position", {"path": "q"}),
        ("history", {"search": 1}),
        ("history", {}),
        ("why", {"search": 1}),
        ("why", {"search": 1, "move": "a"}),
        ("why", {"move": "q"}),
        ("lesson", {"path": "", "move": "a", "search": 1}),
        ("lesson", {"path": "b", "move": "a", "search": 1}),
        ("lesson", {"path": "", "move": "q"}),
    ]
    assert run(page, "saved", questions) == [
        {"searches": ["x", "y"]},
        {"at": "b"},
        NOT_SAVED,
        {"name": "y"},
        {"name": "x"},
        {"why": "y"},
        {"why": "y a"},
        NOT_SAVED,
        {"lesson": "y"},
        NOT_SAVED,
        NOT_SAVED,
    ]


def test_a_saved_tree_is_cut_below_a_node(page):
    whole, part, nothing = run(page, "saved", [("icicle", {"path": path}) for path in ("", "b", "q")])
    assert [one["path"] for one in whole["rectangles"]] == ["", "a", "b", "a/c", "b/d", "b/d/e"]
    assert whole["visits"] == 100
    assert (part["path"], part["visits"], part["name"]) == ("b", 40, "x")
    rows = [[one[key] for key in ("path", "parent", "depth", "x", "n")] for one in part["rectangles"]]
    assert rows == [["b", -1, 0, 0, 40], ["b/d", 0, 1, 5, 35], ["b/d/e", 1, 2, 10, 5]]
    assert (nothing["visits"], nothing["rectangles"]) == (0, [])


def test_a_saved_node_is_opened_and_streamed(page):
    opened, root, unknown, frame, first = run(
        page,
        "saved",
        [
            ("open", {"search": 1, "path": "a"}),
            ("open", {"search": 0, "path": ""}),
            ("open", {"search": 0, "path": "q"}),
            ("stream", {"path": "b"}),
            ("stream", {"path": ""}),
        ],
    )
    assert (opened["position"], opened["nodes"], opened["why"]) == ({"at": "a"}, [None, None], {"why": "y a"})
    assert [icicle["visits"] for icicle in opened["icicles"]] == [60, 60]
    assert (root["nodes"], root["why"]) == ([{"name": "x"}, {"name": "y"}], {"why": "x"})
    assert unknown == NOT_SAVED
    assert frame == [
        {"summary": {"name": name}, "root": {"name": name}, "path": "b", "node": {"b": name}} for name in ("x", "y")
    ]
    assert [one["node"] for one in first] == [None, None]


LOST = "Connection to the engine lost; this is the last state."


def test_a_page_asks_with_its_token_and_tries_again(page):
    script = [{"json": {"a": 1}}, {"ok": False, "text": "no"}, "lost"]
    script += ["lost", {"ok": False, "text": "full"}, *["lost"] * 5]
    script += [{"chunks": ["[1]\n[2]\n\n[", "3]\n", "\n", "[4]"]}, "lost", "lost"]
    found = run(page, "live", script)
    assert found["answers"] == [{"a": 1}, "Error: no", f"ConnectionLost: {LOST}"]
    token = page.url.partition("#")[2]
    headers = {"Authorization": f"Bearer {token}"}
    assert found["asked"] == [
        ["data/why?search=1&move=e4", "GET", headers, None],
        ["do/go", "POST", headers | {"Content-Type": "application/json"}, '{"a":1}'],
        ["data/about?", "GET", headers, None],
    ]
    assert set(found["streams"]) == {"data/stream?path=e2e4&lines=5"}
    assert found["frames"] == [[2], [3]], "of lines that come together the newest counts; half a line is none"
    assert found["waits"] == [2000, 4000, 8000, 16000, 32000, 60000, 60000, 2000, 4000, 8000]
    assert found["troubles"] == [LOST, "full", *[LOST] * 5, None, LOST, LOST, LOST]


@pytest.mark.parametrize("turn", ["white", "black"])
def test_the_tree_in_rectangles(page, turn):
    keys = [
        "ArrowLeft",
        "ArrowDown",
        "ArrowRight",
        "ArrowLeft",
        "ArrowDown",
        "ArrowUp",
        "Enter",
        " ",
        "ArrowUp",
        "ArrowUp",
    ]
    found = run(page, "tree", [turn, keys])
    boxes = [[0, 0, 700, 10], [0, 10, 420, 10], [420, 10, 210, 10], [630, 10, 70, 10], [0, 20, 350, 10]]
    assert [pytest.approx(box) for box in boxes] == found["boxes"]
    assert found["hits"] == [0, 1, 2, 3, 4, -1, -1]
    whites = [0.6, 0.75, 0.25, None, 0.9] if turn == "white" else [0.4, 0.25, 0.75, None, 0.1]
    assert found["whites"] == [one if one is None else pytest.approx(one) for one in whites]
    scores = [one and f"{one:.3f}"[1:] for one in whites]
    assert found["drawn"] == [
        ["fillRect", 0, 0, 699, 9],
        ["fillText", f"root  100  {scores[0]}", 5, 5],
        ["fillRect", 0, 10, 419, 9],
        ["fillText", f"A  60  {scores[1]}", 5, 15],
        ["fillRect", 420, 10, 209, 9],
        ["fillText", f"B  30  {scores[2]}", 425, 15],
        *[["fillRect", 630, 10, 69, 9]] * 2,  # what was merged is hatched
        ["fillRect", 0, 20, 349, 9],
        ["strokeRect", 1, 21, 347, 7],  # proven
        ["fillText", f"C  50  {scores[4]}", 5, 25],
    ]
    assert found["words"] == [
        f"this position: 100 visits, 100.0 %, {scores[0]} for White",
        f"A: 60 visits, 60.0 %, {scores[1]} for White",
        f"B: 30 visits, 30.0 %, {scores[2]} for White",
        "3 moves with few visits: 10 visits, 10.0 %",
        f"A C: 50 visits, 50.0 %, {scores[4]} for White, proven win in 3 plies",
    ]
    words = [found["words"][index] for index in (0, 1, 2, 1, 4, 1, 0, 0)]
    assert found["tips"] == words, "each step is put into words"
    assert found["focus"] == [0, 1, 2, 1, 4, 1, 1, 1, 0, 0]
    assert found["opened"] == ["a", "a", "", "a"]
    assert (found["kept"], found["lost"]) == (1, 0)


KEYS = [(0, "ArrowDown"), (0, "ArrowUp"), (2, "ArrowUp"), (1, "Enter"), (1, "ArrowRight"), (1, " "), (1, "x")]


def table_of(page, *, is_whites=False):
    return run(page, "table", [is_whites, KEYS])


def test_cells_of_the_table(page):
    found = table_of(page)
    level, won, lost = (
        f"win {win} %, draw {draw} %, loss {loss} %" for win, draw, loss in ((30, 40, 30), (60, 30, 10), (10, 30, 60))
    )
    assert found["alone"]["first"] == [
        ["A", "1,200", "60.0 %", ".500", level, "25.0 %", ".375 → .500", "+.125", "0.100", "0.600", "best", "x y"],
        ["B", "600", "30.0 %", ".750", won, "50.0 %", ".500 → .750", "−.250", "0.200", "0.950", "", "x y"],
        ["C", "180", "9.0 %", ".250", lost, "12.5 %", "–", "=", "0.300", "0.550", "", "x y"],
        ["D", "0", "0.0 %", "–", "not visited", "6.2 %", "–", "–", "–", "–", "", "x y"],
    ]
    assert [row[4] for row in found["second"]["first"]] == ["+.250", "–", "–", "–"]


def test_cells_of_the_table_for_white(page):
    found = table_of(page, is_whites=True)
    rows = found["alone"]["first"]
    assert [row[3] for row in rows] == [".500", ".250", ".750", "–"]
    assert rows[2][4] == "win 60 %, draw 30 %, loss 10 %"
    assert [row[6] for row in rows] == [".625 → .500", ".500 → .250", "–", "–"]
    assert [row[7] for row in rows] == ["−.125", "+.250", "=", "–"]
    assert found["second"]["first"][0][4] == "−.250"


def test_rows_of_the_table(page):
    found = table_of(page)["alone"]
    assert (found["rest"], found["off"]) == ("… 2 more moves, 1.0 % of visits", True)
    assert found["fitted"] == [["A", "B"], "… 4 more moves, 10.0 % of visits", False]
    assert found["chosen"] == [["A", "B", "D"], "… 3 more moves, 10.0 % of visits"]
    assert found["unfolded"] == [["A", "B", "C", "D"], "fold"]
    assert found["sorted"] == ["BACD", "BACD", "BACD", "DCBA", "DBAC", "BACD", "ABCD", "ABCD", "ABCD"]
    assert found["nothing"] == [True, True]
    assert found["empty"] == [True, False]


def test_clicks_and_keys_in_the_table(page):
    calls = table_of(page)["alone"]["calls"]
    expected = [
        ["select", "b"],
        ["open", "c"],
        ["select", "b"],
        ["select", "b"],
        ["open", "b"],
        ["open", "b"],
        ["select", "b"],
    ]
    assert [call for call in calls if call[0] in ("select", "open")] == expected


def test_a_line_is_played_out(page):
    found = run(page, "line", [1, 1, -1, -9])
    assert (found["none"], found["first"], found["before"], found["after"]) == (0, [250], False, False)
    assert found["played"] == [True, "<b>A </b><span>B </span><span>C </span>"]
    at = [1, 2, 3, 3, 2, 1]
    paths = ["/".join(["p", "q", *"abc"[:moves]]) for moves in at]
    assert found["asked"] == [["position", path] for path in paths]
    assert found["shown"] == [*([path, True] for path in paths), "back"]
    assert found["last"] == "<b>A </b><span>B </span><span>C </span>"
    assert found["waits"] == [800] * 4, "no further at the end of the line"
    assert found["ends"] == 1


def test_reasons_line_by_line(page):
    found = run(page, "reasons")
    best, worse, close, trouble = found
    assert best == [
        ["verdict", "best (e4)", "good"],
        ["head", "50\u00a0% of visits · b", None],
        ["reason", "plan one", None],
        ["steps", "two", None],
    ]
    assert worse == [["verdict", "worse loses 3\u00a0%", "bad"]]
    assert close == [["verdict", "close r", "fair"]]
    assert trouble == '<p class="empty">Nothing here</p>'


DOT_A = 68 - 50 * math.log(3) / math.log(27)  # 10 visits, between 10 / 3 at the bottom and 90 at the top


def test_data_of_the_curves(page):
    found = run(page, "curves")
    assert found["visits"] == ["", "999", "1k", "1.5k", "1M", "1.2M"]
    assert found["labels"] == [["50%", "13%"], [".50", ".12"], [".500", ".125"]]
    assert found["size"] == [10, 20]
    assert found["lines"] == [["moveTo", 100, 1], ["lineTo", 100, 11]], "where another move has the most visits"
    assert found["titles"] == ["after 10 visits\nA 0.75!\nB 0.25!", "after 1 visits\nA 0.5!", "", ""]
    assert found["chosen"] == ["a", "b", "b"]
    assert found["kept"] == ["a", "b"]
    size = 3 + 12 * 0.5**0.5
    right = 8 + 0.51 / 0.52 * 100
    assert found["dots"][0] == pytest.approx([right, DOT_A, 3, 0, 7])
    assert found["dots"][1] == pytest.approx([8 + 0.01 / 0.52 * 100, 18, size, 0, 7])
    assert [name[1] for name in found["names"]] == ["A", "B"]
    assert found["names"][0][2:] == pytest.approx([min(right + 6, 138), DOT_A - 1])
    assert found["axis"] == [".00", ".20", ".40"]
    assert found["shares"] == [[1, 10, 100], [1, 0.6, 0.1], [0, 0.4, 0.9]]
    assert found["scores"] == [[1, 10, 100], [0.5, 0.75, 0.5], [None, 0.25, 0]]
    assert [(one["uci"], one["trail"], one["prior"]) for one in found["points"]] == [
        ("a", [[0.5, 1], [0.5, 10]], 0),
        ("b", [[0, 90]], 0.5),
    ]
    rooms = [[0, 0.525], [0, 0.1], [0, 1], [0.38, 0.62], [0, 1]]
    assert found["ranges"] == [pytest.approx(room) for room in rooms]
    assert found["scale"] == pytest.approx([-0.01, 0.51, 8, 108, 18, 68])


FAKE_GROUND = """
window.grounds = [];
export function Chessground(element, options) {
  const calls = [];
  const note = (name) => (given) => { calls.push([name, given]); };
  const names = ["set", "setAutoShapes", "toggleOrientation", "redrawAll"];
  const ground = { calls, options, square: null, getKeyAtDomPos: () => ground.square };
  for (const name of names) ground[name] = note(name);
  window.grounds.push(ground);
  return ground;
}
"""


def test_the_board(browser, page):
    other = browser.new_page()
    kind = "text/javascript; charset=utf-8"
    other.route("**/chessground.js", lambda route: route.fulfill(body=FAKE_GROUND, content_type=kind))
    other.goto(page.url)
    other.wait_for_selector("tbody tr")
    found = run(other, "board")
    other.close()
    assert found["options"] == [False, True, False, False, True, {"lastMove": True, "check": True}]
    assert found["before"] == []
    dests = {"e1": ["e2", "d1"], "b7": ["b8", "b8"], "g1": ["f3"]}
    shown = {"fen": "F", "turnColor": "white", "check": False, "lastMove": ["e7", "e5"]}
    assert found["shown"] == [["set", shown | {"movable": {"color": "white", "dests": dests, "free": False}}]]
    line = {"fen": "G", "turnColor": "black", "check": "black", "lastMove": "none"}
    assert found["line"] == [
        ["set", line | {"movable": {"color": "none", "dests": {}, "free": False}}],
        ["setAutoShapes", []],
    ]
    assert found["back"] == "F"
    arrows = [
        ("e1", "e2", "good", ".40", 11),
        ("e1", "d1", "good", ".42", 9),
        ("a1", "a2", "fair", ".44", 7),
        ("a1", "a3", "bad", ".45", 6),
        ("a1", "a4", "bad", None, 5),
        ("a1", "a6", "chosen", ".90", 4),
    ]
    labels = [None if one["label"] == "none" else one["label"]["text"] for one in reversed(found["arrows"])]
    drawn = [(one["orig"], one["dest"], one["brush"]) for one in reversed(found["arrows"])]
    widths = [one["modifiers"]["lineWidth"] for one in reversed(found["arrows"])]
    assert [(*one, label, width) for one, label, width in zip(drawn, labels, widths, strict=True)] == arrows
    assert found["most"] == 8
    assert found["clicked"] == ["a1a2", "e1e2"], "a square with a piece that can move is no arrow"
    assert found["refused"] == ["set"], "a move that cannot be is taken back"
    assert found["choices"] == [["b7b8q", "Queen"], ["b7b8n", "Knight"]]
    assert found["moves"] == ["g1f3", "b7b8n"]
    assert [name for name, _ in found["last"]] == ["toggleOrientation", "set", "redrawAll"]
    assert found["last"][1] == ["set", {"orientation": "black"}]
