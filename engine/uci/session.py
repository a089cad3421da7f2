"""One session with a GUI: what it is made of, and the commands that need no kernels.

Handlers run under the lock of the queue, so the state of a session changes under it too. None of them waits: searches
and other long work run in threads.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from engine.config.options import BY_NAME, OPTIONS, Option, Options
from engine.explorer.embedded import EmbeddedExplorer
from engine.loader import Loader
from engine.search.resources import Resources
from engine.system.environment import version
from engine.uci.background import Background
from engine.uci.parse import UCI_COMMANDS, Command, read_option
from engine.uci.queue import CommandHandler, CommandQueue

if TYPE_CHECKING:
    from engine.report.report import Report
    from engine.uci.fallback import Fallback
    from engine.uci.search_commands import SearchCommands

FORGETTING_OPTIONS = frozenset(
    {"Hash", "Clear Hash", "Formula", "Evaluator", "EvalFile", "Quiescence", "Policy Temperature", "Root Temperature"}
)  # options with which the tree means something else
SECONDS_TO_CLOSE = 0.5
STANDARD_COMMANDS = (
    "uci, isready, debug on|off, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],",
    "go [limits], stop, ponderhit, quit",
)
LIMITS = "infinite ponder wtime btime winc binc movestogo movetime nodes depth mate perft searchmoves"


def no_log(_path: str) -> None:
    """Write no log."""


class Session:
    """The engine's side: a queue of commands, options, files, what runs in the background, and the search."""

    def __init__(
        self,
        say: Callable[[str], None],
        open_log: Callable[[str], None] = no_log,
        loader: Loader | None = None,
    ) -> None:
        """`say` prints a line; `open_log` takes the name of a file to which all lines are written."""
        self.say, self.options, self.resources = say, Options(), Resources(self.on_message)
        self.search: SearchCommands | None = None  # once the kernels are loaded
        self.is_debugging = False
        self._open_log = open_log
        self._explorer = EmbeddedExplorer(self.on_message, self._report)
        self.loader = loader or Loader(self._wake, self.on_message)
        self.background = Background(say, self._wake)
        self.queue = CommandQueue(
            self._handlers(), self.background, self.loader, say, self._new_fallback, self._on_loaded
        )

    def _handlers(self) -> dict[str, CommandHandler]:
        """Of the commands that need no kernels."""
        return {
            "uci": self.uci,
            "isready": self.isready,
            "setoption": self.setoption,
            "stop": self.stop,
            "debug": self.debug,
            "register": self.register,
            "help": self.help,
        }

    def _on_loaded(self) -> None:
        """Add the commands that need kernels."""
        from engine.uci.search_commands import SearchCommands  # imports the kernels

        search = self.search = SearchCommands(self)
        others = dict.fromkeys(UCI_COMMANDS, partial(run_other_command, search))
        self.queue.add_handlers({**others, **self._handlers(), **search.handlers()})
        search.searcher.prepare()

    def _wake(self) -> None:
        self.queue.wake()

    def _report(self) -> "Report":
        if self.search is None:
            raise RuntimeError("the search is not loaded")
        return self.search.searcher.report()

    def _new_fallback(self) -> "Fallback":
        from engine.uci.fallback import Fallback  # imports python-chess, which later starts do not need

        return Fallback(self.options, self.loader, self.say, self.queue.wake)

    def close(self) -> None:
        """Stop everything; without the lock, as another thread may hold it."""
        self._explorer.close()
        self.loader.close()
        if self.search is not None:
            self.search.searcher.stop()
            with suppress(RuntimeError):  # its thread is just being started
                self.search.searcher.wait(SECONDS_TO_CLOSE)

    def on_message(self, text: str) -> None:
        """Print something that users may want to know."""
        self.say(f"info string {text}")

    # Commands

    def uci(self, _command: Command) -> None:
        """Print name and options."""
        self.say(f"id name Teresa {version()}")
        self.say("id author the Teresa developers")
        for option in OPTIONS:
            self.say(option.uci_line())
        self.say("uciok")

    def isready(self, _command: Command) -> None:
        """Answer; the queue decides when."""
        self.say("readyok")

    def debug(self, command: Command) -> None:
        """Print more, or less."""
        if command.arguments not in (["on"], ["off"]):
            raise ValueError("'on' or 'off' must follow")
        self.is_debugging = command.arguments == ["on"]

    def register(self, _command: Command) -> None:
        """Do nothing: no registration is needed."""

    def setoption(self, command: Command) -> None:
        """Set an option, or press a button."""
        name, value = read_option(command.arguments)
        known = BY_NAME.get(name.lower())
        try:
            if known is not None and known.name in self._files:  # first see whether the file is good
                self._files[known.name]("" if value == "<empty>" else value)
            option = self.options.set(name, value)
        except ValueError as error:
            raise ValueError(str(error) if known is None else f"{known.name}: {error}") from None
        if "Explorer" in option.name:
            self._show_explorer(option.name)
        if self.search is not None and option.name in FORGETTING_OPTIONS:
            self.search.searcher.forget()
            self.search.searcher.prepare()
        if self.search is not None and option.name == "UCI_Chess960":
            self.search.take_rules()

    @property
    def _files(self) -> dict[str, Callable[[str], None]]:
        """Options that name files, and what opens them."""
        return {
            "BookFile": self.resources.set_book,
            "SyzygyPath": self.resources.set_tablebases,
            "EvalFile": self.resources.set_network,
            "LogFile": self._open_log,
        }

    def _show_explorer(self, option: str) -> None:
        """Open or close the page, as an option says."""
        port = self.options.explorer_port
        if option == "Open Explorer":
            self._explorer.open_in_browser(port)
        elif not self.options.explorer:
            self._explorer.close()
        elif option == "Explorer":
            self._explorer.open(port)

    def stop(self, _command: Command) -> None:
        """Stop what runs."""
        self.background.stop()

    def help(self, command: Command) -> None:
        """List the commands, or after `options` the options."""
        if command.arguments not in ([], ["options"]):
            raise ValueError("only 'options' may follow")
        for line in option_lines() if command.arguments else help_lines():
            self.say(f"info string {line}")


def run_other_command(search: "SearchCommands", command: Command) -> None:
    """Run a command that UCI does not have."""
    from engine.uci.other_commands import HANDLERS  # imports much that games do not need

    HANDLERS[command.name](search, command)


def help_lines() -> list[str]:
    """One line for each command."""
    others = (f"{name:8} {kind.meaning}" for name, kind in UCI_COMMANDS.items() if kind.meaning)
    return [*STANDARD_COMMANDS, *others, f"{'go':8} {LIMITS}"]


def option_lines() -> list[str]:
    """Name, meaning, default and range of each option."""
    return [f"{option.name}: {option.meaning}{_values_text(option)}" for option in OPTIONS]


def _values_text(option: Option) -> str:
    if option.kind == "button":
        return " (button)"
    bounds = f", {option.lowest} to {option.highest}" if option.kind == "spin" else ""
    choices = f", one of {' '.join(option.choices)}" if option.choices else ""
    return f" (default {option.default_text}{bounds}{choices})"
