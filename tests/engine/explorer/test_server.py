import gc
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer import own
from engine.explorer.server import Server
from tests.engine.explorer.shows import new_session, until


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
    with pytest.raises(ValueError, match="cannot be had"):
        Server(session, first.port)
    first.close()
    second.close()


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
    monkeypatch.setattr(own, "SECONDS_UNWATCHED", 0.5)
    session.start()
    assert session.analyses[0].is_searching
    until(lambda: not session.analyses[0].is_searching)
    session.look()
    assert session.analyses[0].is_searching
