"""How long a run still takes, judged by how far it is."""

from perft.run import Progress


def seconds_left_of_run(progress: Progress) -> float | None:
    """What a run still needs; None while nothing is known. Getting ready takes long with much memory, and only once."""
    if not progress.share:
        return None
    return progress.counting_seconds * (1 - progress.share) / progress.share


def seconds_left(progress: Progress, elapsed: float, share_before: float, share_of_run: float) -> float | None:
    """What several runs still need, of which this one is a part; the coming ones are taken to be like those so far.

    `elapsed`: seconds of all runs so far. The shares are those of the runs before and of this one.
    """
    left = seconds_left_of_run(progress)
    if left is None:
        return None
    reached = min(1.0, share_before + share_of_run)
    return left + (elapsed + left) * (1 - reached) / reached
