"""Groups of processes: a worker and the engines that it starts are one, so that they end together. Not on Windows."""

import os
import signal
import sys
from contextlib import suppress


def lead_group() -> None:
    """This process and all that it starts are a new group."""
    if sys.platform != "win32":
        os.setpgid(0, 0)


def end_group(leader: int | None) -> None:
    """Kill a group, also if its leader has died; its number is not used again as long as one of them lives."""
    if sys.platform != "win32" and leader is not None:
        with suppress(ProcessLookupError, PermissionError):  # macOS: the last one is dying
            os.killpg(leader, signal.SIGKILL)


class Groups:
    """The groups of workers that others start and end: what is left of one is killed when its leader has gone."""

    def __init__(self) -> None:
        self._leaders: set[int] = set()

    def update(self, leaders: set[int]) -> None:
        """These are the workers now."""
        for gone in self._leaders - leaders:
            end_group(gone)
        self._leaders = leaders
