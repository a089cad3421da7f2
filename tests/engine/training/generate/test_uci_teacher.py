"""What is sent to a teacher, and how its answers are read."""

import random
import sys

import pytest

from engine.training.generate.teachers import Label, LabelRequest, Teacher, UciTeacher, read_score
from movegen import Position

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the teacher is a script with a first line for the shell"
)

# Keeps all that it reads, and answers with what is given, one text for each `go`.
PROGRAM = """
import sys
answers = {answers!r}
with open({log!r}, "w") as log:
    for line in sys.stdin:
        log.write(line)
        log.flush()
        if line == "uci\\n": print("id name x\\nuciok", flush=True)
        if line == "isready\\n": print("readyok", flush=True)
        if line.startswith("go"): print(answers.pop(0), flush=True)
        if line == "quit\\n": break
"""


@pytest.fixture
def script(tmp_path):
    def make(*answers):
        path, log = tmp_path / "engine", tmp_path / "log"
        path.write_text(f"#!{sys.executable}\n" + PROGRAM.format(answers=list(answers), log=str(log)))
        path.chmod(0o755)
        return str(path), log

    return make


def questions(*texts):
    return [LabelRequest(Position(), text, random.Random(1)) for text in texts]


def test_the_whole_dialogue(script):
    command, log = script("info score cp 5\nbestmove e2e4", "info score cp 6\nbestmove d2d4")
    with UciTeacher(command, "nodes 77", hash_megabytes=3).open() as teacher:
        answers = teacher.ask(questions("startpos", "fen X moves e2e4"))
    assert answers == [Label(5, "e2e4"), Label(6, "d2d4")]
    lines = log.read_text().splitlines()
    assert lines[:5] == [
        "uci",
        "setoption name Hash value 3",
        "setoption name UCI_Chess960 value true",
        "ucinewgame",
        "isready",
    ]
    assert lines[5:9] == ["position startpos", "go nodes 77", "position fen X moves e2e4", "go nodes 77"]


def test_the_hash_of_a_teacher_is_small_unless_asked_otherwise(script):
    command, log = script()
    UciTeacher(command, "depth 1").check()
    assert "setoption name Hash value 4" in log.read_text().splitlines()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("info depth 1 score cp 10\ninfo depth 2 score cp -20 nodes 5\nbestmove g1f3 ponder g8f6", Label(-20, "g1f3")),
        ("info depth 1 score cp 10\ninfo depth 2 score cp 900 lowerbound\nbestmove g1f3", Label(10, "g1f3")),
        ("info depth 1 score cp 10\ninfo depth 2 score cp 900 upperbound\nbestmove g1f3", Label(10, "g1f3")),
        ("info depth 1 score mate -3\nbestmove g1f3", Label(-31997, "g1f3")),
        ("info depth 0 score mate 0\nbestmove (none)", Label(-32000, None)),
        ("info depth 0 score cp 0\nbestmove 0000", Label(0, None)),
        ("bestmove", Label(None, None)),
        ("info string the score of a net\ninfo nodes 1\nbestmove g1f3", Label(None, "g1f3")),
    ],
)
def test_answers(script, text, answer):
    command, _ = script(text)
    teacher = Teacher(command, "nodes 1", 1)
    try:
        assert teacher.ask(questions("startpos")) == [answer]
    finally:
        teacher.close()


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("info score cp 28999", 28999),
        ("info score cp 29001", 29000),
        ("info score cp -29001", -29000),
        ("info score mate 1", 31999),
        ("info depth 9 score mate -12 nodes 3", -31988),
        ("info depth 9 nodes 3", None),
        ("x score cp 3", None),
        ("info string score cp", None),
        ("info depth 1 string the score is high", None),
        ("info score cp 7 string not a bound", 7),
    ],
)
def test_scores_have_a_limit(line, score):
    found = read_score(line)
    assert found == score
    assert type(found) is type(score)


@pytest.mark.parametrize("failure", [None, RuntimeError])
def test_the_process_of_a_teacher_ends_with_its_use(script, failure):
    command, _ = script()
    try:
        with UciTeacher(command, "nodes 1").open() as teacher:
            process = teacher._engine._process
            assert process.poll() is None
            if failure:
                raise failure
    except RuntimeError:
        pass
    assert process.returncode is not None
