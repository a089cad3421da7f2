"""Commands that users type: in the shells of POSIX systems, and on Windows."""

import shlex

import pytest

from perft.command_text import quoted, words_of

FOLDERS = ["run", "a folder", "Ünïcödé ♞", r"C:\a folder\run", "it's"]


@pytest.mark.parametrize("command", ["", "stockfish", "wine 'my engine.exe' --flag=\"a b\"", r"a\ b c", "a # b"])
def test_a_command_is_split_as_a_shell_does_it(command):
    assert words_of(command, is_windows=False) == shlex.split(command)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (r"C:\engines\sf.exe", [r"C:\engines\sf.exe"]),
        (r'"C:\Program Files\sf 17\sf.exe" --threads 2', [r"C:\Program Files\sf 17\sf.exe", "--threads", "2"]),
        (r'lc0.exe --weights="D:\my nets\a.pb"', ["lc0.exe", r"--weights=D:\my nets\a.pb"]),
        (r"D:\it's\sf.exe", [r"D:\it's\sf.exe"]),
    ],
)
def test_on_windows_a_backslash_separates_folders(command, expected):
    assert words_of(command, is_windows=True) == expected


@pytest.mark.parametrize("command", ['"C:\\a b', "'"])
def test_a_quote_that_is_not_closed_is_an_error(command):
    with pytest.raises(ValueError, match="No closing quotation"):
        words_of(command, is_windows=command[0] == '"')


@pytest.mark.parametrize("is_windows", [False, True])
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_shown_can_be_typed(folder, is_windows):
    assert words_of(quoted(folder, is_windows=is_windows), is_windows=is_windows) == [folder]
