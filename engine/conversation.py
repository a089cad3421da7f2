"""When a command is carried out: at once, when the kernels are loaded, or when the search has ended. Nothing is lost.

Whoever changes the state of the conversation holds its lock; who only has news for it calls `wake`.
"""

import threading
from collections import deque
from collections.abc import Callable

from engine.options import Settings
from engine.standin import Kept, StandIn
from engine.startup import Loader

KEPT_DURING_SEARCH = frozenset({"position", "setoption", "ucinewgame", "eval", "bench", "savetree", "loadtree"})
NEED_NO_KERNELS = frozenset({"uci", "isready", "setoption", "debug", "register", "help"})
LOADS_KERNELS = (
    "evalfile",
    "explorer",
)  # options that import what the loader is importing: two at once is one too many
SHOWS_ONLY = "explorer"  # options that do not disturb a search
READY_SECONDS = 4.0  # after which `isready` is answered although kernels are still being compiled


class Conversation:
    """Hears lines and carries out `commands`, each in its time."""

    def __init__(self, say: Callable[[str], None], loader: Loader | None = None) -> None:
        """`say` writes a line."""
        self.say = say
        self.settings = Settings()
        self.commands: dict[str, Callable[[list[str], float], None]] = {"isready": self.isready}
        self.loader = loader or Loader(self.wake, lambda news: say(f"info string {news}"))
        self._stand_in = StandIn(self.settings, self.loader, say, self.wake)
        self._lock, self._has_news = threading.Lock(), threading.Event()
        self._kept: deque[Kept] = deque()
        self._search_ended = True
        self._is_loaded = False
        self._ready_asked = 0

    def on_loaded(self) -> None:
        """The kernels are there."""

    def hear(self, line: str, moment: float) -> bool:
        """Do what a line says that came at a moment; -> does the conversation go on?"""
        with self._lock:
            goes_on = self._handle(line, moment)
        if goes_on:
            self.wake()
        return goes_on

    def wake(self) -> None:
        """Carry out what was kept, if its time has come; from any thread. Who is at it already does this too."""
        self._has_news.set()
        while self._has_news.is_set() and self._lock.acquire(blocking=False):
            try:
                self._has_news.clear()
                self._go_on()
            finally:
                self._lock.release()

    def _handle(self, line: str, moment: float) -> bool:
        self._go_on()
        words = line.split()
        while words and words[0] not in self.commands and words[0] != "quit":
            self.complain(words.pop(0)[:40], "unknown command, skipped (try 'help')")
        if not words:
            return True
        if words[0] == "quit":
            return False
        if self._must_wait(words):
            self._kept.append((words, moment))
            if not self.loader.is_ready:
                self._stand_in.hear(words, moment, self._kept)
        else:
            self._carry_out(words, moment)
        return True

    def _go_on(self) -> None:
        """Carry out what was kept until the kernels were loaded or the search had ended."""
        self._stand_in.settle(self._kept, self.loader.is_ready)
        if self.loader.is_ready and not self._is_loaded:
            self._is_loaded = True
            self.on_loaded()
        while self._kept and not self._must_wait(self._kept[0][0]):
            self._carry_out(*self._kept.popleft())
        if self._can_say_ready():
            for _ in range(self._ready_asked):
                self.say("readyok")
            self._ready_asked = 0

    def _must_wait(self, words: list[str]) -> bool:
        """Must a command be kept for later?"""
        lowered = [word.lower() for word in words]
        if words[0] in KEPT_DURING_SEARCH and SHOWS_ONLY not in lowered and not self._search_ended:
            return True
        needs_kernels = words[0] not in NEED_NO_KERNELS or any(name in lowered for name in LOADS_KERNELS)
        return needs_kernels and not self.loader.is_ready

    def _can_say_ready(self) -> bool:
        late = self.loader.seconds >= READY_SECONDS or self.loader.has_failed
        return self.loader.is_ready or late or self._stand_in.is_playing

    def _carry_out(self, words: list[str], moment: float) -> None:
        try:
            self.commands[words[0]](words[1:], moment)
        except ValueError as error:
            self.complain(words[0], f"{error}; ignored")
        except Exception as error:  # noqa: BLE001  (told; the conversation goes on)
            self.complain(words[0], f"failed ({error!r})")

    def complain(self, command: str, reason: str) -> None:
        """Tell the user what is wrong."""
        self.say(f"info string {ascii(command)[1:-1]}: {reason}")

    def isready(self, _words: list[str], _moment: float) -> None:
        """Answer when all is loaded, or after a few seconds."""
        self._ready_asked += 1
        if not self._can_say_ready():
            timer = threading.Timer(max(0.0, READY_SECONDS - self.loader.seconds) + 0.01, self.wake)
            timer.daemon = True
            timer.start()
