"""Both nets: from files of labelled games to checkpoints (`fit`), and from those to the weights file (`export`)."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.network.architecture import Network
from engine.network.weights_file import MAGIC, load_weights, weights_file
from engine.system.environment import how_to_install, is_installed
from engine.system.files import check_writable, digest_of, read_json, write_whole
from engine.training.data.draw_model import DrawModel, fit_draw_model
from engine.training.data.games import Decoded, Games, decode, open_games, split
from engine.training.fit.checkpoint import Checkpoint, checkpoint_of, checkpoint_path, load_checkpoint
from engine.training.fit.figures import evaluate_network
from engine.training.fit.fit_log import append_entry
from engine.training.fit.quantise import dequantise, joined, quantise
from engine.training.fit.settings import NETS, FitSettings, NetSettings
from engine.training.fit.sparse_net import NetArrays, policy_net, value_net
from engine.training.fit.steps import PolicyStep, ValueStep
from engine.training.fit.surprise import weigh_by
from engine.training.fit.trainer import Advance, Trainer

POSITIONS_FOR_DRAWS = 1_000_000
POSITIONS_TO_VALIDATE = 100_000

PrintLine = Callable[[str], None]


@dataclass
class FitData:
    """The games of a fit."""

    training: Games
    held_out: Games
    validation: Decoded  # some of the held-out games


def some_games(games: Games, positions: int, seed: int) -> Games:
    """Random games with about `positions` positions."""
    order = np.random.default_rng(seed).permutation(games.size.size)
    enough = int(np.searchsorted(np.cumsum(games.size[order]), positions)) + 1
    return games.where(np.sort(order[:enough]))


def split_data(games: Games, settings: FitSettings) -> FitData:
    """Hold out games for validation."""
    training, held_out = split(games, settings.validation, settings.seed)
    labelled = held_out.with_moves()
    if not labelled.positions or not training.with_moves().positions:
        raise ValueError(
            "too few games whose moves are labels (those of value-only games are not): "
            "some are needed for training, others for validation"
        )
    return FitData(training, held_out, decode(some_games(labelled, POSITIONS_TO_VALIDATE, settings.seed)))


def draw_model_for(folder: Path, games: Games, seed: int, report: PrintLine) -> DrawModel:
    """The draw model of a run: loaded if its value net is continued, else fitted and saved."""
    path = folder / "draws.json"
    known = DrawModel.load(path) if checkpoint_path(folder, "value").is_file() else None
    if known is not None:
        return known
    model = fit_draw_model(decode(some_games(games.with_moves(), POSITIONS_FOR_DRAWS, seed)).positions)
    model.save(path)
    report(f"draw model fitted: {[round(number, 3) for number in model.theta]}")
    return model


def passes(games: Games, settings: NetSettings, name: str) -> list[Games]:
    """The passes of a net, in order: value-only games, all games that have labels for it, those with sound labels.

    The moves of value-only games are not labels: most are those of a short search, the others random. Yet a policy that
    is trained with them first (`early_passes`), then with real labels, is better than one that saw only the latter.
    """
    labelled = games.with_moves()
    usable = games if name == "value" else labelled
    return (
        [games.value_only()] * settings.early_passes + [usable] * settings.passes + [labelled] * settings.final_passes
    )


def new_trainer(
    name: str, data: FitData, folder: Path, settings: FitSettings, start_from: Path | None, report: PrintLine
) -> Trainer:
    """The trainer of one net, continued from its checkpoint if there is one."""
    chosen = settings.of(name)
    step: ValueStep | PolicyStep
    if name == "value":
        model = draw_model_for(folder, data.training, settings.seed, report)
        net = value_net(chosen.hidden, settings.seed)
        step = ValueStep(net, model, settings.label_scale, settings.result_share, settings.quiescence)
    else:
        step = PolicyStep(policy_net(chosen.hidden, settings.seed))
    if start_from is not None and isinstance(step, PolicyStep) and settings.surprise:
        step.weigh = weigh_by(settings.surprise, load_weights(start_from).network)
    trainer = Trainer(name, step, chosen, passes(data.training, chosen, name), settings.seed, settings.hash())
    if start_from is not None and start_from.is_dir():
        trainer.go_on_from(checkpoint_of_run(start_from, name))
    elif start_from is not None:
        trainer.net.start_from(dequantise(load_weights(start_from).network)[NETS.index(name)])
    if trainer.resume(folder):
        report(f"{name}: continuing after {trainer.progress.seen:,} of {trainer.total:,} positions")
    return trainer


def fit(
    games: Games,
    folder: Path,
    settings: FitSettings,
    nets: Sequence[str],
    start_from: Path | None,
    report: PrintLine,
    advance: Advance,
) -> Games:
    """Train the chosen nets, from random weights or those of a file or a fit; -> the held-out games.

    `advance(net, positions, of how many)` is called after every batch.
    """
    data = split_data(games, settings)
    for name in NETS:  # also one that is not trained now: the notes of an export are of both
        checkpoint_of(folder, name, settings.hash())
    for name in nets:
        if not any(part.positions for part in passes(data.training, settings.of(name), name)):
            raise ValueError(f"there is nothing to train the {name} with: no pass has a position")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "settings.json", json.dumps(asdict(settings), indent=2) + "\n")
    validated = data.validation.positions.scores.size
    report(f"{data.training.positions:,} positions to train with, {validated:,} of other games to validate with")
    for name in nets:
        train_net(name, data, folder, settings, start_from, report, advance)
        draw_curves(folder, report)
    return data.held_out


def train_net(
    name: str,
    data: FitData,
    folder: Path,
    settings: FitSettings,
    start_from: Path | None,
    report: PrintLine,
    advance: Advance,
) -> dict[str, float]:
    """Train one net; -> its figures on the validation positions."""
    trainer = new_trainer(name, data, folder, settings, start_from, report)
    trainer.run(folder, data.validation, partial(log_entry, folder / f"{name}.log", report), advance)
    return trainer.step.judge(data.validation)


def draw_curves(folder: Path, report: PrintLine) -> None:
    """Plot the logs, if matplotlib is there."""
    if not is_installed("matplotlib"):
        report(f"no curves: {how_to_install('matplotlib')}")
        return
    from engine.training.fit.curves import plot_curves

    plot_curves(folder)


def log_entry(path: Path, report: PrintLine, entry: dict[str, Any]) -> None:
    """Add an entry to the log as JSON, and report it as text."""
    append_entry(path, {"time": round(time.time())} | entry)
    values = {key: f"{value:.5g}" if isinstance(value, float) else value for key, value in entry.items()}
    report(", ".join(f"{key} {value}" for key, value in values.items()))


def is_complete(folder: Path) -> bool:
    """Has a run checkpoints of both nets?"""
    return all(checkpoint_path(folder, name).is_file() for name in NETS)


def network_of_run(folder: Path) -> Network:
    """The quantised network of a run's checkpoints."""
    return network_of_runs([folder])


def network_of_runs(folders: Sequence[Path], base: Network | None = None, base_share: float = 0.0) -> Network:
    """The quantised network of runs, the mean of their weights; `base` has the net that none of them has.

    Of the nets that they have, `base` gets a share: the mean of a net and what became of it.
    """
    nets = [mean_of_runs(folders, name, can_miss=base is not None) for name in NETS]
    if all(net is None for net in nets):
        raise ValueError(f"{folders[0]} has no checkpoint: it would be --base again")
    if base is not None and not base_share and all(net is not None for net in nets):
        raise ValueError("these runs have both nets: nothing of --base would be used")
    if base is None:
        return quantise(*nets)
    pairs = zip(nets, dequantise(base), strict=True)
    found = quantise(*(net if net is None else mixed(net, other, base_share) for net, other in pairs))
    value, policy = (base if net is None else found for net in nets)
    return joined(value, policy)


def mean_of_runs(folders: Sequence[Path], name: str, *, can_miss: bool) -> NetArrays | None:
    """The mean of the weights of a net; None if no run has it, and that is allowed."""
    if can_miss and not any(checkpoint_path(folder, name).is_file() for folder in folders):
        return None
    weights = [checkpoint_of_run(folder, name).weights for folder in folders]
    if len({net.bias.size for net in weights}) > 1:
        raise ValueError(f"the {name} nets of these runs have different widths: they have no mean")
    return NetArrays(*(np.mean(arrays, axis=0) for arrays in zip(*weights, strict=True)))


def mixed(net: NetArrays, other: Sequence[np.ndarray], share: float) -> Sequence[np.ndarray]:
    """The weighted mean of two nets; `share`: of the other one."""
    if not share:
        return net
    if net.bias.size != other[1].size:
        raise ValueError("the net of --base is not as wide as that of the runs: they have no mean")
    return [(1 - share) * mine + share * theirs for mine, theirs in zip(net, other, strict=True)]


def identity_of_runs(folders: Sequence[Path]) -> bytes:
    """The hash of the settings of all nets of runs."""
    paths = [checkpoint_path(folder, name) for folder in folders for name in NETS]
    hashes = dict.fromkeys(load_checkpoint(path).identity for path in paths if path.is_file())
    return next(iter(hashes)) if len(hashes) == 1 else hashlib.sha256(b"".join(hashes)).digest()


def checkpoint_of_run(folder: Path, name: str) -> Checkpoint:
    """The checkpoint of a net."""
    path = checkpoint_path(folder, name)
    if not path.is_file():
        raise ValueError(f"{folder} has no checkpoint {path.name}")
    return load_checkpoint(path)


def export(
    folders: Sequence[Path],
    output: Path,
    held_out: Sequence[Path],
    base: Path | None = None,
    *,
    base_share: float = 0.0,
    force: bool = False,
) -> dict[str, float | None]:
    """Quantise and write; -> the figures on the held-out files that went into the header (empty without files)."""
    check_writable(output, is_ours=lambda head: head.startswith(MAGIC), kind="a weights file of Teresa", force=force)
    if not 0 <= base_share < 1 or (base_share and base is None):
        raise ValueError("--base-share must be at least 0 and less than 1, and needs --base")
    network = network_of_runs(folders, None if base is None else load_weights(base).network, base_share)
    settings = [settings_of_run(folder) for folder in folders]
    figures = evaluate_network(network, open_games(held_out)).as_dict() if held_out else {}
    notes = {"figures": figures, "settings": settings[0] if len(settings) == 1 else settings}
    if base is not None:
        notes |= {"base": digest_of(base), "base_share": base_share}
    write_whole(output, weights_file(network, identity_of_runs(folders), notes))
    return figures


def settings_of_run(folder: Path) -> Any:
    """What is noted of a run in the weights file."""
    settings = read_json(folder / "settings.json")
    if settings is None:
        raise ValueError(f"{folder} has no settings.json that can be read")
    return settings
