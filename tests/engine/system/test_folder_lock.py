"""The lock of a folder."""

import pytest

from engine.system.folder_lock import LOCK, take_lock


def test_one_process_at_a_time_and_the_folder_is_created(tmp_path):
    folder = tmp_path / "a" / "b"
    lock = take_lock(folder, "is in use")
    assert (folder / LOCK).is_file()
    with pytest.raises(ValueError, match=r"b is in use: wait$"):
        take_lock(folder, "is in use: wait", patience=0.01)
    lock.release()
    take_lock(folder, "is in use").release()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="file cannot be written: "):
        take_lock(tmp_path / "file", "is in use")
