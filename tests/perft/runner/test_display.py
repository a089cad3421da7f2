import io
import re
import sys

from perft.runner import display
from perft.runner.display import RunDisplay, progress_line, summary_line
from perft.runner.run_stats import RunStats, added


class Terminal(io.StringIO):
    def isatty(self):
        return True


def stats(**values):
    return RunStats(started=100.0, **values)


def test_a_line_while_it_runs():
    line = progress_line(stats(total=2000, done=700, from_journal=100, workers=2), 160.0)
    assert line == "700 of 2,000 units, 600.0 a minute, 2:10 left, 2 workers, 100 from the journal"
    assert progress_line(stats(total=3, workers=1), 101.0) == "0 of 3 units, 0.0 a minute, ? left, 1 worker"
    assert progress_line(stats(total=10**4, done=1, workers=1), 110.0).split(", ")[2] == "27:46:30 left"


def test_what_was_done_twice():
    line = progress_line(stats(total=9, workers=3, redone=1, resent=2, verified=3, lost_workers=1), 101.0)
    assert line.endswith("3 workers, 1 worker lost, 1 redone, 2 sent twice, 3 verified")


def test_no_worker_is_there():
    assert progress_line(stats(total=9), 101.0).endswith("? left, waiting for workers")
    gone = progress_line(stats(total=9, lost_workers=1), 101.0)
    assert gone.endswith("waiting for workers (the logs of those that have gone may say why), 1 worker lost")


def test_notes_are_shown_once():
    stream = io.StringIO()
    with RunDisplay(stream) as shown:
        for _ in range(2):
            shown.show(stats(total=9, workers=2, notes=["a worker has [other] versions"]))
    assert stream.getvalue() == "a worker has [other] versions\n"
    stream = Terminal()
    with RunDisplay(stream) as shown:
        shown.show(stats(total=9, workers=2))
        for _ in range(2):
            shown.show(stats(total=9, workers=2, notes=["a worker has [other] versions"]))
    assert stream.getvalue().count("a worker has [other] versions\n") == 1


def test_a_log_gets_a_line_when_a_run_stops():
    stream = io.StringIO()
    with RunDisplay(stream) as shown:
        for is_stopping in (False, True, True):
            shown.show(stats(total=9, workers=2, is_stopping=is_stopping))
    (line,) = stream.getvalue().splitlines()
    assert display.STOPPING in line


def test_a_run_that_stops():
    line = progress_line(stats(total=9, done=3, workers=1, is_stopping=True), 101.0)
    assert line.endswith("stops when the units under way are done (Ctrl-C: at once), 1 worker")


def test_the_line_at_the_end():
    assert summary_line(stats(total=1200, done=1200)) == "1,200 units"
    assert summary_line(stats(total=1, unverified=1)) == "1 unit, 1 not verified: there was no second worker"


def test_the_numbers_of_several_lists_add_up():
    """Workers are lost once, whichever list they did."""
    parts = [stats(total=3, done=3, verified=2, lost_workers=1), stats(total=4, done=4, redone=1, lost_workers=2)]
    assert summary_line(added(parts)) == "7 units, 2 workers lost, 1 redone, 2 verified"
    assert summary_line(added([])) == "0 units"


def test_a_log_gets_a_line_a_minute_and_one_when_there_is_no_worker(monkeypatch):
    class Clock:
        now = 0.0

        def monotonic(self):
            return Clock.now

    monkeypatch.setattr(display, "time", Clock())
    stream = io.StringIO()
    with RunDisplay(stream) as shown:
        for second in range(200):
            Clock.now = float(second)
            shown.show(RunStats(total=9, workers=2, started=0.0))
    assert len(stream.getvalue().splitlines()) == 3
    with RunDisplay(stream) as shown:
        shown.show(RunStats(total=9, workers=0, started=0.0))
        shown.show(RunStats(total=9, workers=0, started=0.0))
    assert len(stream.getvalue().splitlines()) == 4
    assert "waiting for workers" in stream.getvalue()


def test_a_terminal_gets_a_line_that_goes_away():
    stream = Terminal()
    with RunDisplay(stream) as shown:
        shown.show(stats(total=9, workers=2))
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    assert "0 of 9 units, " in plain
    assert stream.getvalue().endswith("\x1b[2K")  # the line is cleared


def test_what_is_printed_to_a_file_meanwhile_arrives_there(monkeypatch):
    terminal, output, errors = Terminal(), io.StringIO(), io.StringIO()
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.setattr("sys.stderr", errors)
    with RunDisplay(terminal) as shown:
        shown.show(stats(total=9, workers=2))
        print("a result")
        print("a note", file=sys.stderr)
    assert (output.getvalue(), errors.getvalue()) == ("a result\n", "a note\n")


def test_what_is_printed_to_the_same_terminal_is_above_the_line(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("sys.stderr", terminal)
    with RunDisplay() as shown:
        shown.show(stats(total=9, workers=2))
        print("a result")
    assert re.search(r"a result\n.* units, ", terminal.getvalue(), re.DOTALL)
