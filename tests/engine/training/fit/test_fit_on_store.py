"""A fit on a store is the fit on its files, and another one once the store has other chunks."""

import pytest

from engine.cli.train import main
from engine.training.data.store import Store, store_to_write
from engine.training.fit.checkpoint import load_checkpoint
from engine.training.fit.settings import name_of
from tests.engine.training.data.stores import add, games_file

OPTIONS = "--only=value --value-hidden=32 --value-batch=64 --value-passes=2 --value-final-passes=0 --validation=0.2"


@pytest.fixture
def files(tmp_path):
    return [games_file(tmp_path / f"{seed}.vf", 12, seed, with_visits=seed == 2) for seed in range(1, 4)]


def fit(paths, run):
    """-> exit status."""
    return main(["fit", *map(str, paths), "--output", str(run), *OPTIONS.split()])


@pytest.mark.slow
def test_a_fit_on_a_store_is_the_fit_on_its_files(files, tmp_path, capsys):
    """The files in the order of the chunks: games are drawn by their numbers."""
    store = tmp_path / "store"
    chunks = {outcome.chunk.name: path for path, outcome in zip(files, add(store, *files), strict=True)}
    assert fit([chunks[name] for name in sorted(chunks)], tmp_path / "run") == 0
    assert fit([store], tmp_path / "other") == 0
    one, other = (load_checkpoint(tmp_path / run / "value.npz") for run in ("run", "other"))
    pairs = zip((*one.weights, *one.means, *one.squares), (*other.weights, *other.means, *other.squares), strict=True)
    assert all((mine == theirs).all() for mine, theirs in pairs)
    assert one.progress == other.progress
    assert one.progress.seen > 500
    # a store with the same chunks continues it, whatever their order and place; with other chunks it is another fit
    capsys.readouterr()
    add(tmp_path / "copy", *reversed(files))
    assert fit([tmp_path / "copy"], tmp_path / "other") == 0
    assert "value: continuing after" in capsys.readouterr().out
    with store_to_write(store) as opened:
        opened.remove(opened.chunks[:1])
    assert fit([store], tmp_path / "other") == 2
    assert "was made with other settings or files" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["", "run", "chunks/run"])
def test_a_fit_does_not_write_into_a_store(files, tmp_path, capsys, place):
    add(tmp_path / "store", *files)
    before = sorted(tmp_path.rglob("*"))
    assert fit(files, tmp_path / "store" / place) == 2
    assert "is in the store of games" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_chunk_is_known_to_a_fit_by_its_hash(files, tmp_path):
    add(tmp_path / "store", *files)
    for chunk, path in zip(Store(tmp_path / "store").chunks, Store(tmp_path / "store").files(), strict=True):
        assert name_of(path, chunk.positions) == f"{chunk.name}.vf:{chunk.positions}:{chunk.name}"
