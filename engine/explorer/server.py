"""The server: on this machine only, in a separate thread, with an address that cannot be guessed."""

import asyncio
import logging
import socket
import sys
import threading
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.explorer.app import new_app
from engine.explorer.browser import Door, open_door
from engine.explorer.guard import KNOWN, Guard, new_token
from engine.explorer.view import View

SECONDS_TO_ASK = 5.0  # for a whole request, from its first byte or from the connection
MOST_STRANGERS = 32  # connections that have not shown the token
LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 64
LARGEST_HEAD = 16 << 10  # bytes
SECONDS_TO_CLOSE = 1.0
SWITCH_SECONDS = 0.0005  # after which Python switches to the search while a page is served


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


class Server:
    """Serves the page of a view. `ValueError` if the port is taken."""

    def __init__(self, view: View, port: int = 0) -> None:
        self.view, self.token = view, new_token()
        self._socket = _listen(port)
        self.port = int(self._socket.getsockname()[1])
        self._door: Door | None = None
        config = uvicorn.Config(
            Guard(new_app(view, self._close_door), self.port, self.token),
            lifespan="off",
            ws="none",
            http=Connection,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # clients may leave at any time
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="explorer", daemon=True)
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._thread.start()

    @property
    def address(self) -> str:
        """For the browser. What follows # is never sent: the page reads it."""
        return f"http://{LOOPBACK}:{self.port}/#{self.token}"

    def open_browser(self) -> None:
        """Show the page in the user's browser. `ValueError` if that cannot be done."""
        self._close_door()
        self._door = open_door(self.address)

    def _close_door(self) -> None:
        door, self._door = self._door, None
        if door is not None:
            door.close()

    def _serve(self) -> None:
        with self._socket:
            self._server.run(sockets=[self._socket])

    def close(self) -> None:
        """Disconnect all clients and end."""
        self._close_door()
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(SECONDS_TO_CLOSE)
        sys.setswitchinterval(self._switch_seconds)


def _listen(port: int) -> socket.socket:
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # asyncio sends without delay only where the protocol is named
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise ValueError(f"cannot listen on port {port}: {error.strerror}") from None
    return listener
