"""The server alone: its answers, and which requests it refuses."""

import json

import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra `explore`")

from starlette.testclient import TestClient

from engine.explain.explain import explain
from engine.explain.text import data_of
from engine.explorer.app import new_app
from engine.explorer.guard import Guard
from engine.explorer.page_files import TABLE
from engine.explorer.view import View
from engine.report.columns import MOVE_COLUMNS, state_text
from engine.report.effort import StopReason
from engine.report.node import Row
from engine.uci.search_commands import move_line
from tests.engine.explorer.views import new_session
from tests.engine.report.searches import KIWIPETE, MIDDLEGAME, new_searcher

TOKEN = "t" * 43
HOST = "127.0.0.1:4000"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
POSTED = {**KNOWN, "Origin": f"http://{HOST}", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def session():
    session = new_session()
    yield session
    session.close()


@pytest.fixture(scope="module")
def client(session):
    return TestClient(Guard(new_app(session), 4000, TOKEN), base_url=f"http://{HOST}")


def ask(client, name, **asked):
    answer = client.get(f"/data/{name}", params=asked, headers=KNOWN)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_data_is_the_reports(client, session):
    report = session.report(0)
    assert ask(client, "icicle", path="c3d5") == json.loads(json.dumps(report.icicle("c3d5")))
    nowhere = "a1a2/f8d8/a2a1/d8e8/f1b1/e8f8"
    assert ask(client, "icicle", path=nowhere) == {"path": nowhere, "visits": 0, "least": 0, "rectangles": []}
    found = ask(client, "history", curves=3)
    trends = found.pop("trends")
    assert found == json.loads(json.dumps(report.history(3)))
    assert trends == trends_by(report.history())
    assert ask(client, "why", move="h4")["verdict"] == data_of(explain(report, "h4"))["verdict"]
    node = ask(client, "open", path="c3d5")["nodes"][0]
    assert [row["n"] for row in node["rows"]] == [row.n for row in report.rows("c3d5", 12)]
    assert all(row["v"] is not None for row in node["rows"])
    shown = ask(client, "open")["nodes"][0]["rows"]
    assert [row.pop("state") for row in shown] == [state_text(row) for row in shown]
    rows = [Row(**row) for row in shown]
    said = [move_line(row).split(" pv ")[0] for row in report.rows()]
    assert [move_line(row).split(" pv ")[0] for row in rows] == said
    assert round(sum(row.share for row in rows), 6) == 1


def trends_by(history):
    """By the curves of all moves: the score now, less that when the root had half the visits."""
    half = next(at for at, visits in enumerate(history["visits"]) if visits >= history["visits"][-1] / 2)
    pairs = zip(history["moves"], history["q"][half], history["q"][-1], strict=True)
    return {move: round(now - before, 6) for move, before, now in pairs if before is not None and now is not None}


def test_a_frame_has_as_many_lines_as_rows_are_shown(session, client):
    for lines in (1, 20, 46):
        rows = session.frame("", lines)[0]["root"]["rows"]
        expected = [index < lines and row["n"] > 1 for index, row in enumerate(rows)]  # one visit: no reply yet
        assert [len(row["pv"]) > 1 for row in rows] == expected
    assert session.frame("", 99_999)[0]["root"] == session.frame("", 46)[0]["root"]
    assert client.get("/data/stream", params={"lines": "x"}, headers=KNOWN).status_code == 400


def test_one_answer_has_all_that_is_drawn_of_an_opened_node(client, session):
    opened = ask(client, "open", path="Nd5/e7d8")
    assert opened["position"] == ask(client, "position", path="c3d5/e7d8")
    assert opened["icicles"] == [ask(client, "icicle", path="c3d5/e7d8")]
    assert opened["nodes"] == [json.loads(json.dumps(session.node(0, "c3d5/e7d8")))]
    assert opened["why"] == ask(client, "why", move="c3d5")
    nowhere = ask(client, "open", path="a1a2/f8d8/a2a1/d8e8/f1b1/e8f8")
    assert (nowhere["nodes"], nowhere["icicles"]) == ([None], [None])
    assert client.get("/data/open", params={"path": "e2e9"}, headers=KNOWN).status_code == 400
    assert client.get("/data/open", params={"search": "1"}, headers=KNOWN).status_code == 400


def test_without_reasons_a_node_is_opened_too(session):
    view = View([session.searches[0]._replace(report=new_searcher(MIDDLEGAME).report)])
    assert view.open(0, "")["why"] == {"trouble": "nothing was searched yet"}


def test_the_columns_are_those_of_all_tables(client):
    columns = ask(client, "about")["columns"]
    assert [(one["key"], one["title"]) for one in columns[:-2]] == [(one.key, one.title) for one in MOVE_COLUMNS]
    assert [one["key"] for one in columns[-2:]] == ["trend", "delta"]


def test_any_position_can_be_opened(client):
    place = ask(client, "position", path="c3d5/e7d8/a1a2")
    assert place["names"] == ["Nd5", "Qd8", "Ra2"]
    assert place["turn"] == "black"
    assert len(place["moves"]) > 20
    assert client.get("/data/position", params={"path": "e2e9"}, headers=KNOWN).status_code == 400


def test_formulas_have_the_numbers_of_the_row(client):
    found = ask(client, "lesson", move="c3d5")
    assert {"n", "share", "q", "wdl", "p", "p_search", "v", "u", "s"} == set(found)
    assert "Nd5" in found["q"][-1]


def test_the_first_frame_of_a_stream(session):
    frame = session.frame("c3d5")
    assert frame[0]["summary"]["fen"] == MIDDLEGAME
    assert len(frame[0]["root"]["rows"]) == 46
    assert frame[0]["node"]["path"] == "c3d5"
    assert session.frame("a2a3/h7h6/b2b3/h6h5/b3b4/h5h4")[0]["node"] is None


def test_there_is_a_new_frame_when_a_search_ends(session, monkeypatch):
    ended = session.signature()
    assert session.signature() == ended
    monkeypatch.setattr(session.analyses[0].searcher.run, "reason", StopReason.SEARCHING)
    assert session.signature() != ended


def test_actions_of_an_interactive_session():
    session = new_session(visits=500)
    client = TestClient(Guard(new_app(session), 4000, TOKEN), base_url=f"http://{HOST}")
    found = client.post("/do/more", json={"search": 0, "move": "h4", "visits": 100}, headers=POSTED).json()
    assert found["added"] == 100
    assert client.post("/do/descend", json={"path": "c3d5"}, headers=POSTED).status_code == 200
    assert session.report(0).summary()["turn"] == "black"
    assert client.post("/do/setup", json={"text": KIWIPETE}, headers=POSTED).status_code == 200
    assert session.report(0).summary()["fen"] == KIWIPETE
    assert client.post("/do/setup", json={"text": "1. e4 e5 *"}, headers=POSTED).status_code == 200
    assert session.position("")["turn"] == "white"
    assert client.post("/do/go", json={}, headers=POSTED).json() == {"searching": True}
    assert client.post("/do/pause", json={}, headers=POSTED).json() == {"searching": False}
    session.close()


def test_a_search_that_was_paused_stays_so_where_it_is_moved():
    session = new_session(visits=300)
    session.descend("c3d5")
    assert not session.is_searching
    session.setup(KIWIPETE)
    assert not session.is_searching
    session.go()
    session.descend("e2a6")
    assert session.is_searching
    session.close()


MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
BEFORE_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"


def test_where_the_game_ends_nothing_is_searched():
    session = new_session(BEFORE_MATE, visits=200)
    client = TestClient(Guard(new_app(session), 4000, TOKEN), base_url=f"http://{HOST}")
    place = ask(client, "position", path="d8h4")
    assert (place["over"], place["moves"], place["check"]) == (True, [], True)
    for name, asked in (("descend", {"path": "d8h4"}), ("setup", {"text": MATED})):
        answer = client.post(f"/do/{name}", json=asked, headers=POSTED)
        assert (answer.status_code, answer.text) == (400, "the game is over there")
    assert client.post("/do/descend", json={"path": "d8h5"}, headers=POSTED).status_code == 400
    assert session.report(0).summary()["fen"] == BEFORE_MATE
    session.close()


@pytest.mark.parametrize(
    "asked",
    [
        {"search": 0, "move": "h4", "visits": 0},
        {"search": 0, "move": "h4", "visits": 100_001},
        {"search": 1, "move": "h4", "visits": 10},
        {"search": -1, "move": "h4", "visits": 10},
        {"search": 0, "move": "h4", "visits": True},
        {"search": 0, "move": 7, "visits": 10},
        {"search": 0, "visits": 10},
    ],
)
def test_more_visits_have_limits(client, asked):
    assert client.post("/do/more", json=asked, headers=POSTED).status_code == 400


def test_one_move_at_a_time_is_searched_by_itself(client, session):
    asked = {"search": 0, "move": "h4", "visits": 10}
    with session._searching_more:
        answer = client.post("/do/more", json=asked, headers=POSTED)
    assert (answer.status_code, answer.text) == (400, "one move at a time")
    assert client.post("/do/more", json=asked, headers=POSTED).json()["added"] == 10


def test_curves_have_a_limit(client):
    assert len(ask(client, "history", curves=99_999)["moves"]) == 46
    assert ask(client, "history", curves=0)["moves"] == []


def test_a_page_for_a_gui_can_do_nothing(session):
    client = TestClient(Guard(new_app(View(session.searches)), 4000, TOKEN), base_url=f"http://{HOST}")
    assert ask(client, "about")["interactive"] is False
    assert client.post("/do/pause", json={}, headers=POSTED).status_code == 404


def test_every_answer_is_marked(client):
    for address in (*TABLE, "/nothing"):
        headers = client.get(address).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        for closed in ("frame-ancestors", "base-uri", "form-action"):
            assert f"{closed} 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
        assert "set-cookie" not in headers


def test_a_missing_token_is_explained(client):
    text = client.get("/data/about").text
    assert "`teresa explore` printed" in text
    assert "info string explorer at" in text


HOSTILE = {
    "another host": ("GET", "/", {"Host": "evil.example"}, 421),
    "another port": ("GET", "/", {"Host": "127.0.0.1:4001"}, 421),
    "a host that only begins so": ("GET", "/", {"Host": "127.0.0.1:4000.evil.example"}, 421),
    "no token": ("GET", "/data/about", {"Authorization": ""}, 401),
    "a wrong token": ("GET", "/data/about", {"Authorization": f"Bearer {'u' * 43}"}, 401),
    "a part of the token": ("GET", "/data/about", {"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
    "the token in the address": ("GET", f"/data/about?token={TOKEN}", {"Authorization": ""}, 401),
    "the token as a cookie": ("GET", "/data/about", {"Authorization": "", "Cookie": f"token={TOKEN}"}, 401),
    "another origin reads": ("GET", "/data/about", {"Origin": "http://evil.example"}, 403),
    "another origin acts": ("POST", "/do/pause", {"Origin": "http://evil.example"}, 403),
    "no origin": ("POST", "/do/pause", {"Origin": None}, 403),
    "the origin null": ("POST", "/do/pause", {"Origin": "null"}, 403),
    "a form": ("POST", "/do/pause", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "GET acts": ("GET", "/do/pause", {}, 405),
    "another method": ("DELETE", "/data/about", {}, 405),
    "up the folders": ("GET", "/%2e%2e/%2e%2e/etc/passwd", {}, 404),
    "a file of the package": ("GET", "/vendor/../../server.py", {}, 404),
    "a long address": ("GET", "/data/position?path=" + "e2e4/" * 600, {}, 414),
    "a long path": ("GET", "/data/position?path=" + "/".join(["g1f3", "g8f6", "f3g1", "f6g8"] * 40), {}, 400),
    "a search that is not": ("GET", "/data/icicle?search=7", {}, 400),
    "no number": ("GET", "/data/icicle?search=-1", {}, 400),
    "rubbish as a move": ("GET", "/data/position?path=%00%ff", {}, 400),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests_are_refused(client, name):
    method, address, headers, status = HOSTILE[name]
    sent = {**POSTED, **headers} if method == "POST" else {**KNOWN, **headers}
    body = b"{}" if method == "POST" else None
    sent = {key: value for key, value in sent.items() if value is not None}
    assert client.request(method, address, headers=sent, content=body).status_code == status


TWICE = {"Host": HOST, "Content-Length": "2", **{name: POSTED[name] for name in ("Authorization", "Origin")}}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("other", ["first", "last", "same"])
def test_a_header_that_is_given_twice_is_refused(client, name, other):
    """Which of the two counts is not the same for every program on the way."""
    values = {"first": ["x", TWICE[name]], "last": [TWICE[name], "x"], "same": [TWICE[name]] * 2}[other]
    headers = {**POSTED, **TWICE}
    headers.pop(name)
    sent = [*headers.items(), *((name, value) for value in values)]
    answer = client.request("POST", "/do/pause", headers=sent, content=b"{}")
    assert (answer.status_code, answer.text) == (400, "a header is given twice")


def test_a_question_has_no_body(client):
    assert client.request("GET", "/data/about", headers=KNOWN, content=b"{}").status_code == 413


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * (65 << 10), 413),
        (b"{", 400),
        (b"[]", 400),
        (b"[" * 60_000, 400),
        (b'{"text": 7}', 400),
        (b'{"text": "rubbish"}', 400),
        (b'{"text": "8/8/8/8/8/8/8/8 w - - 0 1"}', 400),
        (b'{"text": "/etc/passwd"}', 400),
        (json.dumps({"text": "1. e4 " * 9000}).encode(), 400),
    ],
)
def test_hostile_bodies_are_refused(client, body, status):
    assert client.post("/do/setup", content=body, headers=POSTED).status_code == status
