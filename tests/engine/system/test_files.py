import errno
import hashlib
import os
import stat
import sys

import pytest

from engine.system.files import check_writable, digest_of, read_json, write_whole


def is_pgn(head):
    return head.startswith(b"[Event")


def check(path, **options):
    check_writable(path, is_ours=is_pgn, kind="a game", **options)


def test_only_what_is_ours_is_replaced(tmp_path):
    path = tmp_path / "notes.txt"
    check(path)
    assert list(tmp_path.iterdir()) == []
    for content, is_allowed in ((b"", True), (b'[Event "?"]', True), (b"My notes", False)):
        path.write_bytes(content)
        check(path, force=True)
        if is_allowed:
            check(path)
        else:
            with pytest.raises(ValueError, match=r"notes\.txt: exists and is not a game; .*--force"):
                check(path)
        assert path.read_bytes() == content


def test_what_cannot_be_written_is_noticed_before(tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        check(tmp_path / "missing" / "x.pgn")
    with pytest.raises(ValueError, match="is a folder"):
        check(tmp_path)
    with pytest.raises(ValueError, match=r"x{300}: "):
        check(tmp_path / ("x" * 300))


@pytest.mark.skipif(sys.platform == "win32", reason="no such device")
def test_devices_are_written_to_and_stay(tmp_path):
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    check(link)
    write_whole(link, "text")
    assert stat.S_ISCHR(link.stat().st_mode)


def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "né\n")
    assert link.is_symlink()
    assert target.read_bytes() == "né\n".encode()
    assert sys.platform == "win32" or stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "game.pgn"
    path.write_bytes(b"old")

    def fail(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left") as full:
        write_whole(path, b"new")
    assert full.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_errors_name_the_file_and_not_a_temporary_one(tmp_path, monkeypatch):
    path, gone = tmp_path / "game.pgn", tmp_path / "chunks" / "0"

    def fail(**_):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / ".game.pgn.x7"))

    with pytest.raises(FileNotFoundError) as of_a_part:
        write_whole(path, (gone.read_bytes() for _ in range(1)))
    assert of_a_part.value.filename == str(gone)
    monkeypatch.setattr("tempfile.mkstemp", fail)
    with pytest.raises(PermissionError) as refused:
        write_whole(path, b"new")
    assert (refused.value.filename, refused.value.strerror) == (str(path), "Permission denied")


def test_json_and_digests(tmp_path):
    path = tmp_path / "x.json"
    assert read_json(path) is None
    for text, content in (('{"a": 1}', {"a": 1}), ("[1]", None), ("{", None), ("", None), ("[" * 100_000, None)):
        path.write_text(text)
        assert read_json(path) == content
    (tmp_path / "y").write_bytes(b"other")
    digests = [hashlib.sha256(file.read_bytes()).digest() for file in (path, tmp_path / "y")]
    assert digest_of(path, tmp_path / "y") == hashlib.sha256(b"".join(digests)).hexdigest()
