"""The curves of a fit."""

import pytest

pytest.importorskip("matplotlib", reason="needs the extra `train`: make test installs it")

from matplotlib.figure import Figure

from engine.training.fit import curves
from engine.training.fit.curves import plot_curves
from engine.training.fit.fit_log import append_entry


def test_the_curves_are_those_of_the_logs(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(curves, "Figure", lambda **size: made.append(Figure(**size)) or made[-1])
    append_entry(tmp_path / "value.log", {"seen": 1_000_000, "loss": 0.5, "value_mse": 0.25})
    append_entry(tmp_path / "value.log", {"seen": 3_000_000, "loss": 0.4})
    append_entry(tmp_path / "policy.log", {"seen": 2_000_000, "loss": 2.0, "policy_ce": 2.5, "policy_top3": 0.6})
    assert plot_curves(tmp_path) == tmp_path / "curves.png"
    (figure_,) = made
    found = [
        {line.get_label(): line.get_xydata().tolist() for line in panel.get_lines()} for panel in figure_.get_axes()
    ]
    assert found[0] == {"loss": [[1, 0.5], [3, 0.4]]}
    assert found[1] == {"value_mse": [[1, 0.25]]}
    assert found[2] == {"loss": [[2, 2.0]], "policy_ce": [[2, 2.5]]}
    assert found[3] == {"policy_top1": [], "policy_top3": [[2, 0.6]], "policy_top5": []}
    assert [panel.get_title() for panel in figure_.get_axes()] == ["value", "value", "policy", "policy"]


def test_with_quiescence_the_figure_that_the_net_is_trained_for_is_plotted(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(curves, "Figure", lambda **size: made.append(Figure(**size)) or made[-1])
    append_entry(tmp_path / "value.log", {"seen": 1_000_000, "loss": 0.5, "value_mse": 0.25, "value_quiet_mse": 0.125})
    plot_curves(tmp_path)
    lines = made[0].get_axes()[1].get_lines()
    found = {line.get_label(): line.get_xydata().tolist() for line in lines}
    assert found == {"value_mse": [[1, 0.25]], "value_quiet_mse": [[1, 0.125]]}
