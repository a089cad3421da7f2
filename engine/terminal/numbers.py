"""Numbers on command lines."""

import argparse
from typing import Any


def positive(kind: type[int] | type[float]) -> Any:
    """Reads a number above 0, for argparse."""

    def read(text: str) -> float:
        number = kind(text)
        if not 0 < number < float("inf"):
            raise argparse.ArgumentTypeError("must be more than 0")
        return number

    read.__name__ = "number"
    return read
