"""Which requests are allowed: only those of a page that this server sent, on this machine, with the token.

Other pages in the same browser can send requests to this machine too, so its own address is no protection.
"""

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

KNOWN = "teresa.known"  # in the scope of a request that has shown the token
HOW_TO_OPEN = (
    "the token is missing or wrong: open the whole address, with what follows #, as `teresa explore` printed it "
    "or the engine in `info string explorer at`"
)
LONGEST_ADDRESS = 2048  # path and query
LARGEST_BODY = 64 << 10
NEEDS_TOKEN = ("/data/", "/do/")
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def new_token() -> str:
    """A secret of 32 bytes."""
    return secrets.token_urlsafe(32)


class Guard:
    """Refuses requests that the page would not make, and adds security headers to all answers."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        refusal = self.refusal(scope)

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        if refusal is not None:
            await _refuse(send_marked, *refusal)
        else:
            await self.app(scope, receive, send_marked)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, if the request is refused."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            if name in (b"host", b"origin", b"authorization", b"content-length") and name.decode() in headers:
                return 400, "a header is given twice"
            headers[name.decode("latin-1")] = value.decode("latin-1")
        is_post = scope["method"] == "POST"
        origin = headers.get("origin")
        if headers.get("host") not in self.hosts:
            return 421, "not this server"
        if scope["method"] not in ("GET", "POST"):
            return 405, "only GET and POST"
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, "the address is too long"
        if (is_post and origin is None) or (origin is not None and origin not in self.origins):
            return 403, "asked by another page"
        scope[KNOWN] = self._knows_token(headers.get("authorization", ""))
        if scope["path"].startswith(NEEDS_TOKEN) and not scope[KNOWN]:
            return 401, HOW_TO_OPEN
        return _objection_to_body(headers, is_post)

    def _knows_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode("latin-1"), f"Bearer {self.token}".encode())


def _objection_to_body(headers: dict[str, str], is_post: bool) -> tuple[int, str] | None:
    """A body has a length, which uvicorn holds it to, and is JSON; a GET has none."""
    length = headers.get("content-length", "0" if not is_post else "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        return 411, "the length is missing"
    if len(length) > 9 or int(length) > (LARGEST_BODY if is_post else 0):
        return 413, "too large"
    if is_post and headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return 415, "not JSON"
    return None


async def _refuse(send: Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
