"""The logs of a fit as curves. Only this module needs matplotlib."""

import io
from pathlib import Path

from matplotlib.figure import Figure

from engine.system.files import write_whole
from engine.training.fit.fit_log import read_log

PANELS = {
    "value": (("loss",), ("value_mse", "value_quiet_mse")),
    "policy": (("loss", "policy_ce"), ("policy_top1", "policy_top3", "policy_top5")),
}
ONLY_WITH_QUIESCENCE = "value_quiet_mse"  # then the net is trained for this figure


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
                if name == ONLY_WITH_QUIESCENCE and not known:
                    continue
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
