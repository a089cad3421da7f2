"""How requests reach the view, and what a stream sends, by views that keep what they are asked."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from starlette.testclient import TestClient

from engine.explorer import app
from engine.explorer.app import Streams, new_app
from engine.explorer.view import View
from engine.report.snapshot import NotInMemoryError


class Asked(View):
    def __init__(self, error=None):
        self.asked, self.error, self.searches = [], error, ()

    def __getattribute__(self, name):
        if name in ("open", "position", "icicle", "history", "why", "lesson", "about"):
            return lambda *arguments: self._answer(name, arguments)
        return super().__getattribute__(name)

    def _answer(self, name, arguments):
        if self.error:
            raise self.error
        self.asked.append((name, *arguments))
        return {"name": name}

    def actions(self):
        return {"act": lambda given: self._answer("act", (given,))}


@pytest.mark.parametrize(
    ("address", "call"),
    [
        ("open", ("open", 0, "")),
        ("open?search=3&path=e2e4/e7e5", ("open", 3, "e2e4/e7e5")),
        ("position", ("position", "")),
        ("position?path=e2e4", ("position", "e2e4")),
        ("icicle?search=2&path=a", ("icicle", 2, "a")),
        ("history", ("history", 0, 6)),
        ("history?search=1&curves=99999", ("history", 1, 99999)),
        ("why", ("why", 0, None)),
        ("why?search=1&move=e4", ("why", 1, "e4")),
        ("lesson?search=1&path=x&move=y", ("lesson", 1, "x", "y")),
        ("lesson", ("lesson", 0, "", "")),
        ("about", ("about",)),
    ],
)
def test_questions_reach_the_view(address, call):
    view, pages = Asked(), []
    answer = TestClient(new_app(view, lambda: pages.append(1))).get(f"/data/{address}")
    assert (answer.status_code, answer.text) == (200, f'{{"name":"{call[0]}"}}')
    assert answer.headers["content-type"] == "application/json"
    assert view.asked == [call]
    assert len(pages) == (address == "about")


@pytest.mark.parametrize("text", ["-1", "1.5", "", "123456", "\u0663", "x"])
def test_numbers_of_a_question(text):
    answer = TestClient(new_app(Asked())).get("/data/icicle", params={"search": text})
    assert (answer.status_code, answer.text) == (400, "search must be a number")


@pytest.mark.parametrize(("error", "status"), [(NotInMemoryError("gone"), 404), (ValueError("gone"), 400)])
def test_errors_are_answers(error, status):
    client = TestClient(new_app(Asked(error)))
    for answer in (client.get("/data/why"), client.post("/do/act", json={})):
        assert (answer.status_code, answer.text) == (status, "gone")


def test_actions_are_posted_objects():
    view = Asked()
    client = TestClient(new_app(view))
    assert client.post("/do/act", json={"a": [1]}).json() == {"name": "act"}
    assert view.asked == [("act", {"a": [1]})]
    for body, message in ((b"{", "not JSON"), (b"[" * 50_000, "not JSON"), (b"[]", "not an object"), (b"", "not JSON")):
        answer = client.post("/do/act", content=body)
        assert (answer.status_code, answer.text) == (400, message)
    assert client.get("/do/act").status_code == 405
    assert client.post("/data/why").status_code == 405


# Streams.


class Changing:
    """A view whose signatures are given; a frame is the signature, or an error for one that is negative."""

    def __init__(self, *signatures):
        self.signatures, self.looks, self.frames = list(signatures), 0, []

    def look(self):
        self.looks += 1

    def signature(self):
        return self.signatures.pop(0)

    def frame(self, path, lines):
        self.frames.append((path, lines))
        if len(self.frames) == 2:
            raise NotInMemoryError("moved")
        return [len(self.frames)]


def test_a_stream_sends_what_changes_and_now_and_then_a_sign(monkeypatch):
    """Signatures, with 0.7 s between two looks: nothing new for more than two seconds is an empty line."""
    view, clock = Changing(1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2), [100.0]
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)
        clock[0] += 0.7

    monkeypatch.setattr(app.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(app.asyncio, "sleep", sleep)
    streams = Streams(view)

    async def collect():
        found, frames = [], streams._frames("e2e4", 5)
        try:
            async for line in frames:
                found.append((round((clock[0] - 100) / 0.7), line))
                assert streams.count == 1
        except (IndexError, RuntimeError):
            pass
        await frames.aclose()
        return found

    # 0: the first frame. 3: a sign after 2.1 s. 5: a frame that fails, which is tried again at 6. 9: a sign.
    assert asyncio.run(collect()) == [(0, b"[1]\n"), (3, b"\n"), (6, b"[3]\n"), (9, b"\n")]
    assert view.frames == [("e2e4", 5)] * 3
    assert view.looks == 12
    assert set(pauses) == {0.2}
    assert streams.count == 0


def test_the_fifth_page_is_refused():
    streams = Streams(Changing())
    request = SimpleNamespace(query_params={"path": "e2e4"})
    for count, status in ((3, 200), (4, 503), (5, 503)):
        streams.count = count
        assert asyncio.run(streams.answer(request)).status_code == status
    streams.count = 0
    assert asyncio.run(streams.answer(SimpleNamespace(query_params={"lines": "-"}))).status_code == 400
    assert asyncio.run(streams.answer(request)).media_type == "application/x-ndjson"
