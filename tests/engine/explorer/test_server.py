import gc
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer import app, interactive
from engine.explorer import server as server_module
from engine.explorer.server import MOST_STRANGERS, Server
from tests.engine.explorer.views import new_session, until


@pytest.fixture
def session():
    session = new_session(visits=300)
    yield session
    session.close()


def watch(server):
    """A stream that is open."""
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/data/stream")
    request.add_header("Authorization", f"Bearer {server.token}")
    return urllib.request.urlopen(request, timeout=10)


def test_it_listens_on_this_machine_only_and_tokens_differ(session):
    first, second = Server(session), Server(session)
    assert first._socket.getsockname()[0] == "127.0.0.1"
    assert first.token != second.token
    assert len(first.token) == 43
    assert first.address.endswith(f"/#{first.token}")
    with pytest.raises(ValueError, match="cannot listen on port"):
        Server(session, first.port)
    first.close()
    second.close()


def test_threads_take_turns_quickly_only_while_it_serves(session):
    before = sys.getswitchinterval()
    server = Server(session)
    assert sys.getswitchinterval() == pytest.approx(server_module.SWITCH_SECONDS)
    server.close()
    assert sys.getswitchinterval() == before


def test_four_pages_may_watch(session):
    server = Server(session)
    streams = [watch(server) for _ in range(4)]
    assert all(stream.readline().startswith(b'[{"summary"') for stream in streams)
    with pytest.raises(urllib.error.HTTPError, match="503"):
        watch(server)
    for stream in streams:
        stream.close()
    until(lambda: not _is_full(server))
    server.close()


def _is_full(server):
    try:
        watch(server).close()
    except urllib.error.HTTPError:
        return True
    return False


def come_and_go(server, count):
    for _ in range(count):
        stream = watch(server)
        stream.readline()
        stream.close()
        until(lambda: not _is_full(server))


def _count_objects():
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.slow
def test_clients_come_and_go_and_nothing_stays(session):
    server = Server(session)
    come_and_go(server, 5)
    threads, objects = threading.active_count(), _count_objects()
    come_and_go(server, 50)
    assert threading.active_count() <= threads
    assert _count_objects() < objects + 500
    begin = time.perf_counter()
    stream = watch(server)
    server.close()
    stream.close()
    assert time.perf_counter() - begin < 5
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)


@pytest.mark.slow
def test_a_search_that_nobody_watches_rests(session, monkeypatch):
    monkeypatch.setattr(interactive, "SECONDS_UNWATCHED", 0.5)
    session.start()
    assert session.analyses[0].is_searching
    until(lambda: not session.analyses[0].is_searching)
    session.look()
    assert session.analyses[0].is_searching


HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@contextmanager
def half_open(server, count, sent=HALF):
    """Connections whose requests do not end."""
    clients = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(count)]
    try:
        for client in clients:
            with suppress(OSError):  # already let go
                client.sendall(sent)
        yield clients
    finally:
        for client in clients:
            client.close()


def ask(server, name="about"):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/data/{name}")
    request.add_header("Authorization", f"Bearer {server.token}")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status


@pytest.mark.thorough
@pytest.mark.parametrize("sent", [b"", HALF, b"POST /do/go HTTP/1.1\r\nContent-Length: 9\r\n"])
def test_half_open_requests_do_not_keep_a_page_out(session, monkeypatch, sent):
    monkeypatch.setattr("engine.explorer.server.SECONDS_TO_ASK", 600.0)  # they are not simply waited for
    server = Server(session)
    stream = watch(server)
    stream.readline()
    with half_open(server, 200, sent):
        for _ in range(5):
            assert ask(server) == 200
        assert stream.readline() is not None, "a page that watches is not pushed out"
        assert len(server._server.server_state.connections) < 64
    stream.close()
    server.close()


@pytest.mark.thorough
def test_those_who_do_not_read_make_room(session):
    server = Server(session)
    whole = f"GET /uplot.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode() * 200
    with ExitStack() as stack:
        for _ in range(70):
            (client,) = stack.enter_context(half_open(server, 1, whole))
            client.recv(1)
        assert ask(server) == 200
        assert len(server._server.server_state.connections) <= MOST_STRANGERS + 1
    server.close()


@pytest.mark.thorough
@pytest.mark.parametrize("part", ["head", "next head", "body"])
def test_a_request_must_end_in_time(session, monkeypatch, part):
    monkeypatch.setattr("engine.explorer.server.SECONDS_TO_ASK", 0.3)
    server = Server(session)
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    whole = f"GET /data/about HTTP/1.1\r\n{host}Authorization: Bearer {server.token}\r\n\r\n"
    post = f"POST /do/go HTTP/1.1\r\n{host}Origin: http://127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    post += f"Authorization: Bearer {server.token}\r\nContent-Length: 10\r\n\r\n{{"
    sent = {"head": HALF.decode(), "next head": whole + HALF.decode(), "body": post}[part]
    with half_open(server, 1, sent.encode()) as (client,):
        received = b"".join(iter(partial(_receive, client), b""))
    assert (b"200 OK" in received) == (part == "next head")
    server.close()


def _receive(client):
    try:
        return client.recv(1 << 16)
    except ConnectionResetError:
        return b""


def test_a_stream_lasts_longer_than_a_request_may_take(session, monkeypatch):
    monkeypatch.setattr("engine.explorer.server.SECONDS_TO_ASK", 0.2)
    monkeypatch.setattr(app, "SECONDS_BETWEEN_SIGNS", 0.3)
    server = Server(session)
    stream = watch(server)
    assert stream.readline().startswith(b'[{"summary"')
    assert [stream.readline() for _ in range(3)] == [b"\n"] * 3
    stream.close()
    server.close()
