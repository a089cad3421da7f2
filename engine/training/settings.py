"""What a fit can be told, and the hash by which a net is known to be made that way."""

import hashlib
import json
from argparse import Namespace
from dataclasses import asdict, dataclass, fields
from typing import Any

from engine.network.weights import load_weights
from engine.training.games import open_games


@dataclass(frozen=True)
class NetSettings:
    """How one of the two nets is trained."""

    hidden: int
    batch: int
    rate: float
    decay: float
    early_passes: int  # over value-only games
    passes: int  # over all games that have labels for the net
    final_passes: int  # over games whose moves are labels


@dataclass(frozen=True)
class FitSettings:
    """How both are trained, and with what."""

    files: tuple[str, ...]  # names with numbers of positions
    value: NetSettings
    policy: NetSettings
    label_scale: float  # what scores of value-only files are multiplied with
    result_share: float  # of the game's result in the value target of self-play; the rest is the score's
    validation: float  # share of the games
    seed: int
    start_from: str  # hash of the settings of the network to go on from; empty: random weights

    def hash(self) -> bytes:
        """32 bytes that stand for these settings."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).digest()


def read_settings(options: Namespace) -> FitSettings:
    """The settings that a command line asks for."""
    names = tuple(f"{path.name}:{open_games([path]).positions}" for path in options.files)
    value, policy = (net_settings(vars(options), net) for net in ("value", "policy"))
    if not 0 <= options.result_share <= 1:
        raise ValueError("--result-share must be from 0 to 1")
    shares = options.result_share, options.validation
    start = load_weights(options.start_from).settings_hash.hex() if options.start_from else ""
    return FitSettings(names, value, policy, options.label_scale, *shares, options.seed, start)


def net_settings(options: dict[str, Any], net: str) -> NetSettings:
    """Those of one net."""
    return NetSettings(**{field.name: options[f"{net}_{field.name}"] for field in fields(NetSettings)})
