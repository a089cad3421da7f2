"""The course of a fit as a picture."""

import json
from pathlib import Path
from typing import Any

PANELS = {
    "value": (("loss",), ("value_mse",)),
    "policy": (("loss", "policy_ce"), ("policy_top1", "policy_top3", "policy_top5")),
}


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; none if there is no log."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def draw_curves(folder: Path) -> Path:
    """Draw the logs of a run into its folder."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 8), squeeze=False)
    for row, (net, panels) in enumerate(PANELS.items()):
        entries = read_log(folder / f"{net}.log")
        for column, names in enumerate(panels):
            panel = axes[row][column]
            for name in names:
                panel.plot([entry["seen"] / 1e6 for entry in entries], [entry[name] for entry in entries], label=name)
            panel.set(title=net, xlabel="million positions seen")
            panel.legend()
            panel.grid(visible=True, alpha=0.3)
    path = folder / "curves.png"
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path
