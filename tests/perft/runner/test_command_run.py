import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from perft.command_text import quoted, words_of
from perft.runner.arguments import RunOptions
from perft.runner.command_run import CommandRun
from perft.runner.processes import InlinePool
from perft.runner.runner import Stopped
from tests.perft.runner.work import unit


@pytest.mark.parametrize("folder", ["run", "my run"])
def test_what_is_printed_to_continue_a_run_can_be_typed(folder):
    run = CommandRun("test", RunOptions(), 1)
    assert run.how_to_continue == ""
    run.folder = Path(folder)
    assert run.how_to_continue == f"; continue by --resume {quoted(folder)}"
    assert words_of(run.how_to_continue)[-2:] == ["--resume", folder]


def test_after_ctrl_c_no_other_list_of_units_is_begun():
    """Also if the units that were under way were the last ones of their list."""

    def press_at_the_end(stats):
        if stats.done == stats.total and not stats.is_stopping:
            signal.raise_signal(signal.SIGINT)

    with CommandRun("test", RunOptions(), 1) as run, patch.object(run, "local_pool", lambda: InlinePool({})):
        assert len(list(run.runner(watcher=lambda _: None).run([unit(1)]))) == 1
        assert len(list(run.runner(watcher=press_at_the_end).run([unit(1), unit(2)]))) == 2
        with pytest.raises(Stopped):
            run.runner()
