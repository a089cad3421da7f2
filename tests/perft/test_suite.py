import pytest

from perft.suite import SHIPPED_SUITES, read_suite, suite_path

LINE = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197"


def write(folder, text):
    path = folder / "suite.epd"
    path.write_text(text)
    return str(path)


def test_shipped_suites_are_whole():
    standard, chess960 = list(read_suite("standard")), list(read_suite("chess960"))
    assert (len(standard), len(chess960)) == (128, 960)
    assert not any(entry.chess960 for entry in standard)
    assert sum(entry.chess960 for entry in chess960) > 900
    assert suite_path("standard") == SHIPPED_SUITES / "standard.epd"


def test_lines_are_read(tmp_path):
    (entry,) = read_suite(write(tmp_path, f"# a comment\n\n{LINE}\n"))
    assert entry.fen == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert entry.counts == {1: 15, 2: 66, 3: 1197}
    assert entry.where.endswith("suite.epd:3")
    assert not entry.chess960


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_suite_with_a_byte_order_mark(tmp_path, encoding):
    path = tmp_path / "suite.epd"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_bytes(f"{mark}{LINE}\r\n# Müller\r\n{LINE}\r\n".encode(encoding))
    entries = list(read_suite(str(path)))
    assert [entry.fen for entry in entries] == ["4k3/8/8/8/8/8/8/4K2R w K - 0 1"] * 2
    assert [entry.counts for entry in entries] == [{1: 15, 2: 66, 3: 1197}] * 2


def test_bounds_choose_the_depth(tmp_path):
    (entry,) = read_suite(write(tmp_path, LINE))
    assert entry.deepest(None, None) == 3
    assert entry.deepest(100, None) == 2
    assert entry.deepest(None, 1) == 1
    assert entry.deepest(10, None) is None


@pytest.mark.parametrize("line", ["4k3/8/8/8/8/8/8/4K2R w K - 0 1", LINE + " ;D4", LINE + " ;X1 3", LINE + " ;D1 -3"])
def test_bad_lines_are_named(tmp_path, line):
    with pytest.raises(ValueError, match=r"suite\.epd:2: "):
        list(read_suite(write(tmp_path, f"{LINE}\n{line}\n")))
