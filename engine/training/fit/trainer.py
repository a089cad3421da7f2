"""Training one net, pool by pool, with a checkpoint after each."""

import io
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from engine.system.files import write_whole
from engine.training.data.dataset import Pool, pools
from engine.training.data.games import Decoded, Games
from engine.training.fit.settings import NetSettings
from engine.training.fit.steps import PolicyStep, SparseNet, ValueStep, new_optimiser

WARM_UP_STEPS = 100
LAST_RATE = 0.01  # of the highest
CHECKPOINT = {"identity", "net", "optimiser", "progress"}  # what it must hold

Advance = Callable[[str, int, int], None]  # net, positions seen, of how many


@dataclass
class TrainingProgress:
    """The progress of a net."""

    passes: int = 0  # whole passes
    pools: int = 0  # pools of the current pass
    steps: int = 0
    seen: int = 0  # positions


def rate_factor(steps: int, done: float) -> float:
    """The learning rate as a share of the highest: a short rise, then half a cosine down."""
    if steps < WARM_UP_STEPS:
        return (steps + 1) / WARM_UP_STEPS
    return LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(done, 1.0))) / 2


class Trainer:
    """Trains one net over a list of passes."""

    def __init__(
        self,
        name: str,
        step: ValueStep | PolicyStep,
        settings: NetSettings,
        passes: Sequence[Games],
        seed: int,
        identity: bytes,
    ) -> None:
        self.name, self.step, self.settings, self.passes, self.seed = name, step, settings, passes, seed
        self.identity = identity
        self.optimiser = new_optimiser(step.net, settings.rate, settings.decay, settings.batch)
        self.progress = TrainingProgress()
        self.total = sum(games.positions for games in passes)

    @property
    def net(self) -> SparseNet:
        """The net in training."""
        return self.step.net

    def run(self, folder: Path, validation: Decoded, log: Callable[[dict[str, Any]], None], advance: Advance) -> None:
        """Train to the end. After each pool the net is evaluated, logged and saved."""
        while self.progress.passes < len(self.passes):
            games = self.passes[self.progress.passes]
            seed = (self.seed, self.progress.passes)
            for pool in pools(games, seed, skip=self.progress.pools):
                begin = time.perf_counter()
                loss = self._train(pool, advance)
                speed = pool.order.size / (time.perf_counter() - begin)
                self.progress.pools += 1
                entry = {"net": self.name, "pass": self.progress.passes, "seen": self.progress.seen, "loss": loss}
                log(entry | {"speed": round(speed)} | self.step.judge(validation))
                self.save(folder)
            self.progress.passes, self.progress.pools = self.progress.passes + 1, 0
            self.save(folder)

    def _train(self, pool: Pool, advance: Advance) -> float:
        """One pool; -> the mean loss."""
        self.step.take(pool)
        loss, batches, batch = 0.0, 0, self.settings.batch
        for chosen in pool.batches(min(batch, pool.order.size)):
            factor = rate_factor(self.progress.steps, self.progress.seen / self.total)
            for group in self.optimiser.param_groups:
                group["lr"] = self.settings.rate * factor
            self.net.clear_gradients()
            loss += self.step.gradients(pool, chosen)
            self.optimiser.step()
            self.progress.steps += 1
            self.progress.seen += chosen.size
            batches += 1
            advance(self.name, self.progress.seen, self.total)
        return loss / max(batches, 1)

    def save(self, folder: Path) -> None:
        """Write a checkpoint; the previous one stays until this one is complete."""
        content = {
            "identity": self.identity,
            "net": self.net.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": vars(self.progress),
        }
        data = io.BytesIO()
        torch.save(content, data)
        write_whole(checkpoint_path(folder, self.name), data.getvalue())

    def resume(self, folder: Path) -> bool:
        """Continue from a checkpoint, if there is one; -> was there one?"""
        content = checkpoint_of(folder, self.name, self.identity)
        if content is None:
            return False
        self.net.load_state_dict(content["net"])
        self.optimiser.load_state_dict(content["optimiser"])
        self.progress = TrainingProgress(**content["progress"])
        return True


def checkpoint_of(folder: Path, name: str, identity: bytes) -> dict[str, Any] | None:
    """The checkpoint of a net, if there is one; a `ValueError` if it is of another run."""
    path = checkpoint_path(folder, name)
    if not path.is_file():
        return None
    content = load_checkpoint(path)
    if content["identity"] != identity:
        raise ValueError(f"{path} was made with other settings or files: choose another folder")
    return content


def load_checkpoint(path: Path) -> dict[str, Any]:
    """A saved checkpoint; a `ValueError` if it is damaged."""
    try:
        content = torch.load(path, weights_only=True)
    except Exception:  # noqa: BLE001  (torch has a dozen ways to fail at damaged bytes)
        content = None
    if not isinstance(content, dict) or not content.keys() >= CHECKPOINT:
        raise ValueError(f"{path} is damaged: delete it to train this net from the start")
    return content


def checkpoint_path(folder: Path, name: str) -> Path:
    """Where a net's checkpoint is."""
    return folder / f"{name}.pt"
