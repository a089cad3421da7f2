"""Weights of samples by surprise, against formulas written down a second time."""

import math

import numpy as np
import pytest

from engine.cli.train import main
from engine.network.architecture import LOGIT_BITS, VALUE_UNIT, new_scratch
from engine.network.batch import move_logits_of, quiet_values_of
from engine.network.weights_file import SHIPPED, load_weights
from engine.training.data.dataset import Pool
from engine.training.data.games import decode, open_games
from engine.training.fit.settings import check_options
from engine.training.fit.sparse_net import policy_net
from engine.training.fit.steps import PolicyStep
from engine.training.fit.surprise import divergence_weights, equal_weights, optimism_weights, weigh_by
from movegen.moves import MAX_MOVES
from tests.conftest import JIT_DISABLED
from tests.engine.training.data.games import random_records
from tests.engine.training.fit.test_settings import options

needs_jit = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(60, seed=31)))
    return path


@pytest.fixture(scope="module")
def decoded(file):
    return decode(open_games([file]).with_moves())


@needs_jit
def test_optimism_is_by_what_the_search_found_for_the_player_to_move(network, decoded):
    positions = decoded.positions
    shares = np.empty((len(positions.boards), 3), dtype=np.int64)
    quiet_values_of(network, new_scratch(network), positions.boards, shares)
    found = [
        1 / (1 + math.exp(-score / 250)) - (win + draw / 2) / VALUE_UNIT
        for (win, draw, _), score in zip(shares.tolist(), positions.scores.tolist(), strict=True)
    ]
    sigma = math.sqrt(sum(error * error for error in found) / len(found))
    expected = [max(0.1, 1 / (1 + math.exp(-3 * (error / sigma - 1.5)))) for error in found]
    mean = sum(expected) / len(expected)
    weights = optimism_weights(network, positions)
    assert weights.dtype == np.float32
    assert weights == pytest.approx([weight / mean for weight in expected], rel=1e-4)
    assert weights.max() > 5 * weights.min()
    assert weights[np.array(found) < 0].max() == weights.min()


@needs_jit
def test_half_of_the_weight_is_by_the_prior_of_the_labelled_move(network, decoded):
    positions, count = decoded.positions, len(decoded.positions.boards)
    moves, logits = np.empty((count, MAX_MOVES), dtype=np.uint16), np.empty((count, MAX_MOVES), dtype=np.int64)
    counts = np.empty(count, dtype=np.int64)
    move_logits_of(network, new_scratch(network), positions.boards, moves, logits, counts)
    losses = []
    for line, found in enumerate(counts.tolist()):
        shares = [math.exp(logit / (1 << LOGIT_BITS)) for logit in logits[line, :found].tolist()]
        losses.append(-math.log(shares[moves[line, :found].tolist().index(positions.moves[line])] / sum(shares)))
    mean = sum(losses) / len(losses)
    expected = [0.5 + 0.5 * loss / mean for loss in losses]
    assert divergence_weights(network, positions) == pytest.approx(expected, rel=1e-4)


@needs_jit
@pytest.mark.parametrize("measure", ["optimism", "divergence"])
def test_the_mean_weight_is_one(network, decoded, measure):
    weights = weigh_by(measure, network)(decoded.positions)
    assert weights.mean() == pytest.approx(1, abs=1e-5)
    assert weights.std() > 0.1


def test_a_weight_counts_as_that_many_samples(decoded):
    """Whole numbers as weights give the same gradients as samples that are repeated."""
    counts = np.arange(decoded.positions.scores.size) % 4
    pool, chosen = Pool(decoded, np.arange(counts.size)), np.arange(40)
    weighted, repeated = (PolicyStep(policy_net(32, 1)) for _ in range(2))
    weighted.weigh = lambda _: counts.astype(np.float32)
    for step in (weighted, repeated):
        step.take(pool)
    assert (repeated.weights == equal_weights(decoded.positions)).all()
    copies = np.repeat(chosen, counts[:40])
    losses = weighted.gradients(pool, chosen) * chosen.size, repeated.gradients(pool, copies) * copies.size
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for mine, other in zip(weighted.net.gradients, repeated.net.gradients, strict=True):
        assert other.any()
        assert mine == pytest.approx(other, abs=2e-3 * float(np.abs(other).max()))


def test_something_must_be_surprised():
    message = "--policy-surprise needs a weights file to --start-from: that net is surprised"
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_options(options(policy_surprise="optimism"))
    check_options(options(policy_surprise="optimism", start_from=SHIPPED))


@needs_jit
@pytest.mark.slow
def test_a_fit_with_weights_is_another_fit(file, tmp_path, capsys):
    """The loss of the first step is that of the weighted samples, by the net that the fit starts from."""
    common = ["fit", str(file), "--only=policy", f"--start-from={SHIPPED}", "--validation=0.3", "--policy-passes=1"]
    losses = {}
    for measure in ("", "divergence"):
        more = [f"--policy-surprise={measure}"] if measure else []
        assert main([*common, *more, "--policy-rate=1e-9", "--output", str(tmp_path / f"run{measure}")]) == 0
        log = (tmp_path / f"run{measure}" / "policy.log").read_text()
        losses[measure] = float(log.partition('"loss": ')[2].partition(",")[0])
    assert losses["divergence"] > 1.02 * losses[""]
    capsys.readouterr()
