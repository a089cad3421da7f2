"""Nets of others, by their files. Nothing heavy is imported before such a file is opened."""

from pathlib import Path
from typing import TYPE_CHECKING

from engine.lc0.weights_file import Kind, kind_of_file
from engine.system.environment import check_extra

if TYPE_CHECKING:
    from engine.lc0.evaluator import Lc0Net

__all__ = ["Kind", "kind_of_file", "open_net"]


def open_net(path: Path, threads: int | None = None) -> "Lc0Net":
    """The net in a file of lc0 or an ONNX file; a `ValueError` says why it cannot be used.

    `threads`: for one evaluation; None: as many as there are processors.
    """
    check_extra("lc0")
    try:
        from engine.lc0.evaluator import Lc0Net
    except ImportError as error:  # a library that onnxruntime needs is missing, or it is for another Python
        raise ValueError(f"onnxruntime cannot be loaded: {error}") from error

    return Lc0Net(path, threads)
