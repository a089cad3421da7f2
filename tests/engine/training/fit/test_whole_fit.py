"""A whole fit of tiny nets: what is held out, what is written, what is reported; and its logs and tables."""

import hashlib
import io
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from engine.cli.train_runs import network_from
from engine.network.weights_file import SHIPPED, load_weights, weights_file
from engine.system.environment import is_installed
from engine.system.files import digest_of
from engine.training.data.draw_model import DrawModel, fit_draw_model
from engine.training.data.games import decode, open_games, split
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from engine.training.fit import figures as figures_module
from engine.training.fit import fit as fit_module
from engine.training.fit.checkpoint import load_checkpoint
from engine.training.fit.figures import (
    Figures,
    draw_calibration_table,
    evaluate_network,
    figure,
    figures_table,
)
from engine.training.fit.fit import (
    draw_model_for,
    export,
    fit,
    identity_of_runs,
    log_entry,
    network_of_run,
    some_games,
    split_data,
)
from engine.training.fit.fit_log import append_entry, read_log
from engine.training.fit.quantise import quantise
from engine.training.fit.settings import FitSettings, NetSettings
from tests.engine.network.nets import as_floats, random_floats
from tests.engine.training.data.games import random_records

NET = NetSettings(32, batch=128, rate=1e-3, decay=0.1, early_passes=0, passes=1, final_passes=0)
WITH_CURVES = is_installed("matplotlib")
SETTINGS = FitSettings(("a.vf:1:x",), NET, NET, 1.1, 0.1, False, 0.3, 1, "")


def write_games(path, count, extra=0, seed=3):
    records = random_records(count, seed=seed)
    path.write_bytes(b"".join(data[:31] + bytes([extra]) + data[32:] for data, *_ in records))
    return path


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    paths = [write_games(folder / "a.vf", 30), write_games(folder / "b.vf", 20, VALUE_ONLY, seed=4)]
    return open_games(paths)


def starts_of(games):
    return [tuple(row) for row in np.stack([games.file, games.start], axis=1).tolist()]


@pytest.fixture(scope="module")
def run(games, tmp_path_factory):
    """-> the folder of a fit of both nets, what was reported, counted and held out."""
    folder, reports, counted = tmp_path_factory.mktemp("runs") / "new" / "run", [], []
    nets = ("value", "policy")
    aside = fit(games, folder, SETTINGS, nets, None, reports.append, lambda *numbers: counted.append(numbers))
    return folder, reports, counted, aside


@pytest.mark.thorough
def test_what_a_fit_writes(run):
    folder, *_ = run
    names = {"settings.json", "draws.json", "value.npz", "policy.npz", "value.log", "policy.log"}
    names |= {"curves.png"} if WITH_CURVES else set()
    assert {path.name for path in folder.iterdir()} == names
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["files"] == ["a.vf:1:x"]
    assert settings["value"] == settings["policy"] == json.loads(json.dumps(vars(NET)))
    text = (folder / "settings.json").read_text()
    assert text.startswith('{\n  "files": [')
    assert text.endswith("}\n")
    assert not WITH_CURVES or (folder / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("first", ["value", "policy"])
def test_one_folder_has_nets_of_one_kind_of_fit(games, tmp_path, first):
    """The notes of an export are those of settings.json, so they must be true for both nets."""
    (second,) = {"value", "policy"} - {first}
    fit(games, tmp_path, SETTINGS, (first,), None, lambda _: None, lambda *_: None)
    before = (tmp_path / "settings.json").read_bytes()
    other = replace(SETTINGS, **{first: replace(NET, rate=0.004)})
    with pytest.raises(ValueError, match=rf"{first}\.npz was made with other settings or files: choose another folder"):
        fit(games, tmp_path, other, (second,), None, lambda _: None, lambda *_: None)
    assert (tmp_path / "settings.json").read_bytes() == before
    fit(games, tmp_path, SETTINGS, (second,), None, lambda _: None, lambda *_: None)
    assert {path.name for path in tmp_path.glob("*.npz")} == {"value.npz", "policy.npz"}


def test_what_a_fit_reports(run, games):
    folder, reports, counted, aside = run
    training, held_out = split(games, 0.3, 1)
    assert starts_of(aside) == starts_of(held_out)
    validated = held_out.with_moves().positions
    first, second, *others = reports
    assert first == f"{training.positions:,} positions to train with, {validated:,} of other games to validate with"
    theta = DrawModel.load(folder / "draws.json").theta
    assert second == f"draw model fitted: {[round(number, 3) for number in theta]}"
    assert [line.split(",")[0] for line in others if "matplotlib" not in line] == ["net value", "net policy"]
    totals = {"value": training.positions, "policy": training.with_moves().positions}
    assert {name: total for name, _, total in counted} == totals
    assert [name for name, *_ in counted] == sorted((name for name, *_ in counted), reverse=True)
    for name, keys in (
        ("value", ["value_mse"]),
        ("policy", ["policy_ce", "policy_top1", "policy_top3", "policy_top5"]),
    ):
        (entry,) = read_log(folder / f"{name}.log")
        assert list(entry) == ["time", "net", "pass", "seen", "loss", "speed", "cpu_seconds", *keys]
        assert entry["net"] == name


def test_without_matplotlib_there_are_no_curves(monkeypatch, tmp_path):
    monkeypatch.setattr("engine.system.environment.find_spec", lambda _: None)
    reports = []
    fit_module.draw_curves(tmp_path, reports.append)
    assert reports == ["no curves: matplotlib is missing: pip install '.[train]' in the folder of Teresa"]
    assert not list(tmp_path.iterdir())


@pytest.fixture
def without_curves(monkeypatch):
    monkeypatch.setattr(fit_module, "draw_curves", lambda *_: None)


@pytest.mark.usefixtures("without_curves")
def test_a_finished_fit_is_not_trained_again(run, games):
    folder, *_ = run
    before, reports = load_checkpoint(folder / "value.npz"), []
    fit(games, folder, SETTINGS, ("value",), None, reports.append, lambda *_: pytest.fail("trained"))
    after = load_checkpoint(folder / "value.npz")
    assert all((one == other).all() for one, other in zip(before.weights, after.weights, strict=True))
    seen = after.progress.seen
    total = split(games, 0.3, 1)[0].positions
    assert reports[1:] == [f"value: continuing after {seen:,} of {total:,} positions"]


def test_the_network_of_a_run(run):
    folder, *_ = run
    expected = quantise(*(load_checkpoint(folder / f"{name}.npz").weights for name in ("value", "policy")))
    for found in (network_of_run(folder), network_from(folder)):
        assert all((one == other).all() for one, other in zip(found, expected, strict=True))
    assert all((one == other).all() for one, other in zip(network_from(None), load_weights().network, strict=True))
    assert all((one == other).all() for one, other in zip(network_from(SHIPPED), load_weights().network, strict=True))


def test_a_run_is_known_by_its_settings(run, monkeypatch):
    folder, *_ = run
    assert identity_of_runs([folder]) == SETTINGS.hash()
    monkeypatch.setattr(
        fit_module, "load_checkpoint", lambda path: SimpleNamespace(identity=path.stem[:1].encode() * 32)
    )
    assert identity_of_runs([folder]) == hashlib.sha256(b"v" * 32 + b"p" * 32).digest()


@pytest.mark.usefixtures("without_curves")
def test_the_mean_of_runs_and_a_net_that_they_lack(run, games, tmp_path):
    """Two fits of the value alone: their mean, and the policy of a weights file."""
    one, other, base, output = tmp_path / "one", tmp_path / "other", tmp_path / "base.net", tmp_path / "x.net"
    export([run[0]], base, [])
    for folder, seed in ((one, 3), (other, 4)):
        folder.mkdir()
        fit(games, folder, replace(SETTINGS, seed=seed), ("value",), None, lambda _: None, lambda *_: None)
        (folder / "settings.json").write_text(f'{{"seed": {seed}}}')
    export([one, other], output, [], base)
    weights = [load_checkpoint(folder / "value.npz").weights for folder in (one, other)]
    mean = quantise([(mine + theirs) / 2 for mine, theirs in zip(*weights, strict=True)], None)
    loaded, policy = load_weights(output), load_weights(base).network
    assert loaded.notes["settings"] == [{"seed": 3}, {"seed": 4}]
    assert loaded.notes["base"] == digest_of(base)
    for index, (found, value, rest) in enumerate(zip(loaded.network, mean, policy, strict=True)):
        expected = value if index < 4 else rest if index < 8 else [value[0], rest[1]]
        assert (found == expected).all()
    with pytest.raises(ValueError, match=r"one has no checkpoint policy\.npz$"):
        export([one, other], tmp_path / "y.net", [])
    with pytest.raises(ValueError, match=r"one has no checkpoint policy\.npz$"):
        export([run[0], one], tmp_path / "y.net", [], base)
    with pytest.raises(ValueError, match="these runs have both nets: nothing of --base would be used"):
        export([run[0]], tmp_path / "y.net", [], base)
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "settings.json").write_text("{}")
    with pytest.raises(ValueError, match="empty has no checkpoint: it would be --base again"):
        export([empty], tmp_path / "y.net", [], base)
    wide = replace(SETTINGS, value=replace(NET, hidden=64))
    fit(games, tmp_path / "wide", wide, ("value",), None, lambda _: None, lambda *_: None)
    with pytest.raises(ValueError, match="the value nets of these runs have different widths: they have no mean"):
        export([one, tmp_path / "wide"], tmp_path / "y.net", [], base)
    assert not (tmp_path / "y.net").exists()


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_the_mean_of_a_run_and_the_net_it_started_from(run, tmp_path, share):
    base, output = tmp_path / "base.net", tmp_path / "x.net"
    base.write_bytes(weights_file(quantise(*random_floats(32, 32, seed=5)), bytes(32), {}))
    export([run[0]], output, [], base, base_share=share)
    mine = [load_checkpoint(run[0] / f"{name}.npz").weights for name in ("value", "policy")]
    theirs = as_floats(load_weights(base).network)
    for found, net, other in zip(as_floats(load_weights(output).network), mine, theirs, strict=True):
        for array, *parts in zip(found, net, other, strict=True):
            rounding = 0.05 * float(np.abs(array).max())  # the largest move weights are clipped
            assert array == pytest.approx((1 - share) * parts[0] + share * parts[1], abs=rounding)
    assert load_weights(output).notes["base_share"] == share


def test_shares_of_a_base_that_cannot_be(run, tmp_path):
    folder, output = run[0], tmp_path / "x.net"
    for base, share in ((None, 0.5), (SHIPPED, 1.0), (SHIPPED, -0.1), (SHIPPED, float("nan"))):
        with pytest.raises(ValueError, match=r"^--base-share must be at least 0 and less than 1, and needs --base$"):
            export([folder], output, [], base, base_share=share)
    with pytest.raises(ValueError, match="the net of --base is not as wide as that of the runs: they have no mean"):
        export([folder], output, [], SHIPPED, base_share=0.5)
    assert not output.exists()


def test_an_export_has_figures_and_settings(run, tmp_path):
    folder, *_ = run
    held_out, output = write_games(tmp_path / "held.vf", 5, seed=8), tmp_path / "x.net"
    assert export([folder], output, []) == {}
    assert load_weights(output).notes["figures"] == {}
    figures = export([folder], output, [held_out])
    assert figures == evaluate_network(network_of_run(folder), open_games([held_out])).as_dict()
    loaded = load_weights(output)
    assert loaded.notes == {"figures": figures, "settings": json.loads((folder / "settings.json").read_text())}
    assert all((one == other).all() for one, other in zip(loaded.network, network_of_run(folder), strict=True))
    notes = tmp_path / "notes.txt"
    notes.write_text("My notes")
    with pytest.raises(ValueError, match="is not a weights file of Teresa"):
        export([folder], notes, [])
    export([folder], notes, [], force=True)
    load_weights(notes)


@pytest.mark.usefixtures("without_curves")
def test_a_fit_goes_on_from_a_weights_file(run, games, tmp_path):
    """With a rate of next to nothing, the nets stay as they were."""
    start, net = tmp_path / "start.net", replace(NET, rate=1e-12)
    export([run[0]], start, [])
    settings = replace(SETTINGS, value=net, policy=net, seed=2)
    fit(games, tmp_path, settings, ("value", "policy"), start, lambda _: None, lambda *_: None)
    for mine, first in zip(network_of_run(tmp_path), load_weights(start).network, strict=True):
        largest = np.abs(first.astype(np.int64)).max()
        assert np.abs(mine.astype(np.int64) - first).max() <= largest * 1e-3


@pytest.mark.usefixtures("without_curves")
@pytest.mark.parametrize(("name", "message"), [("value", "the value with"), ("policy", "the policy with")])
def test_nothing_is_written_where_there_is_nothing_to_train(games, tmp_path, name, message):
    settings = replace(SETTINGS, **{name: replace(NET, passes=0)})
    with pytest.raises(ValueError, match=f"^there is nothing to train {message}: no pass has a position$"):
        fit(games, tmp_path / "run", settings, ("value", "policy"), None, lambda _: None, lambda *_: None)
    assert not (tmp_path / "run").exists()
    other = "policy" if name == "value" else "value"
    fit(games, tmp_path / "run", settings, (other,), None, lambda _: None, lambda *_: None)
    assert (tmp_path / "run" / f"{other}.npz").is_file()
    assert not (tmp_path / "run" / f"{name}.npz").exists()
    with pytest.raises(ValueError, match=f"run has no checkpoint {name}.npz$"):
        network_of_run(tmp_path / "run")


@pytest.mark.usefixtures("without_curves")
def test_checkpoints_of_older_versions_are_not_passed_over(games, tmp_path):
    """They cannot be read; a fit from the start in their folder would be another one."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "value.pt").write_bytes(b"of torch")
    with pytest.raises(ValueError, match=r"value\.pt is of an older version and cannot be read: choose another"):
        fit(games, folder, SETTINGS, ("value",), None, lambda _: None, lambda *_: None)
    assert [path.name for path in folder.iterdir()] == ["value.pt"]
    (folder / "value.pt").unlink()
    fit(games, folder, SETTINGS, ("value",), None, lambda _: None, lambda *_: None)
    (folder / "value.pt").write_bytes(b"beside one of this version")
    fit(games, folder, SETTINGS, ("value",), None, lambda _: None, lambda *_: None)


def test_some_games_are_as_many_as_are_asked_for(games):
    for wanted in (1, 100, 333, games.positions - 1, games.positions, 10**9):
        chosen = some_games(games, wanted, seed=3)
        assert starts_of(chosen) == sorted(starts_of(chosen))
        assert len(set(starts_of(chosen))) == chosen.size.size
        order = np.random.default_rng(3).permutation(games.size.size)
        last = games.size[order[chosen.size.size - 1]]
        assert chosen.positions - last < wanted
        assert chosen.positions >= min(wanted, games.positions)
    assert starts_of(some_games(games, 200, seed=3)) != starts_of(some_games(games, 200, seed=4))


def test_the_split_of_a_fit(games, monkeypatch):
    monkeypatch.setattr(fit_module, "POSITIONS_TO_VALIDATE", 20)
    data = split_data(games, SETTINGS)
    training, held_out = split(games, 0.3, 1)
    assert (starts_of(data.training), starts_of(data.held_out)) == (starts_of(training), starts_of(held_out))
    expected = decode(some_games(held_out.with_moves(), 20, 1)).positions
    assert (data.validation.positions.boards == expected.boards).all()
    assert expected.scores.size < held_out.with_moves().positions


@pytest.mark.parametrize("side", [0, 1])
def test_both_sides_of_the_split_need_labels(games, monkeypatch, side):
    sides = list(split(games, 0.3, 1))
    sides[side] = sides[side].value_only()
    monkeypatch.setattr(fit_module, "split", lambda *_: sides)
    with pytest.raises(ValueError, match=r"^too few games whose moves are labels"):
        split_data(games, SETTINGS)


def test_the_draw_model_of_a_run(games, tmp_path):
    """Fitted where the value net starts, kept where it goes on, fitted again where the file is damaged."""
    known, reports = DrawModel((1.0, 2.0, 3.0, 4.0, 5.0, 6.0)), []
    known.save(tmp_path / "draws.json")
    fitted = fit_draw_model(decode(games.with_moves()).positions)
    assert draw_model_for(tmp_path, games, 1, reports.append) == fitted == DrawModel.load(tmp_path / "draws.json")
    (tmp_path / "value.npz").touch()
    known.save(tmp_path / "draws.json")
    assert draw_model_for(tmp_path, games, 1, reports.append) == known
    assert len(reports) == 1
    (tmp_path / "draws.json").write_text("{")
    assert draw_model_for(tmp_path, games, 1, reports.append) == fitted
    assert len(reports) == 2


# Logs and tables.


def test_an_entry_of_a_log(tmp_path, monkeypatch):
    monkeypatch.setattr(fit_module.time, "time", lambda: 1234.6)
    reports = []
    log_entry(tmp_path / "x.log", reports.append, {"net": "value", "seen": 123456789, "loss": 0.123456789})
    assert reports == ["net value, seen 123456789, loss 0.12346"]
    assert (
        tmp_path / "x.log"
    ).read_text() == '{"time": 1235, "net": "value", "seen": 123456789, "loss": 0.123456789}\n'


def test_a_line_of_nothing_but_brackets_is_damaged(tmp_path):
    (tmp_path / "value.log").write_bytes(b"[" * 100_000 + b'\n{"seen": 1}\n')
    assert read_log(tmp_path / "value.log") == [{"seen": 1}]


def test_a_log_grows_line_by_line_and_leaves_damaged_lines_out(tmp_path):
    path = tmp_path / "x.log"
    assert read_log(path) == []
    for seen in (1, 2):
        append_entry(path, {"seen": seen})
    assert path.read_bytes() == b'{"seen": 1}\n{"seen": 2}\n'
    with path.open("ab") as file:
        file.write(b'{"seen": 3')
    append_entry(path, {"seen": 4})
    assert path.read_bytes() == b'{"seen": 1}\n{"seen": 2}\n{"seen": 3\n{"seen": 4}\n'
    with path.open("ab") as file:
        file.write(b'[5]\n{"time": 6}\n\xff\n\n')
    assert read_log(path) == [{"seen": 1}, {"seen": 2}, {"seen": 4}]


def printed(table):
    text = io.StringIO()
    Console(width=100, file=text, no_color=True).print(table)
    return [line.strip("│┃ ") for line in text.getvalue().splitlines()]


def test_the_table_of_figures():
    lines = printed(figures_table(Figures(12345, 0.0063549, 0.00512, 1.99349, 0.36649, 0.65449, 0.7)))
    rows = [[cell.strip() for cell in line.split("│")] for line in lines if "│" in line]
    assert rows == [
        ["positions", "12,345"],
        ["value error (mean square)", "0.00635"],
        ["value error, with quiescence", "0.00512"],
        ["policy cross-entropy", "1.9935"],
        ["policy top 1 / 3 / 5", "36.65 % / 65.45 % / 70.00 %"],
    ]
    assert figure(None, ".3f") == "–"


def test_draws_are_counted_part_by_part(tmp_path, monkeypatch):
    """A store need not fit into memory: the most positions that are there at once are those of a part."""
    games, network = open_games([write_games(tmp_path / "a.vf", 9, seed=5)]), load_weights().network
    whole, sizes, real = printed(draw_calibration_table(network, games)), [], figures_module.decode

    def counted(part):
        sizes.append(part.size.size)
        return real(part)

    monkeypatch.setattr(figures_module, "decode", counted)
    monkeypatch.setattr(figures_module, "GAMES_AT_ONCE", 4)
    assert printed(draw_calibration_table(network, games)) == whole
    assert sizes == [4, 4, 1]


def test_the_table_of_draws_counts_only_games_without_random_moves(tmp_path):
    network = load_weights().network
    sound = write_games(tmp_path / "a.vf", 6, seed=5)
    paths = [sound, write_games(tmp_path / "b.vf", 4, NOISY), write_games(tmp_path / "c.vf", 4, VALUE_ONLY)]
    lines = printed(draw_calibration_table(network, open_games(paths)))
    assert lines == printed(draw_calibration_table(network, open_games([sound])))
    rows = [line.split("│") for line in lines if "│" in line]
    assert sum(int(row[0].replace(",", "")) for row in rows) == open_games([sound]).positions
    assert not [line for line in printed(draw_calibration_table(network, open_games(paths[1:]))) if "│" in line]
