"""The console that commands print to: its colours, width and letters."""

import errno
import os
import sys
from collections.abc import Sequence

from rich.console import Console

PLAIN_WIDTH = 140  # where there is no terminal


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the program here; `perft.exits` decides what a closed pipe means."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def new_console(is_terminal: bool) -> Console:
    """Colour only on a terminal, and not if NO_COLOR is set."""
    return _Console(force_terminal=is_terminal, width=None if is_terminal else PLAIN_WIDTH, highlight=False)


def can_show(text: str) -> bool:
    """Can standard output encode these letters?"""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_lines(console: Console, lines: Sequence[str]) -> None:
    """Lines of text, on a terminal broken between words (moves), elsewhere whole."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=not console.is_terminal)
