"""`teresa train fit`, `evaluate` and `export`: small fits, interrupted, damaged, wrongly asked for."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.cli.train import main
from engine.network.weights_file import SHIPPED, load_weights
from engine.system.environment import is_installed
from engine.training.data.dataset import pools
from engine.training.data.draw_model import DrawModel, fit_draw_model
from engine.training.data.games import decode, open_games, split
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from engine.training.fit.checkpoint import load_checkpoint
from engine.training.fit.figures import evaluate_network, value_errors
from engine.training.fit.fit import network_of_run, passes
from engine.training.fit.fit_log import read_log
from engine.training.fit.quantise import dequantise, quantise
from engine.training.fit.settings import NetSettings
from engine.training.fit.sparse_net import value_net
from engine.training.fit.steps import ValueStep
from engine.training.fit.trainer import Trainer, rate_factor, warm_up_of
from tests.engine.training.data.games import random_records


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Random games: the scores follow nothing, but moves are legal."""
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(900, seed=9)))
    return path


@pytest.fixture(scope="module")
def positions(file):
    return decode(open_games([file])).positions


SMALL = [f"--{net}-{name}={number}" for net in ("value", "policy") for name, number in (("hidden", 32), ("batch", 256))]


def fit(file, folder, *more):
    return main(["fit", str(file), "--output", str(folder), *SMALL, "--validation=0.3", *more])


@pytest.mark.slow
def test_fit_evaluate_export(file, tmp_path, capsys):
    passes = ["--value-passes", "1", "--value-final-passes", "0", "--policy-passes", "1"]
    assert fit(file, tmp_path / "run", *passes, "--held-out", str(file)) == 0
    assert "policy top 1 / 3 / 5" in capsys.readouterr().out
    assert not is_installed("matplotlib") or (tmp_path / "run" / "curves.png").stat().st_size > 1000
    weights = tmp_path / "some.net"
    assert main(["export", str(tmp_path / "run"), str(weights), "--held-out", str(file)]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(file), "--weights", str(weights), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert list(figures) == [
        *("positions", "value_mse", "value_quiet_mse"),
        *("policy_ce", "policy_top1", "policy_top3", "policy_top5"),
    ]
    loaded = load_weights(weights)
    assert loaded.notes["figures"] == figures
    for expected, actual in zip(network_of_run(tmp_path / "run"), loaded.network, strict=True):
        assert (expected == actual).all()


@pytest.mark.slow
def test_an_interrupted_fit_goes_on_as_if_nothing_had_happened(file, tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "__defaults__", (0, 4000))  # several pools in a pass
    options = ["--only", "value", "--value-passes", "2", "--value-final-passes", "0"]
    assert fit(file, tmp_path / "whole", *options) == 0
    saves = 0
    save = Trainer.save

    def save_and_stop(trainer: Trainer, folder: Path) -> None:
        nonlocal saves
        save(trainer, folder)
        saves += 1
        if saves == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "save", save_and_stop)
    assert fit(file, tmp_path / "parts", *options) == 130
    monkeypatch.setattr(Trainer, "save", save)
    assert fit(file, tmp_path / "parts", *options) == 0
    assert same_checkpoints(*(load_checkpoint(tmp_path / run / "value.npz") for run in ("whole", "parts")))


def same_checkpoints(one, other):
    """The same weights, the same state of the optimiser, the same progress."""
    pairs = zip((*one.weights, *one.means, *one.squares), (*other.weights, *other.means, *other.squares), strict=True)
    return one.progress == other.progress and all((mine == theirs).all() for mine, theirs in pairs)


def test_what_was_quantised_can_be_trained_on():
    network = load_weights().network
    value, policy = dequantise(network)
    for expected, actual in zip(network, quantise(value, policy), strict=True):
        assert np.abs(expected.astype(np.int64) - actual).max() <= np.abs(expected.astype(np.int64)).max() * 1e-3


@pytest.mark.parametrize("more", [0, 32])
def test_a_net_starts_from_another_that_may_be_narrower(positions, more):
    start = load_weights().network
    net = value_net(start.value_bias.size + more, seed=1)
    net.start_from(dequantise(start)[0])
    errors = [value_errors(network, positions) for network in (start, quantise(net.weights, None))]
    assert np.abs(errors[0] - errors[1]).max() < 0.01


@pytest.mark.slow
def test_fit_starts_from_a_weights_file(file, tmp_path, capsys):
    """With a rate of next to nothing, everything stays as it was."""
    options = ["--only=value", "--value-hidden=512", "--value-passes=1", "--value-final-passes=0", "--value-rate=1e-9"]
    assert fit(file, tmp_path / "run", *options, f"--start-from={SHIPPED}") == 0
    log = json.loads((tmp_path / "run" / "value.log").read_text().splitlines()[-1])
    aside = split(open_games([file]), 0.3, 1)[1]
    expected = value_errors(load_weights().network, decode(aside).positions).mean()
    assert log["value_mse"] == pytest.approx(expected, rel=0.01)
    assert fit(file, tmp_path / "narrow", *options, "--value-hidden=32", f"--start-from={SHIPPED}") == 2
    assert "a net of 512 hidden units cannot start one of 32" in capsys.readouterr().err
    assert fit(file, tmp_path / "run", *options) == 2
    assert "was made with other settings" in capsys.readouterr().err


def test_what_is_wrong_is_said(file, tmp_path, capsys):
    assert fit(tmp_path / "none.vf", tmp_path / "run") == 2
    assert "there is no file" in capsys.readouterr().err
    assert main(["export", str(tmp_path), str(tmp_path / "x.net")]) == 2
    assert "has no checkpoint value.npz" in capsys.readouterr().err
    assert main(["evaluate", str(file), "--weights", str(file)]) == 2
    assert "not a weights file" in capsys.readouterr().err
    assert fit(file, tmp_path / "run", f"--start-from={file}") == 2
    assert "not a weights file" in capsys.readouterr().err


@pytest.mark.slow
def test_self_play_is_accepted(tmp_path):
    """And results are heard by the value alone, if they have a share."""
    file, nets = tmp_path / "own.vf", []
    assert main(["generate", str(file), "--self-play", "--visits=10", "--games=60", "--seed=1"]) == 0
    for share in (0, 1):
        folder = tmp_path / f"run-{share}"
        assert fit(file, folder, "--value-final-passes=0", "--policy-passes=1", f"--result-share={share}") == 0
        nets.append(network_of_run(folder))
    assert (nets[0].value_rows != nets[1].value_rows).any()
    assert (nets[0].move_rows == nets[1].move_rows).all()
    assert fit(file, tmp_path / "run", "--result-share=1.5") == 2


def test_options_that_cannot_be_are_refused_before_anything_is_written(file, tmp_path, capsys):
    for option, message in (
        ("--validation=2", "--validation must be more than 0 and less than 1"),
        ("--validation=-1", "--validation must be more than 0 and less than 1"),
        ("--value-hidden=33", "--value-hidden must be a multiple of 32"),
        ("--result-share=1.5", "--result-share must be from 0 to 1"),
    ):
        assert fit(file, tmp_path / "run", option) == 2
        assert message in capsys.readouterr().err
    assert fit(file, tmp_path / "run", "--held-out", str(tmp_path / "none.vf")) == 2
    assert fit(file, tmp_path / "run", *(f"--value-{name}passes=0" for name in ("", "final-"))) == 2
    assert "nothing to train the value with" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a-file").write_text("notes")
    assert fit(file, tmp_path / "a-file") == 2
    assert "a-file is there already, and no folder" in capsys.readouterr().err
    assert (tmp_path / "a-file").read_text() == "notes"


def test_a_foreign_settings_file_is_kept(file, tmp_path, capsys):
    (tmp_path / "settings.json").write_text('{"editor.tabSize": 4}')
    assert fit(file, tmp_path) == 2
    assert "settings.json: exists and is not the settings of a fit" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def records_file(path, count, extra=0, seed=9):
    """A file of random games that are all of one kind."""
    records = bytearray()
    for record, *_ in random_records(count, seed=seed):
        records += record[:31] + bytes([extra]) + record[32:]
    path.write_bytes(records)
    return path


QUICK = ("--value-passes=1", "--value-final-passes=0", "--policy-passes=1")


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5, 60])
def test_a_small_fit_is_made(tmp_path, count, capsys):
    """With the default share, too: at least one game is set aside."""
    path = records_file(tmp_path / "small.vf", count)
    assert main(["fit", str(path), "--output", str(tmp_path / "run"), *SMALL, *QUICK]) == 0
    assert "policy top 1 / 3 / 5" in capsys.readouterr().out
    network = network_of_run(tmp_path / "run")
    assert np.isfinite(evaluate_network(network, open_games([path])).value_mse)
    for entry in read_log(tmp_path / "run" / "value.log"):
        assert np.isfinite(entry["loss"])


def test_games_without_labels_are_too_few(tmp_path, capsys):
    for count, extra in ((60, VALUE_ONLY), (1, 0)):
        path = records_file(tmp_path / "few.vf", count, extra)
        assert fit(path, tmp_path / "run") == 2
        assert "too few games whose moves are labels" in capsys.readouterr().err
        assert not (tmp_path / "run").exists()


def test_noisy_games_alone_give_no_draw_model(tmp_path):
    positions = decode(open_games([records_file(tmp_path / "noisy.vf", 5, NOISY)])).positions
    assert fit_draw_model(positions) == DrawModel()


@pytest.mark.slow
def test_a_fit_goes_on_after_a_power_cut(file, tmp_path, capsys):
    """Logs and the draw model may be torn; a torn checkpoint is named."""
    run = tmp_path / "run"
    options = ["--only=value", "--value-passes=2", "--value-final-passes=0"]
    assert fit(file, run, *options) == 0
    whole = load_checkpoint(run / "value.npz")
    draws, log = (run / "draws.json").read_bytes(), (run / "value.log").read_bytes()
    for kept in (0, 5, len(draws) // 2):
        (run / "draws.json").write_bytes(draws[:kept])
        (run / "value.log").write_bytes(log + log[: kept + 1].rstrip(b"\n"))
        assert fit(file, run, *options) == 0
        assert (run / "draws.json").read_bytes() == draws
    (run / "value.npz").unlink()
    assert fit(file, run, *options) == 0
    assert len(read_log(run / "value.log")) == 4
    assert same_checkpoints(whole, load_checkpoint(run / "value.npz"))
    data = (run / "value.npz").read_bytes()
    settings = (run / "settings.json").read_bytes()
    for damaged in (b"", data[:1000], data[: len(data) // 2], data[:-1], b"x" * 1000):
        capsys.readouterr()
        (run / "value.npz").write_bytes(damaged)
        assert fit(file, run, *options) == 2
        assert f"{run / 'value.npz'} is damaged" in capsys.readouterr().err
        assert (run / "settings.json").read_bytes() == settings
    assert main(["export", str(run), str(tmp_path / "x.net")]) == 2
    assert "value.npz is damaged" in capsys.readouterr().err


@pytest.mark.slow
def test_other_games_of_the_same_number_are_another_fit(tmp_path, capsys):
    path, run = records_file(tmp_path / "some.vf", 30), tmp_path / "run"
    assert fit(path, run, "--only=value", *QUICK) == 0
    settings = (run / "settings.json").read_bytes()
    data = bytearray(path.read_bytes())
    data[34] ^= 1  # another score
    path.write_bytes(data)
    assert fit(path, run, "--only=value", *QUICK) == 2
    assert "was made with other settings or files" in capsys.readouterr().err
    assert (run / "settings.json").read_bytes() == settings


@pytest.mark.slow
def test_exports_that_cannot_be(tmp_path, capsys):
    path, run = records_file(tmp_path / "some.vf", 30), tmp_path / "run"
    assert fit(path, run, *QUICK) == 0
    notes = tmp_path / "notes.txt"
    notes.write_text("My notes")
    for output, message in ((tmp_path / "no" / "x.net", "there is no folder"), (notes, "is not a weights file")):
        assert main(["export", str(run), str(output)]) == 2
        assert message in capsys.readouterr().err
    assert notes.read_text() == "My notes"
    assert main(["export", str(run), str(notes), "--force"]) == 0
    assert main(["export", str(run), str(notes)]) == 0
    load_weights(notes)
    (run / "settings.json").write_bytes(b"")
    assert main(["export", str(run), str(tmp_path / "x.net")]) == 2
    assert "has no settings.json that can be read" in capsys.readouterr().err


def test_a_fit_needs_no_matplotlib(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.system.environment.find_spec", lambda name: None if name == "matplotlib" else True)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert fit(file, tmp_path / "run", "--only=value", *QUICK) == 0
    assert "no curves: matplotlib is missing: pip install '.[train]' in the folder of Teresa" in capsys.readouterr().out
    assert not (tmp_path / "run" / "curves.png").exists()


def test_what_each_net_sees_and_in_which_order(tmp_path):
    """Value-only games first, then all that have labels for the net, then those whose moves are labels."""
    paths = [records_file(tmp_path / "a.vf", 4), records_file(tmp_path / "b.vf", 6, VALUE_ONLY)]
    games = open_games(paths)
    settings = NetSettings(hidden=32, batch=1, rate=1.0, decay=0.0, early_passes=1, passes=2, final_passes=1)
    sizes = {name: [part.size.size for part in passes(games, settings, name)] for name in ("value", "policy")}
    assert sizes == {"value": [6, 10, 10, 4], "policy": [6, 4, 4, 4]}


def test_every_pass_sees_every_position(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "__defaults__", (0, 100))  # several pools in a pass
    games = open_games([records_file(tmp_path / "a.vf", 12)])
    settings = NetSettings(32, batch=1, rate=1e-3, decay=0.0, early_passes=0, passes=3, final_passes=0)
    step, log = ValueStep(value_net(32, 1), DrawModel(), 1.0, 0.0), []
    trainer = Trainer("value", step, settings, [games] * 3, 1, b"")
    trainer.run(tmp_path, decode(games), log.append, lambda *_: None)
    assert (trainer.progress.passes, trainer.progress.pools) == (3, 0)
    assert trainer.progress.seen == trainer.total == 3 * games.positions
    assert {entry["pass"] for entry in log} == {0, 1, 2}
    assert len(log) > 3


def test_the_rate_rises_and_falls():
    """A line for 100 steps, then half a cosine from 1 to 0.01."""
    assert [rate_factor(step, 0.0) for step in (0, 49, 99)] == pytest.approx([0.01, 0.5, 1.0])
    assert [rate_factor(100, done) for done in (0, 0.5, 1, 1.5)] == pytest.approx([1.0, 0.505, 0.01, 0.01])


@pytest.mark.parametrize(
    ("steps", "warm_up"), [(0.3, 1), (4, 1), (18, 2), (99, 10), (540, 54), (1000, 100), (9e6, 100)]
)
def test_the_rate_rises_for_a_tenth_of_a_short_fit(steps, warm_up):
    assert warm_up_of(steps) == warm_up
    assert [rate_factor(step, 0.0, warm_up) for step in (0, warm_up - 1)] == pytest.approx([1 / warm_up, 1.0])
    assert rate_factor(warm_up, 1.0, warm_up) == pytest.approx(0.01)


@pytest.mark.soak
def test_a_fit_learns(file, tmp_path):
    """Even random games have something to learn: which moves there are at all, how far scores reach."""
    options = ["--value-passes", "6", "--value-final-passes", "0", "--policy-passes", "1"]
    assert fit(file, tmp_path / "run", *options) == 0
    log = [json.loads(line) for line in (tmp_path / "run" / "value.log").read_text().splitlines()]
    assert log[-1]["loss"] < log[0]["loss"]
    figures = evaluate_network(network_of_run(tmp_path / "run"), open_games([file]))
    assert figures.policy_ce < 3.4
