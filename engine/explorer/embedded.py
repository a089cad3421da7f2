"""The page for an engine inside a GUI: read-only, and off unless the user asks for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.system.environment import check_extra

if TYPE_CHECKING:
    from engine.explorer.server import Server
    from engine.report.report import Report


class EmbeddedExplorer:
    """Opens and closes the page. `ValueError` if it cannot be opened."""

    def __init__(self, say: Callable[[str], None], report: Callable[[], "Report"]) -> None:
        """`say` shows a message to the user."""
        self._say, self._report = say, report
        self._server: Server | None = None

    def open(self, port: int) -> "Server":
        """Serve the page, unless that is done already, and print its address."""
        if self._server is None:
            check_extra("explore")
            from engine.explorer.server import Server
            from engine.explorer.view import SearchHandle, View

            self._server = Server(View([SearchHandle("Teresa", self._report)]), port)
        self._say(f"explorer at {self._server.address}")
        return self._server

    def open_in_browser(self, port: int) -> None:
        """Serve the page and show it."""
        self.open(port).open_browser()

    def close(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.close()
            self._server = None
