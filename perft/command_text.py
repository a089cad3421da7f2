"""Commands as text: the words of one that a user has typed, and a word of one that is shown."""

import shlex
import subprocess
import sys

IS_WINDOWS = sys.platform == "win32"


def words_of(command: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    """The program and its arguments. On Windows backslashes separate folders, and single quotes are letters."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.commenters = True, ""
    if is_windows:
        reader.escape, reader.quotes = "", '"'
    return list(reader)


def quoted(word: str, *, is_windows: bool = IS_WINDOWS) -> str:
    """A word as it is typed."""
    return subprocess.list2cmdline([word]) if is_windows else shlex.quote(word)
