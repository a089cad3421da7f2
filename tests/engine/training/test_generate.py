import random
import sys
from pathlib import Path

import pytest

from engine.training.generate import Order, generate, open_folder
from engine.training.labelled import TeacherGame, ValueGame
from engine.training.starts import chess960_start, random_start
from engine.training.teacher import Answer, Teacher, UciEngine, read_score
from engine.training.viriformat import CHESS960, ENDGAME, STANDARD, VALUE_ONLY, unpack_games
from movegen import Position

FAKE = Path(__file__).with_name("fake_teacher.py")
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="the fake teacher is started by a shell script")


@pytest.fixture
def command(tmp_path):
    """A command without arguments that starts the fake teacher."""
    script = tmp_path / "teacher"
    script.write_text(f"#!/bin/sh\nPYTHONPATH={FAKE.parents[3]} exec {sys.executable} {FAKE}\n")
    script.chmod(0o755)
    return str(script)


def small_order(command, limit):
    return Order(UciEngine(command, limit), value_only=True, games=4, seed=5, at_once=1, games_per_chunk=2)


def make(order, output, processes=1):
    """-> games and positions as they were counted."""
    counted = []
    generate(order, output, processes, lambda games, positions: counted.append((games, positions)))
    return tuple(map(sum, zip(*counted, strict=True)))


@needs_shell
@pytest.mark.slow
@pytest.mark.parametrize("value_only", [False, True])
def test_the_same_seed_gives_the_same_games(command, tmp_path, value_only):
    order = Order(UciEngine(command, "nodes 1"), value_only, games=6, seed=5, at_once=4, games_per_chunk=4)
    games, positions = make(order, tmp_path / "one.vf")
    make(order, tmp_path / "two.vf", processes=2)
    data = (tmp_path / "one.vf").read_bytes()
    assert data == (tmp_path / "two.vf").read_bytes()
    records = list(unpack_games(data))
    assert games == 6
    assert not value_only or len(records) == 6
    assert sum(len(record.moves) for record in records) == positions > 0
    assert all(bool(record.extra & VALUE_ONLY) == value_only for record in records)


@needs_shell
@pytest.mark.slow
def test_an_interrupted_run_goes_on(command, tmp_path):
    order, output = small_order(command, "nodes 1"), tmp_path / "some.vf"
    make(order, tmp_path / "whole.vf")
    folder = open_folder(output, order)
    (folder / "000000.vf").write_bytes(b"done before ")
    make(order, output)
    start, rest = output.read_bytes().split(b"done before ")
    assert not start
    assert 0 < len(rest) < (tmp_path / "whole.vf").stat().st_size
    assert (tmp_path / "whole.vf").read_bytes().endswith(rest)
    assert not folder.exists()
    with pytest.raises(ValueError, match="there already"):
        make(order, output)


def test_a_folder_of_other_options_is_refused(tmp_path):
    open_folder(tmp_path / "some.vf", small_order("x", "nodes 1"))
    with pytest.raises(ValueError, match="other options"):
        open_folder(tmp_path / "some.vf", small_order("x", "nodes 2"))


def test_a_teacher_that_is_not_there():
    with pytest.raises(ValueError, match="cannot be started"):
        Teacher("/no/such/engine", "nodes 1", 1)


def test_scores():
    assert read_score("info depth 3 score cp -31 nodes 7") == -31
    assert read_score("info depth 3 score cp 999999") == 29000
    assert read_score("info depth 3 score mate 4") == 31996
    assert read_score("info depth 3 score mate -1") == -31999
    assert read_score("info depth 3 score cp 5 lowerbound") is None
    assert read_score("bestmove e2e4") is None


def test_starts_are_playable_and_of_all_kinds():
    rng, kinds = random.Random(1), set()
    for _ in range(60):
        position, kind = random_start(rng, endgames=0.3, chess960=0.3, plies=(2, 6))
        kinds.add(kind)
        assert position.legal_moves
        assert position.past_keys == ()
    assert kinds == {STANDARD, CHESS960, ENDGAME}


def test_chess960_starts():
    rng = random.Random(2)
    rows = {chess960_start(rng).fen().split("/")[0] for _ in range(200)}
    assert len(rows) > 150
    for row in rows:
        assert sorted(row) == sorted("rnbqkbnr")
        assert row.index("r") < row.index("k") < row.rindex("r")
        assert (row.index("b") + row.rindex("b")) % 2 == 1


def play(game, score=0, limit=400):
    """Answer with the first legal move until the game is over."""
    for _ in range(limit):
        words = game.question().words.split()
        end = words.index("moves") if "moves" in words else len(words)
        position = Position(" ".join(words[1:end]), chess960=True).play_all(" ".join(words[end + 1 :]))
        moves = position.legal_moves
        if game.take(Answer(score, moves[0]) if moves else Answer(0, None)):
            return
    pytest.fail("the game did not end")


@pytest.mark.parametrize("kind", [TeacherGame, ValueGame])
def test_games_end_and_their_records_can_be_played(kind):
    for seed in range(8):
        game = kind(random.Random(seed))
        play(game)
        for record in game.records():
            position = record.start
            for code in record.moves:
                position = position.play(code)


def test_won_games_are_adjudicated():
    game = TeacherGame(random.Random(3))
    game._played_out = False
    for number in range(TeacherGame.WON_PLIES):
        mover = game._position
        done = game.take(Answer(1000 if number == 0 else 2000, mover.legal_moves[0]))
        assert not done or number == TeacherGame.WON_PLIES
    mover = game._position
    assert game.take(Answer(2000, mover.legal_moves[0]))
    assert game.records()[0].result == (2 if mover.turn == "white" else 0)


def test_a_start_without_balance_is_dropped():
    game = TeacherGame(random.Random(3))
    assert game.take(Answer(1500, game._position.legal_moves[0]))
    assert game.records() == []
