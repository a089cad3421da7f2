import gzip
import hashlib
import re

from engine.explorer.assets import FOLDER, TABLE, content

LARGEST, LARGEST_ZIPPED, MOST_FILES = 250_000, 80_000, 12


def test_files_of_others_are_unchanged():
    lines = (FOLDER / "vendor" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    files = {path.name for path in (FOLDER / "vendor").iterdir()} - {"SHA256SUMS", "README.md"}
    assert set(sums) == files
    for name, expected in sums.items():
        assert hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == expected, name


def test_the_page_is_small():
    assert len(TABLE) <= MOST_FILES
    assert sum(len(content(address)) for address in TABLE) <= LARGEST
    assert sum(len(gzip.compress(content(address))) for address in TABLE) <= LARGEST_ZIPPED


def test_texts_are_never_read_as_html():
    for path in FOLDER.glob("*.js"):
        code = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", code), path.name


def test_nothing_is_loaded_from_elsewhere():
    for path in FOLDER.glob("*.*"):
        assert not re.search(r"https?://|//cdn", path.read_text(encoding="utf-8")), path.name
    for path in (FOLDER / "vendor").glob("*.css"):
        assert not re.search(r"@import|url\((?!['\"]?data:)", path.read_text(encoding="utf-8")), path.name
