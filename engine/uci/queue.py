"""When a command is carried out: at once, when the kernels are loaded, or when other work has ended. Nothing is lost.

Commands that must wait are kept in their order. Nothing here blocks: the state changes under a lock, in the thread that
reads or in the one that carries out what was kept; a search that ends only calls `wake`.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from engine.config.options import Options
from engine.loader import Loader
from engine.uci.fallback import Kept, StandIn, is_search
from engine.uci.parse import keep_blanks, option_of

CHANGES_THE_TREE = frozenset(
    {"position", "setoption", "ucinewgame", "go", "eval", "bench", "savetree", "loadtree"}
)  # wait for the end of a search
LONG_WORK = frozenset({"go", "eval", "bench"})
LOOKS_AT_THE_TREE = frozenset({"moves", "why", "whynot"})
NEVER_WAITS = frozenset({"uci", "isready", "debug", "register", "help"})
SHOWS_ONLY = frozenset({"explorer", "explorer port", "open explorer"})  # options that do not disturb a search
LOADS_KERNELS = SHOWS_ONLY | {"evalfile"}  # options that import what the loader imports: two at once is one too many
FOR_THE_STAND_IN = frozenset({"stop", "ponderhit", "position", "setoption", "ucinewgame", "isready"})
READY_SECONDS = 4.0  # after which `isready` is answered although kernels are still being compiled
SECONDS_BETWEEN_LOOKS = 0.02  # at whether all is done, when no more input comes


class Conversation:
    """Hears lines and carries out `commands`, each in its time."""

    def __init__(self, say: Callable[[str], None], loader: Loader | None = None) -> None:
        """`say` writes a line."""
        self.say = say
        self.options = Options()
        self.commands: dict[str, Callable[[list[str], float], None]] = {"isready": self.isready}
        self.loader = loader or Loader(self.wake, lambda news: say(f"info string {news}"))
        self._stand_in = StandIn(self.options, self.loader, say, self.wake)
        self._lock, self._has_news = threading.Lock(), threading.Event()
        self._kept: deque[Kept] = deque()
        self._is_loaded = self._input_has_ended = False
        threading.Thread(target=self._carry_out_kept, name="kept commands", daemon=True).start()

    # What runs beside the conversation

    def on_loaded(self) -> None:
        """The kernels are there."""

    @property
    def is_busy(self) -> bool:
        """Is there a search or another long work that a command may have to wait for?"""
        return False

    @property
    def is_idle(self) -> bool:
        """Does nothing run at all?"""
        return not self.is_busy

    @property
    def waits_for_stop(self) -> bool:
        """Will the search that is going on never answer by itself?"""
        return False

    @property
    def may_be_endless(self) -> bool:
        """Has the search that is going on no limit of time or visits?"""
        return self.waits_for_stop

    def stop_search(self) -> None:
        """Ask the search to end soon."""

    # Hearing

    def hear(self, line: str, moment: float) -> bool:
        """Do what a line says that came at a moment; -> does the conversation go on?"""
        with self._lock:
            self._go_on()
            goes_on = self._handle(line, moment)
            if goes_on:
                self._go_on()
            return goes_on

    def finish(self, is_in_vain: Callable[[], bool]) -> bool:
        """No more input comes: wait until all is done that was asked; -> could all be done?

        What only `stop` would end is stopped. `is_in_vain`: is there nobody any more to read the answers?
        """
        with self._lock:
            self._input_has_ended = True
            self._go_on()
        while not (is_in_vain() or self._is_done()):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return not self.loader.has_failed

    def _is_done(self) -> bool:
        with self._lock:
            self._go_on()
            if self.loader.has_failed:
                return not self._stand_in.is_playing
            return self.is_idle and not self._kept

    def wake(self) -> None:
        """Carry out what was kept, if its time has come; from any thread, which does not wait for it."""
        if self._kept or not self._is_loaded:
            self._has_news.set()

    def _carry_out_kept(self) -> None:
        while True:
            self._has_news.wait()
            self._has_news.clear()
            with self._lock:
                self._go_on()

    def _handle(self, line: str, moment: float) -> bool:
        words = line.split()
        while words and words[0] not in self.commands and words[0] != "quit":
            self.complain(words.pop(0)[:40], "unknown command, skipped (try 'help')")
        if not words:
            return True
        keep_blanks(words, line)
        if words[0] == "quit":
            return False
        if self.loader.is_ready and (words[0] == "stop" or (words[0] == "go" and self.is_busy)):
            self._stop_all(moment)
        if words[0] == "stop" and self.loader.is_ready:
            return True
        if self._must_wait(words):
            self._kept.append((words, moment))
            if not self.loader.is_ready:
                self._stand_in.hear(words, moment, self._kept)
        else:
            self._carry_out(words, moment)
        return True

    def _stop_all(self, moment: float) -> None:
        """End what is going on now, and later what was asked for before."""
        self._carry_out(["stop"], moment)
        if any(words[0] in LONG_WORK for words, _ in self._kept):
            self._kept.append((["stop"], moment))

    # Carrying out

    def _go_on(self) -> None:
        """Carry out what was kept, as far as its time has come."""
        self._stand_in.settle(self._kept, self.loader.is_ready)
        if self.loader.has_failed:
            self._refuse_kept()
            if self._input_has_ended:
                self._stand_in.stop()
        if self.loader.is_ready and not self._is_loaded:
            self._is_loaded = True
            self._attempt("start", self.on_loaded)
        while self._kept and self._is_time_for(self._kept[0][0]):
            self._carry_out(*self._kept.popleft())
        if self.loader.is_ready:
            self._hurry()
        if (self.waits_for_stop and self._input_has_ended) or (self.may_be_endless and self._has_kept_go):
            self.stop_search()
        if self._can_say_ready():
            self._answer_kept_isready()

    def _hurry(self) -> None:
        """What is meant for a search that is going on must not wait behind what waits for its end."""
        for place, item in enumerate(self._kept):
            if item[0][0] == "go":
                break
            if item[0][0] == "ponderhit":
                del self._kept[place]
                self._carry_out(*item)
                break
        for words, moment in self._kept:
            if words[0] == "stop":  # ends all that was asked for before, so it stays for what is still to come
                self._carry_out(words, moment)
                break

    @property
    def _has_kept_go(self) -> bool:
        return any(words[0] == "go" for words, _ in self._kept)

    def _must_wait(self, words: list[str]) -> bool:
        """Must a command that has just come be kept for later?"""
        if words[0] in NEVER_WAITS:
            return False
        if self._has_kept_go or (self._kept and words[0] in CHANGES_THE_TREE):
            return True  # each in its turn
        if words[0] in LOOKS_AT_THE_TREE and self.loader.is_ready:
            return False  # also during a search
        return not self._is_time_for(words)

    def _is_time_for(self, words: list[str]) -> bool:
        """Can the first of the kept commands be carried out? What looks at a search waits for it, if it ends."""
        option = option_of(words)
        if not self.loader.is_ready:
            return words[0] == "setoption" and option not in LOADS_KERNELS
        if words[0] in LOOKS_AT_THE_TREE:
            return not self.is_busy or self.may_be_endless
        return not (self.is_busy and words[0] in CHANGES_THE_TREE and option not in SHOWS_ONLY)

    def _refuse_kept(self) -> None:
        """The search will never be there: the stand-in answers `go`, and nothing else can be done."""
        remaining = []
        for words, moment in self._kept:
            if words[0] in FOR_THE_STAND_IN or is_search(words):
                remaining.append((words, moment))
            else:
                self.complain(words[0], "cannot be done, the search could not be loaded")
        self._kept.clear()
        self._kept.extend(remaining)

    def _answer_kept_isready(self) -> None:
        """`isready` waits for what came before it while that is loaded, not for a search or the stand-in."""
        for item in [item for item in self._kept if item[0][0] == "isready"]:
            self._kept.remove(item)
            self._carry_out(*item)

    def _can_say_ready(self) -> bool:
        late = self.loader.seconds >= READY_SECONDS or self.loader.has_failed
        return self.loader.is_ready or late or self._stand_in.is_playing

    def _carry_out(self, words: list[str], moment: float) -> None:
        self._attempt(words[0], lambda: self.commands[words[0]](words[1:], moment))

    def _attempt(self, name: str, act: Callable[[], None]) -> None:
        """Do something; what fails is reported, and the conversation goes on."""
        try:
            act()
        except ValueError as error:
            self.complain(name, f"{error}; ignored")
        except Exception as error:  # noqa: BLE001  (reported)
            self.complain(name, f"failed ({error!r})")

    def complain(self, command: str, reason: str) -> None:
        """Tell the user what is wrong."""
        self.say(f"info string {ascii(command)[1:-1]}: {reason}")

    def isready(self, words: list[str], moment: float) -> None:
        """Answer when all is loaded, or after a few seconds."""
        if self._can_say_ready():
            self.say("readyok")
            return
        self._kept.append((["isready", *words], moment))
        timer = threading.Timer(max(0.0, READY_SECONDS - self.loader.seconds) + 0.01, self.wake)
        timer.daemon = True
        timer.start()
