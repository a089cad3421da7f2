"""The exit status of the command."""

from enum import IntEnum

from perft import exits as leaving


class Status(IntEnum):
    """Exit status of `python -m perft`."""

    AGREES = 0  # counted, or everything compared agrees
    DIFFERS = 1
    BAD_INPUT = leaving.BAD_INPUT
    INTERRUPTED = leaving.INTERRUPTED
