"""Which requests are allowed, and with which words the others are refused."""

import asyncio

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.guard import HEADERS, HOW_TO_OPEN, KNOWN, Guard, new_token

TOKEN, HOST = "t" * 43, "127.0.0.1:4000"


def scope_of(method="GET", path="/", query=b"", **headers):
    names = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in names.items() if value is not None]
    return {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query} | {
        "headers": pairs
    }


def posted(path="/do/go", **headers):
    given = {"origin": f"http://{HOST}", "authorization": f"Bearer {TOKEN}", "content_length": "2"}
    return scope_of("POST", path, **given | {"content_type": "application/json"} | headers)


def asked(path="/data/about", **headers):
    return scope_of("GET", path, **{"authorization": f"Bearer {TOKEN}"} | headers)


LONG = "/" + "a" * 2047
REQUESTS = {
    "the page": (scope_of(), None),
    "by the other name": (scope_of(host="localhost:4000"), None),
    "from the page": (asked(origin=f"http://{HOST}"), None),
    "from the page by the other name": (asked(origin="http://localhost:4000"), None),
    "data": (asked(), None),
    "an action": (posted(), None),
    "JSON with a charset": (posted(content_type="application/json; charset=utf-8"), None),
    "the longest address": (asked(path=LONG), None),
    "the largest body": (posted(content_length="65536"), None),
    "no body": (posted(content_length="0"), None),
    "a GET of length 0": (asked(content_length="0"), None),
    "no host": (scope_of(host=None), (421, "not this server")),
    "no port": (scope_of(host="127.0.0.1"), (421, "not this server")),
    "another method": (scope_of("PUT"), (405, "only GET and POST")),
    "HEAD": (scope_of("HEAD"), (405, "only GET and POST")),
    "a longer path": (asked(path=LONG + "a"), (414, "the address is too long")),
    "a longer query": (scope_of(path=LONG, query=b"x"), (414, "the address is too long")),
    "https": (asked(origin=f"https://{HOST}"), (403, "asked by another page")),
    "another page": (scope_of(origin="http://127.0.0.1:4001"), (403, "asked by another page")),
    "an action of nowhere": (posted(origin=None), (403, "asked by another page")),
    "data without a token": (scope_of(path="/data/about"), (401, HOW_TO_OPEN)),
    "an action without a token": (posted(authorization=None), (401, HOW_TO_OPEN)),
    "the token without its kind": (asked(authorization=TOKEN), (401, HOW_TO_OPEN)),
    "a longer token": (asked(authorization=f"Bearer {TOKEN}t"), (401, HOW_TO_OPEN)),
    "letters of others": (asked(authorization="Bearer \xe9"), (401, HOW_TO_OPEN)),
    "no length": (posted(content_length=None), (411, "the length is missing")),
    "a negative length": (posted(content_length="-1"), (411, "the length is missing")),
    "other digits": (posted(content_length="\xb2"), (411, "the length is missing")),
    "in chunks": (posted(transfer_encoding="chunked"), (411, "the length is missing")),
    "a GET in chunks": (asked(transfer_encoding="chunked"), (411, "the length is missing")),
    "a larger body": (posted(content_length="65537"), (413, "too large")),
    "a very large body": (posted(content_length="0000000001"), (413, "too large")),
    "a GET with a body": (asked(content_length="1"), (413, "too large")),
    "another content": (posted(content_type="text/plain"), (415, "not JSON")),
    "no content type": (posted(content_type=None), (415, "not JSON")),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_that_are_allowed_and_refused(name):
    scope, refusal = REQUESTS[name]
    assert Guard(None, 4000, TOKEN).refusal(scope) == refusal


@pytest.mark.parametrize(("headers", "is_known"), [({"authorization": f"Bearer {TOKEN}"}, True), ({}, False)])
def test_a_request_that_shows_the_token_is_marked(headers, is_known):
    scope = scope_of(**headers)
    assert Guard(None, 4000, TOKEN).refusal(scope) is None
    assert scope[KNOWN] is is_known


def answers_of(guard, scope):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, None, send))
    return sent


def test_every_answer_has_the_headers_of_the_guard():
    async def answer(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b"x"})

    guard = Guard(answer, 4000, TOKEN)
    start, body = answers_of(guard, scope_of())
    assert (start["status"], start["headers"]) == (200, [(b"a", b"b"), *HEADERS])
    assert body == {"type": "http.response.body", "body": b"x"}
    start, body = answers_of(guard, scope_of(host="x"))
    first = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    assert (start["status"], start["headers"]) == (421, [*first, *HEADERS])
    assert body["body"] == b"not this server"
    assert answers_of(guard, {"type": "websocket"}) == []
    assert dict(HEADERS)[b"cache-control"] == b"no-store"
    assert dict(HEADERS)[b"cross-origin-resource-policy"] == b"same-origin"


def test_tokens_cannot_be_guessed():
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50
    assert {len(token) for token in tokens} == {43}
