"""Steps of rounds: what a process that was killed has left of them, the names of the loop's folder, labels of users."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli.train import add_fit
from engine.training.data.new_chunk import inspect
from engine.training.data.store import store_to_write
from engine.training.fit.settings import NETS, NetSettings
from engine.training.generate.chunks import Chunks
from engine.training.generate.generation import chunks_of, parts_folder, source_of
from engine.training.loop.fit_step import fit_settings
from engine.training.loop.fit_units import FitGames
from engine.training.loop.labels import label_round, plan_of
from engine.training.loop.rounds import Round
from engine.training.loop.settings import GAMES
from engine.training.loop.work import LoopWork
from tests.engine.training.data.stores import games_file
from tests.engine.training.loop.fake_work import SETTINGS, Killed

SELF_PLAY = replace(SETTINGS, teacher="", tree_games=0)
SHAPES = {net: NetSettings(32, 64, 0.001, 0.1, 0, 1, 0) for net in NETS}


def no_run():
    raise AssertionError("these games are there already")


def test_a_loop_has_the_same_chunks_by_all_names_of_its_folder(tmp_path, monkeypatch):
    """Plans have the path of a net: by another name all chunks of games of a step under way would be lost."""
    (tmp_path / "loop").mkdir()
    monkeypatch.chdir(tmp_path)
    found = set()
    for name in (Path("loop"), tmp_path / "loop", Path("loop/../loop")):
        work = LoopWork(name, no_run, no_run)
        work.begin()
        net = work.nets.add_random(SHAPES, 1)
        found.add(chunks_of(plan_of(SELF_PLAY, 1, GAMES, work.nets.path(net)), work.store).folder)
    assert len(found) == 1


@pytest.fixture
def recorded(tmp_path):
    """-> a loop of whose games the chunk is recorded, and its parts are there still; their folder."""
    work = LoopWork(tmp_path / "loop", no_run, no_run)
    work.begin()
    one = Round(1, SELF_PLAY, work.nets.add_random(SHAPES, 1), ())
    chunks = chunks_of(plan_of(SELF_PLAY, 1, GAMES, work.nets.path(one.against)), work.store)
    with store_to_write(work.store) as store:
        store.add(inspect(games_file(tmp_path / "a.vf"), source_of(chunks)))
    chunks.open()
    chunks.write(0, b"games", b"visits")
    return work, one, chunks


@pytest.mark.parametrize("is_partly_deleted", [False, True])
def test_parts_of_games_that_are_recorded_are_deleted(recorded, is_partly_deleted):
    """A process may be killed between the two."""
    work, one, chunks = recorded
    if is_partly_deleted:
        (chunks.folder / "order.json").unlink()
    assert work.label(one, GAMES)["games"] == 4
    assert not parts_folder(work.store).exists()


def test_a_kill_while_parts_are_deleted(recorded, monkeypatch):
    work, one, chunks = recorded

    def killed(_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Chunks, "delete", killed)
        with pytest.raises(Killed):
            work.label(one, GAMES)
    assert chunks.has(0)
    work.label(one, GAMES)
    assert not parts_folder(work.store).exists()


def test_parts_of_other_games_stay(recorded):
    work, one, _ = recorded
    other = chunks_of(plan_of(SELF_PLAY, 2, GAMES, work.nets.path(one.against)), work.store)
    other.open()
    other.write(0, b"games", b"visits")
    label_round(one, GAMES, work.store, work.nets.path(one.against), work.store.parent / "spent", no_run)
    assert [path.name for path in parts_folder(work.store).iterdir()] == [other.folder.name]


def test_scores_of_value_only_games_are_scaled_as_by_default():
    """Users may add such games to those of a loop."""
    parser = argparse.ArgumentParser()
    add_fit(parser)
    settings = fit_settings(Round(1, SETTINGS, "best", ()), FitGames([], [], 0.5, 1), "")
    assert settings.label_scale == parser.get_default("label_scale")
