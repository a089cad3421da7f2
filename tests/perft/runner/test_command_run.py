from pathlib import Path

import pytest

from perft.command_text import quoted, words_of
from perft.runner.arguments import RunOptions
from perft.runner.command_run import CommandRun


@pytest.mark.parametrize("folder", ["run", "my run"])
def test_what_is_printed_to_continue_a_run_can_be_typed(folder):
    run = CommandRun("test", RunOptions(), 1)
    assert run.how_to_continue == ""
    run.folder = Path(folder)
    assert run.how_to_continue == f"; continue by --resume {quoted(folder)}"
    assert words_of(run.how_to_continue)[-2:] == ["--resume", folder]
