"""Loading the kernels without keeping anybody waiting.

numba takes half a second to import, and the kernels several seconds to compile, once. Both happen in a thread; what is
not in the cache yet is compiled by a child process that fills it, so that the conversation stays quick.
"""

import subprocess
import sys
import threading
from collections.abc import Callable


class Loader:
    """Loads the search in the background."""

    def __init__(self, on_ready: Callable[[], None]) -> None:
        self._on_ready = on_ready
        self._ready = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._load, daemon=True)

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    @property
    def is_ready(self) -> bool:
        """Is all loaded?"""
        return self._ready.is_set()

    def wait(self, seconds: float | None) -> bool:
        """Wait until all is loaded, so many seconds at most; -> is it?"""
        return self._ready.wait(seconds)

    def close(self) -> None:
        """Leave no process behind."""
        self._closed = True
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def _load(self) -> None:
        from engine.warmup import is_warm, use_search_kernels

        if not is_warm():
            self._compile_in_child()
        if not self._closed:
            use_search_kernels()
            self._ready.set()
            self._on_ready()

    def _compile_in_child(self) -> None:
        command = [sys.executable, "-m", "engine", "warmup", "--search"]
        quiet = subprocess.DEVNULL
        self._child = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        if self._closed:
            self.close()
        self._child.wait()
