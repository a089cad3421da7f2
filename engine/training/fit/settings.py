"""The settings of a fit, and the hash that identifies them."""

import hashlib
import json
import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from engine.network.weights_file import LARGEST_HIDDEN, load_weights
from engine.system.files import check_writable, digest_of
from engine.training.data.games import Games, beside
from engine.training.data.manifest import store_around
from engine.training.fit.checkpoint import checkpoint_path, load_checkpoint

HIDDEN_STEP = 32  # the width of the vector loops of inference
NETS = ("value", "policy")


@dataclass(frozen=True)
class NetSettings:
    """The settings of one of the two nets."""

    hidden: int
    batch: int
    rate: float
    decay: float
    early_passes: int  # over value-only games
    passes: int  # over all games that have labels for the net
    final_passes: int  # over games whose moves are labels


@dataclass(frozen=True)
class FitSettings:
    """The settings of both nets, and their files."""

    files: tuple[str, ...]  # name, number of positions and SHA-256 of each
    value: NetSettings
    policy: NetSettings
    label_scale: float  # factor of the scores of value-only files
    result_share: float  # of the game's result in the value target of self-play; the rest is the score's
    quiescence: bool  # does the value learn after winning captures?
    validation: float  # share of the games
    seed: int
    start_from: str  # SHA-256 of the weights file or the fit to start from; empty: random weights
    surprise: str = ""  # the measure that weighs samples of the policy; empty: all weigh the same

    def of(self, net: str) -> NetSettings:
        """The settings of one net."""
        return self.value if net == "value" else self.policy

    def hash(self) -> bytes:
        """32 bytes that identify these settings."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).digest()


def check_options(options: Namespace) -> None:
    """Raise a `ValueError` for an option of the command line that is out of range."""
    require(0 < options.validation < 1, "--validation must be more than 0 and less than 1")
    require(0 <= options.result_share <= 1, "--result-share must be from 0 to 1")
    require(0 < options.label_scale < math.inf, "--label-scale must be more than 0")
    require(options.seed >= 0, "--seed must not be negative")
    for net in NETS:
        check_net(net, net_settings(vars(options), net))
    known = bool(options.start_from) and not options.start_from.is_dir()
    require(
        known or not options.policy_surprise,
        "--policy-surprise needs a weights file to --start-from: that net is surprised",
    )
    if options.start_from:
        chosen = (options.only,) if options.only else NETS
        check_start(options.start_from, {net: net_settings(vars(options), net).hidden for net in chosen})


def check_net(net: str, chosen: NetSettings) -> None:
    """Raise a `ValueError` for a setting of a net that is out of range."""
    allowed = chosen.hidden % HIDDEN_STEP == 0 and 0 < chosen.hidden <= LARGEST_HIDDEN
    require(allowed, f"--{net}-hidden must be a multiple of {HIDDEN_STEP} up to {LARGEST_HIDDEN}")
    require(chosen.batch >= 1, f"--{net}-batch must be at least 1")
    require(0 < chosen.rate < math.inf, f"--{net}-rate must be more than 0")
    require(0 <= chosen.decay < math.inf, f"--{net}-decay must not be negative")
    for name in ("early_passes", "passes", "final_passes"):
        require(getattr(chosen, name) >= 0, f"--{net}-{name.replace('_', '-')} must not be negative")


def check_start(start: Path, widths: Mapping[str, int]) -> None:
    """Raise a `ValueError` unless nets of these widths can start from a weights file or a fit."""
    known = start_widths(start)
    for net, hidden in widths.items():
        require(net in known, f"{start} has no checkpoint {checkpoint_path(start, net).name}")
        narrower = f"a net of {known[net]} hidden units cannot start one of {hidden}"
        require(known[net] <= hidden, f"--{net}-hidden {hidden}: {narrower}")


def start_widths(start: Path) -> dict[str, int]:
    """The hidden units of the nets of a weights file or of a fit; a `ValueError` if it is neither."""
    if start.is_dir():
        return {path.stem: load_checkpoint(path).weights.bias.size for path in checkpoints_in(start)}
    network = load_weights(start).network
    return {"value": network.value_bias.size, "policy": network.policy_bias.size}


def checkpoints_in(folder: Path) -> list[Path]:
    """The checkpoints of a fit."""
    paths = [path for net in NETS if (path := checkpoint_path(folder, net)).is_file()]
    require(bool(paths), f"{folder} has no checkpoint of a fit")
    return paths


def require(condition: bool, message: str) -> None:
    """Raise a `ValueError` unless the condition holds."""
    if not condition:
        raise ValueError(message)


def read_settings(options: Namespace, files: Sequence[Path], games: Games) -> FitSettings:
    """The settings of a command line; `files`: those of the games, where a store stands for all of its files."""
    names = tuple(name_of(path, games.positions_of(number)) for number, path in enumerate(files))
    value, policy = (net_settings(vars(options), net) for net in NETS)
    shares = options.result_share, options.value_quiescence, options.validation
    start = digest_of_start(options.start_from) if options.start_from else ""
    rest = options.seed, start, options.policy_surprise
    return FitSettings(names, value, policy, options.label_scale, *shares, *rest)


def digest_of_start(start: Path) -> str:
    """SHA-256 of a weights file, or of the checkpoints of a fit."""
    return digest_of(*(checkpoints_in(start) if start.is_dir() else [start]))


def name_of(path: Path, positions: int) -> str:
    """The identity of a file of games, with its visits or policies."""
    other = beside(path)
    contents = (path,) if other is None else (path, other)
    return f"{path.name}:{positions}:{digest_of(*contents)}"


def net_settings(options: dict[str, Any], net: str) -> NetSettings:
    """The settings of one net."""
    return NetSettings(**{field.name: options[f"{net}_{field.name}"] for field in fields(NetSettings)})


def check_folder(folder: Path) -> None:
    """A `ValueError` if the folder cannot hold a fit, or has settings of another program."""
    store = store_around(folder / "settings.json")
    require(store is None, f"{folder} is in the store of games {store}: choose another folder")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is there already, and no folder")
    if folder.is_dir():
        path = folder / "settings.json"
        check_writable(path, is_ours=lambda head: head.startswith(b'{\n  "files": ['), kind="the settings of a fit")
