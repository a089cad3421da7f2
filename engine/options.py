"""All UCI options in one table: name, kind, default, range. Checks, help and `uci` come from it."""

from dataclasses import dataclass
from typing import Literal

from engine.strength import STRONGEST, WEAKEST

Kind = Literal["spin", "check", "string", "button", "combo"]
Value = int | bool | str


@dataclass(frozen=True)
class Option:
    """One option as UCI knows it. Numbers with decimals are given in thousandths (`spin`), as GUIs have no others."""

    name: str
    kind: Kind
    default: Value = ""
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()
    meaning: str = ""

    def uci_line(self) -> str:
        """What `uci` says of it."""
        line = f"option name {self.name} type {self.kind}"
        if self.kind == "button":
            return line
        default = str(self.default).lower() if self.kind == "check" else self.default or "<empty>"
        line += f" default {default if self.kind != 'spin' else self.default}"
        if self.kind == "spin":
            line += f" min {self.lowest} max {self.highest}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> Value:
        """The value that a text means; a `ValueError` says why it means none."""
        if self.kind == "spin":
            return self._parse_number(text)
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError(f"must be true or false, not {text[:40]!a}")
            return text.lower() == "true"
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise ValueError(f"must be one of {', '.join(self.choices)}, not {text[:40]!a}")
        return "" if text == "<empty>" else text

    def _parse_number(self, text: str) -> int:
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"must be a whole number, not {text[:40]!a}")
        if len(digits) > 18 or not self.lowest <= int(text) <= self.highest:
            raise ValueError(f"must be from {self.lowest} to {self.highest}, not {text[:40]}")
        return int(text)


ABOUT = "Teresa, Monte Carlo tree search in Python; GPL-3.0-or-later"

OPTIONS = (
    Option("Hash", "spin", 256, 1, 65536, meaning="memory of the tree in MB"),
    Option("Threads", "spin", 1, 1, 256, meaning="threads that search in one tree"),
    Option("MultiPV", "spin", 1, 1, 256, meaning="lines to show"),
    Option("Ponder", "check", False, meaning="the GUI may let the engine think in the opponent's time"),
    Option("Move Overhead", "spin", 30, 0, 5000, meaning="milliseconds lost between engine and GUI at each move"),
    Option("UCI_Chess960", "check", False, meaning="Chess960 castling rules and notation"),
    Option("UCI_ShowWDL", "check", False, meaning="show win, draw and loss in permille"),
    Option("UCI_AnalyseMode", "check", False, meaning="no game: neither book nor chance"),
    Option("UCI_LimitStrength", "check", False, meaning="play as weak as UCI_Elo says"),
    Option("UCI_Elo", "spin", STRONGEST, WEAKEST, STRONGEST, meaning="the rating to play at, see docs/strength.md"),
    Option("UCI_EngineAbout", "string", ABOUT, meaning="who this is; cannot be changed"),
    Option("OwnBook", "check", False, meaning="play from the opening book"),
    Option("BookFile", "string", meaning="an opening book in the polyglot format"),
    Option("SyzygyPath", "string", meaning="folders of Syzygy tablebases, separated as in PATH"),
    Option("EvalFile", "string", meaning="a weights file; empty: the network that comes with the engine"),
    Option("Formula", "combo", "PUCT", choices=("UCB1", "PUCT"), meaning="how the search chooses what to look at"),
    Option("Evaluator", "combo", "Network", choices=("Network", "Playout"), meaning="what judges a new position"),
    Option("UCB1 C", "spin", 500, 0, 10_000, meaning="exploration of UCB1, in thousandths"),
    Option("PUCT C", "spin", 550, 0, 10_000, meaning="exploration of PUCT, in thousandths"),
    Option("PUCT Growth", "spin", 4000, 0, 10_000, meaning="growth of PUCT C with the visits, in thousandths"),
    Option("First Play", "spin", 180, -1000, 1000, meaning="PUCT: how much less new moves count, in thousandths"),
    Option("Policy Temperature", "spin", 2400, 100, 10_000, meaning="PUCT: of the priors, in thousandths"),
    Option("Root Temperature", "spin", 5800, 100, 10_000, meaning="PUCT: of the priors at the root, in thousandths"),
    Option("Batch", "spin", 1, 1, 64, meaning="leaves that are evaluated together"),
    Option("Temperature", "spin", 0, 0, 10_000, meaning="chance in the choice of the move, in thousandths; 0: none"),
    Option("Seed", "spin", 0, 0, 2**31 - 1, meaning="of all that is random; 0: another one in each search"),
    Option("MoveStats", "check", False, meaning="a table of all moves before bestmove"),
    Option("Explorer", "check", False, meaning="show the search in the browser, read-only, on this machine"),
    Option("Explorer Port", "spin", 0, 0, 65535, meaning="of the explorer; 0: any that is free"),
    Option("Open Explorer", "button", meaning="show the search in the browser now"),
    Option("LogFile", "string", meaning="a file to which all that is said and heard is added"),
    Option("Clear Hash", "button", meaning="forget the tree"),
)
BY_NAME = {option.name.lower(): option for option in OPTIONS}


class Settings:
    """The values of all options."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {option.name: option.default for option in OPTIONS}

    def set(self, name: str, text: str) -> Option:
        """Set an option by its name (in any case) from a text; -> the option. `ValueError` if that cannot be."""
        option = BY_NAME.get(name.lower())
        if option is None:
            raise ValueError(f"no option is called {name[:40]!a}")
        if option.kind != "button":
            self._values[option.name] = option.parse(text)
        return option

    def number(self, name: str) -> int:
        """The value of a number."""
        return int(self._values[name])

    def flag(self, name: str) -> bool:
        """The value of a check box."""
        return bool(self._values[name])

    def text(self, name: str) -> str:
        """The value of a text or a choice."""
        return str(self._values[name])
