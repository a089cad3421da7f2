"""Nets of all forms against the plain reference, from bytes to priors."""

import threading

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra `lc0`")

from engine.lc0 import net_format as nf
from engine.lc0.evaluator import Lc0Net
from engine.lc0.reflections import FLIPPED, MIRRORED, TRANSPOSED
from engine.network.leaves import Halt, InterruptedEvaluationError
from tests.engine.lc0.games import batch_of, games
from tests.engine.lc0.reference import Reference, softmax
from tests.engine.lc0.tiny_nets import KINDS, tiny_net, written

PIECES = {0: 0, 4: 0, 5: 3, 6: 4, 7: 5}  # of `movegen.moves` to python-chess's


def opened(tmp_path, content):
    path = tmp_path / "net.pb"
    path.write_bytes(content)
    return Lc0Net(path, threads=1)


def reflected(square, reflection):
    square ^= 7 * bool(reflection & int(FLIPPED)) ^ 56 * bool(reflection & int(MIRRORED))
    return (7 - square % 8) * 8 + 7 - square // 8 if reflection & int(TRANSPOSED) else square


def expected_priors(logits, codes, reflection):
    moves = [
        (reflected(code & 63, reflection), reflected(code >> 6 & 63, reflection), PIECES.get(code >> 12, 0))
        for code in map(int, codes)
    ]
    return softmax(np.array([logits[move] for move in moves]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_net_says_what_the_reference_says(kind, tmp_path):
    tree = tiny_net(kind)
    net = opened(tmp_path, written(tree))
    leaves = batch_of(games(16, 3))
    net.evaluate(leaves)
    planes, reflections = net.planes(leaves)
    for row in range(leaves.count):
        count = leaves.move_count[row]
        logits, value = Reference(tree).evaluate(planes[row])
        priors = expected_priors(logits, leaves.moves[row, :count], int(reflections[row]))
        np.testing.assert_allclose(leaves.priors[row, :count], priors, atol=2e-6)
        assert not leaves.priors[row, count:].any()
        score = (value[0] - value[2] + 1) / 2 if len(value) == 3 else (value[0] + 1) / 2
        np.testing.assert_allclose(leaves.values[row], score, atol=2e-6)
        np.testing.assert_allclose(leaves.draws[row], value[1] if len(value) == 3 else 0, atol=2e-6)


@pytest.mark.parametrize(("encoding", "error"), [(nf.LINEAR16, 1e-4), (nf.FLOAT16, 1e-3), (nf.BFLOAT16, 3e-2)])
def test_all_encodings_of_weights_are_read(encoding, error, tmp_path):
    tree = tiny_net("squeezed")
    leaves, exact = batch_of(games(8, 4)), batch_of(games(8, 4))
    opened(tmp_path, written(tree)).evaluate(exact)
    opened(tmp_path, written(tree, encoding)).evaluate(leaves)
    assert 0 < np.abs(leaves.priors - exact.priors).max() < error
    assert 0 < np.abs(leaves.values - exact.values).max() < error


def test_leaves_do_not_depend_on_the_batch_they_are_in(tmp_path):
    net = opened(tmp_path, written(tiny_net("attention body")))
    boards = games(12, 6)
    together = batch_of(boards)
    net.evaluate(together)
    for row, board in enumerate(boards):
        alone = batch_of([board])
        net.evaluate(alone)
        np.testing.assert_allclose(alone.priors[0], together.priors[row], atol=1e-6)
        np.testing.assert_allclose(alone.values[0], together.values[row], atol=1e-6)


def test_threads_may_evaluate_at_once(tmp_path):
    net = opened(tmp_path, written(tiny_net("squeezed")))
    expected = batch_of(games(6, 8))
    net.evaluate(expected)
    batches = [batch_of(games(6, 8)) for _ in range(4)]
    threads = [threading.Thread(target=net.evaluate, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for batch in batches:
        assert np.array_equal(batch.priors, expected.priors)
        assert np.array_equal(batch.values, expected.values)


def test_what_is_beyond_the_leaves_stays(tmp_path):
    net = opened(tmp_path, written(tiny_net("classical")))
    leaves = batch_of(games(4, 9))
    leaves.filled[0], leaves.values[:], leaves.priors[:] = 2, 7, 7
    net.evaluate(leaves)
    assert (leaves.values[2:] == 7).all()
    assert (leaves.priors[2:] == 7).all()
    leaves.filled[0] = 0
    net.evaluate(leaves)  # nothing to do


def test_a_net_names_itself(tmp_path):
    content = written(tiny_net("classical"))
    one, other = opened(tmp_path, content), opened(tmp_path, content)
    assert one.name == "net.pb"
    assert one.digest == other.digest != opened(tmp_path, written(tiny_net("classical", seed=2))).digest
    assert one.history == 8
    assert one.batch >= 1


class AskedTooLate(Halt):
    """Asks when the evaluation has begun."""

    def begin(self, end):
        super().begin(end)
        self.ask()


def test_an_evaluation_can_be_ended(tmp_path):
    net = opened(tmp_path, written(tiny_net("squeezed")))
    leaves = batch_of(games(3, 1))
    halt = Halt()
    halt.ask()
    for early in (halt, AskedTooLate()):
        with pytest.raises(InterruptedEvaluationError):
            net.evaluate(leaves, early)
    net.evaluate(leaves, Halt())  # the next one is not
    assert leaves.priors[0].sum() == pytest.approx(1)
