"""Messages to a search from other threads."""

import threading


class SearchControl:
    """Stop and ponder hit: set from any thread, read by the search."""

    def __init__(self) -> None:
        self.is_stopped = False
        self.ponder_hit_at: float | None = None
        self._changed = threading.Event()

    def stop(self) -> None:
        """End the search."""
        self.is_stopped = True
        self._changed.set()

    def ponder_hit(self, moment: float) -> None:
        """The expected move was played at this moment."""
        self.ponder_hit_at = moment
        self._changed.set()

    def wake(self) -> None:
        """End the present `wait`."""
        self._changed.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a change, not longer than `seconds`; -> was there one?"""
        has_changed = self._changed.wait(seconds)
        self._changed.clear()
        return has_changed
