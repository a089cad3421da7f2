"""The requests: the page's files, data (GET), and actions on an interactive session (POST).

GET only reads. What takes milliseconds is answered in the event loop; questions about a game and its file, and POST,
which may wait for a search, get a thread.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from engine.explorer.asked import Attachment, OldRevisionError, Question, number_of
from engine.explorer.page_files import TABLE, content
from engine.explorer.view import IN_FRAMES, PageAction, View
from engine.report.snapshot import NotInMemoryError

MOST_STREAMS = 4
SECONDS_BETWEEN_FRAMES = 0.2
LOOKS_FOR_A_PLACE = 10  # within a second
SECONDS_BETWEEN_SIGNS = 2.0  # keep-alive; detects closed clients
CURVES = 6

to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # reports are trees

NO_CURSOR = -1
DIGITS_OF_CURSOR = 9

Endpoint = Callable[[Request], Awaitable[Response]]


def new_app(view: View, on_page: Callable[[], None] = lambda: None) -> Starlette:
    """All requests. `on_page` is called when a page has been loaded and asks for data."""

    def about(_asked: Mapping[str, str]) -> dict[str, Any]:
        on_page()
        return view.about()

    questions: dict[str, Question] = {
        "about": about,
        "open": lambda asked: view.open(number_of(asked, "search"), asked.get("path", "")),
        "position": lambda asked: view.position(asked.get("path", "")),
        "icicle": lambda asked: view.icicle(number_of(asked, "search"), asked.get("path", "")),
        "history": lambda asked: view.history(number_of(asked, "search"), number_of(asked, "curves", CURVES)),
        "why": lambda asked: view.why(number_of(asked, "search"), asked.get("move")),
        "lesson": lambda asked: view.lesson(number_of(asked, "search"), asked.get("path", ""), asked.get("move", "")),
    }
    routes = [Route(address, _file(address), methods=["GET"]) for address in TABLE]
    routes += [Route(f"/data/{name}", _data(answer), methods=["GET"]) for name, answer in questions.items()]
    routes += [Route(f"/data/{name}", _slow_data(answer), methods=["GET"]) for name, answer in view.questions().items()]
    routes.append(Route("/data/stream", Streams(view).answer, methods=["GET"]))
    routes += [Route(f"/do/{name}", _action(action), methods=["POST"]) for name, action in view.actions().items()]
    return Starlette(routes=routes)


def _file(address: str) -> Endpoint:
    async def answer(_request: Request) -> Response:
        return Response(content(address), headers={"content-type": TABLE[address].kind})

    return answer


def _answered(work: Callable[[], Any]) -> Response:
    """The answer as JSON, or why there is none."""
    try:
        answer = work()
    except NotInMemoryError as error:
        return PlainTextResponse(str(error), 404)
    except OldRevisionError as error:
        return PlainTextResponse(str(error), 409)
    except ValueError as error:
        return PlainTextResponse(str(error), 400)
    if isinstance(answer, Attachment):
        return Response(answer.content, headers={"content-type": answer.kind, **_attached(answer.name)})
    return Response(to_json(answer), media_type="application/json")


def _attached(name: str) -> dict[str, str]:
    """For the browser: to be saved under this name."""
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


def _data(answer: Question) -> Endpoint:
    async def respond(request: Request) -> Response:
        return _answered(lambda: answer(request.query_params))

    return respond


def _slow_data(answer: Question) -> Endpoint:
    async def respond(request: Request) -> Response:
        return await run_in_threadpool(_answered, lambda: answer(request.query_params))

    return respond


def _action(action: PageAction) -> Endpoint:
    async def respond(request: Request) -> Response:
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError, ClientDisconnect):
            return PlainTextResponse("not JSON", 400)
        if not isinstance(asked, dict):
            return PlainTextResponse("not an object", 400)
        return await run_in_threadpool(_answered, lambda: action(asked))

    return respond


class Streams:
    """Open pages: a line of JSON for each change, at most five a second, always the newest."""

    def __init__(self, view: View) -> None:
        self.view, self.count = view, 0

    async def answer(self, request: Request) -> Response:
        """Begin a stream."""
        if not await self._has_place():
            return PlainTextResponse("too many open pages", 503)
        asked = request.query_params
        try:
            cursor = number_of(asked, "judged", digits=DIGITS_OF_CURSOR) if "judged" in asked else NO_CURSOR
            frames = self._frames(asked.get("path", ""), number_of(asked, "lines", IN_FRAMES.lines), cursor)
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        return StreamingResponse(frames, media_type="application/x-ndjson")

    async def _has_place(self) -> bool:
        """Wait a second for one: a page ends its stream when it begins another, which may be noticed late."""
        for _ in range(LOOKS_FOR_A_PLACE):
            if self.count < MOST_STREAMS:
                break
            await asyncio.sleep(1 / LOOKS_FOR_A_PLACE)
        return self.count < MOST_STREAMS

    async def _frames(self, path: str, lines: int, cursor: int = NO_CURSOR) -> AsyncIterator[bytes]:
        """Frames, and what is new of the game since `cursor`; an empty line now and then where nothing changes."""
        self.count += 1
        try:
            last, last_moment = None, 0.0
            while True:
                self.view.look()
                now, line = time.monotonic(), b""
                signature = self.view.signature()
                if signature != last:
                    line = self._frame(path, lines)
                if line:
                    last = signature
                news = self.view.news(cursor) if cursor != NO_CURSOR else None
                if news is not None:
                    cursor = news["cursor"]
                    yield to_json({"game": news}).encode() + b"\n"
                if line or now - last_moment > SECONDS_BETWEEN_SIGNS:
                    last_moment = now
                    yield line + b"\n"
                await asyncio.sleep(SECONDS_BETWEEN_FRAMES)
        finally:
            self.count -= 1

    def _frame(self, path: str, lines: int) -> bytes:
        try:
            return to_json(self.view.frame(path, lines)).encode()
        except NotInMemoryError:  # the root has changed meanwhile: the next frame shows it
            return b""
