"""The page for an engine inside a GUI: only to look at, and off unless the user asks for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.system.extras import check_extra

if TYPE_CHECKING:
    from engine.explorer.server import Server
    from engine.report.report import Report


class Guest:
    """Opens and closes the page. `ValueError` if it cannot be opened."""

    def __init__(self, say: Callable[[str], None], report: Callable[[], "Report"]) -> None:
        self._say, self._report = say, report
        self._server: Server | None = None

    def open(self, port: int) -> "Server":
        """Serve the page, if that is not done yet, and print its address."""
        if self._server is None:
            check_extra("explore")
            from engine.explorer.server import Server
            from engine.explorer.view import Show, Shown

            self._server = Server(Show([Shown("Teresa", self._report)]), port)
        self._say(f"info string explorer at {self._server.address}")
        return self._server

    def open_in_browser(self, port: int) -> None:
        """Serve the page and show it."""
        self.open(port).open_browser()

    def close(self) -> None:
        """Serve no more."""
        if self._server is not None:
            self._server.close()
            self._server = None
