"""The index finds what `GameFile` finds, in all encodings, however the file is written."""

import os
import random
import threading

import pytest

from engine.pgn.game_file import GameFile
from engine.pgn.index import GameIndex
from engine.pgn.scan import CHUNK_BYTES, has_ascii_bytes

HEADERS = (
    '[Event "Club"]\n',
    '[White "Müller, Anna"]\n',
    '[White "A "quoted" name"]\n',
    '[Black "B \\"x\\""][Result "1-0"]\n',
    '[Date "1999.05.01"] \n',
    ' [Round "3"]\n',
    '[FEN "k7/8/8/8/8/8/8/K6R w - - 0 1"]\n',
    '[Variant "Atomic"]\n',
    "[broken\n",
    "%escape\n",
    '[Unknown ""]\n',
    "\n",
)
MOVES = (
    "1. e4 e5 2. Nf3 *\n",
    "1. e4 {a comment} e5 1-0\n",
    "1. e4 {over\nlines} e5\n",
    '1. e4 {over\n\n[Site "x"]\nlines} e5\n',
    '1. e4 {never closed\n\n[Event "new"]\n',
    "1. e4 ; rest { of line\n",
    '1. e4 {a\n\n[Event "new"]\nb} e5 *\n',
    "1. e4 {a\n\nb} e5 *\n",
    '1. e4 ; {\n[Site "x"]\n} e5 *\n',
    "1. e4\n%escape {\n1... e5\n",
    "1. e4 (1. d4 {x} d5) e5 } *\n",
    "{ first a comment } 1. d4 *\n",
    "{ x\n y } 1. d4 *\n",
    " 1. d4 d5\n",
    "1. Ke3 *\n",
    "[White 1. d4\n",
    "1. d4 é *\n",
    "*\n",
    "1. e4 \x0b\x0c\n",
    "Some letter.\n",
)
BLANKS = ("\n", "\n", "\n\n\n", "", " \n", "\t\n", "\N{NO-BREAK SPACE}\n", "\x1c\n")
USUAL = '[Event "E{0}"]\n[White "W{0}"]\n[Result "*"]\n\n1. e4 e5 {{ [%clk 0:01:00] }}\n2. Nf3 *\n\n'
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-be", "utf-32", "gb18030", "shift_jis")


def nearly_usual(rng):
    """Headers, a blank line, moves, a blank line; some detail is not as usual."""
    headers = rng.choice(("", "", '[White "again"]\n', '[Event "a"] [White "b"]\n'))
    return f'[White "W"]\n{headers}\n{"".join(rng.choices(MOVES, k=rng.choice((1, 1, 2))))}\n'


def random_text(rng):
    parts = []
    for number in range(rng.randrange(8)):
        if rng.random() < 0.6:
            parts.append(USUAL.format(number) if rng.random() < 0.4 else nearly_usual(rng))
            continue
        parts += rng.choices(HEADERS, k=rng.randrange(5))
        parts += rng.choices(BLANKS) + rng.choices(MOVES, k=rng.randrange(3)) + rng.choices(BLANKS)
    text = "".join(parts)
    for _ in range(rng.choice((0, 0, 1, 3))):
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice('{}[]();%"\\ \n\r') + text[place + rng.randrange(2) :]
    newline = rng.choice(("\n", "\n", "\r\n", "\r"))
    text = text.replace("\n", newline) if rng.random() < 0.9 else text.replace("\n", "\r\n", 7)
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.3 else text


def games_of(path, encoding=None):
    with GameFile(path, encoding) as file:
        return [(found.number, found.text) for found in file.games_or_none()]


def check_same(path, encoding=None):
    expected, index = games_of(path, encoding), GameIndex(path, encoding)
    index.build()
    assert (index.count, index.is_complete, index.share_read) == (len(expected), True, 1.0)
    assert [(number, index.game(number).text) for number, _ in expected] == expected
    return index


@pytest.mark.parametrize("count", [120, pytest.param(10_000, marks=pytest.mark.soak)])
def test_the_games_are_those_of_game_file(tmp_path, count):
    rng, path, found = random.Random(18), tmp_path / "random.pgn", 0
    for _ in range(count):
        codec = rng.choice(ENCODINGS)
        path.write_bytes(random_text(rng).encode(codec, errors="replace"))
        marked = codec in ("utf-8-sig", "utf-16", "utf-32")
        found += check_same(path, None if marked or codec in ("utf-8", "latin-1") else codec).count
    assert found > count


def test_games_across_the_windows(tmp_path):
    """A window of the file ends in games of the usual form, in long comments and between CR and LF."""
    path, rng = tmp_path / "large.pgn", random.Random(3)
    with path.open("w", newline="\r\n") as file:
        for number in range(900):
            file.write(USUAL.format(number).replace("*\n", f"{{ {'x y ' * rng.randrange(4000)}}} *\n"))
            file.write(rng.choice(("", "", "a letter\n\n", "1. d4 *\n\n")))
        file.write(f"1. c4 {{ {'long ' * (CHUNK_BYTES // 2)} }} *\n\n")
        file.write("end\n" * 5 + '[White "Z"]')
    assert path.stat().st_size > 3 * CHUNK_BYTES
    assert check_same(path).count > 900


@pytest.mark.parametrize(
    ("codec", "expected"),
    [("utf-8", True), ("latin-1", True), ("cp1251", True), ("koi8-r", True)]
    + [
        (name, False)
        for name in ("utf-16-le", "utf-7", "euc-jp", "shift_jis", "gbk", "big5", "iso2022-jp", "hz", "cp037")
    ],
)
def test_encodings_that_can_be_read_as_bytes(codec, expected):
    assert has_ascii_bytes(codec) == expected


def test_rows(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(
        '[Event "Wien"]\n[White "Müller"]\n[Black "B \\"b\\""]\n[Result "1-0"]\n[Date "1999.01.02"]\n[Round "2"]\n'
        '[ECO "B01"]\n\n1. e4 d5 1-0\n\n1. d4 Ke4 *\n\n[Variant "Atomic"]\n\n1. d4 *\n\n[White "Müllner"]\n\n'
        '[White "X"]\n[FEN "rubbish"]\n\n*\n'
    )
    index = GameIndex(path)
    index.start()
    index.wait()
    matching, rows = index.rows(0, 10)
    assert (matching, len(rows)) == (5, 5)
    assert rows[0].data() == {
        "number": 1,
        "white": "Müller",
        "black": 'B "b"',
        "result": "1-0",
        "date": "1999.01.02",
        "event": "Wien",
        "round": "2",
        "eco": "B01",
        "plies": 2,
        "problem": "",
    }
    assert [row.problem.partition(":")[0] for row in rows[1:]] == [
        "1... Ke4 is not a legal move",
        "Atomic is not played here",
        "",
        "its FEN is wrong",
    ]
    assert [row.plies for row in rows[1:]] == [1, None, 0, None]
    for text, numbers in {
        "muller": [1],
        "MÜLL": [1, 4],
        "wien 1-0 1999": [1],
        "wien 0-1": [],
        "  ": [1, 2, 3, 4, 5],
        "b": [1],
    }.items():
        matching, rows = index.rows(0, 10, text)
        assert (matching, [row.number for row in rows]) == (len(numbers), numbers)
    assert [row.number for row in index.rows(1, 1, "müll")[1]] == [4]
    assert index.rows(9, 5) == (5, [])
    assert GameIndex(path).rows(0, 5) == (0, [])  # nothing was read yet
    again = GameIndex(path)
    again.build()
    assert [row.plies for row in again.rows(0, 5, patience=-1)[1]] == [None] * 5


def test_games_that_are_not_there(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 *\n\n1. d4 *\n")
    index = GameIndex(path)
    for number in (0, -1, 3):
        with pytest.raises(ValueError, match=rf"games\.pgn: it has 2 games, there is no game {number}"):
            index.game(number)
    path.write_text("My notes\n")
    empty = GameIndex(path)
    empty.build()
    assert empty.rows(0, 9) == (0, [])
    with pytest.raises(ValueError, match=r"games\.pgn: there is no game in it"):
        empty.game(1)


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (None, None, "No such file"),
        (b"\0\1\2" * 50, None, "there is no game in it: it is no text"),
        (b"1. e4 *", "klingon", "there is no encoding 'klingon'"),
        (b"\xff\xfe1", None, "it is not UTF-16-LE all through"),
        (b"1. e4 * +AAo-", "utf-7", "games cannot be found by their place in UTF-7"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, content, encoding, reason):
    path = tmp_path / "x.pgn"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.pgn: ") as caught:
        GameIndex(path, encoding).game(1)
    assert reason in str(caught.value)


def test_a_game_in_another_encoding_is_listed_with_its_reason(tmp_path):
    path = tmp_path / "x.pgn"
    path.write_bytes(
        USUAL.format(1).encode() + '[White "é"]\n\n1. d4 *\n\n'.encode("latin-1") + USUAL.format(2).encode()
    )
    index = GameIndex(path, "utf-8")
    index.build()
    assert [row.problem for row in index.rows(0, 9)[1]] == ["", "it is not UTF-8 all through; see --encoding", ""]
    assert index.game(3).text.startswith('[Event "E2"]')
    with pytest.raises(ValueError, match=r"x\.pgn, game 2: it is not UTF-8 all through"):
        index.game(2)


def test_a_file_that_changes_or_vanishes(tmp_path):
    path = tmp_path / "x.pgn"
    path.write_text("".join(map(USUAL.format, range(3))))
    index = GameIndex(path)
    index.build()
    with path.open("a") as file:
        file.write(USUAL.format(3))
    assert "E1" in index.game(2).text  # what another program adds at the end does no harm
    path.write_text("".join(map(USUAL.format, (0, 5, 2))))
    assert "E2" in index.game(3).text
    with pytest.raises(ValueError, match=r"x\.pgn: the file has changed since it was opened; open it again"):
        index.game(2)
    assert [row.problem.partition(";")[0] for row in index.rows(0, 9)[1]] == [
        "",
        "the file has changed since it was opened",
        "",
    ]
    path.unlink()
    with pytest.raises(ValueError, match=r"x\.pgn: No such file"):
        index.game(1)
    assert [row.white for row in index.rows(0, 9)[1]] == ["W0", "W1", "W2"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_copied(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("1. e4 *\n\n1. d4 *\n",))
    writer.start()
    index = GameIndex(path)
    writer.join()
    assert [index.game(number).text for number in (2, 1)] == ["1. d4 *\n", "1. e4 *\n"]
    assert index.path is None
    index.close()


def test_games_are_found_in_the_background(tmp_path):
    path = tmp_path / "x.pgn"
    path.write_text("".join(map(USUAL.format, range(3000))))
    index = GameIndex(path)
    index.start()
    assert "E700" in index.game(701).text
    counts = [index.rows(0, 3, "E5", patience=0)[0] for _ in range(5)]
    index.wait()
    assert (index.count, index.trouble) == (3000, "")
    assert counts == sorted(counts)
    assert index.rows(0, 0, "E5")[0] >= counts[-1]
    index.start()
    index.build()
    assert index.count == 3000
    index.close()
    late = GameIndex(path)
    path.unlink()
    late.start()
    late.wait()
    assert late.trouble == f"{path}: No such file or directory"
    with pytest.raises(ValueError, match=r"x\.pgn: No such file"):
        late.build()


def test_an_index_takes_little_memory(tmp_path):
    import tracemalloc

    path = tmp_path / "large.pgn"
    path.write_text("".join(USUAL.format(number % 500) for number in range(4000)))
    tracemalloc.start()
    index = GameIndex(path)
    index.build()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert index.count == 4000
    assert kept < 100 * index.count
