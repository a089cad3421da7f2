"""What reaches a search from outside while it runs."""

import threading


class Signals:
    """What the conversation tells a search, from another thread."""

    def __init__(self) -> None:
        self.is_stopped = False
        self.ponder_hit_at: float | None = None
        self._news = threading.Event()

    def stop(self) -> None:
        """The search shall end."""
        self.is_stopped = True
        self._news.set()

    def ponder_hit(self, moment: float) -> None:
        """The expected move was played at this moment."""
        self.ponder_hit_at = moment
        self._news.set()

    def wake(self) -> None:
        """There is something to look at."""
        self._news.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for news, not longer than `seconds`; -> is there any?"""
        has_news = self._news.wait(seconds)
        self._news.clear()
        return has_news
