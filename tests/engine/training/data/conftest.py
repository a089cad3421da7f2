"""What tests of stores start from."""

import pytest

from tests.engine.training.data.stores import games_file


@pytest.fixture
def files(tmp_path):
    """Three files of games, the second with visits."""
    return [
        games_file(tmp_path / "a.vf", seed=1),
        games_file(tmp_path / "b.vf", 3, seed=2, with_visits=True),
        games_file(tmp_path / "c.vf", 5, seed=3),
    ]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"
