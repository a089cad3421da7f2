"""What can be asked: the page's files, data to look at (GET), and deeds in a session of one's own (POST)."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from engine.explorer.assets import TABLE, content
from engine.explorer.view import IN_FRAMES, Show
from engine.report.snapshot import NotInMemoryError

if TYPE_CHECKING:
    from engine.explorer.interactive import OwnSession

MOST_STREAMS = 4
SECONDS_BETWEEN_FRAMES = 0.2
SECONDS_BETWEEN_SIGNS = 2.0  # of life: finds out that a client has gone
CURVES = 6

encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # reports are trees

Answer = Callable[[Mapping[str, str]], Any]
Endpoint = Callable[[Request], Awaitable[Response]]


def new_app(show: Show, on_page: Callable[[], None] = lambda: None) -> Starlette:
    """All that can be asked. `on_page` is called when a page has been loaded and begins to ask."""

    def about(_asked: Mapping[str, str]) -> dict[str, Any]:
        on_page()
        return show.about()

    questions: dict[str, Answer] = {
        "about": about,
        "place": lambda asked: show.place(asked.get("path", "")),
        "node": lambda asked: show.node(_number(asked, "search"), asked.get("path", "")),
        "icicle": lambda asked: show.icicle(_number(asked, "search"), asked.get("path", "")),
        "history": lambda asked: show.history(_number(asked, "search"), _number(asked, "curves", CURVES)),
        "why": lambda asked: show.why(_number(asked, "search"), asked.get("move")),
        "lesson": lambda asked: show.lesson(_number(asked, "search"), asked.get("path", ""), asked.get("move", "")),
    }
    routes = [Route(address, _file(address), methods=["GET"]) for address in TABLE]
    routes += [Route(f"/data/{name}", _data(answer), methods=["GET"]) for name, answer in questions.items()]
    routes.append(Route("/data/stream", Streams(show).answer, methods=["GET"]))
    if show.is_own:
        from engine.explorer.interactive import DEEDS

        routes += [Route(f"/do/{name}", _deed(show, name), methods=["POST"]) for name in DEEDS]
    return Starlette(routes=routes)


def _number(asked: Mapping[str, str], name: str, otherwise: int = 0) -> int:
    text = asked.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise ValueError(f"{name} must be a number")
    return int(text)


def _file(address: str) -> Endpoint:
    async def answer(_request: Request) -> Response:
        return Response(content(address), headers={"content-type": TABLE[address].kind})

    return answer


def _json(told: Any) -> Response:
    return Response(encode(told), media_type="application/json")


def _told(work: Callable[[], Any]) -> Response:
    """The answer as JSON, or why there is none."""
    try:
        return _json(work())
    except NotInMemoryError as error:
        return PlainTextResponse(str(error), 404)
    except ValueError as error:
        return PlainTextResponse(str(error), 400)


def _data(answer: Answer) -> Endpoint:
    async def respond(request: Request) -> Response:
        return _told(lambda: answer(request.query_params))

    return respond


def _deed(show: "OwnSession | Show", name: str) -> Endpoint:
    from engine.explorer.interactive import DEEDS

    async def respond(request: Request) -> Response:
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError, ClientDisconnect):
            return PlainTextResponse("not JSON", 400)
        if not isinstance(asked, dict):
            return PlainTextResponse("not an object", 400)
        return await run_in_threadpool(_told, lambda: DEEDS[name](show, asked))

    return respond


class Streams:
    """Pages that watch: a line of JSON for each change, at most five a second, always the newest."""

    def __init__(self, show: Show) -> None:
        self.show, self.count = show, 0

    async def answer(self, request: Request) -> Response:
        """Begin a stream."""
        if self.count >= MOST_STREAMS:
            return PlainTextResponse("too many pages watch", 503)
        asked = request.query_params
        try:
            frames = self._frames(asked.get("path", ""), _number(asked, "lines", IN_FRAMES.lines))
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        return StreamingResponse(frames, media_type="application/x-ndjson")

    async def _frames(self, path: str, lines: int) -> AsyncIterator[bytes]:
        """Frames; an empty line now and then where nothing happens."""
        self.count += 1
        try:
            last, last_moment = None, 0.0
            while True:
                self.show.look()
                now, line = time.monotonic(), b""
                signature = self.show.signature()
                if signature != last:
                    line = self._frame(path, lines)
                if line:
                    last = signature
                if line or now - last_moment > SECONDS_BETWEEN_SIGNS:
                    last_moment = now
                    yield line + b"\n"
                await asyncio.sleep(SECONDS_BETWEEN_FRAMES)
        finally:
            self.count -= 1

    def _frame(self, path: str, lines: int) -> bytes:
        try:
            return encode(self.show.frame(path, lines)).encode()
        except NotInMemoryError:  # the root moved on meanwhile: the next frame will tell
            return b""
