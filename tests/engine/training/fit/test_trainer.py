"""The two nets, the loop over passes and pools, and checkpoints."""

import io
from dataclasses import replace

import numpy as np
import pytest

from engine.network.architecture import INPUTS, MOVE_ROWS, OUTCOME_ROWS, new_scratch
from engine.network.batch import quiet_leaves_of
from engine.training.data.dataset import Pool, pools
from engine.training.data.draw_model import DrawModel
from engine.training.data.games import decode, open_games
from engine.training.fit.adamw import AdamW
from engine.training.fit.checkpoint import Checkpoint, TrainingProgress, checkpoint_of, checkpoint_path, load_checkpoint
from engine.training.fit.figures import policy_ranks, value_errors, values
from engine.training.fit.settings import NetSettings
from engine.training.fit.sparse_net import policy_net, value_net
from engine.training.fit.steps import PolicyStep, ValueStep
from engine.training.fit.trainer import Trainer, rate_factor, warm_up_of
from tests.engine.training.data.games import random_records

SETTINGS = NetSettings(32, batch=64, rate=0.01, decay=0.1, early_passes=0, passes=2, final_passes=0)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0][:31] + b"\0" + record[0][32:] for record in random_records(12, seed=4)))
    return open_games([path])


def new_trainer(games, name="value", passes=2, identity=b"me", settings=SETTINGS):
    width = settings.hidden
    is_value = name == "value"
    step = ValueStep(value_net(width, 1), DrawModel(), 1.0, 0.0) if is_value else PolicyStep(policy_net(width, 1))
    return Trainer(name, step, settings, [games] * passes, 5, identity)


@pytest.mark.parametrize(("make", "outputs"), [(value_net, OUTCOME_ROWS), (policy_net, MOVE_ROWS)])
def test_a_new_net(make, outputs):
    net = make(64, 3)
    rows, bias, output_rows, output_bias = net.weights
    shapes = [(INPUTS, 64), (64,), (outputs, 64), (outputs,)]
    assert [array.shape for array in net.weights] == [array.shape for array in net.gradients] == shapes
    assert rows.std() == pytest.approx(0.1, rel=0.02)
    assert abs(rows.mean()) < 0.001
    assert output_rows.std() == pytest.approx(0.03, rel=0.03)
    assert (bias == np.float32(0.1)).all()
    assert (output_bias == 0).all()
    assert (make(64, 3).weights[0] == rows).all()
    assert (make(64, 4).weights[0] != rows).any()
    assert all((gradient == 0).all() for gradient in net.gradients)


@pytest.mark.parametrize("known", [32, 64])
def test_a_net_takes_the_weights_of_a_narrower_one(known):
    source, net = value_net(known, 1), value_net(64, 2)
    before = [array.copy() for array in net.weights]
    source.weights[3][:] = 0.5
    net.start_from([array.astype(np.float64) for array in source.weights])
    for index, (mine, theirs) in enumerate(zip(net.weights, source.weights, strict=True)):
        assert (mine[..., :known] == theirs).all() if index < 3 else (mine == theirs).all()
    assert (net.weights[0][:, known:] == before[0][:, known:]).all()
    assert (net.weights[1][known:] == before[1][known:]).all()
    assert (net.weights[2][:, known:] == 0).all()


def test_a_wider_net_cannot_be_started_from():
    with pytest.raises(ValueError, match=r"^a net of 64 hidden units cannot start one of 32$"):
        value_net(32, 1).start_from(value_net(64, 1).weights)


def adamw_by_the_book(gradients, weight, rate, decay, epsilon):
    """One weight, in floats of Python: the algorithm of the paper, line by line."""
    mean = square = 0.0
    for number, gradient in enumerate(gradients, 1):
        mean = 0.9 * mean + (1 - 0.9) * gradient
        square = 0.999 * square + (1 - 0.999) * gradient**2
        unbiased_mean, unbiased_square = mean / (1 - 0.9**number), square / (1 - 0.999**number)
        weight -= rate * decay * weight + rate * unbiased_mean / (unbiased_square**0.5 + epsilon)
    return weight


@pytest.mark.parametrize("batch", [1, 1000])
def test_the_optimiser(batch):
    """Gradients are sums over a batch, so epsilon grows with it."""
    net, rng, rate, decay = value_net(32, 1), np.random.default_rng(batch), 0.02, 0.3
    optimiser, before = AdamW(net, decay, batch), [array.copy() for array in net.weights]
    history = [[rng.normal(0, 1e-4, array.shape).astype(np.float32) for array in net.weights] for _ in range(40)]
    for number, gradients in enumerate(history, 1):
        for mine, given in zip(net.gradients, gradients, strict=True):
            mine[:] = given
        optimiser.step(number, rate)
        assert not any(array.any() for array in net.gradients)
    for part, (start, end) in enumerate(zip(before, net.weights, strict=True)):
        for index in rng.integers(start.size, size=20):
            gradients = [float(step[part].flat[index]) for step in history]
            expected = adamw_by_the_book(gradients, float(start.flat[index]), rate, decay, 1e-8 * batch)
            assert end.flat[index] == pytest.approx(expected, abs=1e-5)


def test_a_weight_without_gradients_only_decays():
    net = value_net(32, 1)
    optimiser, before = AdamW(net, 0.5, 1), net.weights.rows.copy()
    for number in (1, 2, 3):
        optimiser.step(number, 0.1)
    assert net.weights.rows == pytest.approx(before * 0.95**3, rel=1e-5)


def test_the_loop_over_passes_and_pools(games, tmp_path, monkeypatch):
    """Every batch once: its rate, its gradients alone, what is counted, logged and saved."""
    monkeypatch.setattr(pools, "__defaults__", (0, games.positions // 2))  # two pools in a pass
    trainer, log, seen, rates, saved = new_trainer(games), [], [], [], []
    step = trainer.optimiser.step
    gradients = trainer.step.gradients

    def count(pool, chosen):
        assert all((gradient == 0).all() for gradient in trainer.net.gradients)
        return gradients(pool, chosen)

    def note(number, rate):
        seen.append(number)
        rates.append(rate)
        step(number, rate)

    monkeypatch.setattr(trainer.step, "gradients", count)
    monkeypatch.setattr(trainer.optimiser, "step", note)
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
    assert [list(entry) for entry in log] == [["net", "pass", "seen", "loss", "speed", "cpu_seconds", "value_mse"]] * 4
    assert all(entry["net"] == "value" and entry["speed"] > 0 for entry in log)
    assert log[-1]["value_mse"] == trainer.step.judge(decode(games))["value_mse"]
    total = 2 * games.positions
    assert advanced == [("value", int(sum_), total) for sum_ in np.cumsum(sizes)]
    assert seen == list(range(1, len(sizes) + 1))
    assert len(rates) == len(sizes)
    before = [0, *np.cumsum(sizes)[:-1].tolist()]
    warm_up = warm_up_of(total / 64)
    expected = [0.01 * rate_factor(index, done / total, warm_up) for index, done in enumerate(before)]
    assert rates == pytest.approx(expected)
    assert rates[-1] < 0.01 / 2 < max(rates)  # also in so few steps


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
    first = [gradient.copy() for gradient in step.net.gradients]
    for gradient in step.net.gradients:
        gradient[:] = 0
    twice = step.gradients(pool, np.concatenate([np.arange(8), np.arange(8)]))
    assert twice == pytest.approx(once, rel=1e-5)
    for gradient, half in zip(step.net.gradients, first, strict=True):
        assert gradient == pytest.approx(2 * half, abs=1e-4 * float(np.abs(half).max()) + 1e-9)


def test_both_nets_are_judged_by_what_inference_would_make_of_them(games):
    decoded = decode(games)
    value, policy = new_trainer(games).step, new_trainer(games, "policy").step
    errors = value_errors(value.network(), decoded.positions)
    assert value.judge(decoded) == {"value_mse": pytest.approx(errors.mean())}
    ranks, losses = policy_ranks(policy.network(), decoded.positions.boards, decoded.positions.moves)
    shares = {f"policy_top{top}": sum(0 <= rank < top for rank in ranks.tolist()) / ranks.size for top in (1, 3, 5)}
    assert policy.judge(decoded) == pytest.approx({"policy_ce": losses.mean(), **shares})


@pytest.mark.thorough
def test_with_quiescence_the_value_learns_at_the_leaves_of_winning_captures(games):
    """A leaf has the value that the search would take, and the label, both for the player who moves there."""
    decoded, plain, quiet = decode(games), new_trainer(games).step, new_trainer(games).step
    quiet.quiescence = True
    pool = Pool(decoded, np.arange(decoded.positions.scores.size))
    plain.take(pool)
    quiet.take(pool)
    boards, network = decoded.positions.boards, quiet.network()
    expected, at_leaves = values(network, boards, after_captures=True), values(network, quiet.boards)
    plies = np.empty(len(boards), dtype=np.int64)
    quiet_leaves_of(network, new_scratch(network), boards, np.empty_like(boards), plies)
    one_capture = plies == 1
    assert (plain.boards == boards).all()
    assert set(plies.tolist()) == {0, 1, 2}
    assert ((boards != quiet.boards).any(axis=1) == (plies > 0)).all()
    assert (at_leaves[one_capture, ::-1] == expected[one_capture]).all()
    assert (at_leaves[~one_capture] == expected[~one_capture]).all()
    assert (quiet.targets[one_capture, ::-1] == plain.targets[one_capture]).all()
    assert (quiet.targets[~one_capture] == plain.targets[~one_capture]).all()
    assert quiet.judge(decoded) == {
        "value_mse": value_errors(network, decoded.positions).mean(),
        "value_quiet_mse": value_errors(network, decoded.positions, after_captures=True).mean(),
    }


def test_a_checkpoint_holds_all_that_is_needed(games, tmp_path):
    trainer = new_trainer(games, passes=1)
    trainer.run(tmp_path, decode(games), lambda _: None, lambda *_: None)
    assert [path.name for path in tmp_path.iterdir()] == ["value.npz"]
    assert checkpoint_path(tmp_path, "value") == tmp_path / "value.npz"
    checkpoint = load_checkpoint(tmp_path / "value.npz")
    assert (checkpoint.identity, checkpoint.progress) == (b"me", trainer.progress)
    other = new_trainer(games, passes=1)
    assert other.resume(tmp_path) is True
    assert other.progress == trainer.progress
    saved = (*checkpoint.weights, *checkpoint.means, *checkpoint.squares)
    for array, mine, theirs in zip(saved, state_of(trainer), state_of(other), strict=True):
        assert (array == mine).all()
        assert (array == theirs).all()
        assert array.any()


@pytest.mark.parametrize("place", ["before the checkpoint", "after it"])
def test_no_pool_is_twice_in_the_log(games, tmp_path, monkeypatch, place):
    """Whenever a process is killed; the line of a pool is written after its checkpoint, and may be missing."""
    monkeypatch.setattr(pools, "__defaults__", (0, games.positions // 4))
    whole, logged, save = [], [], Trainer.save
    new_trainer(games).run(tmp_path, decode(games), whole.append, lambda *_: None)
    (tmp_path / "value.npz").unlink()

    def killed_save(trainer, folder):
        if place == "after it":
            save(trainer, folder)
        if trainer.progress.pools == 2:
            raise KeyboardInterrupt
        save(trainer, folder)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "save", killed_save)
        with pytest.raises(KeyboardInterrupt):
            new_trainer(games).run(tmp_path, decode(games), logged.append, lambda *_: None)
    trainer = new_trainer(games)
    assert trainer.resume(tmp_path)
    trainer.run(tmp_path, decode(games), logged.append, lambda *_: None)
    expected = [entry["seen"] for entry in whole]
    if place == "after it":
        del expected[1]
    assert [entry["seen"] for entry in logged] == expected


def test_a_fit_that_goes_on_from_another_is_as_one_that_did_not_end(games, tmp_path, monkeypatch):
    """With the same positions at the same rate: weights and optimiser do not notice the end between them."""
    pool = next(pools(games, (1, 2)))
    monkeypatch.setattr("engine.training.fit.trainer.pools", lambda *_, skip: [pool][skip:])
    monkeypatch.setattr("engine.training.fit.trainer.rate_factor", lambda *_: 1.0)
    whole, first, second = (new_trainer(games, passes=passes) for passes in (2, 1, 1))
    for name in ("whole", "first", "second"):
        (tmp_path / name).mkdir()
    for trainer, name in ((whole, "whole"), (first, "first")):
        trainer.run(tmp_path / name, decode(games), lambda _: None, lambda *_: None)
    second.go_on_from(load_checkpoint(tmp_path / "first" / "value.npz"))
    second.run(tmp_path / "second", decode(games), lambda _: None, lambda *_: None)
    assert all((one == other).all() for one, other in zip(state_of(whole), state_of(second), strict=True))
    steps = first.progress.steps
    assert (second.progress.steps, second.progress.steps_before) == (steps, steps)
    third = new_trainer(games, passes=1)
    third.go_on_from(load_checkpoint(tmp_path / "second" / "value.npz"))
    assert third.progress == TrainingProgress(steps_before=2 * steps)


@pytest.mark.parametrize(("before", "after"), [(512, 8192), (8192, 512), (64, 64), (0, 512)])
def test_a_fit_with_another_batch_goes_on_with_the_optimiser_of_sums_as_large(games, tmp_path, before, after):
    """As if the fit before had had this batch; one of an older version does not say which it had."""
    first = new_trainer(games, settings=replace(SETTINGS, batch=before or 64))
    rng = np.random.default_rng(1)
    for array in (*first.optimiser.means, *first.optimiser.squares):
        array[:] = rng.random(array.shape, np.float32)
    first.save(tmp_path)
    path = tmp_path / "value.npz"
    if not before:
        np.savez(path, **{name: array for name, array in np.load(path).items() if name != "batch"})
    fit = load_checkpoint(path)
    assert fit.batch == before
    second = new_trainer(games, settings=replace(SETTINGS, batch=after))
    second.go_on_from(fit)
    ratio = after / before if before else 1
    for mine, theirs in zip(second.optimiser.means, first.optimiser.means, strict=True):
        assert (mine == theirs * np.float32(ratio)).all()
    for mine, theirs in zip(second.optimiser.squares, first.optimiser.squares, strict=True):
        assert (mine == theirs * np.float32(ratio**2)).all()
    second.save(tmp_path)
    assert load_checkpoint(path).batch == after


def test_steps_after_a_change_of_the_batch_are_as_large_as_before(games):
    """Gradients of 16 times as many positions, 16 times as large, change the weights as they did."""
    same, other = (new_trainer(games, settings=replace(SETTINGS, batch=batch)) for batch in (64, 1024))
    rng = np.random.default_rng(2)
    history = [[rng.normal(0, 1, a.shape).astype(np.float32) for a in same.net.weights] for _ in range(3)]

    def step(trainer, gradients, factor):
        for mine, given in zip(trainer.net.gradients, gradients, strict=True):
            mine[:] = np.float32(factor) * given
        trainer.progress.steps += 1
        trainer.optimiser.step(trainer.progress.steps_before + trainer.progress.steps, 0.01)

    step(same, history[0], 1)
    step(same, history[1], 1)
    saved = Checkpoint(b"", same.progress, same.net.weights, same.optimiser.means, same.optimiser.squares, 64)
    other.go_on_from(saved)
    step(same, history[2], 1)
    step(other, history[2], 16)
    for mine, theirs in zip(other.net.weights, same.net.weights, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-6)


def test_a_wider_net_goes_on_from_a_fit(games, tmp_path):
    first = new_trainer(games, passes=1)
    first.run(tmp_path, decode(games), lambda _: None, lambda *_: None)
    wider = new_trainer(games, settings=replace(SETTINGS, hidden=64))
    wider.go_on_from(load_checkpoint(tmp_path / "value.npz"))
    for mine, theirs in zip(state_of(wider), state_of(first), strict=True):
        assert (mine[..., :32] == theirs).all() if mine.shape != theirs.shape else (mine == theirs).all()
    assert not wider.optimiser.means.rows[:, 32:].any()
    wider.save(tmp_path)
    with pytest.raises(ValueError, match="64 hidden units cannot start one of 32"):
        new_trainer(games).go_on_from(load_checkpoint(tmp_path / "value.npz"))


def state_of(trainer):
    return *trainer.net.weights, *trainer.optimiser.means, *trainer.optimiser.squares


def test_without_a_checkpoint_a_net_starts_from_the_beginning(games, tmp_path):
    trainer = new_trainer(games)
    assert trainer.resume(tmp_path) is False
    assert trainer.progress == TrainingProgress(0, 0, 0, 0)
    assert checkpoint_of(tmp_path, "value", b"me") is None


def test_checkpoints_of_other_runs_are_refused(games, tmp_path):
    new_trainer(games).save(tmp_path)
    assert checkpoint_of(tmp_path, "value", b"me").identity == b"me"
    with pytest.raises(ValueError, match=r"value\.npz was made with other settings or files: choose another folder$"):
        new_trainer(games, identity=b"you").resume(tmp_path)


def test_damaged_checkpoints_are_refused(games, tmp_path):
    """Parts that are missing, bytes that are missing, and a changed byte anywhere in the numbers."""
    new_trainer(games).save(tmp_path)
    whole, part = (tmp_path / "value.npz").read_bytes(), tmp_path / "part.npz"
    contents = dict(np.load(tmp_path / "value.npz"))
    damaged = [b"", b"x", b"x" * 1000, whole[:1000], whole[: len(whole) // 2], whole[:-1]]
    for missing in ("identity", "progress", "weights.rows", "means.bias", "squares.output_bias"):
        data = io.BytesIO()
        np.savez(data, **{name: array for name, array in contents.items() if name != missing})
        damaged.append(data.getvalue())
    places = np.random.default_rng(1).integers(1000, len(whole) // 2, size=20)
    damaged += [whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :] for place in places]
    for data in damaged:
        part.write_bytes(data)
        with pytest.raises(ValueError, match=r"part\.npz is damaged, .*: delete it to train this net"):
            load_checkpoint(part)


STRANGE = {
    "a number for an array": ("weights.rows", lambda _: np.float32(1)),
    "fewer inputs": ("weights.rows", lambda rows: rows[:10]),
    "columns of another net": ("means.outputs", lambda outputs: outputs[:, :7]),
    "text": ("squares.bias", lambda _: np.array(["x"])),
    "other numbers": ("weights.bias", lambda bias: bias.astype(np.float64)),
    "no numbers": ("weights.outputs", lambda outputs: outputs * np.nan),
    "parts of steps": ("progress", lambda progress: progress + 0.5),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_a_checkpoint_that_is_no_net_is_refused(games, tmp_path, kind):
    new_trainer(games).save(tmp_path)
    path, (name, change) = tmp_path / "value.npz", STRANGE[kind]
    contents = dict(np.load(path))
    np.savez(path, **{**contents, name: change(contents[name])})
    with pytest.raises(ValueError, match=r"value\.npz is damaged"):
        load_checkpoint(path)


def test_a_checkpoint_of_the_other_net_is_refused(games, tmp_path):
    """The two of a run have the same identity."""
    new_trainer(games, "policy").save(tmp_path)
    checkpoint_path(tmp_path, "policy").rename(checkpoint_path(tmp_path, "value"))
    with pytest.raises(ValueError, match=r"value\.npz is damaged"):
        checkpoint_of(tmp_path, "value", b"me")


def test_nothing_in_a_checkpoint_is_executed(tmp_path):
    np.savez(tmp_path / "part.npz", identity=np.array([print], dtype=object))
    with pytest.raises(ValueError, match=r"part\.npz is damaged"):
        load_checkpoint(tmp_path / "part.npz")
