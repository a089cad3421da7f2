import pytest

from engine.epd import read_problem, read_problems

MATE = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; id "back rank";'
AVOID = '7k/8/5K2/6Q1/8/8/8/8 w - - am Qg6; id "stalemate";'
POINTS = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb8#; c8 "100 7"; c9 "b1b8 b1b7";'


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "small.epd"
    path.write_text(f"# mates\n{MATE}\n\n{AVOID}\n{POINTS}\n")
    return path


def test_a_suite_is_read(suite):
    mate, avoid, points = read_problems(suite)
    assert (mate.name, mate.best, mate.points_for("b1b8"), mate.points_for("b1b7")) == ("back rank", ("b1b8",), 10, 0)
    assert avoid.is_solved_by("g5g7")
    assert not avoid.is_solved_by("g5g6")
    assert (points.points_for("b1b7"), points.most_points, points.name) == (7, 100, "small.epd:5")


def test_where_there_are_points_only_the_most_solve_it():
    problem = read_problem('6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - c8 "9 7 9"; c9 "b1b8 b1b7 b1b6";', "x:1")
    assert [move for move in ("b1b8", "b1b7", "b1b6", "b1b5") if problem.is_solved_by(move)] == ["b1b8", "b1b6"]


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


def test_a_suite_in_latin_1(tmp_path):
    path = tmp_path / "old.epd"
    path.write_bytes(MATE.replace("back rank", "Müller").encode("latin-1"))
    assert read_problems(path)[0].name == "Müller"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_suite_with_a_byte_order_mark(tmp_path, encoding):
    path = tmp_path / "new.epd"
    path.write_bytes(f"{MATE.replace('back rank', 'Müller')}\r\n{AVOID}\r\n".encode(encoding))
    assert [problem.name for problem in read_problems(path)] == ["Müller", "stalemate"]
