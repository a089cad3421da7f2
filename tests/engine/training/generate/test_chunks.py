"""Plans, chunks on disk and their notes, and the loop that plays many games at once."""

import hashlib
import json
import sys
import zlib
from contextlib import nullcontext
from dataclasses import asdict

import pytest

from engine.training.data.visits import pack_file_header, sibling
from engine.training.generate.chunks import Chunks, Plan, differences
from engine.training.generate.generation import check_output, parts_folder
from engine.training.generate.labelled_games import chunk_games, new_labelled_game, play_games
from engine.training.generate.teachers import Label, SelfPlay, UciTeacher
from perft.runner.processes import InlinePool
from perft.runner.runner import RunError
from tests.engine.training.data.games import known_game
from tests.engine.training.data.unpack import unpack_games
from tests.engine.training.generate.runs import generate_by

TEACHER, OWN = UciTeacher("x", "nodes 1"), SelfPlay("some.net", "abc", 40)


def plan_of(teacher=TEACHER, **changes):
    fields = {"value_only": True, "games": 5, "seed": 3, "at_once": 2, "games_per_chunk": 2}
    return Plan(teacher, **fields | changes)


@pytest.mark.parametrize(
    ("games", "size", "chunks"),
    [
        (1, 128, [range(1)]),
        (128, 128, [range(128)]),
        (129, 128, [range(128), range(128, 129)]),
        (5, 2, [range(2), range(2, 4), range(4, 5)]),
        (6, 2, [range(2), range(2, 4), range(4, 6)]),
        (3, 1, [range(1), range(1, 2), range(2, 3)]),
    ],
)
def test_games_are_cut_into_chunks(games, size, chunks):
    plan = plan_of(games=games, games_per_chunk=size)
    assert [plan.games_of(chunk) for chunk in range(plan.chunks)] == chunks


def test_what_a_plan_has_by_default():
    plan = Plan(OWN, False, 3, 1, 1)
    assert (plan.games_per_chunk, plan.has_visits, plan_of().has_visits) == (128, True, False)


@pytest.mark.parametrize(
    ("teacher", "own"),
    [
        (TEACHER, {"command": "x", "limit": "nodes 1", "hash_megabytes": 4}),
        (OWN, {"weights": "some.net", "checksum": "abc", "visits": 40}),
    ],
)
def test_the_files_of_a_chunk(tmp_path, teacher, own):
    plan, folder = plan_of(teacher), tmp_path / "parts"
    chunks = Chunks(folder, plan)
    chunks.open()
    content = own | {"value_only": True, "games": 5, "seed": 3, "at_once": 2, "games_per_chunk": 2}
    assert json.loads((folder / "order.json").read_text()) == content
    visits = b"visits" if teacher is OWN else None
    chunks.write(12, b"games", visits)
    files = {".vf": b"games"} | ({".visits": b"visits"} if visits else {})
    assert {path.name for path in folder.iterdir()} == {"order.json", "000012.json", *(f"000012{end}" for end in files)}
    note = json.loads((folder / "000012.json").read_text())
    identity = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    sums = {end: [len(data), zlib.crc32(data)] for end, data in files.items()}
    assert note == {"order": identity, "files": sums}
    assert chunks.read_games(12) == b"games"
    assert visits is None or chunks.read_visits(12) == b"visits"
    assert [chunk for chunk in range(20) if chunks.has(chunk)] == [12]
    for end in (*files, ".json"):
        path = folder / f"000012{end}"
        kept = path.read_bytes()
        path.unlink()
        assert not chunks.has(12)
        path.write_bytes(kept)
    assert chunks.has(12)


def test_a_note_is_written_after_its_files(tmp_path, monkeypatch):
    """A power cut between the two leaves a chunk that is made again."""
    chunks, written = Chunks(tmp_path, plan_of(OWN)), []
    module = sys.modules[Chunks.__module__]
    monkeypatch.setattr(module, "write_whole", lambda path, _: written.append(path.name))
    chunks.write(3, b"games", b"visits")
    assert written == ["000003.vf", "000003.visits", "000003.json"]


def test_a_folder_with_a_chunk_stays(tmp_path):
    chunks = Chunks(tmp_path / "parts", plan_of())
    chunks.open()
    chunks.write(0, b"x", None)
    chunks.remove_if_empty()
    assert chunks.has(0)


def test_the_kind_of_another_run_is_named():
    uci, own = ({**asdict(teacher), "games": 1} for teacher in (TEACHER, OWN))
    assert differences(uci, own) == "of a UCI engine"
    assert differences(own, uci) == "of --self-play"
    assert differences({"x": 1}, uci) == "unknown"
    assert differences(uci, uci | {"games": 2, "limit": "depth 1"}) == (
        "--nodes or --depth: nodes 1 there, depth 1 here, --games: 1 there, 2 here"
    )
    assert differences(uci, uci | {"hash_megabytes": 9}) == "hash of --teacher in MB: 4 there, 9 here"
    assert differences(own, own | {"visits": 1, "weights": "y", "checksum": "z"}) == (
        "--weights: some.net there, y here, content of --weights: abc there, z here, --visits: 40 there, 1 here"
    )


class FirstMoves:
    """A teacher that answers with the first legal move and counts what it is asked at once."""

    def __init__(self):
        self.asked = []

    def ask(self, questions):
        self.asked.append([question.uci for question in questions])
        return [Label(100, question.position.legal_moves[0]) for question in questions]


@pytest.mark.parametrize("value_only", [False, True])
@pytest.mark.parametrize("at_once", [1, 3, 9])
def test_games_are_played_at_once_and_each_is_its_own(at_once, value_only):
    """The same games come out however many are played together."""
    plan, teacher = plan_of(at_once=at_once, value_only=value_only), FirstMoves()
    games = list(play_games(plan, range(2, 7), teacher))
    sizes = [len(questions) for questions in teacher.asked]
    assert max(sizes) == sizes[0] == min(at_once, 5)
    assert sizes == sorted(sizes, reverse=True)
    expected = []
    for number in range(2, 7):
        game = new_labelled_game(plan, number)
        while not game.take(FirstMoves().ask([game.question()])[0]):
            pass
        expected.append([(record.start.fen(), record.moves, record.result) for record in game.records()])
    found = [[(record.start.fen(), record.moves, record.result) for record in game.records()] for game in games]
    assert sorted(found) == sorted(expected)
    assert at_once > 1 or found == expected


class OpenTeacher(UciTeacher):
    """Opened without a process."""

    def check(self):
        """Nothing to check."""

    def open(self):
        """A teacher that needs no end."""
        return nullcontext(FirstMoves())


def test_a_chunk_has_the_games_of_its_numbers():
    plan = plan_of(OpenTeacher("x", "nodes 1"), at_once=1)
    for chunk in range(plan.chunks):
        games, visits, positions = chunk_games(plan, chunk)
        expected = [
            record for game in play_games(plan, plan.games_of(chunk), FirstMoves()) for record in game.records()
        ]
        found = list(unpack_games(games))
        assert [(game.moves, game.result) for game in found] == [(game.moves, game.result) for game in expected]
        assert positions == sum(len(game.moves) for game in expected)
        assert visits is None


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`generate` in this process, with chunks that are copies of the known game; -> what was counted and made."""
    output = tmp_path / "out.vf"

    def generate_here(plan, failure=None):
        counted, made = [], []

        def chunk_games(worker_plan, chunk):
            made.append(chunk)
            if failure:
                raise failure
            return known_game() * len(worker_plan.games_of(chunk)), b"v" if worker_plan.has_visits else None, 3

        monkeypatch.setattr("engine.training.generate.chunk_units.chunk_games", chunk_games)
        generate_by(InlinePool({}), plan, output, counted.append)
        return counted, made

    return generate_here, output


def test_a_run_makes_what_is_missing_and_joins_it(run):
    generate_here, output = run
    plan = plan_of(OpenTeacher("x", "nodes 1"))
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    chunks.write(1, known_game() * 2, None)
    assert parts_folder(output) == output.parent / "out.vf.parts"
    assert generate_here(plan) == ([0, 3, 3], [0, 2])
    assert output.read_bytes() == known_game() * 5
    assert [path.name for path in output.parent.iterdir()] == ["out.vf"]


def test_a_run_with_visits_has_two_files(run, monkeypatch):
    generate_here, output = run
    monkeypatch.setattr(SelfPlay, "check", lambda _: None)
    generate_here(plan_of(OWN))
    assert output.read_bytes() == known_game() * 5
    assert sibling(output).read_bytes() == pack_file_header() + b"vvv"


@pytest.mark.parametrize(
    ("failure", "error", "message"),
    [
        (KeyboardInterrupt("now"), KeyboardInterrupt, "^now$"),
        (ValueError("no teacher"), RunError, "^a unit failed on .*: no teacher$"),
    ],
)
def test_a_run_that_fails_leaves_whole_chunks_alone(run, failure, error, message):
    generate_here, output = run
    plan = plan_of(OpenTeacher("x", "nodes 1"))
    with pytest.raises(error, match=message):
        generate_here(plan, failure)
    assert list(output.parent.iterdir()) == []
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    chunks.write(0, known_game() * 2, None)
    with pytest.raises(error, match=message):
        generate_here(plan, failure)
    assert chunks.has(0)
    assert not output.exists()


def test_the_teacher_is_checked_before_anything_is_written(run):
    generate_here, output = run
    with pytest.raises(ValueError, match="cannot be started"):
        generate_here(plan_of(UciTeacher("/no/such/engine", "nodes 1")))
    assert list(output.parent.iterdir()) == []


def test_more_than_a_million_chunks_are_known(tmp_path):
    """Self-play has 16 games in each."""
    chunks = Chunks(tmp_path / "parts", plan_of(OWN, games=16_000_001, games_per_chunk=16))
    for _ in range(2):  # begun, and continued
        with chunks.held():
            chunks.open()
            chunks.write(1_000_000, b"x", b"")
    with chunks.held():
        chunks.delete()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.txt", "journal.jsonl", "000000.pgn", "games/", "000000.vf/", ".hidden"])
def test_a_folder_of_others_is_left_alone(run, name):
    """It has the name that a run would choose for its own, which it deletes in the end."""
    generate_here, output = run
    folder = parts_folder(output)
    folder.mkdir()
    if name.endswith("/"):
        (folder / name).mkdir()
    else:
        (folder / name).write_text("mine")
    with pytest.raises(ValueError, match="not of `train generate`"):
        generate_here(plan_of(OpenTeacher("x", "nodes 1")))
    assert [path.name for path in folder.iterdir()] == [name.rstrip("/")]
    assert not output.exists()


def test_outputs_that_may_not_be_replaced(tmp_path):
    output = tmp_path / "out.vf"
    sibling(output).touch()
    parts_folder(output).mkdir()
    check_output(output)  # of the same run, which was interrupted while it joined
    output.touch()
    with pytest.raises(ValueError, match=r"out\.vf already exists$"):
        check_output(output)
