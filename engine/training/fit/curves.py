"""The logs of a fit, and their curves as a picture."""

import io
import json
import os
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from engine.system.files import write_whole

PANELS = {
    "value": (("loss",), ("value_mse",)),
    "policy": (("loss", "policy_ce"), ("policy_top1", "policy_top3", "policy_top5")),
}


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; none if there is no log. A line that is damaged, as by a power cut, is left out."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [entry for line in lines if (entry := read_entry(line)) is not None]


def read_entry(line: bytes) -> dict[str, Any] | None:
    """A line of a log, if it is complete."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and "seen" in entry else None


def append_entry(path: Path, entry: dict[str, Any]) -> None:
    """Add a line to a log; if the last line is incomplete, start a new one."""
    with path.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        is_incomplete = file.read(1) not in (b"", b"\n")
        file.write(b"\n" * is_incomplete + json.dumps(entry).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def plot_curves(folder: Path) -> Path:
    """Plot the logs of a run into its folder."""
    figure = Figure(figsize=(12, 8))
    axes = figure.subplots(2, 2, squeeze=False)
    for row, (net, panels) in enumerate(PANELS.items()):
        entries = read_log(folder / f"{net}.log")
        for column, names in enumerate(panels):
            panel = axes[row][column]
            for name in names:
                known = [entry for entry in entries if name in entry]
                panel.plot([entry["seen"] / 1e6 for entry in known], [entry[name] for entry in known], label=name)
            panel.set(title=net, xlabel="million positions seen")
            panel.legend()
            panel.grid(visible=True, alpha=0.3)
    path = folder / "curves.png"
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, dpi=100, format="png")
    write_whole(path, picture.getvalue())
    return path
