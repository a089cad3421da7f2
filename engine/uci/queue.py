"""When a command runs: at once, when the kernels are loaded, or when a search has ended. Commands keep their order.

The state changes under a lock, and handlers run under it: in the thread that reads, or in the one that runs what had to
wait. Nothing here blocks, and a search that ends only calls `wake`.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from engine.loader import Loader, Outlook
from engine.uci.parse import Command, WaitsFor, is_search, option_of, read_command

if TYPE_CHECKING:
    from engine.uci.fallback import Fallback

CommandHandler = Callable[[Command], None]

SHOWS_ONLY = frozenset({"explorer", "explorer port", "open explorer"})  # options that do not disturb a search
LOADS_KERNELS = SHOWS_ONLY | {"evalfile"}  # options that import kernels: not while the loader imports them
READY_SECONDS = {Outlook.SOON: 8.0, Outlook.LATE: 4.0}  # after which `isready` no longer waits for the search
MATE_SECONDS = 30.0  # for each search for a mate, at the end of input: there may be no mate
END_POLL_SECONDS = 0.02  # between two checks whether all is done, at the end of input


class Activity(Protocol):
    """What commands may have to wait for."""

    @property
    def is_busy(self) -> bool:
        """Whether a search or a job runs."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs at all, and all answers are written."""

    @property
    def waits_for_stop(self) -> bool:
        """Whether the search never answers by itself."""

    @property
    def may_be_endless(self) -> bool:
        """Whether the search may never answer by itself."""

    @property
    def search_seconds(self) -> float:
        """How long the search has run."""

    def stop_search(self) -> None:
        """Ask the search to end soon."""


class CommandQueue:
    """Takes lines, and runs the handlers of their commands when it is time."""

    def __init__(
        self,
        handlers: dict[str, CommandHandler],
        activity: Activity,
        loader: Loader,
        say: Callable[[str], None],
        new_fallback: Callable[[], "Fallback"],
        on_loaded: Callable[[], None],
    ) -> None:
        """`say` prints a line; `on_loaded` is called before the first command that needs kernels, and adds handlers."""
        self._handlers = handlers
        self._activity, self._loader, self._say = activity, loader, say
        self._new_fallback, self._on_loaded = new_fallback, on_loaded
        self._fallback: Fallback | None = None
        self._lock, self._news = threading.Lock(), threading.Event()
        self._pending: deque[Command] = deque()
        self._is_loaded = self._input_has_ended = False
        threading.Thread(target=self._run_when_woken, name="pending commands", daemon=True).start()

    def add_handlers(self, handlers: dict[str, CommandHandler]) -> None:
        """Commands that can be run from now on."""
        self._handlers.update(handlers)

    def hear(self, line: str, moment: float) -> bool:
        """Run the command of a line, now or later; `moment`: when it came. Return False for `quit`."""
        command, unknown = read_command(line, moment)
        for token in unknown:
            self.complain(token[:40], "unknown command, skipped (try 'help')")
        if command is not None and command.name != "quit":
            with self._lock:
                self._take(command)
        return command is None or command.name != "quit"

    def finish(self, is_in_vain: Callable[[], bool]) -> bool:
        """At the end of input, wait until all commands are done; return whether all could be done.

        A search that only `stop` would end is stopped, one for a mate after `MATE_SECONDS`.
        `is_in_vain`: whether the answers are no longer read.
        """
        with self._lock:
            self._input_has_ended = True
        while not (is_in_vain() or self._is_done()):
            time.sleep(END_POLL_SECONDS)
        return not self._loader.has_failed

    def _is_done(self) -> bool:
        with self._lock:
            self._run_due()
            if self._loader.has_failed:
                return not self._fallback_plays
            return self._activity.is_idle and not self._pending

    def wake(self) -> None:
        """Run pending commands whose time has come, in another thread than the caller's."""
        if self._pending or not self._is_loaded:
            self._news.set()

    def _run_when_woken(self) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            with self._lock:
                self._run_due()

    # A new command

    def _take(self, command: Command) -> None:
        if command.kind.waits_for is WaitsFor.NOTHING:
            self._run_due()
            self._run(command)
            return
        if not self._is_loaded:
            self._attend_loading()
        if self._is_loaded and (command.name == "stop" or (command.name == "go" and self._has_long_work)):
            self._stop_long_work(command.moment)
        if not (self._is_loaded and command.name == "stop"):
            self._pending.append(command)
        if not self._is_loaded and command.name == "isready":
            self._wake_when_late()
        self._run_due()
        if self._may_overtake(command):
            self._pending.pop()
            self._run(command)

    @property
    def _has_long_work(self) -> bool:
        return self._activity.is_busy or any(command.kind.is_long for command in self._pending)

    def _stop_long_work(self, moment: float) -> None:
        """Stop what runs now, and what was asked for before once it runs."""
        stop = Command("stop", [], moment)
        self._run(stop)
        if any(command.kind.is_long for command in self._pending):
            self._pending.append(stop)

    def _may_overtake(self, command: Command) -> bool:
        """Whether a new command waits in vain: what leaves the tree alone waits only for a `go`."""
        if not self._pending or self._pending[-1] is not command:
            return False
        return self._is_loaded and command.kind.waits_for is not WaitsFor.END and not self._has_pending_go

    @property
    def _has_pending_go(self) -> bool:
        return any(command.name == "go" for command in self._pending)

    # Commands whose time has come

    def _run_due(self) -> None:
        """Run the pending commands that may run now."""
        if not self._is_loaded:
            self._attend_loading()
        while self._pending and self._is_due(self._pending[0]):
            self._run(self._pending.popleft())
        if self._is_loaded:
            self._hurry()
        if self._is_endless and (self._input_has_ended or self._has_pending_go):
            self._activity.stop_search()
        if self._can_be_ready:
            self._answer_isready()

    def _is_due(self, command: Command) -> bool:
        """Whether the first pending command may run. What looks at a search waits for its end, if it has one."""
        option, waits_for = option_of(command), command.kind.waits_for
        if not self._is_loaded:
            return command.name == "setoption" and option not in LOADS_KERNELS
        if waits_for is WaitsFor.RESULT:
            return not self._activity.is_busy or self._is_endless
        return not (self._activity.is_busy and waits_for is WaitsFor.END and option not in SHOWS_ONLY)

    @property
    def _is_endless(self) -> bool:
        """Whether nothing waits for the end of the search that runs. After the end of input nobody can stop it."""
        if self._input_has_ended and self._activity.search_seconds < MATE_SECONDS:
            return self._activity.waits_for_stop
        return self._activity.may_be_endless

    def _hurry(self) -> None:
        """Run what is meant for the search that runs, although it is behind commands that wait for its end."""
        for index, command in enumerate(self._pending):
            if command.name == "go":
                break
            if command.name == "ponderhit":
                del self._pending[index]
                self._run(command)
                break
        for command in self._pending:
            if command.name == "stop":  # it stays, for what was asked for before it and does not run yet
                self._run(command)
                break

    def _run(self, command: Command) -> None:
        self.attempt(command.name, lambda: self._handlers[command.name](command))

    def attempt(self, name: str, act: Callable[[], None]) -> None:
        """Do something; a failure is reported, and the session continues."""
        try:
            act()
        except ValueError as error:
            self.complain(name, f"{error}; ignored")
        except Exception as error:  # noqa: BLE001  (reported)
            self.complain(name, f"failed ({error!r})")

    def complain(self, command: str, reason: str) -> None:
        """Print what is wrong with a command."""
        self._say(f"info string {ascii(command)[1:-1]}: {reason}")

    # While the kernels are loaded

    def _attend_loading(self) -> None:
        """See whether they are loaded, or will never be; the fallback player answers what cannot wait."""
        is_ready = self._loader.is_ready
        self._attend_fallback(is_ready)
        if self._loader.has_failed:
            self._refuse_pending()
        if is_ready:
            self._is_loaded = True
            self.attempt("start", self._on_loaded)

    def _attend_fallback(self, is_ready: bool) -> None:
        """Let the fallback player answer, in its own thread; once the search is ready, it gives way."""
        if self._fallback is None:
            if is_ready or not any(map(is_search, self._pending)):
                return
            self._fallback = self._new_fallback()
        self._fallback.attend(self._pending, is_ready)
        if self._loader.has_failed and self._input_has_ended:
            self._fallback.stop()

    @property
    def _fallback_plays(self) -> bool:
        return self._fallback is not None and self._fallback.is_playing

    def _refuse_pending(self) -> None:
        """The search will never be loaded: the fallback player answers `go`, and nothing else can be done."""
        for command in list(self._pending):
            if not (command.kind.is_for_fallback or is_search(command)):
                self._pending.remove(command)
                self.complain(command.name, "cannot be done, the search could not be loaded")

    @property
    def _can_be_ready(self) -> bool:
        """Whether `isready` is answered: it waits for what came before it, but for no search and no compiler."""
        if self._is_loaded or self._loader.has_failed or self._fallback_plays:
            return True
        return self._loader.seconds >= READY_SECONDS.get(self._loader.outlook, 0.0)

    def _answer_isready(self) -> None:
        for command in [command for command in self._pending if command.name == "isready"]:
            self._pending.remove(command)
            self._run(command)

    def _wake_when_late(self) -> None:
        for seconds in READY_SECONDS.values():
            timer = threading.Timer(max(0.0, seconds - self._loader.seconds) + 0.01, self.wake)
            timer.daemon = True
            timer.start()
