"""Which games a fit sees: all that are new, and a random choice of the old ones, as many as were asked for."""

import numpy as np
import pytest

from engine.training.fit.settings import FitSettings, NetSettings
from engine.training.loop.fit_units import FitGames
from tests.engine.training.data.stores import games_file

NET = NetSettings(32, 64, 0.001, 0.1, 0, 1, 0)
SETTINGS = FitSettings((), NET, NET, 1.0, 0.5, True, 0.3, 7, "")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    counts = {"new.vf": 6, "other.vf": 4, "old.vf": 60, "older.vf": 40}
    return {name: str(games_file(folder / name, count, seed)) for seed, (name, count) in enumerate(counts.items())}


def chosen(files, replay, seed=1, old=("old.vf", "older.vf")):
    new, some_old = wanted(files, replay, seed, old).open()
    assert set(new.file) == {0, 1}
    assert new.size.size == 10
    return some_old, new.positions, some_old.positions


def wanted(files, replay, seed=1, old=("old.vf", "older.vf")):
    return FitGames([files["new.vf"], files["other.vf"]], [files[name] for name in old], replay, seed)


@pytest.mark.parametrize("replay", [0.1, 0.3, 0.5, 0.6])
def test_the_share_of_old_positions(files, replay):
    """As near as whole games can be."""
    games, new, old = chosen(files, replay)
    exact = new * replay / (1 - replay)
    assert exact <= old <= exact + games.size.max()
    assert (games.file >= 2).all()


def test_without_replay_and_without_old_games(files):
    _, new, old = chosen(files, 0.0)
    assert old == 0
    assert chosen(files, 0.7, old=())[1:] == (new, 0)


def test_all_old_games_are_not_more_than_there_are(files):
    games, *_ = chosen(files, 0.99)
    assert games.size.size == 100


def test_the_choice_depends_on_the_seed_and_takes_every_old_game_now_and_then(files):
    first, again = chosen(files, 0.5)[0], chosen(files, 0.5)[0]
    assert (first.start == again.start).all()
    assert (first.file == again.file).all()
    taken, all_old = np.zeros(100, dtype=int), places_of(chosen(files, 0.99)[0])
    for seed in range(200):
        games, *_ = chosen(files, 0.4, seed)
        taken += [place in places_of(games) for place in all_old]
    assert taken.min() > 0
    assert taken[:60].mean() == pytest.approx(taken[60:].mean(), rel=0.25)


def places_of(games):
    return list(zip(games.file.tolist(), games.start.tolist(), strict=True))


def test_what_is_validated_with_is_new(files):
    """No fit can have seen it; all other games are trained with."""
    data = wanted(files, 0.5).split(SETTINGS)
    new, old = wanted(files, 0.5).open()
    aside = places_of(data.held_out)
    assert set(aside) < set(places_of(new))
    assert sorted([*places_of(data.training), *aside]) == sorted([*places_of(new), *places_of(old)])
    assert data.training.positions + data.held_out.positions == new.positions + old.positions
