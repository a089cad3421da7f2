import numpy as np
import pytest

from engine.clock import Limits
from engine.explorer.compare import loaded
from engine.saved_tree import load, save
from tests.engine.report.searches import KIWIPETE, MATE_IN_2, MIDDLEGAME, new_searcher, searched


def plain(rows):
    """What a saved tree tells of moves: without the choice of a search that has ended."""
    return [row._replace(flags=[]) for row in rows]


@pytest.mark.parametrize(("fen", "visits"), [(MIDDLEGAME, 3000), (MIDDLEGAME, 30), (MATE_IN_2, 3000)])
def test_a_search_is_the_same_after_saving_and_loading(tmp_path, fen, visits):
    searcher, file = searched(fen, visits), tmp_path / "tree.npz"
    save(file, searcher, fen, ())
    before, after = searcher.report(), load(file).report()
    assert plain(after.rows()) == plain(before.rows())
    assert after.history() == before.history()
    ours, theirs = after.icicle(), before.icicle()
    assert ours == theirs
    for one in theirs["rectangles"]:
        if one["path"] and one["n"] >= 64:
            assert plain(after.rows(one["path"])) == plain(before.rows(one["path"]))


def test_a_loaded_search_goes_on(tmp_path):
    file = tmp_path / "tree.npz"
    save(file, searched(MIDDLEGAME), MIDDLEGAME, ())
    found, searcher = load(file), new_searcher()
    searcher.load(found.position, found.history, found.fill)
    searcher.go(Limits(nodes=2000))
    searcher.wait()
    assert searcher.report().summary()["visits"] == 5000
    assert searcher.report().summary()["fen"] == MIDDLEGAME


def test_a_file_that_is_not_a_tree_is_refused(tmp_path):
    file = tmp_path / "tree.npz"
    with pytest.raises(ValueError, match="No such file"):
        load(file)
    file.write_bytes(b"rubbish")
    with pytest.raises(ValueError, match="no saved tree"):
        load(file)
    save(file, searched(MIDDLEGAME), MIDDLEGAME, ())
    with np.load(file) as saved:
        arrays = {name: saved[name] for name in saved.files}
    arrays["children"][0] += 1
    np.savez(file, **arrays)
    with pytest.raises(ValueError, match="no saved tree"):
        load(file)


def test_two_saved_searches_side_by_side(tmp_path):
    for name, fen in (("a", MIDDLEGAME), ("b", MIDDLEGAME), ("c", KIWIPETE)):
        save(tmp_path / f"{name}.npz", searched(fen, nodes=500), fen, ())
    show = loaded(str(tmp_path / "a.npz"), str(tmp_path / "b.npz"))
    assert show.about()["searches"] == ["a", "b"]
    assert show.frame("c3d5")[1]["summary"]["visits"] == 500
    with pytest.raises(ValueError, match="different positions"):
        loaded(str(tmp_path / "a.npz"), str(tmp_path / "c.npz"))
