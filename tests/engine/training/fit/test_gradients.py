"""Gradients against the slopes of a loss that is written down once more, with numpy and in double precision."""

from itertools import pairwise

import numpy as np
import pytest

from engine.network.architecture import OUTCOMES, PIECES_PER_PHASE
from engine.network.batch import inputs_of, moves_of
from engine.training.data.games import decode, open_games
from engine.training.fit.gradients import policy_gradients, value_gradients
from engine.training.fit.sparse_net import NetArrays, policy_net, value_net
from movegen.moves import MAX_MOVES
from tests.engine.training.data.games import random_records

STEP = 1e-5


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(60, seed=9)))
    return decode(open_games([path])).positions


def batch_of(positions, count, seed):
    chosen = np.random.default_rng(seed).permutation(len(positions.scores))[:count]
    inputs, counts = np.zeros((count, 32), dtype=np.uint16), np.zeros(count, dtype=np.uint8)
    inputs_of(positions.boards, chosen, inputs, counts)
    return chosen, inputs, counts


def squares_of(weights, inputs):
    return np.clip(weights.rows[inputs].sum(axis=0) + weights.bias, 0, 1) ** 2


def cross_entropy(logits, targets):
    shifted = logits - logits.max()
    return -(targets * (shifted - np.log(np.exp(shifted).sum()))).sum()


def slow_value_loss(weights, inputs, counts, targets):
    loss = 0.0
    for line, count in enumerate(counts.tolist()):
        part = slice((count - 1) // PIECES_PER_PHASE * OUTCOMES, ((count - 1) // PIECES_PER_PHASE + 1) * OUTCOMES)
        logits = weights.outputs[part] @ squares_of(weights, inputs[line, :count]) + weights.output_bias[part]
        loss += cross_entropy(logits, targets[line])
    return loss


def slow_policy_loss(weights, inputs, counts, rows, starts, targets, sample_weights):
    loss = 0.0
    for line, (count, (begin, end)) in enumerate(zip(counts.tolist(), pairwise(starts), strict=True)):
        if begin < end:
            squares = squares_of(weights, inputs[line, :count])
            part = rows[begin:end].astype(np.int64)
            logits = weights.outputs[part].sum(axis=1) @ squares + weights.output_bias[part].sum(axis=1)
            loss += sample_weights[line] * cross_entropy(logits, targets[begin:end])
    return loss


def check_slopes(net, loss_of, tolerance):
    """Weights with large gradients one by one, and all of them together in random directions."""
    weights, rng = NetArrays(*(array.astype(np.float64) for array in net.weights)), np.random.default_rng(7)
    for array, gradient in zip(weights, net.gradients, strict=True):
        largest = np.argsort(np.abs(gradient), axis=None)[-gradient.size // 10 :]
        error = tolerance * float(np.abs(gradient).max())
        for index in rng.choice(largest, size=6):
            before, slopes = array.flat[index], []
            for step in (STEP, -STEP):
                array.flat[index] = before + step
                slopes.append(loss_of(weights))
            array.flat[index] = before
            slope = (slopes[0] - slopes[1]) / (2 * STEP)
            assert gradient.flat[index] == pytest.approx(slope, rel=tolerance, abs=error)
    for _ in range(4):
        direction = [rng.normal(size=array.shape) for array in weights]
        ahead, behind = (
            loss_of(NetArrays(*(array + step * way for array, way in zip(weights, direction, strict=True))))
            for step in (STEP, -STEP)
        )
        expected = sum(float((gradient * way).sum()) for gradient, way in zip(net.gradients, direction, strict=True))
        size = sum(float((gradient**2).sum()) for gradient in net.gradients) ** 0.5
        assert (ahead - behind) / (2 * STEP) == pytest.approx(expected, abs=tolerance * size)


@pytest.mark.thorough
def test_gradients_of_the_value(positions):
    _, inputs, counts = batch_of(positions, 60, seed=1)
    targets = np.random.default_rng(2).dirichlet((1, 1, 1), counts.size).astype(np.float32)
    net = value_net(64, seed=1)
    loss = value_gradients(inputs, counts, targets, net.weights, net.gradients)
    assert loss == pytest.approx(slow_value_loss(net.weights, inputs, counts, targets), rel=1e-5)
    check_slopes(net, lambda weights: slow_value_loss(weights, inputs, counts, targets), 1e-3)


@pytest.mark.thorough
def test_gradients_of_the_policy(positions):
    """The smallest ones are left out on purpose."""
    chosen, inputs, counts = batch_of(positions, 30, seed=3)
    moves, rows = np.zeros(chosen.size * 80, dtype=np.uint16), np.zeros((chosen.size * 80, 4), dtype=np.uint16)
    starts = np.zeros(chosen.size + 1, dtype=np.int64)
    moves_of(positions.boards, chosen, np.zeros(MAX_MOVES, dtype=np.uint16), moves, rows, starts)
    rng, targets = np.random.default_rng(4), np.zeros(starts[-1], dtype=np.float32)
    for begin, end in pairwise(starts):
        targets[begin:end] = rng.dirichlet(np.full(end - begin, 0.3)) if end > begin else 0
    sample_weights = rng.uniform(0.1, 5, chosen.size).astype(np.float32)
    batch, net = (inputs, counts, rows, starts, targets, sample_weights), policy_net(32, seed=1)
    loss = policy_gradients(*batch, net.weights, net.gradients)
    assert loss == pytest.approx(slow_policy_loss(net.weights, *batch), rel=1e-5)
    check_slopes(net, lambda weights: slow_policy_loss(weights, *batch), 0.01)
