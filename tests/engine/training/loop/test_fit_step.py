"""What a round does with an interrupted fit: it goes on, unless games or the net to start from are others by now."""

import pytest

from engine.training.fit.checkpoint import Checkpoint, TrainingProgress
from engine.training.loop.fit_step import delete_other_fit
from engine.training.loop.nets import new_net

MINE, OTHER = bytes([1]) * 32, bytes([2]) * 32


def interrupted(folder, **identities):
    """A folder with checkpoints, logs and a draw model."""
    folder.mkdir()
    for net, identity in identities.items():
        weights = new_net(net, 32, 1).weights
        Checkpoint(identity, TrainingProgress(), weights, weights, weights).save(folder, net)
        (folder / f"{net}.log").write_text("{}\n")
    (folder / "draws.json").write_text("{}")


@pytest.mark.parametrize("identities", [{}, {"value": MINE}, {"policy": MINE}, {"value": MINE, "policy": MINE}])
def test_a_fit_of_the_same_games_stays(tmp_path, identities):
    folder = tmp_path / "fit"
    interrupted(folder, **identities)
    before = sorted(path.name for path in folder.iterdir())
    delete_other_fit(folder, MINE)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("identities", [{"value": OTHER}, {"policy": OTHER}, {"value": MINE, "policy": OTHER}])
def test_a_fit_of_other_games_is_deleted_whole(tmp_path, identities):
    folder = tmp_path / "fit"
    interrupted(folder, **identities)
    delete_other_fit(folder, MINE)
    assert not folder.exists()


def test_there_may_be_no_fit(tmp_path):
    delete_other_fit(tmp_path / "fit", MINE)
