"""What comes from outside with a request: each value has its type, or a `ValueError` names it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Data = dict[str, Any]
LONGEST_NUMBER = 9  # digits


class OldRevisionError(ValueError):
    """A page asks about a game that is not open any more."""


class Attachment(NamedTuple):
    """A file to be saved by the browser, instead of JSON."""

    name: str
    kind: str
    content: bytes


Question = Callable[[Mapping[str, str]], Any]  # the query of a GET -> its answer


def text_in(asked: Data, name: str) -> str:
    """A text of a POST."""
    text = asked.get(name)
    if type(text) is not str:
        raise ValueError(f"{name} must be a text")
    return str(text)


def whole_in(asked: Data, name: str) -> int:
    """A whole number of a POST."""
    if type(asked.get(name)) is not int:
        raise ValueError(f"{name} must be a number")
    return int(asked[name])


def truth_in(asked: Data, name: str, *, otherwise: bool | None = None) -> bool:
    """True or false, of a POST; `otherwise` if it is not there."""
    value = asked.get(name, otherwise)
    if type(value) is not bool:
        raise ValueError(f"{name} must be true or false")
    return bool(value)


def number_of(asked: Mapping[str, str], name: str, otherwise: int = 0, digits: int = 5) -> int:
    """A number of a GET."""
    text = asked.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        raise ValueError(f"{name} must be a number")
    return int(text)
