"""Evaluators outside the kernels for tests: numbers that depend on the position alone, or the shipped network."""

import time

import numpy as np

from engine.network.architecture import VALUE_UNIT, new_scratch
from engine.network.batch import values_of
from engine.network.infer import sharpness
from engine.network.weights_file import load_weights
from tests.engine.network.compiled import priors_of

NET = load_weights().network


class Scattered:
    """Values and priors that look random. Remembers what it was asked."""

    name, digest, history, workers = "scattered", "0", 8, 1

    def __init__(self, batch=8, seconds=0.0, history=8):
        self.batch, self.seconds, self.history, self.sizes, self.seen = batch, seconds, history, [], []

    def evaluate(self, leaves, _halt=None):
        self.sizes.append(leaves.count)
        for leaf in range(leaves.count):
            count = int(leaves.move_count[leaf])
            value, priors = self.judge(leaves.history[leaf, 0], leaves.moves[leaf, :count])
            leaves.values[leaf], leaves.draws[leaf], leaves.priors[leaf, :count] = value, 0.25, priors
            self.seen.append(leaves.history[leaf].tobytes())
        time.sleep(self.seconds)

    @staticmethod
    def judge(words, moves):
        """Of the board, as its player sees it, and its moves."""
        rng = np.random.default_rng([int(word) >> shift & 0xFFFF_FFFF for word in words for shift in (0, 32)])
        value = np.float32(rng.random())
        priors = np.array([1 + (int(move) * 40503 >> 3) % 13 for move in moves], dtype=np.float32)  # often equal
        return value, priors / priors.sum()


class Wrapped:
    """The shipped network, asked from outside."""

    name, digest, history, workers, batch = "wrapped", "1", 1, 1, 16

    def evaluate(self, leaves, _halt=None):
        boards = np.ascontiguousarray(leaves.history[: leaves.count, 0])
        shares = np.zeros((leaves.count, 3), dtype=np.int64)
        values_of(NET, new_scratch(NET), boards, shares)
        moves, priors = (np.zeros((leaves.count, 256), dtype=np.uint16) for _ in range(2))
        counts = np.zeros(leaves.count, dtype=np.int64)
        priors_of(NET, new_scratch(NET), boards, sharpness(1.0), moves, priors, counts)
        for leaf in range(leaves.count):
            win, draw, _ = shares[leaf] / VALUE_UNIT
            count = int(counts[leaf])
            assert (leaves.moves[leaf, :count] == moves[leaf, :count]).all()
            leaves.values[leaf], leaves.draws[leaf] = win + draw / 2, draw
            leaves.priors[leaf, :count] = priors[leaf, :count] / priors[leaf, :count].sum()
