"""Which games a fit sees: all that are new, and a random choice of the old ones, as many as were asked for."""

import numpy as np
import pytest

from engine.training.loop.fit_units import FitGames
from tests.engine.training.data.stores import games_file


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    counts = {"new.vf": 6, "other.vf": 4, "old.vf": 60, "older.vf": 40}
    return {name: str(games_file(folder / name, count, seed)) for seed, (name, count) in enumerate(counts.items())}


def chosen(files, replay, seed=1, old=("old.vf", "older.vf")):
    games = FitGames([files["new.vf"], files["other.vf"]], [files[name] for name in old], replay, seed).open()
    is_new = games.file < 2
    return games, int(games.size[is_new].sum()), int(games.size[~is_new].sum())


@pytest.mark.parametrize("replay", [0.1, 0.3, 0.5, 0.6])
def test_the_share_of_old_positions(files, replay):
    """As near as whole games can be."""
    games, new, old = chosen(files, replay)
    assert int((games.file < 2).sum()) == 10
    wanted = new * replay / (1 - replay)
    assert wanted <= old <= wanted + games.size.max()


def test_without_replay_and_without_old_games(files):
    games, new, old = chosen(files, 0.0)
    assert old == 0
    assert chosen(files, 0.7, old=())[1:] == (new, 0)
    assert games.size.size == 10


def test_all_old_games_are_not_more_than_there_are(files):
    games, *_ = chosen(files, 0.99)
    assert games.size.size == 110


def test_the_choice_depends_on_the_seed_and_takes_every_old_game_now_and_then(files):
    first, again = chosen(files, 0.5)[0], chosen(files, 0.5)[0]
    assert (first.start == again.start).all()
    assert (first.file == again.file).all()
    taken = np.zeros(100, dtype=int)
    for seed in range(200):
        games, *_ = chosen(files, 0.4, seed)
        all_games = chosen(files, 0.99)[0]
        old = {(int(file), int(start)) for file, start in zip(games.file, games.start, strict=True) if file >= 2}
        places = zip(all_games.file[10:], all_games.start[10:], strict=True)
        taken += [(int(file), int(start)) in old for file, start in places]
    assert taken.min() > 0
    assert taken[:60].mean() == pytest.approx(taken[60:].mean(), rel=0.25)
