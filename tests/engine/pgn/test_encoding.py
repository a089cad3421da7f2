"""Encodings and headers, case by case."""

import codecs
import io

import pytest

from engine.pgn.encoding import CHUNK_BYTES, Encoding, NoTextError, check_encoding, find_encoding, read_lines
from engine.pgn.headers import is_ignored, read_tags, split_text, variant_problem

LATIN = "é".encode("latin-1")


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"", None, Encoding("utf-8", b"", "\n")),
        (b"1. e4\n", None, Encoding("utf-8", b"", "\n")),
        (b"1. e4\r\n1. d4\n", None, Encoding("utf-8", b"", "\r\n")),
        ("é".encode(), None, Encoding("utf-8", b"", "\n")),
        (LATIN, None, Encoding("latin-1", b"", "\n")),
        (b"x" * (CHUNK_BYTES + 5) + LATIN, None, Encoding("latin-1", b"", "\n")),
        (b"x" * (CHUNK_BYTES - 1) + "é".encode(), None, Encoding("utf-8", b"", "\n")),
        (b"x" + "é".encode()[:1], None, Encoding("latin-1", b"", "\n")),  # cut within a letter
        (codecs.BOM_UTF8 + b"x", None, Encoding("utf-8", codecs.BOM_UTF8, "\n")),
        (codecs.BOM_UTF16_LE + "x\r\n".encode("utf-16-le"), None, Encoding("utf-16-le", codecs.BOM_UTF16_LE, "\r\n")),
        (codecs.BOM_UTF16_BE + "x".encode("utf-16-be"), None, Encoding("utf-16-be", codecs.BOM_UTF16_BE, "\n")),
        (codecs.BOM_UTF32_LE + "x".encode("utf-32-le"), None, Encoding("utf-32-le", codecs.BOM_UTF32_LE, "\n")),
        (b"x", "cp1252", Encoding("cp1252", b"", "\n")),
        (b"x", "UTF8", Encoding("utf-8", b"", "\n")),
        (codecs.BOM_UTF8 + b"x", "utf-8", Encoding("utf-8", codecs.BOM_UTF8, "\n")),
        (codecs.BOM_UTF16_BE + b"\0x", "utf-16", Encoding("utf-16-be", codecs.BOM_UTF16_BE, "\n")),
        ("x".encode("utf-16-le"), "utf-16", Encoding("utf-16-le", b"", "\n")),
        (codecs.BOM_UTF8 + b"x", "latin-1", Encoding("iso8859-1", b"", "\n")),
    ],
)
def test_encodings_of_files(data, name, expected):
    assert find_encoding(io.BytesIO(data), name) == expected


def test_what_is_no_text():
    with pytest.raises(NoTextError, match=r"^it is no text \(if it is UTF-16, say --encoding utf-16\)$"):
        find_encoding(io.BytesIO(b"a\0b"))
    for name in ("klingon", "base64", "x" * 99):
        with pytest.raises(ValueError, match=f"^there is no encoding '{name[:40]}'$"):
            check_encoding(name)
    assert check_encoding("utf-8-sig") == "utf-8"


def test_texts_are_written_as_they_were_read():
    assert Encoding("latin-1", b"", "\r\n").encode("é\nΩ") == LATIN + b"\r\n?"
    assert Encoding("utf-16-le", codecs.BOM_UTF16_LE).encode("a") == b"a\0"


def test_lines_of_a_file(tmp_path):
    path = tmp_path / "x.epd"
    path.write_bytes(codecs.BOM_UTF8 + "é\nb".encode())
    assert read_lines(path) == ["é", "b"]
    path.write_bytes(LATIN + b"\n")
    assert read_lines(path) == ["é", ""]
    path.write_bytes(b"\0")
    with pytest.raises(ValueError, match=r"x\.epd: it is no text"):
        read_lines(path)
    with pytest.raises(ValueError, match=r"none: No such file"):
        read_lines(tmp_path / "none")


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ('[White "A"]', [("White", "A")]),
        ('  [ White  "A" ]  ', [("White", "A")]),
        ('[White "A "quoted" name"]', [("White", 'A "quoted" name')]),
        ('[White "A"][Black "B"]', [("White", "A"), ("Black", "B")]),
        ('[White "A"] [Black "B"]', [("White", "A"), ("Black", "B")]),
        ('[White ""]', [("White", "")]),
        ("[White A]", []),
        ('[White "A"', []),
        ('White "A"]', []),
        ('1. e4 [White "A"]', []),
        ("", []),
    ],
)
def test_headers_of_a_line(line, tags):
    assert read_tags(line) == tags
    assert is_ignored(line) == (line.startswith("[") and not tags)


def test_escapes_are_ignored():
    assert is_ignored("%eval")
    assert not is_ignored("1. e4 %")


def test_headers_and_moves_are_split():
    text = '[White "A"]\n%x\n[broken\n\n[Black "B"]\n1. e4\n[White "C"]\n*'
    assert split_text(text) == ({"White": "A", "Black": "B"}, '1. e4\n[White "C"]\n*')
    assert split_text('[White "A"]\n') == ({"White": "A"}, "")
    assert split_text("1. e4") == ({}, "1. e4")


@pytest.mark.parametrize(
    ("variant", "problem"),
    [
        (None, ""),
        ("Standard", ""),
        (" chess ", ""),
        ("From Position", ""),
        ("Chess960", ""),
        ("Fischerandom", ""),
        ("Atomic", "Atomic is not played here"),
        ("Bug\x1bhouse", "is not played here"),
    ],
)
def test_variants(variant, problem):
    headers = {} if variant is None else {"Variant": variant}
    assert variant_problem(headers).endswith(problem)
    assert bool(variant_problem(headers)) == bool(problem)
    assert "\x1b" not in variant_problem(headers)
