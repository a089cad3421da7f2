import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli.train import main
from engine.training.data.viriformat import CHESS960_START, ENDGAME_START, STANDARD_START, VALUE_ONLY
from engine.training.generate.chunks import Chunks, Plan
from engine.training.generate.generation import join, parts_folder
from engine.training.generate.labelled_games import new_labelled_game
from engine.training.generate.labelling import TeacherGame, ValueGame, random_chess960_start, random_start
from engine.training.generate.teachers import Label, UciTeacher, read_score
from movegen import Position
from perft.runner.display import STOPPING
from perft.runner.processes import InlinePool, ProcessPool
from tests.engine.training.data.games import known_game
from tests.engine.training.data.unpack import unpack_games
from tests.engine.training.generate.runs import generate_by

FAKE = Path(__file__).with_name("fake_teacher.py")
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="the fake teacher is started by a shell script")


@pytest.fixture
def command(tmp_path):
    """A command without arguments that starts the fake teacher."""
    script = tmp_path / "teacher"
    script.write_text(f"#!/bin/sh\nPYTHONPATH={FAKE.parents[4]} exec {sys.executable} {FAKE} {tmp_path}\n")
    script.chmod(0o755)
    return str(script)


def small_plan(command, limit, seed=5):
    return Plan(UciTeacher(command, limit), value_only=True, games=4, seed=seed, at_once=1, games_per_chunk=2)


def open_chunks(output, plan):
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    return chunks


def make(plan, output, processes=1):
    """-> new positions in each chunk, as they were counted."""
    counted = []
    pool = ProcessPool(processes, {}) if processes > 1 else InlinePool({})  # starting a process takes longer
    generate_by(pool, plan, output, counted.append)
    return counted


@needs_shell
@pytest.mark.slow
@pytest.mark.parametrize("value_only", [False, True])
def test_the_same_seed_gives_the_same_games(command, tmp_path, value_only):
    plan = Plan(UciTeacher(command, "nodes 1"), value_only, games=3, seed=5, at_once=2, games_per_chunk=2)
    positions = make(plan, tmp_path / "one.vf")
    make(plan, tmp_path / "two.vf", processes=2)
    data = (tmp_path / "one.vf").read_bytes()
    assert data == (tmp_path / "two.vf").read_bytes()
    records = list(unpack_games(data))
    assert len(positions) == plan.chunks
    assert not value_only or len(records) == 3
    assert sum(len(record.moves) for record in records) == sum(positions) > 0
    assert all(bool(record.extra & VALUE_ONLY) == value_only for record in records)


@needs_shell
@pytest.mark.slow
def test_an_interrupted_run_goes_on(command, tmp_path):
    plan, output = small_plan(command, "nodes 1"), tmp_path / "some.vf"
    make(plan, tmp_path / "whole.vf")
    open_chunks(output, plan).write(0, known_game(), None)
    make(plan, output)
    start, rest = output.read_bytes()[: len(known_game())], output.read_bytes()[len(known_game()) :]
    assert start == known_game()
    assert 0 < len(rest) < (tmp_path / "whole.vf").stat().st_size
    assert (tmp_path / "whole.vf").read_bytes().endswith(rest)
    assert not parts_folder(output).exists()
    with pytest.raises(ValueError, match="already exists"):
        make(plan, output)


@needs_shell
@pytest.mark.slow
def test_damaged_chunks_are_made_again(command, tmp_path):
    plan, output = small_plan(command, "nodes 1"), tmp_path / "some.vf"
    make(plan, tmp_path / "whole.vf")
    chunks = open_chunks(output, plan)
    for chunk in range(plan.chunks):
        chunks.write(chunk, known_game(), None)
    (chunks.folder / "000000.vf").write_bytes(b"")  # as after a power cut
    (chunks.folder / "000001.json").write_bytes(b"")
    (chunks.folder / "order.json").write_bytes(b"")
    assert not any(map(chunks.has, range(plan.chunks)))
    make(plan, output)
    assert output.read_bytes() == (tmp_path / "whole.vf").read_bytes()


@pytest.mark.parametrize("value_only", [False, True])
def test_games_of_neighbouring_seeds_and_numbers_are_different(value_only):
    plans = [Plan(UciTeacher("x", "nodes 1"), value_only, games=8, seed=seed, at_once=1) for seed in range(8)]
    starts = [new_labelled_game(plan, number).question().uci for plan in plans for number in range(8)]
    assert len(set(starts)) > 60  # two random starts may be the same
    assert starts == [new_labelled_game(plan, number).question().uci for plan in plans for number in range(8)]


@pytest.mark.parametrize("content", [known_game()[:-1], b"", known_game()[:-1] + b"x", known_game() * 2])
def test_what_was_cut_off_or_changed_is_not_joined(content, tmp_path):
    plan, output = small_plan("x", "nodes 1"), tmp_path / "some.vf"
    chunks = open_chunks(output, plan)
    for chunk in range(plan.chunks):
        chunks.write(chunk, known_game(), None)
    path = chunks.folder / "000001.vf"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"000001\.vf is damaged: the same command makes it again"):
        join(plan, chunks, output)
    assert [path.name for path in tmp_path.iterdir()] == ["some.vf.parts"]
    path.write_bytes(known_game())
    join(plan, chunks, output)
    assert output.read_bytes() == known_game() * plan.chunks
    assert list(tmp_path.iterdir()) == [output]


def test_a_folder_of_other_options_is_refused_and_they_are_named(tmp_path):
    output = tmp_path / "some.vf"
    open_chunks(output, small_plan("x", "nodes 1")).write(0, known_game(), None)
    with pytest.raises(
        ValueError, match=r"other options \(--nodes or --depth: nodes 1 there, nodes 2 here, --seed: 5 there"
    ):
        open_chunks(output, small_plan("x", "nodes 2", seed=6))
    with pytest.raises(ValueError, match=r"some\.vf\.parts .* \(--teacher: x there, y here\): .*delete the folder"):
        open_chunks(output, small_plan("y", "nodes 1"))
    assert open_chunks(output, small_plan("x", "nodes 1")).has(0)


def test_chunks_of_another_order_are_known_without_its_note(tmp_path):
    output = tmp_path / "some.vf"
    open_chunks(output, small_plan("x", "nodes 1")).write(0, known_game(), None)
    (parts_folder(output) / "order.json").write_bytes(b"")
    assert not open_chunks(output, small_plan("x", "nodes 1", seed=6)).has(0)
    (parts_folder(output) / "order.json").write_bytes(b"")
    assert open_chunks(output, small_plan("x", "nodes 1")).has(0)


def test_a_folder_without_a_whole_chunk_is_in_nobodys_way(tmp_path):
    output = tmp_path / "some.vf"
    open_chunks(output, small_plan("x", "nodes 1"))
    chunks = open_chunks(output, small_plan("y", "nodes 1"))
    assert json.loads((chunks.folder / "order.json").read_text())["command"] == "y"
    chunks.remove_if_empty()
    assert list(tmp_path.iterdir()) == []


def generate_with(teacher, output, *more):
    words = ["generate", str(output), "--nodes=1", "--games=1", "--seed=1", "--teacher", str(teacher), *more]
    return main(words)


@needs_shell
def test_a_teacher_that_cannot_teach_leaves_nothing_behind(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.training.generate.teachers.PATIENCE", 1.0)
    folder = tmp_path / "out"
    folder.mkdir()
    for teacher, message in (
        ("/no/such/engine", "/no/such/engine cannot be started: No such file"),
        ("true", "true ended without saying 'uciok': is it a UCI engine?"),
        ("cat", "cat did not say 'uciok' within 1 seconds: is it a UCI engine?"),
    ):
        assert generate_with(teacher, folder / "g.vf") == 2
        assert message in capsys.readouterr().err
        assert list(folder.iterdir()) == []


def test_outputs_that_cannot_be_written(tmp_path, capsys):
    assert generate_with("true", tmp_path / "missing" / "g.vf") == 2
    assert "there is no folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# An engine that does not read on while its answer is not read: what it prints is more than any pipe holds.
TALKATIVE = """
import sys
for line in sys.stdin:
    if line == "uci\\n": print("uciok", flush=True)
    if line == "isready\\n": print("readyok", flush=True)
    if line.startswith("go"):
        for number in range(20_000): print("info depth 1 nodes", number, "pv e2e4 e7e5")
        print("info depth 1 score cp 13\\nbestmove e2e4", flush=True)
"""


@pytest.mark.thorough
@needs_shell
def test_pipes_that_are_full_on_both_sides_do_not_wait_for_each_other(tmp_path):
    """The questions are more than a pipe holds, and the engine talks long before it takes the next one."""
    script = tmp_path / "talkative"
    script.write_text(f"#!{sys.executable}\n" + TALKATIVE.replace("\\\\", "\\"))
    script.chmod(0o755)
    program = f"""
import random
from engine.training.generate.teachers import LabelRequest, Teacher
from movegen import Position
teacher = Teacher({str(script)!r}, "nodes 1", 1)
line = "startpos moves " + " ".join(["g1f3 g8f6 f3g1 f6g8"] * 2000)
answers = teacher.ask([LabelRequest(Position(), line, random.Random(1))] * 6)
teacher.close()
print({{(answer.score, answer.move) for answer in answers}}, len(answers))
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert finished.stdout == "{(13, 'e2e4')} 6\n", finished.stderr


def processes_of(group, folder):
    """The numbers of the processes of a process group, and of teachers of a folder, that are still there."""
    command = [shutil.which("ps"), "-e", "-w", "-w", "-o", "pgid=,pid=,stat=,args="]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=3) for line in finished.stdout.splitlines()]
    return [
        int(number)
        for its_group, number, state, words in rows
        if (int(its_group) == group or words.endswith(f"{FAKE} {folder}")) and not state.startswith("Z")
    ]


ALL, FIRST = -1, 1  # processes of a group, by the sign of their number
INTERRUPTED = "teresa train generate: interrupted; the same command goes on"


@needs_shell
@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps to see processes that are left")
@pytest.mark.slow
@pytest.mark.parametrize(  # a terminal sends it to all
    ("delay", "sign"),
    [
        pytest.param(0.0, ALL),
        pytest.param(0.4, FIRST),
        pytest.param(1.5, ALL),
        *(
            pytest.param(delay, sign, marks=pytest.mark.soak)
            for delay, sign in ((0.0, FIRST), (0.4, ALL), (3.0, ALL), (3.0, FIRST))
        ),
    ],
)
def test_ctrl_c_ends_all_processes_without_a_word_too_many(command, tmp_path, environment, delay, sign):
    output = tmp_path / "some.vf"
    words = ["train", "generate", str(output), "--teacher", command, "--nodes=1", "--games=100000", "--seed=1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", *words, "--processes=2"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 120
        while not (parts_folder(output) / "order.json").exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(delay)
        os.kill(sign * process.pid, signal.SIGINT)
        time.sleep(1)
        os.kill(sign * process.pid, signal.SIGINT)  # chunks under way are not awaited
        text, errors = process.communicate(timeout=120)
        *stopping, last = errors.splitlines()
        assert (process.returncode, text, last) == (130, "", INTERRUPTED)
        assert [STOPPING in line for line in stopping] in ([], [True])  # none if no unit was under way yet
        while processes_of(process.pid, tmp_path) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert processes_of(process.pid, tmp_path) == []
    finally:
        for number in processes_of(process.pid, tmp_path):
            os.kill(number, signal.SIGKILL)


def test_scores():
    assert read_score("info depth 3 score cp -31 nodes 7") == -31
    assert read_score("info depth 3 score cp 999999") == 29000
    assert read_score("info depth 3 score mate 4") == 31996
    assert read_score("info depth 3 score mate -1") == -31999
    assert read_score("info depth 0 score mate 0") == -32000  # the player to move is mated
    assert read_score("info depth 3 score cp 5 lowerbound") is None
    assert read_score("bestmove e2e4") is None


def test_starts_are_playable_and_of_all_kinds():
    rng, kinds = random.Random(1), set()
    for _ in range(60):
        position, kind = random_start(rng, endgames=0.3, chess960=0.3, plies=(2, 6))
        kinds.add(kind)
        assert position.legal_moves
        assert position.past_keys == ()
    assert kinds == {STANDARD_START, CHESS960_START, ENDGAME_START}


def test_chess960_starts():
    rng = random.Random(2)
    rows = {random_chess960_start(rng).fen().split("/")[0] for _ in range(200)}
    assert len(rows) > 150
    for row in rows:
        assert sorted(row) == sorted("rnbqkbnr")
        assert row.index("r") < row.index("k") < row.rindex("r")
        assert (row.index("b") + row.rindex("b")) % 2 == 1


def play(game, score=0, limit=400):
    """Answer with the first legal move until the game is over."""
    for _ in range(limit):
        words = game.question().uci.split()
        end = words.index("moves") if "moves" in words else len(words)
        position = Position(" ".join(words[1:end]), chess960=True).play_all(" ".join(words[end + 1 :]))
        moves = position.legal_moves
        if game.take(Label(score, moves[0]) if moves else Label(0, None)):
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
        done = game.take(Label(1000 if number == 0 else 2000, mover.legal_moves[0]))
        assert not done or number == TeacherGame.WON_PLIES
    mover = game._position
    assert game.take(Label(2000, mover.legal_moves[0]))
    assert game.records()[0].result == (2 if mover.turn == "white" else 0)


def test_a_start_without_balance_is_dropped():
    game = TeacherGame(random.Random(3))
    assert game.take(Label(1500, game._position.legal_moves[0]))
    assert game.records() == []
