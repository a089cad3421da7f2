"""What a fit can be asked for, and by what it knows that it is the same fit."""

from argparse import Namespace
from dataclasses import asdict, replace

import numpy as np
import pytest

from engine.cli.train import NET_DEFAULTS, NET_OPTIONS
from engine.network.weights_file import SHIPPED
from engine.training.data.games import STRETCH, STRETCH_OF_TREES, Games, open_games, split, stretches_of
from engine.training.data.viriformat import VALUE_ONLY
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from engine.training.fit.checkpoint import Checkpoint, TrainingProgress
from engine.training.fit.settings import check_options, net_settings, read_settings
from engine.training.fit.sparse_net import value_net
from movegen import Position
from tests.engine.training.data.games import known_game, random_records


def options(files=(), **changes):
    """The options of `fit` as argparse gives them, by default those of the command line."""
    nets = {
        f"{net}_{name.replace('-', '_')}": number
        for net, defaults in NET_DEFAULTS.items()
        for name, number in defaults.items()
    }
    others = {"files": files, "validation": 0.01, "label_scale": 1.1, "result_share": 0.1, "seed": 1}
    others |= {"value_quiescence": False, "policy_surprise": "", "only": None}
    return Namespace(**{**nets, **others, "start_from": None, **changes})


def test_defaults_are_allowed():
    check_options(options())


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_any_share_can_be_set_aside(share):
    check_options(options(validation=share))


@pytest.mark.parametrize(
    ("name", "number", "message"),
    [
        *(
            ("validation", number, "--validation must be more than 0 and less than 1")
            for number in (2, 1, 0, -1, np.nan)
        ),
        *(("result_share", number, "--result-share must be from 0 to 1") for number in (-0.1, 1.1, np.nan)),
        *(("label_scale", number, "--label-scale must be more than 0") for number in (0, -1, np.inf, np.nan)),
        ("seed", -1, "--seed must not be negative"),
        *(
            ("value_hidden", number, "--value-hidden must be a multiple of 32 up to 4096")
            for number in (33, 0, -32, 4128)
        ),
        ("policy_hidden", 33, "--policy-hidden must be a multiple of 32 up to 4096"),
        ("value_batch", 0, "--value-batch must be at least 1"),
        *(("policy_rate", number, "--policy-rate must be more than 0") for number in (0, -1, np.inf, np.nan)),
        ("policy_decay", -0.1, "--policy-decay must not be negative"),
        ("value_early_passes", -1, "--value-early-passes must not be negative"),
        ("value_passes", -1, "--value-passes must not be negative"),
        ("policy_final_passes", -1, "--policy-final-passes must not be negative"),
    ],
)
def test_what_cannot_be_is_named(name, number, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_options(options(**{name: number}))


@pytest.mark.parametrize("hidden", [32, 64, 96, 512, 4096])
def test_widths_that_inference_takes(hidden):
    check_options(options(value_hidden=hidden, policy_hidden=hidden))


def test_every_option_of_a_net_arrives_where_it_belongs():
    numbers = {
        f"{net}_{name.replace('-', '_')}": hash_
        for hash_, (net, name) in enumerate(((net, name) for net in NET_DEFAULTS for name in NET_OPTIONS), 1)
    }
    value, policy = (net_settings(numbers, net) for net in ("value", "policy"))
    assert list(asdict(value).values()) == list(range(1, 8))
    assert list(asdict(policy).values()) == list(range(8, 15))
    assert list(asdict(value)) == [name.replace("-", "_") for name in NET_OPTIONS]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "known.vf"
    path.write_bytes(known_game() * 2)
    return path


def settings_of(path, **changes):
    return read_settings(options([path], **changes), [path], open_games([path]))


def test_a_fit_is_known_by_the_contents_of_its_files(file):
    """Other games of the same name and number are another fit; so are other visits."""
    first = settings_of(file)
    assert first == settings_of(file)
    scores = bytearray(known_game() * 2)
    scores[34] ^= 1
    file.write_bytes(scores)
    second = settings_of(file)
    codes = [[(Position().code("e4"), 2)]]
    sibling(file).write_bytes(pack_file_header() + pack_visits(codes))
    third = settings_of(file)
    assert len({settings.hash() for settings in (first, second, third)}) == 3
    assert all(settings.files[0].startswith("known.vf:6:") for settings in (first, second, third))


def test_settings_are_those_that_were_asked_for(file):
    asked = {"validation": 0.2, "label_scale": 1.3, "result_share": 0.4, "seed": 7}
    settings = settings_of(file, **asked, value_hidden=64, policy_rate=0.5)
    assert {name: getattr(settings, name) for name in asked} == asked
    assert (settings.value.hidden, settings.policy.hidden) == (64, 256)
    assert (settings.value.rate, settings.policy.rate) == (2e-3, 0.5)
    assert settings.of("value") is settings.value
    assert settings.of("policy") is settings.policy


def test_every_setting_counts(file):
    settings = settings_of(file)
    others = [
        replace(settings, **{name: getattr(settings, name) + 1}) for name in ("label_scale", "validation", "seed")
    ]
    others += [
        replace(settings, result_share=0.5),
        replace(settings, quiescence=True),
        replace(settings, surprise="optimism"),
        replace(settings, start_from="x"),
        replace(settings, files=("x",)),
    ]
    for net in ("value", "policy"):
        chosen = getattr(settings, net)
        for name in asdict(chosen):
            others.append(replace(settings, **{net: replace(chosen, **{name: getattr(chosen, name) + 1})}))
    assert len({settings.hash(), *(other.hash() for other in others)}) == 1 + len(others) == 23


def test_the_net_to_go_on_from_counts_by_its_content(file, tmp_path):
    copy = tmp_path / "copy.net"
    copy.write_bytes(SHIPPED.read_bytes())
    assert settings_of(file, start_from=SHIPPED) == settings_of(file, start_from=copy)
    assert settings_of(file, start_from=SHIPPED) != settings_of(file)


def games_of(extras, file=None, positions=5):
    """Games without contents, of files that differ."""
    count = len(extras)
    files = np.zeros(count, dtype=np.int32) if file is None else np.array(file, dtype=np.int32)
    contents = [np.array([number], dtype=np.uint8) for number in range(files.max(initial=0) + 1)]
    start, size, none = np.arange(count), np.full(count, positions), np.full(count, -1)
    contents = [np.array([number], dtype=np.uint8) for number in range(files.max(initial=0) + 1)]  # no file is a copy
    extra, sizes = np.array(extras, dtype=np.uint8), np.zeros(count, dtype=np.int64)
    return Games(contents, [None] * len(contents), files, start, size, extra, none, sizes)


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.1, 0.5, 0.999999])
@pytest.mark.parametrize("count", [2, 3, 10, 60, 200, 500, 4000, 12000])
def test_any_number_of_games_can_be_split(count, share):
    for seed in range(5):
        games = games_of([0] * count)
        training, aside = split(games, share, seed)
        assert sorted([*training.start, *aside.start]) == list(range(count))
        assert training.size.size
        assert aside.size.size


def test_both_sides_have_labels_if_two_games_have(scaled):
    """Of fewer than 40 games, each is a separate stretch."""
    rng = np.random.default_rng(1)
    for _ in range(scaled(200)):
        extras = np.where(rng.random(rng.integers(2, 40)) < 0.9, VALUE_ONLY, 0)
        extras[:2] = 0
        training, aside = split(games_of(rng.permutation(extras)), float(rng.random()), int(rng.integers(100)))
        assert training.with_moves().size.size
        assert aside.with_moves().size.size


def test_neighbours_stay_together_and_the_share_is_kept():
    games = games_of([0] * 100_000)
    _, aside = split(games, 0.1, seed=3)
    assert aside.size.size == pytest.approx(10_000, rel=0.3)
    starts = aside.start[::STRETCH]
    assert (starts % STRETCH == 0).all()
    assert (aside.start == (starts[:, None] + np.arange(STRETCH)).ravel()).all()


def test_positions_of_one_tree_stay_together_and_so_do_most_of_a_game():
    """Each is a record: stretches of 200 would be a third of a game, and trees of one game share their positions."""
    games = games_of([0] * 400_000, positions=1)
    training, aside = split(games, 0.1, seed=3)
    assert (aside.start[::STRETCH_OF_TREES] % STRETCH_OF_TREES == 0).all()
    seen = np.unique(training.start // 700)
    assert np.isin(aside.start // 700, seen).mean() < 0.1
    both = games_of([0] * 400_000, file=[0] * 200_000 + [1] * 200_000, positions=[1] * 200_000 + [7] * 200_000)
    assert stretches_of(both).tolist() == [STRETCH_OF_TREES, STRETCH]


def test_games_of_other_files_are_other_stretches():
    """Of 40 games each two are a stretch; the 19th and the 20th are not, as a file ends between them."""
    games = games_of([0] * 40, file=[0] * 19 + [1] * 21)
    asides = [set(split(games, 0.5, seed)[1].start.tolist()) for seed in range(50)]
    assert any((18 in aside) != (19 in aside) for aside in asides)
    assert all((16 in aside) == (17 in aside) for aside in asides)


def test_positions_of_each_file(tmp_path):
    records = random_records(30, seed=2)
    paths = [tmp_path / "a.vf", tmp_path / "b.vf"]
    for path, part in zip(paths, (records[:10], records[10:]), strict=True):
        path.write_bytes(b"".join(record[0] for record in part))
    games = open_games(paths)
    assert games.positions_of(0) == sum(len(record[1]) for record in records[:10])
    assert games.positions_of(0) + games.positions_of(1) == games.positions


def test_a_fit_as_the_start_is_known_by_its_checkpoints(file, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    with pytest.raises(ValueError, match=r"run has no checkpoint of a fit$"):
        settings_of(file, start_from=run)
    with pytest.raises(ValueError, match=r"run has no checkpoint of a fit$"):
        check_options(options(start_from=run))
    (run / "value.npz").write_bytes(b"1")
    with pytest.raises(ValueError, match=r"value\.npz is damaged"):
        check_options(options(start_from=run))
    first = settings_of(file, start_from=run).start_from
    (run / "policy.npz").write_bytes(b"1")
    assert first != settings_of(file, start_from=run).start_from != settings_of(file, start_from=SHIPPED).start_from


def test_both_nets_can_start_before_one_is_trained(tmp_path):
    """The value had been trained, for hours, before the policy was refused."""
    run = tmp_path / "run"
    run.mkdir()
    weights = value_net(64, 1).weights
    Checkpoint(bytes(32), TrainingProgress(), weights, weights, weights).save(run, "value")
    check_options(options(start_from=run, only="value"))
    with pytest.raises(ValueError, match=r"run has no checkpoint policy\.npz"):
        check_options(options(start_from=run))
    with pytest.raises(ValueError, match="--value-hidden 32: a net of 64 hidden units cannot start one of 32"):
        check_options(options(start_from=run, only="value", value_hidden=32))
    check_options(options(start_from=SHIPPED))
    with pytest.raises(ValueError, match="--policy-hidden 128: a net of 256 hidden units cannot start one of 128"):
        check_options(options(start_from=SHIPPED, policy_hidden=128))
    check_options(options(start_from=SHIPPED, policy_hidden=128, only="value"))
