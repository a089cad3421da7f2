"""The lock of a folder: one process at a time writes there."""

from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "lock"  # the file, held by the process that writes


def take_lock(folder: Path, in_use: str, patience: float = 0.0) -> FileLock:
    """Take the lock of a folder, and create the folder if there is none; release it with `release`.

    A `ValueError` if another process still has it after `patience` seconds (`in_use`: what the message says of the
    folder then), or if nothing can be written there.
    """
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=patience)
    except Timeout:
        raise ValueError(f"{folder} {in_use}") from None
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror or error}") from None
    return lock
