"""Where a search sends its news."""

import contextlib
from collections.abc import Callable
from typing import Protocol

from engine.report.info import Info


class Listener(Protocol):
    """Called by a search, from its threads."""

    def on_info(self, info: Info) -> None:
        """Now and then: the state of the search."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Once a search, at its end: the move to play (None if there is none) and the reply to ponder on."""

    def on_message(self, text: str) -> None:
        """A note for people."""


class SilentListener:
    """Ignores all news."""

    def on_info(self, info: Info) -> None:
        """Do nothing."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Do nothing."""

    def on_message(self, text: str) -> None:
        """Do nothing."""


class GuardedListener:
    """A listener whose failures do not disturb the search: its first error is reported, later ones are not."""

    def __init__(self, listener: Listener) -> None:
        self._listener, self._has_complained = listener, False

    def on_info(self, info: Info) -> None:
        """The state of the search."""
        self._call(self._listener.on_info, info)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The end of a search."""
        self._call(self._listener.on_best_move, best, reply)

    def on_message(self, text: str) -> None:
        """A note for people."""
        with contextlib.suppress(Exception):
            self._listener.on_message(text)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        try:
            function(*arguments)
        except Exception as error:  # noqa: BLE001  (reported; the search goes on)
            if not self._has_complained:
                self._has_complained = True
                self.on_message(f"the search could not be shown ({error!r})")
