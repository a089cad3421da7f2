"""Files: written whole or not at all, never over those of other programs; read as JSON, hashed, made printable."""

import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import resource

HEAD_BYTES = 4096  # for `is_ours`
FEW_FILES = 64  # every system allows a process more


def check_writable(path: Path, *, is_ours: Callable[[bytes], bool], kind: str, force: bool = False) -> None:
    """`ValueError` if a file cannot be written, or if it would replace something that Teresa did not write.

    Call it before long work. `is_ours` gets the first bytes of an existing file; `kind` names what Teresa writes,
    for the message. An empty file may be replaced, and so may a device or a pipe.
    """
    try:
        if path.is_dir():
            raise ValueError(f"{path}: is a folder")
        folder = path.resolve().parent
        if not folder.is_dir():
            raise ValueError(f"{path}: there is no folder {folder}")
        if not path.exists():
            with tempfile.TemporaryFile(dir=folder):  # only an attempt shows whether it can be written
                return
        if not path.is_file():
            return
        with path.open("r+b") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    if head and not force and not is_ours(head):
        raise ValueError(f"{path}: exists and is not {kind}; choose another name, or overwrite it with --force")


def write_whole(path: Path, data: bytes | str | Iterable[bytes]) -> None:
    """Write a file all at once: a reader finds the old content or the new one, also after a crash.

    An `OSError` with the name of the file if it cannot be written; then nothing has changed and nothing is left behind.
    Text is written as UTF-8. Data that is too large for memory is given in parts.
    """
    content = data.encode() if isinstance(data, str) else data
    parts = (content,) if isinstance(content, bytes) else content
    target = path.resolve()  # a link stays a link
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            with path.open("wb") as file:
                file.writelines(parts)
        else:
            _replace(target, parts)
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent != target.parent:
            raise  # the parts come from other files
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(target: Path, parts: Iterable[bytes]) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The permissions that new files do not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def allow_open_files(count: int) -> None:
    """Raise the limit of open files by a number, as far as allowed; files that are mapped into memory count."""
    if sys.platform != "win32" and count > FEW_FILES:
        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now != resource.RLIM_INFINITY:
            wanted = now + count if most == resource.RLIM_INFINITY else min(now + count, most)
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None if the file is missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # the last one: thousands of brackets
        return None
    return content if isinstance(content, dict) else None


def digest_of(*paths: Path) -> str:
    """SHA-256 of the contents of files."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def printable(text: str) -> str:
    """A text from a file or a user without characters that could control the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
