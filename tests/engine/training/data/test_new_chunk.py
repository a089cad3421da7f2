"""Files that may become chunks of a store: only whole ones."""

import pytest

from engine.training.data.new_chunk import inspect
from engine.training.data.visits import sibling
from tests.engine.training.data.games import known_game
from tests.engine.training.data.stores import games_file


def test_files_that_are_not_whole_games_are_refused(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("something else entirely, and long enough to be looked at")
    with pytest.raises(ValueError, match="not a file of labelled games"):
        inspect(other)
    data = known_game() * 2
    for size in range(len(known_game()) + 1, len(data)):
        other.write_bytes(data[:size])
        with pytest.raises(ValueError, match=f"the last game is cut off: whole games end at byte {len(known_game())}"):
            inspect(other)
    other.write_bytes(data)
    assert inspect(other).chunk.games == 2


def test_visits_that_are_too_short_or_too_long_are_refused(tmp_path):
    path = games_file(tmp_path / "b.vf", 3, with_visits=True)
    whole = sibling(path).read_bytes()
    assert inspect(path).chunk.with_visits == inspect(path).chunk.positions
    for content in (whole[:-1], whole[:20], whole + b"\0"):
        sibling(path).write_bytes(content)
        with pytest.raises(ValueError, match=r"b\.visits: not as long as b\.vf needs it"):
            inspect(path)
