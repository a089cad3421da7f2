"""A round's fit: from the best net, with new games and some of the old ones; then the mean of the weights."""

import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.system.environment import version
from engine.training.data.manifest import GAMES
from engine.training.data.store import Store
from engine.training.fit.checkpoint import Checkpoint, checkpoint_path, load_checkpoint
from engine.training.fit.fit_log import read_log
from engine.training.fit.settings import NETS, FitSettings, require
from engine.training.loop.fit_units import FitGames, fit_unit
from engine.training.loop.nets import Nets, mean_of
from engine.training.loop.rounds import Round
from engine.training.loop.settings import seed_of
from engine.training.loop.spent import OpenRun
from perft.runner.journal import Memory

FIGURES = ("value_mse", "value_quiet_mse", "policy_ce", "policy_top1")
LABEL_SCALE = 1.1  # of value-only games, which users may have added: the default of `train fit`


def fit_games(store: Store, one: Round) -> FitGames:
    """The games of a fit; a `ValueError` if a chunk is missing or damaged. Old ones may have been taken out."""
    paths, old = {}, [name for name in one.old if name in store.manifest.chunks]
    for name in (*one.chunks, *old):
        chunk = store.find(name)
        damage = store.damage_of(chunk)
        require(damage is None, f"{store.path(name)} is {damage}: `teresa train data {store.folder} --check`")
        paths[name] = str(store.path(name, GAMES).resolve())
    new, before = ([paths[name] for name in names] for names in (one.chunks, old))
    return FitGames(new, before, one.settings.replay, seed_of(one.settings, one.number, "replay"))


def fit_settings(one: Round, games: FitGames, start: str) -> FitSettings:
    """How a round's nets are trained; chunks are known by their names, which are hashes. `start`: hash of the state."""
    settings, seed = one.settings, seed_of(one.settings, one.number, "fit")
    new, old = ([Path(path).stem for path in paths] for paths in (games.new, games.old))
    files = (*new, f"replay {settings.replay}", *old)
    shares = settings.result_share, settings.value_quiescence, settings.validation
    return FitSettings(files, settings.net("value"), settings.net("policy"), LABEL_SCALE, *shares, seed, start)


def fit_round(one: Round, folder: Path, store: Store, nets: Nets, open_run: OpenRun) -> dict[str, Any]:
    """Train both nets in a folder, and write the net of the round; -> what is recorded."""
    start, games = nets.state(one.against), fit_games(store, one)
    settings = fit_settings(one, games, nets.digest(one.against))
    delete_other_fit(folder, settings.hash())
    folder.mkdir(parents=True, exist_ok=True)
    units = [fit_unit(net, folder.resolve(), start.resolve(), games, settings) for net in NETS]
    with open_run() as run, closing(run.runner(Memory()).run(units)) as results:
        found = {unit.input["net"]: result.value for unit, result in results}
    figures = {name: number for net in NETS for name, number in found[net]["figures"].items() if name in FIGURES}
    name = nets.write(means_of(one, folder, start), notes_of(one, settings, figures))
    positions = found[NETS[0]]["positions"]
    return {"net": name, "positions": positions, "figures": figures, "cpu_seconds": cpu_seconds_of(folder)}


def delete_other_fit(folder: Path, identity: bytes) -> None:
    """Delete an interrupted fit that cannot go on: old chunks were taken out meanwhile, or the state was made again."""
    paths = [path for net in NETS if (path := checkpoint_path(folder, net)).is_file()]
    if any(load_checkpoint(path).identity != identity for path in paths):
        shutil.rmtree(folder)


def means_of(one: Round, folder: Path, start: Path) -> dict[str, Checkpoint]:
    """Both nets of a fit, each as a mean with the net that it started from."""
    share = one.settings.mean
    return {
        net: mean_of(load_checkpoint(checkpoint_path(folder, net)), load_checkpoint(checkpoint_path(start, net)), share)
        for net in NETS
    }


def notes_of(one: Round, settings: FitSettings, figures: Mapping[str, Any]) -> dict[str, Any]:
    """What the weights file says about its training."""
    shown = {"net": dict(one.settings.data()), "seed": settings.seed}
    return {"figures": figures, "settings": shown, "round": one.number, "base": one.against, "version": version()}


def cpu_seconds_of(folder: Path) -> float:
    """The processor time of a fit, with that before an interruption."""
    entries = [entry for net in NETS for entry in read_log(folder / f"{net}.log")]
    return round(sum(float(entry.get("cpu_seconds", 0.0)) for entry in entries), 3)
