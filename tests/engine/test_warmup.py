import subprocess
import time

import pytest

from engine import analysis, warmup
from engine.cli.warmup import list_parts, main
from engine.report.node import LONG
from tests.engine.report.searches import MIDDLEGAME
from tests.engine.uci.process import TERESA


@pytest.fixture
def done(monkeypatch, tmp_path):
    """What was compiled, with an empty cache."""
    done = []
    parts = {"search": lambda: done.append("search"), "report": lambda: done.append("report")}
    monkeypatch.setattr(warmup, "parts_of_games", lambda: parts)
    monkeypatch.setattr(warmup, "ready_file", lambda: tmp_path / "ready")
    return done


def test_a_first_start_compiles_and_reports_so_once(done, capsys):
    warmup.ensure_warm()
    output = capsys.readouterr()
    assert done[:2] == ["search", "report"]
    assert "first start" in output.err
    assert output.out == ""
    warmup.ensure_warm()
    assert done == ["search", "report"]
    assert capsys.readouterr() == ("", "")


def test_the_caller_reports_and_shows_the_progress(done, capsys):
    shown, reports = [], []

    def track(parts):
        for part in parts:
            yield part
            shown.append((part, list(done)))

    warmup._compiled_here.clear()
    warmup.ensure_warm(track, reports.append)
    assert shown == [("search", ["search"]), ("report", ["search", "report"])]
    assert [report.split(":")[0] for report in reports] == ["first start"]
    assert capsys.readouterr() == ("", "")


def test_a_program_without_a_console_compiles_too(done, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    warmup.ensure_warm()
    assert done == ["search", "report"]


def test_the_command_reports_the_seconds_of_each_part(done, capsys):
    assert main(["--search", "--time"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["search", "report", "all"]
    assert done == ["search", "report"]


@pytest.fixture
def locked(monkeypatch, tmp_path):
    """A cache in which nothing can be written, whatever the rights of the user."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(warmup, "ready_file", lambda: tmp_path / "file" / "version" / "ready")
    return tmp_path / "file"


def test_a_cache_that_cannot_be_written_is_named(done, locked, capsys):
    assert main(["--search"]) == 1
    assert f"{locked / 'version'} cannot be written" in capsys.readouterr().err
    warmup._compiled_here.clear()
    warmup.ensure_warm()
    warmup.ensure_warm()
    output = capsys.readouterr().err
    assert output.count("cannot be written: each start compiles again, unless TERESA_CACHE_DIR") == 1
    assert done == ["search", "report"] * 2


def test_an_analysis_compiles_before_its_time_counts(monkeypatch):
    """Else the compiler's seconds would be taken for thinking."""
    calls = []
    monkeypatch.setattr(analysis, "ensure_warm", lambda: calls.append("compiled"))
    monkeypatch.setattr(analysis.Analysis, "start", lambda *_: calls.append("started"))
    analysis.analyse(MIDDLEGAME, seconds=2, options={"Hash": 1}, wait=False)
    assert calls == ["compiled", "started"]
    with pytest.raises(ValueError, match="side field"):
        analysis.analyse("rubbish")
    assert calls == ["compiled", "started"]


def test_the_kernels_of_a_search_are_used_by_a_search_that_has_ended():
    searcher = warmup.small_search()
    assert not searcher.is_searching
    assert searcher.position.fen().split()[1] == "b"
    assert searcher.tree.visits[0] == 100
    assert searcher.options.hash_megabytes == 1
    assert len(searcher.report().rows(shape=LONG)) == 20


@pytest.mark.thorough
@pytest.mark.parametrize("part", ["search", "report", "saved trees", "eval", "perft", "perft with memory"])
@pytest.mark.jit
def test_each_part_can_be_done(part):
    parts = list_parts()
    parts[part]()
    assert list(warmup.parts_of_games())[:2] == ["search", "report"]
    others = [name for name in parts if name != "networks of others"]  # in games, where they can be used
    assert others[-4:] == ["saved trees", "perft", "perft with memory", "eval"]
    assert [name for name in parts if name.startswith("rules: ")] == list(parts)[:5]


@pytest.mark.parametrize("part", range(5))
def test_the_rules_can_be_used(part):
    name = list(list_parts())[part]
    list_parts()[name]()


def test_seconds_are_counted_for_each_part_and_the_end_is_noted(done, monkeypatch):
    clock = iter([1.0, 3.5, 10.0, 10.25])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    assert not warmup.is_warm()
    assert warmup.compile_all(warmup.parts_of_games()) == {"search": 2.5, "report": 0.25}
    assert warmup.is_warm()
    assert done == ["search", "report"]
    assert warmup.ready_file() in warmup._compiled_here


def test_a_failure_leaves_the_cache_cold(done, monkeypatch):
    monkeypatch.setattr(warmup, "parts_of_games", lambda: {"search": lambda: 1 / 0})
    with pytest.raises(ZeroDivisionError):
        warmup.ensure_warm(report=lambda _text: None)
    assert not warmup.is_warm()
    assert warmup.ready_file() not in warmup._compiled_here
    assert done == []


def kernels(folder):
    """The files of compiled kernels."""
    return {path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")}


@pytest.mark.slow
def test_after_warmup_no_command_compiles_anything(copied_kernels, tmp_path):
    folder, environment = copied_kernels
    (tmp_path / "game.pgn").write_text("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n")
    (tmp_path / "suite.epd").write_text(f"{MIDDLEGAME.rsplit(' ', 2)[0]} bm a4;\n")
    conversation = f"""
position fen 4k3/8/8/8/8/8/4r3/4K2R w K - 0 1
d
position startpos
go nodes 300
moves
why
why not h4 300
eval
savetree {tmp_path}/a.npz
loadtree {tmp_path}/a.npz
go nodes 100
go perft 4
bench 20
setoption name Evaluator value Playout
eval
go nodes 100
setoption name Formula value UCB1
setoption name Batch value 4
setoption name Threads value 2
setoption name UCI_Chess960 value true
position startpos
go nodes 300
setoption name UCI_LimitStrength value true
go nodes 100
"""
    commands = [
        ["analyse", "--visits", "200", "--moves", "4"],
        ["bench", "--nodes", "50"],
        ["epd", str(tmp_path / "suite.epd"), "--nodes", "100"],
        ["explore", MIDDLEGAME, "--save", str(tmp_path / "page.html"), "--seconds", "0.5"],
        ["perft", "4", "--divide"],
        ["perft", "4", "--hash", "1"],
        ["perft", "4", "--unique"],
        ["perft", "3", "--compare"],
        ["review", str(tmp_path / "game.pgn"), "--visits", "100"],
        ["play", "--visits", "50"],
    ]
    run(["warmup"], environment, tmp_path)
    before = kernels(folder)
    assert before
    run([], environment, tmp_path, conversation)
    for words in commands:
        run(words, environment, tmp_path, "e4\nhint\nwhy\nquit\n")
        assert kernels(folder) == before, words


def run(words, environment, folder, text=""):
    """In a separate folder: `play` leaves a file."""
    pipes = {"input": text, "capture_output": True, "text": True}
    done = subprocess.run([*TERESA, *words], env=environment, cwd=folder, timeout=300, check=False, **pipes)
    assert done.returncode == 0, (words, done.stderr)
    assert "failed (" not in done.stdout
