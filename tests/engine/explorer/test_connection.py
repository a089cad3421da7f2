"""Limits of one connection: the time of a request, and the number of clients without the token."""

from types import SimpleNamespace

import pytest

h11 = pytest.importorskip("h11", reason="the explorer needs the extra `explore`")
pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.explorer.guard import KNOWN
from engine.explorer.server import Connection


class Timer:
    """Stands for a timer of the event loop."""

    def __init__(self, seconds, work):
        self.seconds, self.work, self.is_cancelled = seconds, work, False

    def cancel(self):
        self.is_cancelled = True


@pytest.fixture
def timers():
    return []


@pytest.fixture
def new_connection(timers, monkeypatch):
    aborted, everybody = [], set()

    def call_later(seconds, work):
        timers.append(Timer(seconds, work))
        return timers[-1]

    def make(moment=0.0, scope=None):
        one = Connection.__new__(Connection)
        one._limit, one._is_cut, one.moment, one.scope = None, False, moment, scope
        one.loop, one.conn = SimpleNamespace(call_later=call_later), SimpleNamespace(their_state=h11.IDLE)
        one.transport = SimpleNamespace(abort=lambda: aborted.append(moment))
        one.connections = everybody
        everybody.add(one)
        return one

    for name in ("connection_made", "data_received", "connection_lost"):
        monkeypatch.setattr(H11Protocol, name, lambda *_: None)
    make.aborted = aborted
    return make


def test_who_has_not_shown_the_token(new_connection):
    assert new_connection().is_stranger
    assert new_connection(scope={}).is_stranger
    assert new_connection(scope={KNOWN: False}).is_stranger
    assert not new_connection(scope={KNOWN: True}).is_stranger
    cut = new_connection()
    cut.cut()
    assert not cut.is_stranger
    assert new_connection.aborted == [0.0]


@pytest.mark.parametrize("state", [h11.IDLE, h11.SEND_BODY])
def test_a_request_has_five_seconds_from_its_beginning(new_connection, timers, state):
    one = new_connection()
    one.connection_made(one.transport)
    one.conn.their_state = state
    one.data_received(b"more of it does not give more time")
    (timer,) = timers
    assert (timer.seconds, timer.is_cancelled) == (5.0, False)
    timer.work()
    assert new_connection.aborted == [0.0]


def test_a_whole_request_may_be_answered_at_leisure(new_connection, timers):
    one = new_connection()
    one.connection_made(one.transport)
    one.conn.their_state = h11.DONE
    one.data_received(b"the end")
    assert [timer.is_cancelled for timer in timers] == [True]
    one.conn.their_state = h11.IDLE
    one.data_received(b"the next one")
    assert [timer.is_cancelled for timer in timers] == [True, False]
    one.connection_lost(None)
    assert [timer.is_cancelled for timer in timers] == [True, True]
    one.connection_lost(None)


def test_the_oldest_of_33_clients_without_the_token_makes_room(new_connection):
    known = new_connection(-5.0, {KNOWN: True})
    strangers = [new_connection(float(moment)) for moment in range(7, 39)]
    strangers[3].connection_made(strangers[3].transport)
    assert new_connection.aborted == []
    newest = new_connection(99.0)
    newest.connection_made(newest.transport)
    assert new_connection.aborted == [7.0]
    assert not known._is_cut
    newest.connection_made(newest.transport)
    assert new_connection.aborted == [7.0], "one that is cut does not count"
