"""A run of units that need the engine."""

from perft.processors import processors
from perft.runner.arguments import RunOptions
from perft.runner.command_run import CommandRun


class EngineRun(CommandRun):
    """A run of a command of `teresa`."""

    package, program, flag = "engine", "teresa ", "--workers"

    def __init__(self, command: str, options: RunOptions, workers: int | None) -> None:
        """`workers`: how many units are done at a time on this machine; None: as many as there are processors."""
        super().__init__(command, options, workers or processors())


class GenerateRun(EngineRun):
    """A run that keeps what is done beside its output, so that it has no folder."""

    flag = "--processes"
