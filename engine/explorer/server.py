"""The server: on this machine only, in a separate thread, with an address that cannot be guessed."""

import logging
import socket
import sys
import threading

import uvicorn

from engine.explorer.app import new_app
from engine.explorer.browser import Door, open_door
from engine.explorer.connection import Connection
from engine.explorer.guard import Guard, new_token
from engine.explorer.view import View

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 64
LARGEST_HEAD = 16 << 10  # bytes
SECONDS_TO_END = 1.0
SWITCH_SECONDS = 0.0005  # after which Python switches to the search while a page is served


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
        self._thread.join(SECONDS_TO_END)
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
