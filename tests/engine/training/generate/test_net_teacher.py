"""Trees of the teacher: which nodes are labelled and with what, drawn uniformly, the same for the same seed."""

import math
import random
from collections import Counter

import chess
import numpy as np
import pytest

from engine.cli.train import main
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import SCORE_UNIT, edges_of
from engine.network.weights_file import SHIPPED, load_weights
from engine.report.move_stats import DRAW, LOSS, moves_below
from engine.training.data.games import decode, open_games
from engine.training.data.viriformat import NOISY, pack_game
from engine.training.data.visits import sibling
from engine.training.generate.chunk_units import chunk_unit, make_chunk_unit
from engine.training.generate.chunks import Chunks, Plan, differences
from engine.training.generate.generation import source_of
from engine.training.generate.net_teacher import TeacherSearch, improved_shares, label_of, net_teacher, visited_nodes
from engine.training.generate.teachers import UciTeacher
from engine.training.generate.tree_games import TaughtGame, TreeSearch
from engine.training.teacher.nnue_file import parse_teacher_net
from movegen import Position
from perft.runner.processes import ProcessPool
from tests.engine.report.moves import move, ranked
from tests.engine.training.data.unpack import unpack_games
from tests.engine.training.generate.runs import generate_by
from tests.engine.training.teacher.made_up_nets import made_up_net

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_2 = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"
VISITS, LEAST = 400, 6
FILE = made_up_net(seed=31).pack()


@pytest.fixture(scope="module")
def teacher():
    net = parse_teacher_net(np.frombuffer(FILE, dtype=np.uint8))
    return TeacherSearch(net, load_weights().network, VISITS, LEAST)


@pytest.fixture
def net_file(tmp_path):
    path = tmp_path / "made-up.nnue"
    path.write_bytes(FILE)
    return path


def taught_plan(net_file, games=2, seed=5):
    return Plan(net_teacher(net_file, SHIPPED, VISITS, LEAST), False, games, seed, at_once=1, games_per_chunk=1)


def slow_nodes(tree, position, edge=0, path=()):
    """Path, visits and position without counters of each expanded edge that has no proof."""
    found = []
    below = edges_of(tree, edge)
    if len(below) and tree.proven[edge] == UNPROVEN:
        found.append((path, int(tree.visits[edge]), position.fen().rsplit(" ", 2)[0]))
        for one in below:
            code = int(tree.move[one])
            found += slow_nodes(tree, position.play(code), one, (*path, code))
    return found


@pytest.mark.parametrize("fen", [KIWIPETE, MATE_IN_2])
def test_nodes_with_enough_visits_are_found_each_position_once(teacher, fen):
    teacher.search(Position(fen))
    nodes = visited_nodes(teacher.tree, LEAST)
    expected, best = {}, Counter()
    for path, visits, position in slow_nodes(teacher.tree, Position(fen)):
        if visits >= LEAST:
            expected[path] = visits
            best[position] = max(best[position], visits)
    assert len(nodes) == len(best) > 15
    assert all(expected[node.path] == node.visits for node in nodes)
    assert sorted(node.visits for node in nodes) == sorted(best.values())


def test_labels_are_drawn_with_equal_probability(teacher):
    """Chi-square: its mean is the number of nodes less one, its variance twice that."""
    position, rng, drawn, rounds, each = Position(KIWIPETE), random.Random(7), Counter(), 300, 9
    teacher.search(position)
    nodes = {node.path for node in visited_nodes(teacher.tree, LEAST)}
    for _ in range(rounds):
        labels = teacher.draw(position, each, rng)
        assert [label.path for label in labels] == sorted(label.path for label in labels)
        drawn.update(label.path for label in labels)
    assert set(drawn) <= nodes
    mean = rounds * each / len(nodes)
    chi_square = sum((drawn[path] - mean) ** 2 / mean for path in nodes)
    degrees = len(nodes) - 1
    assert abs(chi_square - degrees) < 5 * (2 * degrees) ** 0.5


def test_a_label_is_what_the_tree_has_of_a_node(teacher):
    position = Position(KIWIPETE)
    labels = teacher.draw(position, 1000, random.Random(1))
    nodes = {node.path: node for node in visited_nodes(teacher.tree, LEAST)}
    assert [label.path for label in labels] == sorted(nodes)
    for label in labels:
        edge = nodes[label.path].edge
        moves = {one.code: one for one in moves_below(teacher.tree, edge)}
        first, *others = label.shares
        best = moves[first[0]]
        mean = best.wins / SCORE_UNIT / best.visits
        assert best.result or label.score == pytest.approx(250 * math.log(mean / (1 - mean)), abs=0.51)
        assert moves[first[0]].visits == max(one.visits for one in moves.values() if not one.is_lost)
        assert sorted(others, key=lambda pair: -pair[1]) == others
        assert all(32 <= share <= 4096 for _, share in others)
        assert sum(share for _, share in label.shares) <= 4096 + len(moves)
        shares = dict(
            improved_shares([one for one in moves.values() if not one.is_lost], 5.8 if not label.path else 2.4)
        )
        assert dict(label.shares) == {code: share for code, share in shares.items() if share >= 32 or code == first[0]}


def test_shares_by_their_formula():
    """Share ∝ p^0.8 · e^(25·Q); here priors of a tree are p^(1/2), and the move without visits has 0.05 less."""
    moves = ranked(
        move(1, 30, 0.60)._replace(prior=0.50),
        move(2, 10, 0.55)._replace(prior=0.30),
        move(3, 0)._replace(prior=0.15),
        move(4, 5, result=DRAW, distance=3)._replace(prior=0.05),
    )
    prior = {1: 0.25, 2: 0.09, 3: 0.0225, 4: 0.0025}
    known = {1: 0.60, 2: 0.55, 4: 0.5}
    mean = sum(prior[code] * q for code, q in known.items()) / sum(prior[code] for code in known)
    weights = {code: prior[code] ** 0.8 * math.exp(25 * known.get(code, mean - 0.05)) for code in prior}
    expected = {code: round(4096 * weight / sum(weights.values())) for code, weight in weights.items()}
    shares = dict(improved_shares(moves, 2.0))
    assert shares.keys() == expected.keys()
    assert all(abs(shares[code] - expected[code]) <= 1 for code in expected)
    assert shares[1] > shares[2] > shares[3] > 0


def test_a_node_whose_known_moves_all_lose_has_no_label():
    lost = move(1, 30, result=LOSS, distance=4)
    assert label_of((), ranked(lost, move(2), move(3)), 2.0) is None
    assert label_of((), ranked(lost, move(2, 1, 0.3), move(3)), 2.0).shares[0][0] == 2


def test_lost_moves_have_no_share(teacher):
    """White must watch the first rank."""
    labels, lost_moves = teacher.draw(Position("6k1/8/8/8/8/8/r7/1r2Q2K w - - 0 1"), 1000, random.Random(1)), 0
    edges = {node.path: node.edge for node in visited_nodes(teacher.tree, LEAST)}
    for label in labels:
        lost = {one.code for one in moves_below(teacher.tree, edges[label.path]) if one.result == LOSS}
        assert not lost & {code for code, _ in label.shares}
        lost_moves += len(lost)
    assert lost_moves > 0


def test_a_game_gives_each_position_once(teacher):
    quick = TreeSearch(load_weights().network, 20)
    records = list(TaughtGame(random.Random(6), quick, teacher).records())
    assert len(records) > 50
    assert all(record.extra & NOISY and len(record.moves) == 1 for record in records)
    assert len({record.start.key for record in records}) == len(records)
    for record in records:
        board = chess.Board(record.start.fen(shredder=True), chess960=True)
        assert board.is_valid()
        assert not board.is_game_over()
        codes = [code for code, _ in record.visits[0]]
        assert codes[0] == record.moves[0]
        assert set(codes) <= set(record.start.move_codes)
        assert len(set(codes)) == len(codes)
    assert [pack_game(one) for one in TaughtGame(random.Random(6), quick, teacher).records()] == [
        pack_game(record) for record in records
    ]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_files(net_file, tmp_path):
    counted = []
    for name, processes in (("one.vf", 1), ("two.vf", 2)):
        generate_by(ProcessPool(processes, {}), taught_plan(net_file), tmp_path / name, counted.append)
    one, two = tmp_path / "one.vf", tmp_path / "two.vf"
    assert one.read_bytes() == two.read_bytes()
    assert sibling(one).read_bytes() == sibling(two).read_bytes()
    decoded = decode(open_games([one]))  # which checks moves and visits
    records = list(unpack_games(one.read_bytes()))
    assert sum(counted) == 2 * len(records) > 0
    assert decoded.positions.scores.size == len(records)
    assert (np.diff(decoded.visit_bounds) > 0).all()


def test_a_unit_makes_the_chunk_of_its_plan(net_file, monkeypatch):
    monkeypatch.chdir(net_file.parent)
    plan = taught_plan(net_file.relative_to(net_file.parent), games=1)
    unit = chunk_unit(plan, 0)
    assert unit.input["plan"]["teacher"]["net"] == str(net_file.resolve())
    answer = make_chunk_unit(unit.input["plan"], 0)
    assert set(answer.files) == {".vf", ".visits"}
    assert answer.value == len(list(unpack_games(answer.files[".vf"])))
    net_file.write_bytes(FILE[:-1] + bytes([FILE[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"made-up\.nnue has changed meanwhile"):
        make_chunk_unit(unit.input["plan"], 0)


def test_plans_are_compared_by_the_content_of_the_net(net_file, tmp_path):
    plan = taught_plan(net_file)
    chunks = Chunks(tmp_path / "parts", plan)
    assert plan.has_visits
    assert source_of(chunks)["plan"]["net"] == "made-up.nnue"
    assert source_of(chunks)["plan"]["net_checksum"] == plan.teacher.net_checksum
    other = Chunks(tmp_path / "parts", Plan(UciTeacher("x", "nodes 1"), False, 2, 5, 1))
    assert differences(chunks.plan, other.plan) == "of --teacher-net"
    net_file.write_bytes(made_up_net(seed=32).pack())
    changed = Chunks(tmp_path / "parts", taught_plan(net_file))
    assert "content of --teacher-net: " in differences(chunks.plan, changed.plan)


NET, GIVEN = "--teacher-net", ["--games", "1", "--seed", "1"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["NET", "--nodes", "5"], "--nodes is not for --teacher-net, which takes --visits"),
        (["NET", "--visits", "50", "--value-only"], "--value-only is not for --teacher-net"),
        (["NET", "--visits", "50", "--at-once", "2"], "--at-once is not for --teacher-net"),
        (["NET", "--visits", "50", "--of-trees", "9"], "--of-trees is not for --teacher-net"),
        (["NET", "--visits", "50", "--least-visits", "51"], "--least-visits must be from 2 to --visits"),
        (["NET", "--visits", "50", "--least-visits", "1"], "--least-visits must be from 2 to --visits"),
        (["NET", "--visits", "9"], "--least-visits must be from 2 to --visits"),
        (["NET", "--visits", "90", "--weights", "none.net"], "none.net"),
        (["NET", "--self-play", "--visits", "90"], "not allowed with"),
        (["--self-play", "--visits", "90", "--least-visits", "5"], "--least-visits is only for --teacher-net"),
        (["--nodes", "90", "--least-visits", "5"], "--least-visits is only for --teacher-net"),
        (["--teacher-net", "none.nnue", "--visits", "90"], "none.nnue: cannot be read"),
        (["--teacher-net", str(SHIPPED), "--visits", "90"], "teresa.net: this is not a net of Stockfish"),
    ],
)
def test_bad_arguments(words, reason, net_file, tmp_path, capsys):
    words = [word for given in words for word in (["--teacher-net", str(net_file)] if given == "NET" else [given])]
    try:
        status = main(["generate", str(tmp_path / "out.vf"), *GIVEN, *words])
    except SystemExit as ending:
        status = ending.code
    assert status == 2
    assert reason in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [net_file.name]
