"""Load the kernels in the background.

numba takes half a second to import, and the kernels up to a minute to compile, once. Both happen in a thread; what is
not in the cache yet is compiled by a child process that fills it, so that commands are answered at once.
"""

import gc
import subprocess
import threading
import time
from collections.abc import Callable
from enum import Enum, auto

from engine.system.environment import command_line

SECONDS_BETWEEN_NEWS = 5.0
SOON_SECONDS = 10.0  # for loading what is compiled already; a tenth of it is usual
LONGEST_REASON = 200


class Outlook(Enum):
    """When the search will be loaded."""

    SOON = auto()  # it is being loaded
    LATE = auto()  # it is being compiled
    NEVER = auto()


class Loader:
    """Loads the search in the background."""

    def __init__(self, on_ready: Callable[[], None], on_news: Callable[[str], None]) -> None:
        """`on_ready` is called when it is loaded or has failed, `on_news` with messages for the user."""
        self._on_ready, self._on_news = on_ready, on_news
        self._ready = threading.Event()
        self.has_failed = self._compiles = False
        self.started = time.perf_counter()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._load, daemon=True)

    def start(self) -> None:
        """Start to load."""
        self._thread.start()

    @property
    def is_ready(self) -> bool:
        """Whether the search is loaded."""
        return self._ready.is_set()

    @property
    def outlook(self) -> Outlook:
        """When the search will be ready, if it is not."""
        if self.has_failed:
            return Outlook.NEVER
        return Outlook.LATE if self._compiles or self.seconds > SOON_SECONDS else Outlook.SOON

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.perf_counter() - self.started

    def close(self) -> None:
        """Leave no process behind."""
        self._closed = True
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def _load(self) -> None:
        gc.disable()
        try:
            from engine import warmup  # half a second

            if not warmup.is_warm():
                self._compile()
            if not self._closed:
                warmup.use_search_kernels()
                gc.freeze()  # else looking for garbage among all of numba costs a tenth of a second now and then
                gc.enable()
                self._ready.set()
        except Exception as error:  # noqa: BLE001  (reported; the fallback player answers)
            self.has_failed = True
            self._on_news(f"the search cannot be loaded ({error!r}), a simple player moves")
        self._on_ready()
        if self.is_ready:  # what games do not need comes last
            warmup.use_report_kernels()

    def _compile(self) -> None:
        """Fill the cache, if there is one; what is still missing is compiled by this process."""
        from engine import warmup

        self._compiles = True
        self._on_news("first start: the search is being compiled, until then a simple player moves")
        if reason := warmup.not_kept():
            self._on_news(reason)
            return
        reason = self._compile_in_child()
        if self._closed:
            return
        if warmup.is_warm():
            self._on_news(f"compiled after {self.seconds:.0f} s")
        else:
            self._on_news(f"the compiling process failed ({reason}), this process compiles")

    def _compile_in_child(self) -> str:
        """Run a child that compiles; return its last line, its exit status, or why it could not start."""
        quiet, command = subprocess.DEVNULL, command_line("warmup", "--search")
        try:
            self._child = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE)
        except OSError as error:
            return ascii(str(error)[:LONGEST_REASON])[1:-1]
        if self._closed:
            self.close()
        output = b""
        while self._child.returncode is None:
            try:
                _, output = self._child.communicate(timeout=SECONDS_BETWEEN_NEWS)
            except subprocess.TimeoutExpired:
                self._on_news(f"still compiling after {self.seconds:.0f} s; 20 to 60 s are usual")
        lines = output.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), f"status {self._child.returncode}")
        return ascii(last[:LONGEST_REASON])[1:-1]
