"""Estimates of the remaining time of a run, by its progress."""

from perft.counter import Progress


def seconds_left_of_run(progress: Progress) -> float | None:
    """The remaining seconds of a run, None before the first count. Merging is over by then: its time does not count."""
    if not progress.share:
        return None
    return progress.counting_seconds * (1 - progress.share) / progress.share


def seconds_left(progress: Progress, elapsed: float, share_before: float, share_of_run: float) -> float | None:
    """The remaining seconds of several runs, this one included; the coming ones are assumed to be like those so far.

    `elapsed`: seconds of all runs so far. The shares are those of the runs before and of this one.
    """
    left = seconds_left_of_run(progress)
    if left is None:
        return None
    reached = min(1.0, share_before + share_of_run)
    return left + (elapsed + left) * (1 - reached) / reached
