"""Commands whose units run in the process of the test: starting a worker takes longer than a small match."""

from unittest.mock import patch

from perft.runner import command_run
from perft.runner.processes import InlinePool


def without_workers():
    """A context in which no worker processes are started, on this machine."""
    return patch.object(command_run, "ProcessPool", lambda _, hints: InlinePool(hints))
