import json

import pytest

from engine.epd import main, read_problem, read_suite

MATE = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; id "back rank";'
AVOID = '7k/8/5K2/6Q1/8/8/8/8 w - - am Qg6; id "stalemate";'
POINTS = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; c8 "100 7"; c9 "b1b8 b1b7";'


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "small.epd"
    path.write_text(f"# mates\n{MATE}\n\n{AVOID}\n{POINTS}\n")
    return path


def test_a_suite_is_read(suite):
    mate, avoid, points = read_suite(suite)
    assert (mate.name, mate.best, mate.points_for("b1b8"), mate.points_for("b1b7")) == ("back rank", ("b1b8",), 10, 0)
    assert avoid.is_solved_by("g5g7")
    assert not avoid.is_solved_by("g5g6")
    assert (points.points_for("b1b7"), points.most_points, points.name) == (7, 100, "small.epd:5")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("rubbish", "x:1: "),
        ('6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - id "a";', "neither bm nor am nor points"),
        ('6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8; c8 "1 2"; c9 "b1b8";', "2 points in c8 for 1 moves"),
        ('8/8/8/8/8/8/8/8 w - - c8 "1"; c9 "e2e4";', "x:1: "),
    ],
)
def test_what_cannot_be_read_is_explained(line, reason):
    with pytest.raises(ValueError, match=reason):
        read_problem(line, "x:1")


def test_suites_are_solved(suite, capsys):
    assert main([str(suite), "--nodes", "3000", "--hash", "16"]) == 0
    assert "small.epd: 3 of 3 solved, 120 of 120 points" in capsys.readouterr().out
    assert main([str(suite), "--movetime", "50", "--hash", "16", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["small.epd"]
    assert [row["solved"] for row in rows] == [True] * 3
    assert rows[0]["move"] == "b1b8"


def test_failures_are_listed(tmp_path, capsys):
    path = tmp_path / "wrong.epd"
    path.write_text('6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb7; id "wrong";\n')
    assert main([str(path), "--nodes", "100", "--failed"]) == 0
    assert "wrong: b1b8, wanted b1b7" in capsys.readouterr().out


def test_bad_arguments(tmp_path, capsys, suite):
    assert main([str(tmp_path / "none.epd"), "--nodes", "10"]) == 2
    assert "none.epd" in capsys.readouterr().err
    assert main([str(suite), "--nodes", "10", "--hash", "0"]) == 2
    with pytest.raises(SystemExit):
        main([str(suite), "--nodes", "0"])
