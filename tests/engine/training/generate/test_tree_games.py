"""Positions of trees: drawn uniformly, as they are in the tree, the same for the same seed."""

import random
from collections import Counter

import numpy as np
import pytest

from engine.cli.train import main
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import edges_of
from engine.network.weights_file import SHIPPED, load_weights
from engine.training.data.games import decode, open_games
from engine.training.data.viriformat import NOISY
from engine.training.generate.chunks import Plan
from engine.training.generate.labelling import without_past
from engine.training.generate.teachers import Label, UciTeacher, self_play
from engine.training.generate.tree_games import POSITIONS_PER_SEARCH, TreeGame, TreeSearch, visited_paths
from movegen import Position
from perft.runner.processes import InlinePool, ProcessPool
from tests.engine.training.data.unpack import unpack_games
from tests.engine.training.generate.runs import generate_by
from tests.engine.training.generate.test_generate import command, needs_shell  # noqa: F401  (a fixture)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"
VISITS = 60


@pytest.fixture(scope="module")
def searches():
    return TreeSearch(load_weights().network, VISITS)


def slow_fens(tree, position, edge=0):
    """The FEN of the root and of each visited position below an edge that is not proven, move by move."""
    fens = [] if edge and tree.proven[edge] != UNPROVEN else [without_past(position).fen()]
    for below in edges_of(tree, edge):
        if tree.visits[below]:
            fens += slow_fens(tree, position.play(int(tree.move[below])), below)
    return fens


@pytest.mark.jit
@pytest.mark.parametrize("fen", [KIWIPETE, MATE_IN_2])
def test_all_visited_positions_are_found(searches, fen):
    position = Position(fen)
    searches.search(position, VISITS)
    found = []
    for path in visited_paths(searches.tree):
        reached = position
        for code in path:
            reached = reached.play(code)
        found.append(without_past(reached).fen())
    assert sorted(found) == sorted(slow_fens(searches.tree, position))
    assert len(found) > 10


@pytest.mark.jit
def test_positions_are_drawn_with_equal_probability(searches):
    """Chi-square: its mean is the number of positions less one, its variance twice that."""
    position, rng, drawn, rounds, each = Position(KIWIPETE), random.Random(4), Counter(), 400, 12
    for _ in range(rounds):
        drawn.update(one.fen() for one in searches.draw(position, each, rng))
    multiplicity = Counter(slow_fens(searches.tree, position))  # of positions that two lines lead to
    total = sum(multiplicity.values())
    assert set(drawn) <= set(multiplicity)
    expected = {fen: rounds * each * count / total for fen, count in multiplicity.items()}
    chi_square = sum((drawn[fen] - mean) ** 2 / mean for fen, mean in expected.items())
    degrees = len(expected) - 1
    assert abs(chi_square - degrees) < 5 * (2 * degrees) ** 0.5


@pytest.mark.jit
def test_a_game_has_positions_of_trees_and_each_is_a_record(searches):
    game, asked = TreeGame(random.Random(6), searches), []
    while True:
        question = game.question()
        asked.append(question.uci)
        answer = Label(len(asked), next(iter(question.position.legal_moves)))
        if game.take(answer):
            break
    records = game.records()
    assert len(records) == len(asked) > POSITIONS_PER_SEARCH // 2
    assert [f"fen {record.start.fen(shredder=True)}" for record in records] == asked
    assert [record.scores for record in records] == [[number + 1] for number in range(len(asked))]
    assert all(record.extra & NOISY and len(record.moves) == 1 for record in records)
    with pytest.raises(ValueError, match="the game is over"):
        game.question()


@pytest.mark.jit
def test_an_answer_without_a_move_gives_no_record(searches):
    game = TreeGame(random.Random(6), searches)
    game.question()
    game.take(Label(None, None))
    assert game.records() == []


@needs_shell
@pytest.mark.slow
def test_the_same_seed_gives_the_same_positions(command, tmp_path):  # noqa: F811
    trees = self_play(SHIPPED, VISITS)
    plan = Plan(UciTeacher(command, "nodes 1", 16), False, 2, seed=5, at_once=1, trees=trees, games_per_chunk=1)
    counted = []
    for name, pool in (("one.vf", InlinePool({})), ("two.vf", ProcessPool(2, {}))):
        generate_by(pool, plan, tmp_path / name, counted.append)
    data = (tmp_path / "one.vf").read_bytes()
    assert data == (tmp_path / "two.vf").read_bytes()
    records = list(unpack_games(data))
    assert sum(counted) == 2 * len(records) > 0
    positions = decode(open_games([tmp_path / "one.vf"])).positions
    assert len(positions.scores) == len(records)
    assert np.abs(positions.scores).max() <= 1000  # those of the fake teacher


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--nodes", "5", "--of-trees", "50", "--value-only"], "--value-only is not for --of-trees"),
        (["--nodes", "5", "--of-trees", "50", "--at-once", "2"], "--at-once is not for --of-trees"),
        (["--self-play", "--visits", "50", "--of-trees", "50"], "--of-trees is not for --self-play"),
        (
            ["--nodes", "5", "--weights", "x.net"],
            "--weights is only for Teresa's own searches",
        ),
        (["--nodes", "5", "--of-trees", "0"], "--of-trees"),
        (["--nodes", "5", "--of-trees", "50", "--weights", "none.net"], "none.net"),
    ],
)
def test_bad_arguments(words, reason, tmp_path, capsys):
    arguments = ["generate", str(tmp_path / "out.vf"), "--games", "1", "--seed", "1", *words]
    try:
        status = main(arguments)
    except SystemExit as ending:
        status = ending.code
    assert status == 2
    assert reason in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
