"""The two nets, the loop over passes and pools, and checkpoints."""

import io
from dataclasses import asdict

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`: make test installs it")

from engine.network.architecture import INPUTS, MOVE_ROWS, OUTCOME_ROWS  # noqa: E402
from engine.training.data.dataset import Pool, pools  # noqa: E402
from engine.training.data.draw_model import DrawModel  # noqa: E402
from engine.training.data.games import decode, open_games  # noqa: E402
from engine.training.fit.figures import policy_ranks, value_errors  # noqa: E402
from engine.training.fit.settings import NetSettings  # noqa: E402
from engine.training.fit.steps import PolicyStep, ValueStep, new_optimiser, policy_net, value_net  # noqa: E402
from engine.training.fit.trainer import (  # noqa: E402
    Trainer,
    TrainingProgress,
    checkpoint_of,
    checkpoint_path,
    load_checkpoint,
    rate_factor,
)
from tests.engine.training.data.games import random_records  # noqa: E402

SETTINGS = NetSettings(32, batch=64, rate=0.01, decay=0.1, early_passes=0, passes=2, final_passes=0)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0][:31] + b"\0" + record[0][32:] for record in random_records(12, seed=4)))
    return open_games([path])


def new_trainer(games, name="value", passes=2, identity=b"me", settings=SETTINGS):
    step = ValueStep(value_net(32, 1), DrawModel(), 1.0, 0.0) if name == "value" else PolicyStep(policy_net(32, 1))
    return Trainer(name, step, settings, [games] * passes, 5, identity)


@pytest.mark.parametrize(("make", "outputs"), [(value_net, OUTCOME_ROWS), (policy_net, MOVE_ROWS)])
def test_a_new_net(make, outputs):
    net = make(64, 3)
    rows, bias, output_rows, output_bias = net.weights()
    shapes = [(INPUTS, 64), (64,), (outputs, 64), (outputs,)]
    assert [array.shape for array in net.weights()] == [array.shape for array in net.gradients()] == shapes
    assert rows.std() == pytest.approx(0.1, rel=0.02)
    assert abs(rows.mean()) < 0.001
    assert output_rows.std() == pytest.approx(0.03, rel=0.03)
    assert (bias == np.float32(0.1)).all()
    assert (output_bias == 0).all()
    assert (make(64, 3).weights()[0] == rows).all()
    assert (make(64, 4).weights()[0] != rows).any()
    assert all((gradient == 0).all() for gradient in net.gradients())


def test_arrays_of_a_net_share_its_memory():
    net = value_net(32, 1)
    net.weights()[1][:] = 7
    net.gradients()[3][:] = 8
    assert (net.bias == 7).all()
    assert (net.output_bias.grad == 8).all()
    net.clear_gradients()
    assert all((parameter.grad == 0).all() for parameter in net.parameters())
    assert (net.bias == 7).all()


@pytest.mark.parametrize("known", [32, 64])
def test_a_net_takes_the_weights_of_a_narrower_one(known):
    source, net = value_net(known, 1), value_net(64, 2)
    before = [array.copy() for array in net.weights()]
    source.weights()[3][:] = 0.5
    net.start_from([array.astype(np.float64) for array in source.weights()])
    for index, (mine, theirs) in enumerate(zip(net.weights(), source.weights(), strict=True)):
        assert (mine[..., :known] == theirs).all() if index < 3 else (mine == theirs).all()
    assert (net.weights()[0][:, known:] == before[0][:, known:]).all()
    assert (net.weights()[1][known:] == before[1][known:]).all()
    assert (net.weights()[2][:, known:] == 0).all()


def test_a_wider_net_cannot_be_started_from():
    with pytest.raises(ValueError, match=r"^a net of 64 hidden units cannot start one of 32$"):
        value_net(32, 1).start_from(value_net(64, 1).weights())


def test_the_optimiser():
    """AdamW by its formula; gradients are sums over a batch, so epsilon grows with the batch."""
    net, rate, decay, batch = value_net(32, 1), 0.02, 0.3, 1000
    optimiser = new_optimiser(net, rate, decay, batch)
    group = optimiser.param_groups[0]
    assert (group["lr"], group["weight_decay"], group["eps"], group["betas"]) == (rate, decay, 1e-5, (0.9, 0.999))
    before = net.weights()[1].copy()
    net.gradients()[1][:] = np.linspace(-1e-4, 1e-4, 32, dtype=np.float32)
    optimiser.step()
    gradient = np.linspace(-1e-4, 1e-4, 32)
    expected = before * (1 - rate * decay) - rate * gradient / (np.abs(gradient) + 1e-5)
    assert net.weights()[1] == pytest.approx(expected, abs=1e-6)


def test_the_loop_over_passes_and_pools(games, tmp_path, monkeypatch):
    """Every batch once: its rate, its gradients alone, what is counted, logged and saved."""
    monkeypatch.setattr(pools, "__defaults__", (0, games.positions // 2))  # two pools in a pass
    trainer, log, seen, rates, saved = new_trainer(games), [], [], [], []
    step = trainer.optimiser.step
    gradients = trainer.step.gradients

    def count(pool, chosen):
        assert all((gradient == 0).all() for gradient in trainer.net.gradients())
        rates.append(trainer.optimiser.param_groups[0]["lr"])
        return gradients(pool, chosen)

    monkeypatch.setattr(trainer.step, "gradients", count)
    monkeypatch.setattr(trainer.optimiser, "step", lambda: seen.append("step") or step())
    monkeypatch.setattr(
        trainer, "save", lambda folder: saved.append((folder, TrainingProgress(**vars(trainer.progress))))
    )
    advanced = []
    trainer.run(tmp_path, decode(games), log.append, lambda *numbers: advanced.append(numbers))
    expected_log, expected_saves, progress, sizes = [], [], TrainingProgress(), []
    for number in (0, 1):
        for index, pool in enumerate(pools(games, (5, number), 0, games.positions // 2)):
            batches = [chosen.size for chosen in pool.batches(64)]
            sizes += batches
            progress = TrainingProgress(number, index + 1, progress.steps + len(batches), progress.seen + sum(batches))
            expected_log.append((number, progress.seen))
            expected_saves.append((tmp_path, progress))
        progress = TrainingProgress(number + 1, 0, progress.steps, progress.seen)
        expected_saves.append((tmp_path, progress))
    assert saved == expected_saves
    assert [(entry["pass"], entry["seen"]) for entry in log] == expected_log
    assert len(expected_log) == 4
    assert [list(entry) for entry in log] == [["net", "pass", "seen", "loss", "speed", "value_mse"]] * 4
    assert all(entry["net"] == "value" and entry["speed"] > 0 for entry in log)
    assert log[-1]["value_mse"] == trainer.step.judge(decode(games))["value_mse"]
    total = 2 * games.positions
    assert advanced == [("value", int(sum_), total) for sum_ in np.cumsum(sizes)]
    assert len(seen) == len(sizes) == len(rates)
    before = [0, *np.cumsum(sizes)[:-1].tolist()]
    assert rates == pytest.approx([0.01 * rate_factor(index, done / total) for index, done in enumerate(before)])


def test_the_loss_of_a_pool_is_the_mean_of_its_batches(games, monkeypatch):
    trainer, losses = new_trainer(games), iter([4.0, 1.0, 4.0])
    monkeypatch.setattr(trainer.step, "gradients", lambda *_: next(losses))
    decoded = decode(games)
    assert trainer._train(Pool(decoded, np.arange(64 * 3 + 5)), lambda *_: None) == 3.0
    assert (trainer.progress.steps, trainer.progress.seen) == (3, 192)


def test_a_pool_that_is_smaller_than_a_batch_is_one(games, monkeypatch):
    trainer, sizes = new_trainer(games), []
    monkeypatch.setattr(trainer.step, "gradients", lambda _, chosen: sizes.append(chosen.size) or 1.5)
    assert trainer._train(Pool(decode(games), np.arange(10)), lambda *_: None) == 1.5
    assert sizes == [10]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["value", "policy"])
def test_the_loss_of_a_batch_is_a_mean(games, name):
    """Twice the same positions: the same loss, twice the gradients."""
    step, pool = new_trainer(games, name).step, Pool(decode(games), np.arange(8))
    step.take(pool)
    once = step.gradients(pool, np.arange(8))
    first = [gradient.copy() for gradient in step.net.gradients()]
    step.net.clear_gradients()
    twice = step.gradients(pool, np.concatenate([np.arange(8), np.arange(8)]))
    assert twice == pytest.approx(once, rel=1e-5)
    for gradient, half in zip(step.net.gradients(), first, strict=True):
        assert gradient == pytest.approx(2 * half, abs=1e-4 * float(np.abs(half).max()) + 1e-9)


def test_both_nets_are_judged_by_what_inference_would_make_of_them(games):
    decoded = decode(games)
    value, policy = new_trainer(games).step, new_trainer(games, "policy").step
    errors = value_errors(value.network(), decoded.positions)
    assert value.judge(decoded) == {"value_mse": pytest.approx(errors.mean())}
    ranks, losses = policy_ranks(policy.network(), decoded.positions.boards, decoded.positions.moves)
    shares = {f"policy_top{top}": sum(0 <= rank < top for rank in ranks.tolist()) / ranks.size for top in (1, 3, 5)}
    assert policy.judge(decoded) == pytest.approx({"policy_ce": losses.mean(), **shares})


def test_a_checkpoint_holds_all_that_is_needed(games, tmp_path):
    trainer = new_trainer(games, passes=1)
    trainer.run(tmp_path, decode(games), lambda _: None, lambda *_: None)
    assert [path.name for path in tmp_path.iterdir()] == ["value.pt"]
    assert checkpoint_path(tmp_path, "value") == tmp_path / "value.pt"
    content = load_checkpoint(tmp_path / "value.pt")
    assert content["identity"] == b"me"
    assert content["progress"] == asdict(trainer.progress)
    other = new_trainer(games, passes=1)
    assert other.resume(tmp_path) is True
    assert other.progress == trainer.progress
    for name, array in trainer.net.state_dict().items():
        assert torch.equal(other.net.state_dict()[name], array)
        assert torch.equal(content["net"][name], array)
    states = [one.optimiser.state_dict()["state"] for one in (trainer, other)]
    assert states[0].keys() == states[1].keys() == {0, 1, 2, 3}
    for key, state in states[0].items():
        assert all(torch.equal(state[name], states[1][key][name]) for name in state)


def test_without_a_checkpoint_a_net_starts_from_the_beginning(games, tmp_path):
    trainer = new_trainer(games)
    assert trainer.resume(tmp_path) is False
    assert trainer.progress == TrainingProgress(0, 0, 0, 0)
    assert checkpoint_of(tmp_path, "value", b"me") is None


def test_checkpoints_of_other_runs_and_damaged_ones_are_refused(games, tmp_path):
    new_trainer(games).save(tmp_path)
    assert checkpoint_of(tmp_path, "value", b"me")["identity"] == b"me"
    with pytest.raises(ValueError, match=r"value\.pt was made with other settings or files: choose another folder$"):
        new_trainer(games, identity=b"you").resume(tmp_path)
    for missing in ("identity", "net", "optimiser", "progress"):
        content = torch.load(tmp_path / "value.pt", weights_only=True)
        del content[missing]
        data = io.BytesIO()
        torch.save(content, data)
        (tmp_path / "part.pt").write_bytes(data.getvalue())
        with pytest.raises(ValueError, match=r"part\.pt is damaged: delete it to train this net from the start$"):
            load_checkpoint(tmp_path / "part.pt")
    (tmp_path / "part.pt").write_bytes(b"x")
    with pytest.raises(ValueError, match=r"part\.pt is damaged"):
        load_checkpoint(tmp_path / "part.pt")
