"""Showing a page in the user's browser, without its address in the list of processes, which all users can read."""

import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

SECONDS_TO_OPEN = 60.0  # after which the file is removed in any case
REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Teresa</title>
<a href="{address}">The search</a>
"""


class Door:
    """A file that only this user can read, and that leads a browser to an address. Open it once."""

    def __init__(self, address: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="teresa-", ignore_cleanup_errors=True)  # removed at exit, too
        self.file = Path(self._folder.name) / "explorer.html"
        self._is_done = threading.Event()
        try:
            self.file.touch(0o600)
            self.file.write_text(REDIRECT.format(address=address), encoding="utf-8")
        except OSError:
            self._folder.cleanup()
            raise

    def open(self) -> None:
        """Start the browser, without its output and without waiting for it. `OSError` if that fails."""
        quiet = subprocess.DEVNULL
        # -I: the working directory, which is that of a GUI, may hold a webbrowser.py.
        command = [sys.executable, "-I", "-m", "webbrowser", "-t", self.file.as_uri()]
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        threading.Thread(target=self._wait, args=(process,), name="door", daemon=True).start()

    def close(self) -> None:
        """Remove the file: it was used, or is not to be used any more."""
        self._is_done.set()
        self._folder.cleanup()

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        self._is_done.wait(SECONDS_TO_OPEN)
        self.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_OPEN)  # so that no dead process stays in the list


def open_door(address: str) -> Door:
    """Show an address in the browser; `ValueError` if that cannot be done. Close the door once the page is loaded."""
    try:
        door = Door(address)
    except OSError as error:
        raise ValueError(f"no file for the browser: {error.strerror or error}") from None
    try:
        door.open()
    except OSError as error:
        door.close()
        raise ValueError(f"the browser cannot be started: {error.strerror or error}") from None
    return door
