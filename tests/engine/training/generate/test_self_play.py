import random

import chess
import numpy as np
import pytest

from engine.cli.train import main
from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.params import new_worker, root_of
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import ROOT, edges_of, new_tree
from engine.network.architecture import PRIOR_UNIT
from engine.network.weights_file import SHIPPED, load_weights
from engine.training.data.games import decode, open_games
from engine.training.data.viriformat import MATE_SCORE
from engine.training.data.visits import sibling
from engine.training.generate.chunks import Chunks, Plan
from engine.training.generate.generation import check_output, join, parts_folder
from engine.training.generate.labelled_games import chunk_games, new_labelled_game, play_games
from engine.training.generate.labelling import TeacherGame
from engine.training.generate.teachers import Label, LabelRequest, SelfTeacher, add_noise, self_play
from movegen import Position
from movegen.bits import U64
from perft.runner.processes import ProcessPool
from tests.conftest import JIT_DISABLED
from tests.engine.network.boards import code_to_move
from tests.engine.training.data.unpack import unpack_games, unpack_visits
from tests.engine.training.generate.runs import generate_by

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")
VISITS = 40


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.fixture(scope="module")
def plan():
    return Plan(self_play(SHIPPED, VISITS), value_only=False, games=10, seed=5, at_once=1, games_per_chunk=4)


@pytest.fixture(scope="module")
def games(plan, network):
    """Games that are over."""
    return list(play_games(plan, range(plan.games), SelfTeacher(network, VISITS)))


def ask(network, fen, visits=VISITS, seed=1):
    question = LabelRequest(Position(fen, chess960=True), "", random.Random(seed))
    return SelfTeacher(network, visits).ask([question])[0]


def positions_of(games):
    """Board by python-chess, label, score and visits of each position."""
    for game in games:
        for record in game.records():
            board = chess.Board(record.start.fen(shredder=True), chess960=True)
            for code, score, visits in zip(record.moves, record.scores, record.visits, strict=True):
                yield board.copy(stack=False), code, score, visits
                board.push(code_to_move(code, board))


@pytest.mark.thorough
def test_moves_and_visits_are_legal_and_the_label_has_the_most(games):
    for board, label, score, visits in positions_of(games):
        moves, counts = zip(*visits, strict=True)
        assert moves[0] == label
        assert list(counts) == sorted(counts, reverse=True)
        assert counts[-1] > 0
        assert sum(counts) <= VISITS - 1  # the first visit is the root's own
        legal = {code_to_move(code, board) for code in moves}
        assert len(legal) == len(moves)
        assert legal <= set(board.legal_moves)
        assert abs(score) < MATE_SCORE


def test_results_are_those_of_python_chess(games):
    endings = 0
    for game in games:
        board = chess.Board(game._first, chess960=True)
        for move in game._moves:
            board.push_uci(move)
        outcome = board.outcome(claim_draw=True)
        results = {record.result for record in game.records()}
        if outcome is not None and game.records():
            assert results == {{True: 2, None: 1, False: 0}[outcome.winner]}
            endings += 1
        else:
            assert len(game._moves) > 300 or game._won_plies or game._drawn_plies or not game.records()
    assert endings > len(games) / 4


def test_the_first_moves_vary_and_the_others_are_the_best():
    rng, drawn = random.Random(1), 0
    for seed in range(6):
        game = TeacherGame(random.Random(seed))
        game._noisy = False
        for ply in range(40):
            best, *others = game._position.move_codes
            visits = [(best, 3), *((code, 1) for code in others[:1])]
            before = len(game._games)
            if game.take(Label(rng.randint(50, 60), game._position.uci(best), visits)):
                break
            assert ply < TeacherGame.VARIED_PLIES or len(game._games) == before
            drawn += len(game._games) - before
        assert all(len(record.visits) == len(record.moves) for record in game._games)
    assert 8 < drawn < 40


def test_all_visits_are_given_where_nothing_is_proven(network):
    answer = ask(network, "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", visits=200)
    assert sum(count for _, count in answer.visits) == 199
    assert abs(answer.score) < 200


@pytest.mark.parametrize(
    ("fen", "score", "move"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", MATE_SCORE - 1, "a1a8"),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", 1 - MATE_SCORE, "a8b8"),
        ("k7/8/8/8/8/8/6q1/7K w - - 0 1", 0, "h1g2"),
    ],
)
def test_what_is_proven(network, fen, score, move):
    answer = ask(network, fen)
    assert (answer.score, answer.move) == (score, move)
    assert len(answer.visits) == 1


def root_moves(tree):
    """Prior and visits of the moves of the root, in their order."""
    rows = [(int(tree.move[slot]), int(tree.prior[slot]), int(tree.visits[slot])) for slot in edges_of(tree, int(ROOT))]
    return {move: (prior, visits) for move, prior, visits in rows}


def test_noise_keeps_the_moves_and_the_order_of_priors(network):
    tree, position = new_tree(1), Position()
    simulate_many(tree, root_of(position), network, search_params(Options()), new_worker(1, network), U64(2))
    before = root_moves(tree)
    add_noise(tree, random.Random(1))
    after = root_moves(tree)
    assert after.keys() == before.keys() == set(position.move_codes)
    assert all(after[move][1] == before[move][1] for move in before)
    priors = [prior for prior, _ in after.values()]
    assert priors == sorted(priors, reverse=True)
    assert 0 < priors[-1] <= sum(priors) <= PRIOR_UNIT
    gained = sorted(after[move][0] - before[move][0] * 0.9 for move in before)
    assert gained[0] > -3
    assert sum(gained) == pytest.approx(PRIOR_UNIT * 0.1, abs=100)
    assert gained[-1] > 3 * gained[len(gained) // 2]


def test_a_label_does_not_depend_on_what_was_asked_before(network):
    fens = [Position().fen(), "8/pp3k2/2p2n1p/3p1p2/3P1P2/2P1P1PP/PP2K3/5N2 w - - 0 30"]
    teacher = SelfTeacher(network, 100)
    answers = teacher.ask([LabelRequest(Position(fen, chess960=True), "", random.Random(7)) for fen in fens])
    assert answers == [ask(network, fen, visits=100, seed=7) for fen in fens]
    assert answers[0] != ask(network, fens[0], visits=100, seed=8)


def test_repetitions_count(network):
    """With a queen more, the move that brings the position onto the board a third time is not wanted."""
    position = Position("7k/8/8/8/8/8/1q6/7K w - - 0 1", chess960=True).play_all("h1g1 b2c2 g1h1 c2b2 h1g1 b2c2 g1h1")
    (answer,) = SelfTeacher(network, 100).ask([LabelRequest(position, "", random.Random(1))])
    repeating = position.code("c2b2")
    assert answer.score > 300
    assert repeating not in dict(answer.visits) or dict(answer.visits)[repeating] < 20


@pytest.mark.thorough
def test_chunks_are_joined_and_read_back(plan, games, tmp_path):
    output = tmp_path / "own.vf"
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    positions = 0
    for chunk in range(plan.chunks):
        *contents, count = chunk_games(plan, chunk)
        chunks.write(chunk, *contents)
        positions += count
    visits = chunks.folder / "000001.visits"
    content = visits.read_bytes()
    visits.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"000001\.visits is damaged"):
        join(plan, chunks, output)
    visits.write_bytes(content)
    join(plan, chunks, output)
    assert not chunks.folder.exists()
    records = [record for game in games for record in game.records()]
    expected = [list(visits) for record in records for visits in record.visits]
    assert unpack_visits(sibling(output).read_bytes()) == expected
    read = list(unpack_games(output.read_bytes()))
    assert [record.moves for record in read] == [record.moves for record in records]
    decoded = decode(open_games([output]))
    assert len(expected) == positions == len(decoded.positions.moves)
    assert np.diff(decoded.visit_bounds).tolist() == list(map(len, expected))
    assert (decoded.visit_moves[decoded.visit_bounds[:-1]] == decoded.positions.moves).all()


def run(plan, output, processes=1, advance=lambda _: None):
    generate_by(ProcessPool(processes, {}), plan, output, advance)
    return output.read_bytes(), sibling(output).read_bytes()


@pytest.mark.slow
def test_the_same_bytes_with_any_number_of_processes_and_after_an_interruption(plan, tmp_path):
    whole = run(plan, tmp_path / "one.vf")
    assert whole == run(plan, tmp_path / "two.vf", processes=2)
    counted = []

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan, tmp_path / "parts.vf", advance=interrupt)
    assert not (tmp_path / "parts.vf").exists()
    sibling(tmp_path / "parts.vf").write_bytes(b"of a run that was interrupted while it joined")
    assert run(plan, tmp_path / "parts.vf", advance=counted.append) == whole
    assert counted[0] == 0, "a chunk that was there has no new positions"
    assert all(counted[1:])


def test_other_seeds_give_other_games(plan):
    starts = {new_labelled_game(Plan(plan.teacher, False, 1, seed, 1), 0).question().uci for seed in range(5)}
    assert len(starts) == 5


def test_files_that_are_in_the_way(tmp_path):
    sibling(tmp_path / "own.vf").touch()
    with pytest.raises(ValueError, match="visits of another file"):
        check_output(tmp_path / "own.vf")
    with pytest.raises(ValueError, match="this suffix is for files of visits"):
        check_output(tmp_path / "some.visits")


def test_other_weights_are_noticed(tmp_path):
    copy = tmp_path / "copy.net"
    copy.write_bytes(SHIPPED.read_bytes())
    teacher = self_play(copy, VISITS)
    with teacher.open() as opened:
        assert isinstance(opened, SelfTeacher)
    copy.write_bytes(b"another net")
    with pytest.raises(ValueError, match="has changed meanwhile"), teacher.open():
        pass


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--visits 800", "--visits is only for --self-play"),
        ("--nodes 10 --weights some.net", "--weights is only for Teresa's own searches"),
        ("--self-play --nodes 10", "--nodes is not for --self-play, which takes --visits"),
        ("--self-play --depth 1", "--depth is not for --self-play, which takes --visits"),
        ("--self-play --visits 9 --value-only", "--value-only is not for --self-play"),
        ("--self-play --visits 9 --at-once 2", "--at-once is not for --self-play"),
        ("--self-play --visits 1", "--visits must be at least 2"),
        ("--self-play --visits 9 --weights no.net", "no.net: cannot be read"),
    ],
)
def test_options_that_make_no_sense(words, message, tmp_path, capsys):
    assert main(["generate", str(tmp_path / "x.vf"), "--games=1", "--seed=1", *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["--self-play --visits 0", "--teacher x --self-play --visits 9", "--self-play"])
def test_options_that_cannot_be(words, tmp_path):
    with pytest.raises(SystemExit):
        main(["generate", str(tmp_path / "x.vf"), "--games=1", "--seed=1", *words.split()])
