"""Plans, chunks on disk and their notes, and the loop that plays many games at once."""

import hashlib
import json
import signal
import sys
import zlib
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from engine.training.data.visits import pack_file_header, sibling
from engine.training.generate.chunks import Chunks, Plan, differences
from engine.training.generate.games import new_labelled_game, play_games
from engine.training.generate.generation import (
    check_output,
    ends_quietly,
    generate,
    interrupts_held_back,
    make_chunk,
    parts_folder,
)
from engine.training.generate.teachers import Label, SelfPlay, UciTeacher
from tests.engine.training.data.games import known_game
from tests.engine.training.data.unpack import unpack_games

generation = sys.modules[generate.__module__]
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
    assert differences(uci, uci | {"hash_megabytes": 9}) == "hash_megabytes: 4 there, 9 here"
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


def test_a_chunk_has_the_games_of_its_numbers(tmp_path):
    plan = plan_of(OpenTeacher("x", "nodes 1"), at_once=1)
    chunks = Chunks(tmp_path, plan)
    for chunk in range(plan.chunks):
        positions = make_chunk(plan, chunk, chunks)
        expected = [
            record for game in play_games(plan, plan.games_of(chunk), FirstMoves()) for record in game.records()
        ]
        found = list(unpack_games(chunks.read_games(chunk)))
        assert [(game.moves, game.result) for game in found] == [(game.moves, game.result) for game in expected]
        assert positions == sum(len(game.moves) for game in expected)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`generate` in this process, with chunks that are copies of the known game; -> what was counted and made."""
    output = tmp_path / "out.vf"

    def generate_here(plan, failure=None):
        counted, made = [], []

        def make_chunks(_, chunks, missing, processes, advance):
            made.append((missing, processes))
            if failure:
                raise failure
            for chunk in missing:
                chunks.write(chunk, known_game() * len(plan.games_of(chunk)), b"v" if plan.has_visits else None)
                advance(len(plan.games_of(chunk)), 3)

        monkeypatch.setattr(generation, "make_chunks", make_chunks)
        generate(plan, output, 7, lambda *numbers: counted.append(numbers))
        return counted, made

    return generate_here, output


def test_a_run_makes_what_is_missing_and_joins_it(run):
    generate_here, output = run
    plan = plan_of(OpenTeacher("x", "nodes 1"))
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    chunks.write(1, known_game() * 2, None)
    assert parts_folder(output) == output.parent / "out.vf.parts"
    assert generate_here(plan) == ([(2, 0), (2, 3), (1, 3)], [([0, 2], 7)])
    assert output.read_bytes() == known_game() * 5
    assert [path.name for path in output.parent.iterdir()] == ["out.vf"]


def test_a_run_with_visits_has_two_files(run, monkeypatch):
    generate_here, output = run
    monkeypatch.setattr(SelfPlay, "check", lambda _: None)
    generate_here(plan_of(OWN))
    assert output.read_bytes() == known_game() * 5
    assert sibling(output).read_bytes() == pack_file_header() + b"vvv"


KILLED = "^a process was killed, perhaps for lack of memory: the same command continues the run$"


@pytest.mark.parametrize(
    ("failure", "error", "message"),
    [
        (BrokenProcessPool(), ValueError, KILLED),
        (KeyboardInterrupt("now"), KeyboardInterrupt, "^now$"),
        (ValueError("other"), ValueError, "^other$"),
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


def test_outputs_that_may_not_be_replaced(tmp_path):
    output = tmp_path / "out.vf"
    sibling(output).touch()
    parts_folder(output).mkdir()
    check_output(output)  # of the same run, which was interrupted while it joined
    output.touch()
    with pytest.raises(ValueError, match=r"out\.vf already exists$"):
        check_output(output)


class Pool:
    """Stands for a pool of processes: works at once, and keeps what it was asked."""

    made = None

    def __init__(self, processes, context, initializer):
        self.asked, self.shutdowns = (processes, context.get_start_method(), initializer), []
        type(self).made = self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdowns.append("left")

    def submit(self, work, *arguments):
        self.is_blocked = not hasattr(signal, "pthread_sigmask") or (
            signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
        )
        job = Future()
        try:
            job.set_result(work(*arguments))
        except ValueError as error:
            job.set_exception(error)
        return job

    def shutdown(self, **how):
        self.shutdowns.append(how)


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(generation, "ProcessPoolExecutor", Pool)
    return Pool


def test_missing_chunks_are_made_by_processes(tmp_path, pool):
    plan, counted = plan_of(OpenTeacher("x", "nodes 1")), []
    chunks = Chunks(tmp_path, plan)
    generation.make_chunks(plan, chunks, [0, 2], 3, lambda *numbers: counted.append(numbers))
    assert pool.made.asked == (3, "spawn", ends_quietly)
    assert pool.made.is_blocked, "Ctrl-C waits until the processes are started"
    assert pool.made.shutdowns == ["left"]
    assert [chunks.has(chunk) for chunk in range(3)] == [True, False, True]
    sizes = [sum(len(game.moves) for game in unpack_games(chunks.read_games(chunk))) for chunk in (0, 2)]
    assert sorted(counted) == sorted([(2, sizes[0]), (1, sizes[1])])


def test_a_failure_ends_all_processes(tmp_path, pool, monkeypatch):
    ended = []

    def fail(*_):
        raise ValueError("no teacher")

    monkeypatch.setattr(generation, "make_chunk", fail)
    child = SimpleNamespace(terminate=lambda: ended.append(1))
    monkeypatch.setattr(generation, "active_children", lambda: [child, child])
    with pytest.raises(ValueError, match=r"^no teacher$"):
        generation.make_chunks(plan_of(), Chunks(tmp_path, plan_of()), [0], 1, lambda *_: None)
    assert pool.made.shutdowns == [{"wait": False, "cancel_futures": True}, "left"]
    assert len(ended) == 2


def test_a_process_of_the_pool_ends_at_ctrl_c_without_a_traceback(monkeypatch):
    set_, unblocked = [], []
    monkeypatch.setattr(signal, "signal", lambda *given: set_.append(given))
    monkeypatch.setattr(signal, "pthread_sigmask", lambda *given: unblocked.append(given), raising=False)
    ends_quietly()
    assert set_ == [(signal.SIGINT, signal.SIG_DFL)]
    assert not generation.CAN_HOLD_BACK or unblocked == [(signal.SIG_UNBLOCK, {signal.SIGINT})]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no signal masks here")
def test_interrupts_are_held_back_and_come_later():
    def is_blocked():
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())

    def work():
        with interrupts_held_back():
            assert is_blocked()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert not is_blocked()
