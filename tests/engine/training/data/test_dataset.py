"""The order of positions, and the targets, by slow second implementations."""

import math
import random

import numpy as np
import pytest

from engine.network.batch import moves_of
from engine.training.data.dataset import POOL, Pool, move_targets, outcome_targets, pools, split_order
from engine.training.data.draw_model import (
    DrawModel,
    material_of,
)
from engine.training.data.games import decode, open_games
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from movegen.moves import MAX_MOVES
from tests.conftest import JIT_DISABLED
from tests.engine.training.data.games import known_game, random_records
from tests.engine.training.data.test_damage import visits_of
from tests.engine.training.fit.test_settings import games_of


@pytest.mark.parametrize(
    ("count", "size", "batches"), [(10, 3, [3, 3, 3]), (9, 3, [3, 3, 3]), (2, 3, []), (3, 3, [3]), (0, 1, [])]
)
def test_batches_of_a_pool(count, size, batches):
    order = np.random.default_rng(1).permutation(count)
    found = list(Pool(None, order).batches(size))
    assert [batch.size for batch in found] == batches
    assert [number for batch in found for number in batch] == order[: sum(batches)].tolist()


def sized(sizes):
    games = games_of([0] * len(sizes))
    games.size = np.array(sizes)
    return games


@pytest.mark.parametrize(
    ("sizes", "pool", "parts"),
    [
        ([], 10, []),
        ([5], 10, [[0]]),
        ([5, 5], 1000, [[0, 1]]),
        ([9, 10, 11, 12], 10, [[0], [1], [2], [3]]),
        ([9, 10, 11, 12], 20, [[0, 1], [2, 3]]),
        ([9, 10, 11, 12], 28, [[0, 1], [2, 3]]),
        ([9, 10, 11, 12], 30, [[0, 1, 2, 3]]),
        ([1, 1, 1, 37], 20, [[0, 1, 2], [3]]),
    ],
)
def test_games_are_cut_into_pools_of_about_the_same_size(sizes, pool, parts):
    order = np.arange(len(sizes))
    assert [part.tolist() for part in split_order(sized(sizes), order, pool)] == parts
    turned = [part.tolist() for part in split_order(sized(sizes[::-1]), order[::-1], pool)]
    assert [[len(sizes) - 1 - number for number in part] for part in turned] == parts


def test_two_million_positions_are_one_pool():
    assert POOL == 2_000_000
    assert len(split_order(sized([1_000_000] * 6), np.arange(6), POOL)) == 3


def test_the_order_of_a_pass(tmp_path):
    """Games in the order of the seed; the positions of each pool in an order of the seed and its number."""
    path = tmp_path / "a.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(20, seed=2)))
    games = open_games([path])
    order = np.random.default_rng((7, 3)).permutation(20)
    found, skipped = list(pools(games, (7, 3), pool=100)), list(pools(games, (7, 3), skip=1, pool=100))
    assert len(found) == len(skipped) + 1 > 3
    for number, (pool, part) in enumerate(zip(found, split_order(games, order, 100), strict=True)):
        assert (pool.decoded.positions.boards == decode(games.where(part)).positions.boards).all()
        count = pool.decoded.positions.scores.size
        assert (pool.order == np.random.default_rng((7, 3, number)).permutation(count)).all()
    assert (skipped[0].order == found[1].order).all()


# Targets, by a slow second implementation from the records themselves.


needs_jit = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")
THETA = (0.4, -0.2, 0.3, 0.1, -0.05, 0.2)
WORTH = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}  # by the numbers of python-chess


@pytest.fixture(scope="module")
def records():
    return random_records(30, seed=14)


@pytest.fixture(scope="module")
def visits(records):
    """Of the first 20 games; in some, the label has no visit and others have."""
    found = visits_of(records[:20], random.Random(2))
    for one in found[::7]:
        one[0] = (one[0][0], 0)
    return found


@pytest.fixture(scope="module")
def games(records, visits, tmp_path_factory):
    path = tmp_path_factory.mktemp("targets") / "games.vf"
    path.write_bytes(b"".join(record[0] for record in records))
    sibling(path).write_bytes(pack_file_header() + pack_visits(visits))
    return open_games([path])


def outcome_by_hand(board, white_score, result, extra, *, has_visits):
    """Win, draw and loss for the player to move, as docs/network.md describes them."""
    score = white_score if board.turn else -white_score
    score = max(-3000.0, min(3000.0, score * 1.2 if extra & 8 else score))
    q, x = 1 / (1 + math.exp(-score / 250)), min(abs(score) / 250, 6)
    m = sum(WORTH[piece.piece_type] for piece in board.piece_map().values()) / 78
    part = 1 / (1 + math.exp(-sum(t * f for t, f in zip(THETA, (1, m, x, m * x, x * x, m * m), strict=True))))
    draw = 2 * min(q, 1 - q) * part
    target = [q - draw / 2, draw, 1 - q - draw / 2]
    if has_visits and not extra & 12:
        own = result if board.turn else 2 - result
        target = [0.7 * share for share in target]
        target[2 - own] += 0.3
    return target


def game_with(extra, *scores):
    """The known game with another kind and other scores for White."""
    record = bytearray(known_game())
    record[31] = extra
    for ply, score in enumerate(scores):
        record[34 + 4 * ply : 36 + 4 * ply] = score.to_bytes(2, "little", signed=True)
    return bytes(record)


def test_only_scores_of_value_only_games_are_scaled(tmp_path):
    path = tmp_path / "mixed.vf"
    path.write_bytes(b"".join(game_with(extra, 100, -50, 2990) for extra in (0, NOISY, VALUE_ONLY)))
    decoded, model = decode(open_games([path])), DrawModel((0.3, 0.2, -0.4, 0.1, 0.05, 0.6))
    targets = outcome_targets(decoded, model, label_scale=1.2, result_share=0.0)
    material = material_of(decoded.positions.boards)
    own = np.array([100, 50, 2990])  # for the player to move
    expected = np.concatenate([own, own, np.minimum(own * 1.2, 3000)])
    assert targets == pytest.approx(model.outcomes(expected, material), abs=1e-6)
    assert np.abs(targets[6:8] - targets[:2]).min() > 1e-3


@needs_jit
def test_every_target_of_the_value(records, games):
    targets = outcome_targets(decode(games), DrawModel(THETA), label_scale=1.2, result_share=0.3)
    expected = [
        outcome_by_hand(board, score, result, extra, has_visits=number < 20)
        for number, (_, pairs, result, extra) in enumerate(records)
        for board, _, score in pairs
    ]
    assert np.abs(targets - np.array(expected)).max() < 1e-5


@needs_jit
def test_every_target_of_the_policy(games, visits):
    decoded = decode(games)
    boards, count = decoded.positions.boards, len(decoded.positions.scores)
    chosen = np.random.default_rng(3).permutation(count)
    moves, rows = np.empty(count * 80, dtype=np.uint16), np.empty((count * 80, 4), dtype=np.uint16)
    starts = np.empty(count + 1, dtype=np.int64)
    moves_of(boards, chosen, np.empty(MAX_MOVES, dtype=np.uint16), moves, rows, starts)
    shares = move_targets(decoded, chosen, moves, starts)
    for line, index in enumerate(chosen.tolist()):
        legal = moves[starts[line] : starts[line + 1]].tolist()
        counted = dict(visits[index]) if index < len(visits) else {}
        if not sum(counted.values()):
            counted = {int(decoded.positions.moves[index]): 1}
        expected = [counted.get(code, 0) / sum(counted.values()) for code in legal]
        assert shares[starts[line] : starts[line + 1]].tolist() == pytest.approx(expected, abs=1e-6)
