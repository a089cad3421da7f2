"""Lines in and out, and how the process ends."""

import errno
import io
import re
import signal
import subprocess
import sys
import threading

import pytest

from engine.uci import pipes
from engine.uci.pipes import GREETING, Interruption, Output, Reader, Transcript

WITHOUT_A_SEARCH = """
from engine import warmup
from engine.uci.pipes import main

def fail():
    raise RuntimeError("planted")

warmup.is_warm, warmup.use_search_kernels = lambda: True, fail
main()
"""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("isready\ngo nodes 10\n", 1),
        ("isready\nd\n", 1),
        ("isready\nquit\n", 0),  # nothing was left to do
    ],
)
def test_the_status_says_that_the_search_could_not_be_loaded(environment, text, status):
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_SEARCH],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.returncode, run.stderr) == (status, "")
    assert ("bestmove" in run.stdout) == ("go" in text)
    assert ("d: cannot be done" in run.stdout) == ("d\n" in text)


# Without a process


class Notes:
    """A transcript that is a list."""

    def __init__(self):
        self.lines = []

    def said(self, line):
        self.lines.append(f"< {line}")

    def heard(self, line):
        self.lines.append(f"> {line}")


class Stream:
    """Counts what was written before each flush; fails if it is said so."""

    def __init__(self, failure=None):
        self.written, self.flushed, self.failure = "", [], failure

    def write(self, text):
        if self.failure is not None:
            raise self.failure
        self.written += text

    def flush(self):
        self.flushed.append(self.written)


def test_each_line_is_written_at_once_and_noted():
    stream, notes = Stream(), Notes()
    output = Output(stream, notes)
    output.say("uciok")
    output.say("readyok")
    assert stream.flushed == ["uciok\n", "uciok\nreadyok\n"]
    assert notes.lines == ["< uciok", "< readyok"]
    assert (output.failure, output.is_closed) == (None, False)


@pytest.mark.parametrize(
    ("failure", "number"),
    [
        (BrokenPipeError(errno.EPIPE, "gone"), errno.EPIPE),
        (OSError(errno.ENOSPC, "full"), errno.ENOSPC),
        (ValueError("closed file"), errno.EPIPE),
    ],
)
def test_a_failure_is_kept_and_raises_nothing(failure, number):
    notes = Notes()
    output = Output(Stream(failure), notes)
    output.say("bestmove e2e4")
    assert output.is_closed
    assert output.failure.errno == number
    assert notes.lines == ["< bestmove e2e4"]  # the log has it


def test_lines_of_many_threads_are_not_mixed():
    class Slow(Stream):
        def write(self, text):
            for letter in text:
                self.written += letter

    stream = Slow()
    output = Output(stream, Notes())
    say = [threading.Thread(target=lambda n=n: [output.say(str(n) * 50) for _ in range(40)]) for n in range(4)]
    for thread in say:
        thread.start()
    for thread in say:
        thread.join()
    assert sorted(stream.written.split()) == sorted(str(n) * 50 for n in range(4) for _ in range(40))


class Queue:
    """Hears lines, and says whether all was done at the end."""

    def __init__(self, is_done=True):
        self.heard, self.moments, self.finished, self.is_done = [], [], [], is_done

    def hear(self, line, moment):
        self.heard.append(line)
        self.moments.append(moment)
        return line.strip() != "quit"

    def finish(self, is_in_vain):
        self.finished.append(is_in_vain())
        return self.is_done


def read(data, queue, output=None):
    notes = Notes()
    reader = Reader(queue, data, notes, output or Output(Stream(), notes))
    reader.run()
    return reader.status, notes.lines


@pytest.mark.parametrize(("is_done", "status"), [(True, 0), (False, 1)])
def test_the_end_of_input_finishes_what_was_asked(is_done, status):
    queue = Queue(is_done)
    assert read(io.BytesIO(b"uci\r\ngo nodes 5"), queue) == (status, ["> uci\r\n", "> go nodes 5"])
    assert queue.heard == ["uci\r\n", "go nodes 5"]
    assert queue.moments == sorted(queue.moments)
    assert queue.finished == [False]


@pytest.mark.parametrize("is_done", [True, False])
def test_quit_finishes_nothing_and_reads_no_further(is_done):
    queue = Queue(is_done)
    assert read(io.BytesIO(b"go\nquit\nuci\n"), queue) == (0, ["> go\n", "> quit\n"])
    assert queue.finished == []


def test_bytes_that_are_no_text_become_text():
    queue = Queue()
    read(io.BytesIO(b"\xff\xfego\n\xc3\xa9\n"), queue)
    assert queue.heard == ["\ufffd\ufffdgo\n", "é\n"]


@pytest.mark.parametrize("failure", [OSError(errno.EIO, "broken"), ValueError("closed")])
def test_an_input_that_fails_has_ended(failure):
    def lines():
        yield b"d\n"
        raise failure

    queue, output = Queue(), Output(Stream(OSError(errno.EPIPE, "gone")), Notes())
    output.say("lost")
    assert read(lines(), queue, output)[0] == 0
    assert (queue.heard, queue.finished) == (["d\n"], [True])


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_is_a_flag_unless_it_is_ignored(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        interruption = Interruption()
        assert not interruption.has_come
        if handler is signal.SIG_IGN:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        else:
            signal.raise_signal(signal.SIGINT)
            assert interruption.has_come
    finally:
        signal.signal(signal.SIGINT, before)


# The whole, with a session that is made up


class Ended(BaseException):
    """The process would end here."""


class FakeSession:
    """Says a line when it starts to load, or raises at its end."""

    def __init__(self, say, transcript):
        self.say, self.transcript, self.queue, self.loader = say, transcript, Queue(is_done=False), self
        self.closed = 0
        FakeSession.last = self

    def start(self):
        self.say("loading")

    def close(self):
        self.closed += 1


def run_main(monkeypatch, data, *, is_terminal=False, failure=None):
    """-> exit status, what was printed, how a failure of the output ended it."""
    ends, stream = [], Stream(failure)
    stdin = io.TextIOWrapper(io.BytesIO(data))
    monkeypatch.setattr(stdin, "isatty", lambda: is_terminal, raising=False)

    def end(status):
        raise Ended(status)

    def end_without_output(error):
        ends.append(error.errno)
        raise Ended("without output")

    monkeypatch.setattr(pipes, "Session", FakeSession)
    monkeypatch.setattr(pipes, "end_without_output", end_without_output)
    monkeypatch.setattr(pipes.os, "_exit", end)
    monkeypatch.setattr(pipes.sys, "stdin", stdin)
    monkeypatch.setattr(pipes.sys, "stdout", stream)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(Ended) as ended:
            pipes.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert FakeSession.last.closed == 1
    return ended.value.args[0], stream.written, ends


def test_a_session_from_its_first_line_to_its_status(monkeypatch):
    assert run_main(monkeypatch, b"uci\nquit\n") == (0, "loading\n", [])
    assert FakeSession.last.queue.heard == ["uci\n", "quit\n"]
    assert run_main(monkeypatch, b"uci\n") == (1, "loading\n", [])  # not all could be done
    assert run_main(monkeypatch, b"quit\n", is_terminal=True) == (0, f"{GREETING}\nloading\n", [])


@pytest.mark.parametrize(
    ("number", "status", "ends"),
    [(errno.EPIPE, 0, []), (errno.EBADF, 0, []), (errno.ENOSPC, "without output", [errno.ENOSPC])],
)
def test_a_reader_that_has_gone_is_no_error_but_a_full_disk_is(monkeypatch, number, status, ends):
    assert run_main(monkeypatch, b"quit\n", failure=OSError(number, "failed")) == (status, "", ends)


# The transcript


def test_each_line_has_its_time_and_its_direction(tmp_path):
    transcript, path = Transcript(), tmp_path / "log.txt"
    transcript.said("lost: no file is open")
    path.write_text("from before\n")
    transcript.open(str(path))
    transcript.heard("uci\r\n")
    transcript.said("uciok é")
    text = path.read_text(encoding="utf-8")  # complete at once: a crash loses nothing
    assert re.fullmatch(r"from before\n\d\d:\d\d:\d\d\.\d{3} > uci\n\d\d:\d\d:\d\d\.\d{3} < uciok é\n", text)
    transcript.open(str(tmp_path / "other.txt"))
    transcript.said("second")
    transcript.open("")
    transcript.said("lost")
    assert path.read_text(encoding="utf-8") == text
    assert (tmp_path / "other.txt").read_text().endswith(" < second\n")


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path):
    transcript = Transcript()
    transcript.open(str(tmp_path / "log.txt"))
    with pytest.raises(ValueError, match="cannot be written"):
        transcript.open(str(tmp_path))
    transcript.said("still here")
    assert "still here" in (tmp_path / "log.txt").read_text()
    transcript.open("")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_full_disk_ends_the_log_and_nothing_else(tmp_path):
    transcript = Transcript()
    transcript.open(str(tmp_path / "log.txt"))
    transcript._file.close()
    calls = []

    class Full:
        def write(self, text):
            calls.append(text)
            raise OSError(errno.ENOSPC, "full")

    transcript._file = Full()
    for _ in range(3):
        transcript.said("bestmove e2e4")
    assert len(calls) == 1


def test_lines_of_many_threads_are_logged_whole():
    class Slow:
        text = ""

        def write(self, text):
            for letter in text:
                self.text += letter

        def close(self):
            pass

    transcript, file = Transcript(), Slow()
    transcript._file = file
    threads = [threading.Thread(target=lambda n=n: [transcript.said(n * 60) for _ in range(40)]) for n in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(line.split()[-1] for line in file.text.splitlines()) == sorted(n * 60 for n in "abcd" * 40)
