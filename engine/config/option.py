"""One UCI option: its kind, default and range; how a text becomes its value."""

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["spin", "check", "string", "button", "combo"]
Value = int | bool | str
KEY = "option"  # in the metadata of a dataclass field


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
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"must be a whole number, not {text[:40]!a}")
        if len(digits) > 18 or not self.lowest <= int(text) <= self.highest:
            raise ValueError(f"must be from {self.lowest} to {self.highest}, not {text[:40]}")
        return int(text)


# Each of these makes the field of a dataclass.


def spin(name: str, default: int, lowest: int, highest: int, meaning: str) -> Any:
    """A number."""
    return _field(Option(name, "spin", default, lowest, highest, meaning=meaning))


def check(name: str, meaning: str) -> Any:
    """A check box, off by default."""
    return _field(Option(name, "check", False, meaning=meaning))


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
    return field(default=option.default, metadata={KEY: option})
