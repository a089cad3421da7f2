"""One client of the server: a request must end within seconds, and clients without the token make room for others."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.explorer.guard import KNOWN

SECONDS_TO_ASK = 5.0  # for a whole request, from its first byte or from the connection
MOST_STRANGERS = 32  # connections that have not shown the token


class Connection(H11Protocol):
    """Uvicorn's connection with limits: without them it waits forever for a request that does not end."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limit: asyncio.TimerHandle | None = None
        self._is_cut = False
        self.moment = self.loop.time()

    @property
    def is_stranger(self) -> bool:
        """Without the token in its last request, and still connected?"""
        return not self._is_cut and not (self.scope and self.scope.get(KNOWN))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._watch()
        strangers = [one for one in self.connections if isinstance(one, Connection) and one.is_stranger]
        if len(strangers) > MOST_STRANGERS:
            min(strangers, key=lambda one: one.moment).cut()

    def data_received(self, data: bytes) -> None:
        """A part of a request, or more."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has disconnected."""
        self._forget_limit()
        super().connection_lost(exc)

    def cut(self) -> None:
        """End it at once."""
        self._is_cut = True
        self.transport.abort()

    def _watch(self) -> None:
        """Time runs while a request is incomplete."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._forget_limit()
        elif self._limit is None:
            self._limit = self.loop.call_later(SECONDS_TO_ASK, self.cut)

    def _forget_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
