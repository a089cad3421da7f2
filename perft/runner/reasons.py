"""Why Dask could not do something, in words."""

from perft.runner.versions import ADVICE, Refusal


def innermost(error: BaseException) -> str:
    """The cause behind the errors of Dask's layers: the last one that says something."""
    text = str(error)
    while error.__cause__ is not None:
        error = error.__cause__
        text = str(error) or text
    return text or type(error).__name__


def without_teresa(worker: str, error: BaseException) -> Refusal:
    """The refusal of a worker without Teresa, or with another version of it."""
    return Refusal(worker, f"cannot load Teresa ({innermost(error)})")


def reason_of(error: BaseException) -> str:
    """Why Dask could not run a unit; what its function raises is in the answer instead."""
    reason = innermost(error)
    is_missing = isinstance(error, ImportError) or "deserializ" in str(error) or "No module named" in reason
    return f"the scheduler or a worker cannot load Teresa: {ADVICE} ({reason})" if is_missing else reason
