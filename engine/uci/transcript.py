"""A log of all lines between a GUI and the engine."""

import re
import threading
from datetime import datetime
from pathlib import Path
from typing import TextIO

SECRET = re.compile(r"(https?://[^\s#]*#)\S+")  # the token in the address of the explorer: logs get shared


class Transcript:
    """Adds lines to a file, if one is open; from any thread."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Write to this file; to none if the path is empty. `ValueError` if it cannot be written."""
        try:
            file = Path(path).open("a", encoding="utf-8", buffering=1) if path else None  # noqa: SIM115  (stays open)
        except OSError as error:
            raise ValueError(f"{path[:200]!a} cannot be written ({error.strerror})") from None
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = file

    def heard(self, line: str) -> None:
        """Log a line of the GUI."""
        self._add(">", line)

    def said(self, line: str) -> None:
        """Log a line of the engine."""
        self._add("<", line)

    def _add(self, mark: str, line: str) -> None:
        with self._lock:
            if self._file is None:
                return
            moment = datetime.now().astimezone().strftime("%H:%M:%S.%f")[:-3]
            shown = SECRET.sub(r"\1***", line.rstrip())
            try:
                self._file.write(f"{moment} {mark} {shown}\n")
            except OSError:  # the disk is full: the game goes on
                self._file = None
