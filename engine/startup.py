"""Loading the kernels without keeping anybody waiting.

numba takes half a second to import, and the kernels several seconds to compile, once. Both happen in a thread; what is
not in the cache yet is compiled by a child process that fills it, so that the conversation stays quick.
"""

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable

SECONDS_BETWEEN_NEWS = 5.0


class Loader:
    """Loads the search in the background."""

    def __init__(self, on_ready: Callable[[], None], on_news: Callable[[str], None]) -> None:
        """`on_ready` is called once it is loaded, or has failed to; `on_news` with what people may want to know."""
        self._on_ready, self._on_news = on_ready, on_news
        self._ready = threading.Event()
        self.has_failed = False
        self.started = time.perf_counter()
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

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.started

    def close(self) -> None:
        """Leave no process behind."""
        self._closed = True
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def _load(self) -> None:
        from engine.warmup import is_warm, use_report_kernels, use_search_kernels

        gc.disable()
        try:
            if not is_warm():
                self._compile_in_child()
            if not self._closed:
                use_search_kernels()
                gc.freeze()  # else looking for garbage among all of numba costs a tenth of a second now and then
                gc.enable()
                self._ready.set()
        except Exception as error:  # noqa: BLE001  (told, and the stand-in plays on)
            self.has_failed = True
            self._on_news(f"the search cannot be loaded ({error!r}), a simple player stands in")
        self._on_ready()
        if self.is_ready:  # what games do not need is loaded last
            use_report_kernels()

    def _compile_in_child(self) -> None:
        command = [sys.executable, "-m", "engine", "warmup", "--search"]
        quiet = subprocess.DEVNULL
        self._on_news("first start: the search is being compiled, until then a simple player stands in")
        self._child = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        if self._closed:
            self.close()
        while self._child.poll() is None:
            try:
                self._child.wait(SECONDS_BETWEEN_NEWS)
            except subprocess.TimeoutExpired:
                self._on_news(f"still compiling after {self.seconds:.0f} s; 20 to 60 are usual")
        if not self._closed:
            self._on_news(f"compiled after {self.seconds:.0f} s")
