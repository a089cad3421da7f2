"""Lines to a program and lines from it."""

import sys
import time

import pytest

from perft.engine_process import LINES_KEPT, EngineProcess

ECHO = "import sys\nfor line in sys.stdin: print('got', line, end='', flush=True)"
SILENT = "import time; time.sleep(600)"


@pytest.fixture
def start(tmp_path):
    started = []

    def start(program):
        path = tmp_path / "program.py"
        path.write_text(program, encoding="utf-8")
        started.append(EngineProcess([sys.executable, str(path)]))
        return started[-1]

    yield start
    for process in started:
        process.close()
        assert process._process.poll() is not None


@pytest.mark.parametrize("seconds", [None, 30.0])
def test_lines_are_sent_and_read_in_their_order(start, seconds):
    process = start(ECHO)
    assert process.name == sys.executable
    process.send("one", "two")
    process.send("three")
    assert process.lines_until("got two", seconds) == ["got one\n", "got two\n"]
    process.send("four")
    assert process.lines_until("got four", seconds) == ["got three\n", "got four\n"]


def test_what_was_not_said_in_time(start):
    process = start(SILENT)
    begin = time.perf_counter()
    with pytest.raises(ValueError, match=r"did not say 'uciok' within 0\.4 seconds"):
        process.lines_until("uciok", 0.4)
    assert 0.35 < time.perf_counter() - begin < 10


@pytest.mark.parametrize("seconds", [None, 30.0])
@pytest.mark.parametrize("program", ["pass", "print('uci ok')"])
def test_a_program_that_ends_without_saying_it(start, program, seconds):
    with pytest.raises(ValueError, match=r"ended without saying 'uciok'$"):
        start(program).lines_until("uciok", seconds)


def test_only_the_last_lines_are_kept(start):
    process = start(f"for number in range({LINES_KEPT + 5}): print(number)\nprint('end')")
    lines = process.lines_until("end", 60)
    assert len(lines) == LINES_KEPT
    assert (lines[0], lines[-1]) == ("6\n", "end\n")


def test_bytes_that_are_no_text(start):
    process = start("import os; os.write(1, b'\\xff\\xc3\\xa9\\nend\\n')")
    assert process.lines_until("end", 60) == ["\ufffdé\n", "end\n"]


def test_a_program_that_reads_nothing_does_not_block_the_sender(start):
    process = start(SILENT)
    begin = time.perf_counter()
    process.send(*["x" * 1000] * 2000)
    assert time.perf_counter() - begin < 10


def test_no_such_program():
    with pytest.raises(ValueError, match="no-such-engine cannot be started: No such file"):
        EngineProcess(["no-such-engine"])
