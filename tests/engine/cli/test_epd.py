import json

import pytest

from engine.cli.epd import main

MATE = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; id "back rank";'
AVOID = '7k/8/5K2/6Q1/8/8/8/8 w - - am Qg6; id "stalemate";'
POINTS = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; c8 "100 7"; c9 "b1b8 b1b7";'


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "small.epd"
    path.write_text(f"# mates\n{MATE}\n\n{AVOID}\n{POINTS}\n")
    return path


def test_suites_are_solved(suite, capsys):
    assert main([str(suite), "--nodes", "3000", "--hash", "16"]) == 0
    assert "small.epd: 3 of 3 solved, 120 of 120 points" in capsys.readouterr().out
    assert main([str(suite), "--movetime", "50", "--hash", "16", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["small.epd"]
    assert [row["solved"] for row in rows] == [True] * 3
    assert rows[0]["move"] == "b1b8"


def test_one_name_for_one_thing(suite, capsys):
    for limit in (["--visits", "300"], ["--seconds", "0.05"], ["--nodes", "300"], ["--movetime", "50"]):
        assert main([str(suite), *limit, "--hash", "16", "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["small.epd"]) == 3


def test_progress_without_a_terminal(suite, capsys, monkeypatch):
    monkeypatch.setattr("engine.cli.progress.SECONDS_BETWEEN_LINES", 0)
    assert main([str(suite), "--visits", "3000", "--hash", "16"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["1 of 3", "2 of 3", "3 of 3"]
    assert lines[-1].startswith("small.epd, 3 solved")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# nothing\n", "there is no position in it"),
        (b"\0\1" * 50, "it is no text"),
        (b'6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - c8 "x"; c9 "b1b8";', "bad.epd:1: "),
        (b'6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - c8 "1"; c9 "a1a8";', "bad.epd:1: "),
    ],
)
def test_suites_that_cannot_be_read(tmp_path, capsys, content, reason):
    path = tmp_path / "bad.epd"
    path.write_bytes(content)
    assert main([str(path), "--visits", "10"]) == 2
    assert reason in capsys.readouterr().err


def test_failures_are_listed(tmp_path, capsys):
    path = tmp_path / "wrong.epd"
    path.write_text('6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb7; id "wrong";\n')
    assert main([str(path), "--nodes", "100", "--failed"]) == 0
    assert "wrong: Rb8#, wanted Rb7" in capsys.readouterr().out


def test_bad_arguments(tmp_path, capsys, suite):
    assert main([str(tmp_path / "none.epd"), "--nodes", "10"]) == 2
    assert "none.epd" in capsys.readouterr().err
    assert main([str(suite), "--nodes", "10", "--hash", "0"]) == 2
    with pytest.raises(SystemExit):
        main([str(suite), "--nodes", "0"])
