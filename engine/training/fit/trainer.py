"""Training one net, pool by pool, with a checkpoint after each."""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.training.data.dataset import Pool, pools
from engine.training.data.games import Decoded, Games
from engine.training.fit.adamw import AdamW
from engine.training.fit.checkpoint import Checkpoint, TrainingProgress, checkpoint_of
from engine.training.fit.settings import NetSettings
from engine.training.fit.sparse_net import SparseNet
from engine.training.fit.steps import PolicyStep, ValueStep
from perft.runner.units import cpu_seconds

WARM_UP_STEPS, WARM_UP_SHARE = 100, 0.1  # at most, and of all steps
LAST_RATE = 0.01  # of the highest

Advance = Callable[[str, int, int], None]  # net, positions seen, of how many


def warm_up_of(steps: float) -> int:
    """For how many steps the rate rises, of about how many: a short fit must have time to lower it."""
    return max(1, min(WARM_UP_STEPS, round(WARM_UP_SHARE * steps)))


def rate_factor(steps: int, done: float, warm_up: int = WARM_UP_STEPS) -> float:
    """The learning rate as a share of the highest: a short rise, then half a cosine down."""
    if steps < warm_up:
        return (steps + 1) / warm_up
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
        self.optimiser = AdamW(step.net, settings.decay, settings.batch)
        self.progress = TrainingProgress()
        self.total = sum(games.positions for games in passes)
        self.warm_up = warm_up_of(self.total / settings.batch)

    @property
    def net(self) -> SparseNet:
        """The net in training."""
        return self.step.net

    def run(self, folder: Path, validation: Decoded, log: Callable[[dict[str, Any]], None], advance: Advance) -> None:
        """Train to the end. After each pool the net is evaluated, saved and logged: no pool is twice in the log."""
        used = cpu_seconds()
        while self.progress.passes < len(self.passes):
            games = self.passes[self.progress.passes]
            seed = (self.seed, self.progress.passes)
            for pool in pools(games, seed, skip=self.progress.pools):
                begin = time.perf_counter()
                loss = self._train(pool, advance)
                speed = pool.order.size / (time.perf_counter() - begin)
                self.progress.pools += 1
                entry = {"net": self.name, "pass": self.progress.passes, "seen": self.progress.seen, "loss": loss}
                figures = self.step.judge(validation)
                self.save(folder)
                used, before = cpu_seconds(), used
                log(entry | {"speed": round(speed), "cpu_seconds": round(used - before, 3)} | figures)
            self.progress.passes, self.progress.pools = self.progress.passes + 1, 0
            self.save(folder)

    def _train(self, pool: Pool, advance: Advance) -> float:
        """One pool; -> the mean loss."""
        self.step.take(pool)
        loss, batches, batch = 0.0, 0, self.settings.batch
        for chosen in pool.batches(min(batch, pool.order.size)):
            factor = rate_factor(self.progress.steps, self.progress.seen / self.total, self.warm_up)
            loss += self.step.gradients(pool, chosen)
            self.progress.steps += 1
            self.optimiser.step(self.progress.steps_before + self.progress.steps, self.settings.rate * factor)
            self.progress.seen += chosen.size
            batches += 1
            advance(self.name, self.progress.seen, self.total)
        return loss / max(batches, 1)

    def save(self, folder: Path) -> None:
        """Write a checkpoint."""
        optimiser = self.optimiser
        parts = self.net.weights, optimiser.means, optimiser.squares
        Checkpoint(self.identity, self.progress, *parts, self.settings.batch).save(folder, self.name)

    def go_on_from(self, fit: Checkpoint) -> None:
        """Begin with the weights of another fit, and with what its optimiser has seen; its net may be narrower.

        Gradients are sums over a batch. With a batch r times as large means are r times, squares r² times as large;
        left as they are, steps would be far too large or too small until they are forgotten.
        """
        self.net.start_from(fit.weights)
        self.optimiser.means.copy_known(fit.means)
        self.optimiser.squares.copy_known(fit.squares)
        if fit.batch not in (0, self.settings.batch):
            self.optimiser.scale(self.settings.batch / fit.batch)
        self.progress.steps_before = fit.progress.steps_before + fit.progress.steps

    def resume(self, folder: Path) -> bool:
        """Continue from a checkpoint, if there is one; -> was there one?"""
        checkpoint = checkpoint_of(folder, self.name, self.identity)
        if checkpoint is None:
            return False
        mine = (*self.net.weights, *self.optimiser.means, *self.optimiser.squares)
        saved = (*checkpoint.weights, *checkpoint.means, *checkpoint.squares)
        for array, content in zip(mine, saved, strict=True):
            array[:] = content
        self.progress = checkpoint.progress
        return True
