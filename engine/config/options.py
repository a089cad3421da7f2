"""All options of the engine in one table: defaults, ranges, UCI lines, help and documents come from it."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from engine.config.strength import STRONGEST, WEAKEST

Kind = Literal["spin", "check", "string", "button", "combo"]
Value = int | bool | str
METADATA_KEY = "option"  # in the metadata of a dataclass field
ABOUT = "Teresa, Monte Carlo tree search in Python; GPL-3.0-or-later"


@dataclass(frozen=True)
class Option:
    """One option of UCI. Decimal numbers are given in thousandths (`spin`): UCI has only integers."""

    name: str
    kind: Kind
    default: Value = ""
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()
    meaning: str = ""

    def uci_line(self) -> str:
        """The line of the option in the answer to `uci`."""
        line = f"option name {self.name} type {self.kind}"
        if self.kind == "button":
            return line
        line += f" default {self.default_text}"
        if self.kind == "spin":
            line += f" min {self.lowest} max {self.highest}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    @property
    def default_text(self) -> str:
        """The default as UCI writes it."""
        if self.kind == "spin":
            return str(self.default)
        return str(self.default).lower() if self.kind == "check" else str(self.default or "<empty>")

    def parse(self, text: str) -> Value:
        """The value of a text; `ValueError` with the reason if there is none."""
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
        digits = text[1:] if text.startswith(("-", "+")) else text
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"must be a whole number, not {text[:40]!a}")
        if len(digits) > 18 or not self.lowest <= int(text) <= self.highest:
            raise ValueError(f"must be from {self.lowest} to {self.highest}, not {text[:40]}")
        return int(text)


# Each of these makes the field of a dataclass.


def spin(name: str, default: int, lowest: int, highest: int, meaning: str) -> Any:
    """A number."""
    return _field(Option(name, "spin", default, lowest, highest, meaning=meaning))


def check_box(name: str, meaning: str, default: bool = False) -> Any:
    """A check box."""
    return _field(Option(name, "check", default, meaning=meaning))


def string(name: str, meaning: str, default: str = "") -> Any:
    """A text."""
    return _field(Option(name, "string", default, meaning=meaning))


def combo(name: str, choices: tuple[str, ...], default: str, meaning: str) -> Any:
    """One of some texts."""
    return _field(Option(name, "combo", default, choices=choices, meaning=meaning))


def button(name: str, meaning: str) -> Any:
    """An action; it has no value."""
    return _field(Option(name, "button", meaning=meaning))


def _field(option: Option) -> Any:
    return field(default=option.default, metadata={METADATA_KEY: option})


@dataclass
class Options:
    """The values of all options, in the order in which `uci` lists them. `set` takes UCI names."""

    hash_megabytes: int = spin("Hash", 256, 1, 65536, "memory of the tree in MB")
    threads: int = spin("Threads", 1, 1, 256, "threads that search in one tree")
    multi_pv: int = spin("MultiPV", 1, 1, 256, "number of lines to show")
    ponder: bool = check_box("Ponder", "the GUI may let the engine think in the opponent's time")
    move_overhead: int = spin("Move Overhead", 30, 0, 5000, "milliseconds lost between engine and GUI at each move")
    chess960: bool = check_box("UCI_Chess960", "Chess960 castling rules and notation")
    show_wdl: bool = check_box("UCI_ShowWDL", "show win, draw and loss in permille")
    analyse_mode: bool = check_box("UCI_AnalyseMode", "analysis: no book, no randomness")
    limit_strength: bool = check_box("UCI_LimitStrength", "play at the rating UCI_Elo")
    elo: int = spin("UCI_Elo", STRONGEST, WEAKEST, STRONGEST, "the rating to play at, see docs/strength.md")
    about: str = string("UCI_EngineAbout", "name and licence; cannot be changed", ABOUT)
    own_book: bool = check_box("OwnBook", "play from the opening book")
    book_file: str = string("BookFile", "an opening book in the polyglot format")
    syzygy_path: str = string("SyzygyPath", "folders of Syzygy tablebases, separated as in PATH")
    eval_file: str = string("EvalFile", "a weights file, also of lc0 or Maia; empty: Teresa's network")
    formula: str = combo("Formula", ("UCB1", "PUCT"), "PUCT", "the formula by which the search selects moves")
    evaluator: str = combo("Evaluator", ("Network", "Playout"), "Network", "what evaluates a new position")
    ucb1_c: int = spin("UCB1 C", 500, 0, 10_000, "exploration constant of UCB1, in thousandths")
    puct_c: int = spin("PUCT C", 550, 0, 10_000, "exploration constant of PUCT, in thousandths")
    puct_growth: int = spin("PUCT Growth", 4000, 0, 10_000, "growth of PUCT C with the visits, in thousandths")
    first_play: int = spin("First Play", 180, -1000, 1000, "PUCT: penalty of unvisited moves, in thousandths")
    policy_temperature: int = spin(
        "Policy Temperature", 2400, 100, 10_000, "PUCT: temperature of priors, in thousandths"
    )
    root_temperature: int = spin(
        "Root Temperature", 5800, 100, 10_000, "PUCT: temperature of priors at the root, in thousandths"
    )
    quiescence: bool = check_box("Quiescence", "the network's value is that after winning captures", default=True)
    transpositions: bool = check_box(
        "Transpositions", "a new leaf takes the mean of its position elsewhere in the tree", default=True
    )
    batch: int = spin("Batch", 0, 0, 64, "leaves that are evaluated together; 0: 1, or what suits a network of lc0")
    temperature: int = spin("Temperature", 0, 0, 10_000, "randomness of the move played, in thousandths; 0: none")
    seed: int = spin("Seed", 0, 0, 2**31 - 1, "random seed; 0: a new one for each search")
    move_stats: bool = check_box("MoveStats", "a table of all moves before bestmove")
    explorer: bool = check_box("Explorer", "show the search in the browser, read-only, on this machine")
    explorer_port: int = spin("Explorer Port", 0, 0, 65535, "port of the explorer; 0: any free port")
    open_explorer: str = button("Open Explorer", "show the search in the browser now")
    log_file: str = string("LogFile", "log all UCI traffic to this file")
    clear_hash: str = button("Clear Hash", "forget the tree")

    def set(self, name: str, text: str) -> Option:
        """Set an option by its UCI name (in any case) from a text; -> the option. `ValueError` if it is refused."""
        option = BY_NAME.get(name.lower())
        if option is None:
            raise ValueError(f"no option is called {name[:40]!a}")
        if option.kind != "button":
            setattr(self, ATTRIBUTES[option.name], option.parse(text))
        return option

    def value(self, name: str) -> Value:
        """The value of an option by its UCI name."""
        value: Value = getattr(self, ATTRIBUTES[name])
        return value


OPTIONS: tuple[Option, ...] = tuple(field.metadata[METADATA_KEY] for field in fields(Options))
BY_NAME = {option.name.lower(): option for option in OPTIONS}
ATTRIBUTES = {field.metadata[METADATA_KEY].name: field.name for field in fields(Options)}
