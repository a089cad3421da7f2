"""Networks with random weights for tests, and their answers in floats."""

import numpy as np

from engine.network.architecture import (
    LOGIT_BITS,
    MAX_PIECES,
    ONE_HIDDEN,
    ONE_MOVE_SQUARE,
    ONE_OUTCOME_SQUARE,
    OUTCOMES,
    PIECES_PER_PHASE,
    SCALE_BITS,
    Network,
    shapes,
)


def random_floats(value_hidden=64, policy_hidden=32, seed=1):
    """Weights of the two nets as training has them: (input rows, hidden bias, output rows, output bias) twice."""
    rng = np.random.default_rng(seed)
    nets = []
    wanted = shapes(value_hidden, policy_hidden)
    for first, spread in ((0, 0.5), (4, 0.4)):
        rows, bias, outputs, output_bias = wanted[first : first + 4]
        sizes = ((rows, 0.15), (bias, 0.2), (outputs, spread), (output_bias, 0.5))
        nets.append(tuple((rng.standard_normal(shape) * scale).astype(np.float32) for shape, scale in sizes))
    return nets


def as_floats(network: Network):
    """The weights of a quantised network as floats, in the order of `random_floats`."""
    one_outcome, one_move = (2.0 ** (LOGIT_BITS + SCALE_BITS) / scale for scale in network.scales.tolist())
    value = (
        network.value_rows / ONE_HIDDEN,
        network.value_bias / ONE_HIDDEN,
        network.outcome_rows / (one_outcome / ONE_OUTCOME_SQUARE),
        network.outcome_bias / one_outcome,
    )
    policy = (
        network.policy_rows / ONE_HIDDEN,
        network.policy_bias / ONE_HIDDEN,
        network.move_rows / (one_move / ONE_MOVE_SQUARE),
        network.move_bias / one_move,
    )
    return value, policy


def hidden_layer(weights, inputs):
    rows, bias = weights[:2]
    return np.clip(bias.astype(np.float64) + rows[sorted(inputs)].sum(axis=0, dtype=np.float64), 0, 1) ** 2


def outcome_logits(weights, inputs):
    """The logits of win, draw and loss of a position with these inputs."""
    assert len(inputs) <= MAX_PIECES
    first = (len(inputs) - 1) // PIECES_PER_PHASE * OUTCOMES
    outputs, bias = weights[2][first : first + OUTCOMES], weights[3][first : first + OUTCOMES]
    return outputs.astype(np.float64) @ hidden_layer(weights, inputs) + bias


def move_logits(weights, inputs, rows):
    """The logits of moves, each given by its four rows."""
    hidden = hidden_layer(weights, inputs)
    chosen = np.array(rows)
    return weights[2][chosen].sum(axis=1, dtype=np.float64) @ hidden + weights[3][chosen].sum(axis=1)


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()
