"""Visits in few bytes: an obvious reader and writer in plain Python agree with the kernels, and damage is found."""

import math
import random

import numpy as np
import pytest

from engine.cli.train import main
from engine.training.data.compact import compact
from engine.training.data.dataset import move_targets
from engine.training.data.games import beside, decode, open_games
from engine.training.data.new_chunk import inspect
from engine.training.data.policies import POLICY_HEADER_SIZE
from engine.training.data.store import Store
from engine.training.data.store_check import check_store
from engine.training.data.viriformat import LabelledGame, pack_game
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from engine.training.fit.fit_log import read_log
from engine.training.fit.settings import name_of
from movegen import Position
from tests.engine.training.data.packed_policies import games_with_visits, nearest_code, packed_games
from tests.engine.training.data.stores import add, games_file

SMALL = ["--policy-hidden=32", "--policy-batch=64", "--policy-passes=1", "--validation=0.3"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.vf"


def test_what_is_written_is_what_the_description_says(path):
    games = games_with_visits(path, 40, seed=5)
    output = compact(path)
    assert output == path.with_suffix(".policy")
    assert output.read_bytes() == packed_games(path.read_bytes(), games)
    assert beside(path) == sibling(path)  # as long as they are there
    sibling(path).unlink()
    assert beside(path) == output


def test_what_was_written_is_read(path):
    games = games_with_visits(path, 40, seed=6)
    compact(path)
    sibling(path).unlink()
    opened = open_games([path])
    decoded = decode(opened)
    position = 0
    for positions in games:
        for legal, visits in positions:
            part = slice(*decoded.visit_bounds[position : position + 2])
            found = dict(zip(decoded.visit_moves[part].tolist(), decoded.visit_counts[part].tolist(), strict=True))
            total, best = sum(visits.values()), max(visits.values())
            codes = {move: nearest_code(visits.get(move, 0) / total) for move in legal}
            codes |= {move: 10 for move, count in visits.items() if count == best and codes[move] is None}
            weights = {move: round(2**20 * 2 ** (-code / 1.5)) for move, code in codes.items() if code is not None}
            assert found == weights
            position += 1
    assert position == opened.positions
    # some games, in another order, are the same
    order = np.array([7, 3, 30])
    some = decode(opened.where(np.sort(order)))
    assert some.visit_moves.size == opened.visit_size[order].sum()


def test_shares_are_right_to_a_third_of_a_halving(path):
    games = games_with_visits(path, 30, seed=7)
    exact = decode(open_games([path]))
    compact(path)
    sibling(path).unlink()
    rounded = decode(open_games([path]))
    assert (rounded.positions.moves == exact.positions.moves).all()
    compared = 0
    for position in range(sum(map(len, games))):
        shares = []
        for decoded in (exact, rounded):
            part = slice(*decoded.visit_bounds[position : position + 2])
            shares.append(
                dict(zip(decoded.visit_moves[part].tolist(), decoded.visit_counts[part].tolist(), strict=True))
            )
        total = sum(shares[0].values())
        for move, weight in shares[1].items():
            assert abs(math.log2(weight / 2**20) - math.log2(shares[0][move] / total)) <= 1 / 3 + 1e-4
            compared += 1
    assert compared > 3000


def test_a_position_of_many_equal_moves_has_an_entry(path):
    """With more than 128 of them, each has less than the last code stands for."""
    fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"  # 218 moves
    position = Position(fen)
    legal = position.move_codes
    assert len(legal) == 218
    path.write_bytes(pack_game(LabelledGame(position, [legal[0]], [0])))
    sibling(path).write_bytes(pack_file_header() + pack_visits([[(move, 7) for move in legal]]))
    compact(path)
    sibling(path).unlink()
    decoded = decode(open_games([path]))
    assert sorted(decoded.visit_moves.tolist()) == sorted(legal)
    assert len(set(decoded.visit_counts.tolist())) == 1


def test_policies_of_other_games_are_refused(path, tmp_path):
    games_with_visits(path, 6, seed=8)
    output = compact(path)
    sibling(path).unlink()
    whole, other = path.read_bytes(), tmp_path / "other.vf"
    games_file(other, 6, seed=9)
    data = bytearray(whole)
    data[34] ^= 1  # another score
    for content in (other.read_bytes(), bytes(data), whole + other.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=r"some\.policy: made for other games, or one of the two files was changed"
        ):
            open_games([path])
    path.write_bytes(whole)
    for content, message in (
        (b"", "does not start with TERESASP"),
        (b"TERESAVC" + output.read_bytes()[8:], "does not start with TERESASP"),
        (b"TERESASP\x02" + output.read_bytes()[9:], "format 2; this program reads format 1"),
    ):
        path.with_suffix(".policy").write_bytes(content)
        with pytest.raises(ValueError, match=message):
            open_games([path])


def test_damaged_policies_are_refused_or_read(path, scaled):
    """Nothing is read or written out of bounds: `NUMBA_BOUNDSCHECK=1` would say so."""
    games_with_visits(path, 5, seed=10)
    output, rng, refused = compact(path), random.Random(1), 0
    sibling(path).unlink()
    whole = output.read_bytes()
    rounds = scaled(400)
    for turn in range(rounds):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 5))):
            data[rng.randrange(POLICY_HEADER_SIZE, len(data))] = rng.randrange(256)
        output.write_bytes(data[: rng.randrange(POLICY_HEADER_SIZE, len(data))] if turn % 4 == 0 else data)
        try:
            games = open_games([path])
        except ValueError as error:
            assert "some.policy: byte" in str(error)
            refused += 1
            continue
        decoded = decode(games)
        assert decoded.visit_bounds[-1] == decoded.visit_moves.size == games.visit_size.sum()
        assert (decoded.visit_counts > 0).all()
    assert rounds / 10 < refused < rounds


def test_a_position_without_any_share_is_refused(path):
    games_with_visits(path, 1, seed=11)
    output = compact(path)
    sibling(path).unlink()
    output.write_bytes(output.read_bytes()[:POLICY_HEADER_SIZE] + b"\xff" * 100)
    with pytest.raises(ValueError, match=f"some.policy: byte {POLICY_HEADER_SIZE}: not the visits of the positions"):
        open_games([path])


# The command


def test_the_command_writes_them(path, capsys, tmp_path):
    games_with_visits(path, 4, seed=12)
    size = sibling(path).stat().st_size
    assert main(["compact", str(path)]) == 0
    output = path.with_suffix(".policy")
    assert capsys.readouterr().out == (f"{output}: {output.stat().st_size:,} bytes; {sibling(path)}: {size:,} bytes\n")
    assert output.stat().st_size < size / 5
    assert main(["compact", str(path)]) == 2
    assert "some.policy already exists" in capsys.readouterr().err
    output.unlink()
    sibling(path).write_bytes(sibling(path).read_bytes()[:-3])
    assert main(["compact", str(path)]) == 2
    assert "has not the visits of all games: it is cut off" in capsys.readouterr().err
    assert main(["compact", str(games_file(tmp_path / "bare.vf"))]) == 2
    assert "bare.vf has no visits" in capsys.readouterr().err
    assert {one.name for one in tmp_path.iterdir()} == {"some.vf", "some.visits", "bare.vf"}


def test_visits_of_zero_are_refused(path):
    games = games_with_visits(path, 1, seed=13)
    listed = [[(move, 0) for move in visits] for _, visits in games[0]]
    sibling(path).write_bytes(pack_file_header() + pack_visits(listed))
    with pytest.raises(ValueError, match="there is a position without visits"):
        compact(path)
    assert not path.with_suffix(".policy").exists()


# Where files are used


def test_targets_of_a_fit_are_the_shares_that_were_written(path):
    games = games_with_visits(path, 12, seed=16)
    compact(path)
    sibling(path).unlink()
    decoded = decode(open_games([path]))
    listed = [position for positions in games for position in positions]
    chosen = np.random.default_rng(1).permutation(len(listed))
    moves = np.concatenate([np.array(listed[index][0], dtype=np.uint16) for index in chosen])
    starts = np.cumsum([0, *(len(listed[index][0]) for index in chosen)])
    targets = move_targets(decoded, chosen, moves, starts)
    for line, index in enumerate(chosen):
        legal, visits = listed[index]
        total = sum(visits.values())
        codes = [nearest_code(visits.get(move, 0) / total) for move in legal]
        weights = np.array([0 if code is None else 2 ** (-code / 1.5) for code in codes])
        if weights.any():
            assert targets[starts[line] : starts[line + 1]] == pytest.approx(weights / weights.sum(), abs=2e-6)
    assert len(listed) > 100


@pytest.mark.slow
def test_a_fit_takes_them_and_knows_them_from_visits(path, tmp_path, capsys):
    games_with_visits(path, 60, seed=17)
    compact(path)

    def fit(name):
        return main(["fit", str(path), "--output", str(tmp_path / name), "--only=policy", *SMALL])

    assert fit("visits") == 0
    sibling(path).unlink()
    capsys.readouterr()
    assert fit("visits") == 2
    assert "was made with other settings or files" in capsys.readouterr().err
    assert fit("policies") == 0
    one, other = (read_log(tmp_path / name / "policy.log")[-1]["loss"] for name in ("visits", "policies"))
    assert one != other
    assert one == pytest.approx(other, rel=0.05)


def test_a_store_keeps_them(path, tmp_path):
    games_with_visits(path, 4, seed=14)
    compact(path)
    sibling(path).unlink()
    folder = tmp_path / "store"
    ((chunk, what),) = add(folder, path)
    assert what == "added"
    assert set(chunk.files) == {".vf", ".policy"}
    assert chunk.with_visits == chunk.positions
    assert check_store(Store(folder)).faults == []
    (kept,) = Store(folder).files()
    assert kept.with_suffix(".policy").read_bytes() == path.with_suffix(".policy").read_bytes()
    one, other = (decode(open_games([file])) for file in (path, kept))
    assert (one.visit_moves == other.visit_moves).all()
    assert name_of(kept, chunk.positions).endswith(chunk.name)
    kept.with_suffix(".policy").unlink()
    assert [fault.kind for fault in check_store(Store(folder)).faults] == ["missing"]
    assert add(folder, path)[0].what == "mended"
    sibling(kept).write_bytes(b"")  # would be read instead
    assert [fault.kind for fault in check_store(Store(folder)).faults] == [
        "has a file of visits that does not belong to it"
    ]


def test_files_of_a_store_are_not_made_compact_in_it(tmp_path, capsys):
    """The new file would be foreign there. What the message says to do gives the store compact policies."""
    folder = tmp_path / "store"
    add(folder, games_file(tmp_path / "a.vf", with_visits=True))
    (kept,) = Store(folder).files()
    assert main(["compact", str(kept)]) == 2
    error = capsys.readouterr().err
    assert f"{kept} is in the store {folder}, whose files do not change: copy it and its visits" in error
    assert check_store(Store(folder)).faults == []
    copy = tmp_path / "copy.vf"
    copy.write_bytes(kept.read_bytes())
    sibling(copy).write_bytes(sibling(kept).read_bytes())
    assert main(["compact", str(copy)]) == 0
    sibling(copy).unlink()
    assert main(["data", str(folder), "--add", str(copy)]) == 0
    assert main(["data", str(folder), "--remove", kept.stem[:12], "--force"]) == 0
    (chunk,) = Store(folder).chunks
    assert set(chunk.files) == {".vf", ".policy"}
    assert check_store(Store(folder)).faults == []


def test_policies_that_are_too_short_or_too_long_are_not_added(path):
    games_with_visits(path, 4, seed=15)
    output = compact(path)
    sibling(path).unlink()
    whole = output.read_bytes()
    assert inspect(path).chunk.with_visits == open_games([path]).positions
    for content in (whole[:-1], whole[:60], whole + b"\0"):
        output.write_bytes(content)
        with pytest.raises(ValueError, match=r"some\.policy: not as long as some\.vf needs it"):
            inspect(path)
