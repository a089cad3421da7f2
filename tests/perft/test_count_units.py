"""Counts in units: slices add up, whatever their size; what is wrong is found."""

import json
import random
import subprocess
import sys
from dataclasses import replace

import numba
import numpy as np
import pytest

from movegen import Position
from perft import count_units
from perft.__main__ import main
from perft.count_units import (
    START_COUNTS,
    check_frontier,
    count_position,
    count_slice,
    parts_of,
    positions_per_unit,
    slices_of,
    unit_of_entry,
    unit_seconds,
)
from perft.counter import Counter
from perft.frontier import Frontier, merged_frontier
from perft.records import LOW, WORDS
from perft.runner.display import number_of
from perft.runner.journal import Journal
from perft.suite import SuiteEntry, read_suite
from tests.conftest import JIT_DISABLED
from tests.documents import PROJECT

HINTS = {"threads": 2, "megabytes": 1}
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEPTH = 2 if JIT_DISABLED else 4


@pytest.fixture(autouse=True)
def _short_self_test(monkeypatch):
    if JIT_DISABLED:
        monkeypatch.setattr(count_units, "SELF_TEST_DEPTH", 2)


def random_position(rng):
    position = Position()
    for _ in range(rng.randrange(60)):
        if not position.legal_moves:
            break
        position = position.play(rng.choice(position.legal_moves))
    return position


def counted(part, per_unit):
    return sum(count_slice(**unit.input, **HINTS) for unit in slices_of(part, per_unit))


@pytest.mark.thorough
@pytest.mark.parametrize("megabytes", [0, 1])
def test_slices_add_up(megabytes):
    rng = random.Random(5)
    for _ in range(2):
        position = random_position(rng)
        (part,) = parts_of(position, DEPTH, megabytes, divide=False)
        expected = Counter().perft(position, DEPTH)
        for per_unit in (1, 7, 10**6) if part.frontier.count < 2000 else (97, 10**6):
            assert counted(part, per_unit) == expected


@pytest.mark.parametrize("megabytes", [0, 8])
def test_divide_adds_up(megabytes):
    position = Position(KIWIPETE)
    parts = parts_of(position, DEPTH, megabytes, divide=True)
    assert [part.move for part in parts] == sorted(position.legal_moves)
    expected = {2: 2039, 4: 4_085_603}[DEPTH]  # https://www.chessprogramming.org/Perft_Results
    assert sum(counted(part, 1000) for part in parts) == expected


@pytest.mark.parametrize("megabytes", [0, 8])
def test_nothing_is_left_to_count_below_the_moves_of_one_ply(megabytes):
    parts = parts_of(Position(), 1, megabytes, divide=True)
    assert {part.depth for part in parts} == {0}
    assert positions_per_unit(parts, 2) >= 1
    assert [counted(part, 1) for part in parts] == [1] * 20


def test_positions_without_moves():
    mate = Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    (part,) = parts_of(mate, 4, 1, divide=False)
    assert positions_per_unit([part], 2) == 1
    assert counted(part, 1) == 0
    assert parts_of(mate, 4, 1, divide=True) == []
    assert positions_per_unit([], 2) == 1


@pytest.mark.parametrize("fen", [None, KIWIPETE])
def test_a_wrong_number_of_occurrences_is_found(fen):
    position = Position(fen) if fen else Position()
    frontier = merged_frontier(position, 4, 1 << 14)
    check_frontier(position, frontier)
    frontier.total += 1
    with pytest.raises(ValueError, match=r"positions at ply \d instead of \d+: merging failed"):
        check_frontier(position, frontier)


def test_frontiers_of_the_start_position_are_compared_with_what_is_published(monkeypatch):
    """Nothing is counted for it: that would take a while at ply 7, and hours at ply 9."""
    monkeypatch.setattr(count_units, "Counter", lambda: pytest.fail("it counts"))
    frontier = Frontier.at(Position(), 1)
    frontier.ply, frontier.total = 9, START_COUNTS[9]
    check_frontier(Position(), frontier)
    frontier.total += 1
    with pytest.raises(ValueError, match=r"2439530234168 positions at ply 9 instead of 2439530234167: merging failed"):
        check_frontier(Position(), frontier)


def test_the_total_of_a_frontier_is_that_of_its_records():
    """What is checked is what is counted: a planted occurrence changes the sum."""
    frontier = merged_frontier(Position(), 4, 1 << 14)
    occurrences = frontier.memory[: frontier.count * WORDS].reshape(-1, WORDS)[:, int(LOW)]
    assert int(occurrences.sum()) == frontier.total == START_COUNTS[frontier.ply]


@pytest.mark.parametrize(
    ("total", "workers", "seconds"),
    [
        (0.0, 2, 1.0),
        (400.0, 2, 10.0),
        (10.0, 2, 1.0),
        (1e6, 2, 60.0),
        (1e6, 1000, 50.0),
        (5.0, 0, 10.0),
        (1e9, 0, 10.0),
    ],
)
def test_the_length_of_units(total, workers, seconds):
    """A twentieth of what a worker does, within 1 and 60 seconds; 10 if it is not known how many there are."""
    assert unit_seconds(total, workers) == seconds


def test_deep_counts_are_cut_into_units_without_counting_them(monkeypatch):
    """The sample is shallow: 10 plies below the start position would take hours."""
    monkeypatch.setattr(count_units, "DEEPEST_SAMPLE", 1 if JIT_DISABLED else 3)
    (part,) = parts_of(Position(), 14, 1, divide=False)
    assert part.depth >= 10
    assert positions_per_unit([part], 2) == 1


@pytest.mark.skipif(JIT_DISABLED, reason="spreads 200,000 positions")
def test_deep_counts_without_memory_start_from_more_positions():
    (part,) = parts_of(Position(), 10, 0, divide=False)
    assert (part.frontier.ply, part.frontier.count) == (4, 197_281)
    (part,) = parts_of(Position(), 7, 0, divide=False)
    assert part.frontier.ply == 3


def test_a_machine_that_counts_wrongly_does_nothing(monkeypatch):
    monkeypatch.setattr(count_units, "SELF_TEST_DEPTH", 3)
    monkeypatch.setattr(count_units, "START_COUNTS", (1, 20, 400, 8903))
    count_units._test_once.cache_clear()
    try:
        with pytest.raises(ValueError, match="this machine counts 8902 leaves at depth 3 of the start position"):
            count_position(KIWIPETE, 1, chess960=False, **HINTS)
    finally:
        count_units._test_once.cache_clear()


def test_an_interrupted_count_is_no_failure(monkeypatch):
    from perft.counter import Interrupted

    def interrupted(*_):
        raise Interrupted(5)

    count_units._test_once()
    monkeypatch.setattr(count_units.Counter, "perft", interrupted)
    with pytest.raises(KeyboardInterrupt):
        count_position(KIWIPETE, 2, chess960=False, **HINTS)


def test_units_of_a_suite():
    entry = next(iter(read_suite("chess960")))
    unit = unit_of_entry(entry, 2)
    assert count_position(**unit.input, **HINTS) == entry.counts[2]
    with pytest.raises(ValueError, match=r"^x\.epd:3: "):
        unit_of_entry(SuiteEntry("nonsense", {1: 1}, chess960=False, where="x.epd:3"), 1)


def with_another_result(identity, result):
    """Journals in which a unit has this result."""
    resume = Journal.resume

    def resumed(journal):
        header = resume(journal)
        journal.done[identity] = result
        return header

    return resumed


class TestCommand:
    def run(self, capsys, *arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    def test_a_count_and_its_journal(self, capsys, tmp_path):
        run, depth = tmp_path / "run", DEPTH
        status, output, errors = self.run(capsys, depth, "--run", run)
        assert (status, output) == (0, f"\nNodes searched: {START_COUNTS[depth]}\n")
        assert f"run folder: {run}" in errors
        header, *lines = map(json.loads, (run / "journal.jsonl").read_text().splitlines())
        assert (header["command"], header["plan"]["depth"], header["units"]) == ("perft", depth, len(lines))
        assert sum(line["value"] for line in lines) == START_COUNTS[depth]
        assert header["versions"] == {
            "Python": header["versions"]["Python"],
            "numba": numba.__version__,
            "numpy": np.__version__,
        }

    def test_a_wrong_result_is_found_by_what_is_published(self, capsys, tmp_path, monkeypatch):
        run = tmp_path / "run"
        self.run(capsys, 3, "--run", run)
        journal = Journal(run)
        journal.resume()
        identity, result = next(iter(journal.done.items()))
        monkeypatch.setattr(Journal, "resume", with_another_result(identity, replace(result, value=result.value + 1)))
        journal.close()
        status, output, errors = self.run(capsys, "--resume", run)
        assert (status, output) == (1, "\nNodes searched: 8903\n")
        assert f"8902 leaves are published: a worker has counted wrongly; --resume {run} --verify 1 finds it" in errors

    def test_a_finished_run_is_only_printed(self, capsys, tmp_path, monkeypatch):
        run = tmp_path / "run"
        self.run(capsys, 3, "--run", run, "--divide")
        monkeypatch.setattr("perft.runner.command_run.open_pool", lambda *_: pytest.fail("a worker was started"))
        status, output, _ = self.run(capsys, "--resume", run)
        assert status == 0
        assert output.endswith("\nNodes searched: 8902\n")
        assert "e2e4: 600\n" in output

    def test_the_speed_is_that_of_the_units_that_were_counted_now(self, capsys, tmp_path, monkeypatch):
        """Leaves that a journal holds took no time now."""
        monkeypatch.setattr("perft.unit_commands.positions_per_unit", lambda *_: 5)
        monkeypatch.setattr(
            "perft.commands.print_speed", lambda nodes, _seconds: print(f"{nodes} now", file=sys.stderr)
        )
        run = tmp_path / "run"
        assert "\n8902 now\n" in self.run(capsys, 3, "--run", run)[2]
        assert " now\n" not in self.run(capsys, "--resume", run)[2]
        lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
        left = sum(json.loads(line)["value"] for line in lines[2:])
        (run / "journal.jsonl").write_bytes(b"".join(lines[:2]))
        status, output, errors = self.run(capsys, "--resume", run)
        assert (status, output) == (0, "\nNodes searched: 8902\n")
        assert 0 < left < 8902
        assert errors.endswith(f"{left} now\n")

    @pytest.mark.jit  # processes
    def test_units_that_were_recorded_without_verification_are_verified(self, capsys, tmp_path, monkeypatch):
        """Also if nothing else is left to do."""
        run = tmp_path / "run"
        self.run(capsys, 3, "--run", run)
        units = len((run / "journal.jsonl").read_text().splitlines()) - 1
        status, output, errors = self.run(capsys, "--resume", run, "--verify", 1, "--threads", 2)
        assert (status, output) == (0, "\nNodes searched: 8902\n")
        assert f"{number_of(units, 'unit')}, {units} verified\n" in errors
        monkeypatch.setattr("perft.runner.command_run.open_pool", lambda *_: pytest.fail("a worker was started"))
        assert self.run(capsys, "--resume", run, "--verify", 1, "--threads", 2)[0] == 0

    def test_suite(self, capsys, tmp_path):
        suite = tmp_path / "suite.epd"
        suite.write_text(f"{KIWIPETE} ;D1 48 ;D2 2039\n{KIWIPETE} ;D1 47\n{KIWIPETE} ;D5 193690690\n")
        status, output, _ = self.run(capsys, "--suite", suite, "--max-nodes", 3000, "--run", tmp_path / "run")
        assert status == 1
        assert f"WRONG  D1 {48:>14}  {KIWIPETE}\n       expected 47 ({suite}:2)\n" in output
        assert output.endswith("2 of 3 positions checked, 1 wrong, 2087 nodes (1 have no count within the bounds)\n")
        suite.write_text(f"{KIWIPETE} ;D1 48\n")
        status, _, errors = self.run(capsys, "--resume", tmp_path / "run")
        assert status == 2
        assert errors.endswith("run has other units than before: a suite has changed\n")

    def test_a_suite_is_continued_in_another_folder(self, capsys, tmp_path, monkeypatch):
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "suite.epd").write_text(f"{KIWIPETE} ;D1 48\n")
        monkeypatch.chdir(tmp_path)
        arguments = ["--suite", "suite.epd", "standard", "--max-nodes", 48]
        status, output, _ = self.run(capsys, *arguments, "--run", tmp_path / "run")
        assert status == 0
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert self.run(capsys, "--resume", tmp_path / "run")[:2] == (0, output)
        header = json.loads((tmp_path / "run" / "journal.jsonl").read_text().splitlines()[0])
        assert header["plan"]["suite"] == [str(tmp_path / "suite.epd"), "standard"]

    def test_foreign_and_changed_runs(self, capsys, tmp_path):
        run = tmp_path / "run"
        assert "is not the folder of a run" in self.run(capsys, "--resume", run)[2]
        self.run(capsys, 2, "--run", run)
        assert (
            "is not empty: take another folder, or continue its run by --resume" in self.run(capsys, 2, "--run", run)[2]
        )
        for change, reason in (({"command": "match"}, "is not a run of perft"), ({"sources": "x"}, "another version")):
            assert reason in self.run(capsys, "--resume", self.changed(run, tmp_path / reason.split()[-1], change))[2]

    def test_other_versions_than_at_the_begin_are_noted(self, capsys, tmp_path):
        """Counts do not depend on them, games may."""
        run = tmp_path / "run"
        self.run(capsys, 2, "--run", run)
        other = self.changed(run, tmp_path / "other", {"versions": {"numba": "0.1", "numpy": np.__version__}})
        status, output, errors = self.run(capsys, "--resume", other)
        assert (status, output) == (0, "\nNodes searched: 400\n")
        note = (
            f"note: {other} was begun with other versions: this machine has numba {numba.__version__} instead of 0.1\n"
        )
        assert errors.startswith(note)

    def changed(self, run, folder, change):
        header = json.loads((run / "journal.jsonl").read_text().splitlines()[0])
        journal = Journal(folder)
        journal.start({name: value for name, value in {**header, **change}.items() if name not in ("check", "journal")})
        journal.close()
        return folder

    def test_depth_0_and_repairs(self, capsys, tmp_path):
        assert self.run(capsys, 0, "--run", tmp_path / "run")[:2] == (0, "\nNodes searched: 1\n")

    def test_divide_of_one_ply(self, capsys, tmp_path):
        status, output, _ = self.run(capsys, 1, "--divide", "--run", tmp_path / "run")
        assert (status, output.count(": 1\n")) == (0, 20)
        assert output.endswith("\nNodes searched: 20\n")

    def test_divide_of_a_mate(self, capsys, tmp_path):
        mate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
        assert self.run(capsys, 3, "--divide", "--run", tmp_path / "run", mate)[:2] == (0, "\nNodes searched: 0\n")
        assert self.run(capsys, "--resume", tmp_path / "run")[:2] == (0, "\nNodes searched: 0\n")


@pytest.mark.parametrize(
    "program", [["perft", "3"], ["perft", "3", "--run", "run"], ["engine"]], ids=["perft", "units", "uci"]
)
@pytest.mark.skipif(JIT_DISABLED, reason="a process")
def test_default_runs_import_nothing_of_dask(program, environment, tmp_path):
    finished = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", *program],
        input="uci\nisready\nquit\n",
        env={**environment, "PYTHONPATH": str(PROJECT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    modules = {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines() if "import time:" in line}
    assert f"{program[0]}.__main__" in modules or "perft.exits" in modules
    assert not {name for name in modules if name.split(".")[0] in ("dask", "distributed", "tornado")}


def test_records_reach_a_worker_as_they_are():
    """Pickled arrays need not lie on a cache line."""
    (part,) = parts_of(Position(), DEPTH, 1, divide=False)
    (unit,) = slices_of(part, 10**6)
    moved = np.empty(unit.input["records"].size + 1, dtype=np.uint64)[1:]
    moved[:] = unit.input["records"]
    assert count_slice(moved, part.depth, **HINTS) == START_COUNTS[DEPTH]
