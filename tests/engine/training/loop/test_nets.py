"""The nets of a loop: named by their content, mended where that is possible, not deleted while they are needed."""

import numpy as np
import pytest

from engine.network.weights_file import SHIPPED, load_weights
from engine.training.fit.checkpoint import Checkpoint, TrainingProgress, load_checkpoint
from engine.training.fit.quantise import dequantise, quantise
from engine.training.fit.settings import NetSettings
from engine.training.loop.nets import Nets, checkpoints_of, mean_of, new_net, widths_of
from perft.runner.units import checksum

SHAPES = {net: NetSettings(32, 64, 0.001, 0.1, 0, 1, 0) for net in ("value", "policy")}
WIDE = {"value": NetSettings(544, 64, 0.001, 0.1, 0, 1, 0), "policy": NetSettings(288, 64, 0.001, 0.1, 0, 1, 0)}


@pytest.fixture
def nets(tmp_path):
    return Nets(tmp_path / "nets")


def checkpoint(net, seed):
    rng, weights = np.random.default_rng(seed), new_net(net, 32, seed).weights
    means, squares = (type(weights)(*(rng.random(array.shape, np.float32) for array in weights)) for _ in "ab")
    return Checkpoint(bytes([seed]) * 32, TrainingProgress(2, 0, 7, 100, seed), weights, means, squares)


def same(mine, theirs):
    return all((one == other).all() for one, other in zip(mine, theirs, strict=True))


def test_a_net_is_named_by_its_content(nets):
    checkpoints = {net: checkpoint(net, seed) for seed, net in enumerate(SHAPES, 1)}
    name = nets.write(checkpoints, {"round": 1})
    content = nets.path(name).read_bytes()
    assert checksum(content).startswith(name)
    loaded = load_weights(nets.path(name))
    assert loaded.notes == {"round": 1}
    assert same(loaded.network, quantise(*(checkpoints[net].weights for net in SHAPES)))
    for net, one in checkpoints.items():
        saved = load_checkpoint(nets.state(name) / f"{net}.npz")
        assert (saved.identity, saved.progress) == (one.identity, one.progress)
        assert all(same(getattr(saved, part), getattr(one, part)) for part in ("weights", "means", "squares"))
    assert nets.write(checkpoints, {"round": 1}) == name
    assert nets.write(checkpoints, {"round": 2}) != name


def test_the_first_net_is_the_file_itself(nets):
    name = nets.add_file(SHIPPED, WIDE)
    assert nets.path(name).read_bytes() == SHIPPED.read_bytes()
    assert tuple(widths_of(nets.path(name))) == (512, 256)
    value, policy = dequantise(load_weights().network)
    for net, weights in (("value", value), ("policy", policy)):
        state = load_checkpoint(nets.state(name) / f"{net}.npz")
        known = weights[1].size
        assert state.weights.bias.size == known + 32
        assert (state.weights.rows[:, :known] == weights[0].astype(np.float32)).all()
        assert not state.weights.outputs[:, known:].any()
        assert not any(array.any() for array in (*state.means, *state.squares))


def test_random_nets_depend_on_their_seed(nets):
    first, other = nets.add_random(SHAPES, 1), nets.add_random(SHAPES, 2)
    assert first != other
    assert nets.add_random(SHAPES, 1) == first
    state = load_checkpoint(nets.state(first) / "value.npz")
    assert same(state.weights, new_net("value", 32, 1).weights)


def test_the_mean_of_a_fit_and_the_present_net():
    fit, present = checkpoint("value", 1), checkpoint("value", 2)
    mean = mean_of(fit, present, 0.25)
    for found, one, other in zip(mean.weights, fit.weights, present.weights, strict=True):
        assert found.dtype == np.float32
        assert found == pytest.approx(0.75 * one + 0.25 * other, abs=1e-6)
    assert (mean.identity, mean.progress, mean.means) == (fit.identity, fit.progress, fit.means)
    assert same(mean_of(fit, present, 0.0).weights, fit.weights)


def test_damaged_nets_are_found(nets):
    name = nets.add_random(SHAPES, 1)
    content = bytearray(nets.path(name).read_bytes())
    assert nets.is_intact(name)
    nets.check(name, SHAPES)
    content[len(content) // 2] ^= 1
    nets.path(name).write_bytes(content)
    assert not nets.is_intact(name)
    with pytest.raises(ValueError, match=rf"{name}\.net is missing or damaged: put it back from a copy"):
        nets.check(name, SHAPES)
    nets.path(name).unlink()
    assert not nets.is_intact(name)


def test_a_damaged_state_is_refused_and_a_deleted_one_made_again(nets):
    name = nets.add_random(SHAPES, 1)
    path = nets.state(name) / "policy.npz"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"policy\.npz is missing or damaged.*\.state to go on from .*new optimiser$"):
        nets.check(name, SHAPES)
    for each in nets.state(name).iterdir():
        each.unlink()
    nets.state(name).rmdir()
    nets.check(name, SHAPES)
    found = load_checkpoint(path)
    assert same(found.weights, checkpoints_of(nets.path(name), SHAPES)["policy"].weights)
    assert found.progress == TrainingProgress()


def test_states_of_other_nets_are_deleted_and_their_weights_stay(nets):
    names = [nets.add_random(SHAPES, seed) for seed in (1, 2, 3)]
    before = nets.digest(names[0])
    nets.clean({names[0], names[2], ""})
    assert [nets.state(name).is_dir() for name in names] == [True, False, True]
    assert all(map(nets.is_intact, names))
    assert nets.digest(names[0]) == before != nets.digest(names[2])
