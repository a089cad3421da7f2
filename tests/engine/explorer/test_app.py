"""The server alone: what it tells, and whom it refuses."""

import json

import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra `explore`")

from starlette.testclient import TestClient

from engine.explorer.app import new_app
from engine.explorer.files import TABLE
from engine.explorer.guard import Guard
from engine.explorer.show import Show
from engine.lines import move_line
from engine.report.rows import Row
from tests.engine.explorer.shows import new_session
from tests.engine.report.searches import KIWIPETE, MIDDLEGAME

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
    assert ask(client, "history", curves=3) == json.loads(json.dumps(report.history(3)))
    assert ask(client, "why", move="h4")["verdict"] == report.explain("h4")["verdict"]
    node = ask(client, "node", path="c3d5")
    assert [row["n"] for row in node["rows"]] == [row.n for row in report.rows("c3d5", 12)]
    assert all(row["v"] is not None for row in node["rows"])
    rows = [Row(**row) for row in ask(client, "node")["rows"]]
    said = [move_line(row).split(" pv ")[0] for row in report.rows()]
    assert [move_line(row).split(" pv ")[0] for row in rows] == said
    assert round(sum(row.share for row in rows), 6) == 1


def test_any_place_can_be_gone_to(client):
    place = ask(client, "place", path="c3d5/e7d8/a1a2")
    assert place["names"] == ["Nd5", "Qd8", "Ra2"]
    assert place["turn"] == "black"
    assert len(place["moves"]) > 20
    assert client.get("/data/place", params={"path": "e2e9"}, headers=KNOWN).status_code == 400


def test_formulas_have_the_numbers_of_the_row(client):
    told = ask(client, "lesson", move="c3d5")
    assert {"n", "share", "q", "wdl", "p", "v", "u", "s"} == set(told)
    assert "Nd5" in told["q"][-1]


def test_the_first_frame_of_a_stream(session):
    frame = session.frame("c3d5")
    assert frame[0]["summary"]["fen"] == MIDDLEGAME
    assert len(frame[0]["root"]["rows"]) == 46
    assert frame[0]["node"]["path"] == "c3d5"
    assert session.frame("a2a3/h7h6/b2b3/h6h5/b3b4/h5h4")[0]["node"] is None


def test_deeds_of_an_own_session():
    session = new_session(visits=500)
    client = TestClient(Guard(new_app(session), 4000, TOKEN), base_url=f"http://{HOST}")
    told = client.post("/do/more", json={"search": 0, "move": "h4", "visits": 100}, headers=POSTED).json()
    assert told["added"] == 100
    assert client.post("/do/descend", json={"path": "c3d5"}, headers=POSTED).status_code == 200
    assert session.report(0).summary()["turn"] == "black"
    assert client.post("/do/setup", json={"text": KIWIPETE}, headers=POSTED).status_code == 200
    assert session.report(0).summary()["fen"] == KIWIPETE
    assert client.post("/do/setup", json={"text": "1. e4 e5 *"}, headers=POSTED).status_code == 200
    assert session.place("")["turn"] == "white"
    assert client.post("/do/go", json={}, headers=POSTED).json() == {"searching": True}
    assert client.post("/do/pause", json={}, headers=POSTED).json() == {"searching": False}
    session.close()


def test_a_page_for_a_gui_can_do_nothing(session):
    client = TestClient(Guard(new_app(Show(session.searches)), 4000, TOKEN), base_url=f"http://{HOST}")
    assert ask(client, "about")["own"] is False
    assert client.post("/do/pause", json={}, headers=POSTED).status_code == 404


def test_every_answer_is_marked(client):
    for address in (*TABLE, "/nothing"):
        headers = client.get(address).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
        assert "set-cookie" not in headers


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
    "a long address": ("GET", "/data/place?path=" + "e2e4/" * 600, {}, 414),
    "a long path": ("GET", "/data/place?path=" + "/".join(["g1f3", "g8f6", "f3g1", "f6g8"] * 40), {}, 400),
    "a search that is not": ("GET", "/data/icicle?search=7", {}, 400),
    "no number": ("GET", "/data/icicle?search=-1", {}, 400),
    "rubbish as a move": ("GET", "/data/place?path=%00%ff", {}, 400),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests_are_refused(client, name):
    method, address, headers, status = HOSTILE[name]
    sent = {**POSTED, **headers} if method == "POST" else {**KNOWN, **headers}
    body = b"{}" if method == "POST" else None
    sent = {key: value for key, value in sent.items() if value is not None}
    assert client.request(method, address, headers=sent, content=body).status_code == status


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
