"""A game is saved in its place: everything else stays byte for byte, and whatever happens there is a whole file."""

import errno
import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.pgn import save
from engine.pgn.game_tree import GameTree
from engine.pgn.index import GameIndex
from engine.pgn.save import save_game, save_tree
from tests.engine.pgn.test_index import check_same, random_text

THREE = (
    'A letter.\n\n[Event "a"]\n[White "Müller"]\n\n1. e4 { très } e5 1-0\n\n\n% x\n[broken\n\n'
    '[Event "b"]\n\n1. d4 d5 ( 1... f5 ) 2. c4 *\n[Event "c"]\n\n1. c4 *'
)


def opened(path, encoding=None):
    index = GameIndex(path, encoding)
    index.build()
    return index


def with_variation(index, number):
    tree = GameTree.of(index.game(number))
    tree.rename(
        tree.add(tree.main_line()[-1].id, next(iter(tree.position_at(len(tree.main_line()) - 1).legal_moves))), "tried"
    )
    return tree


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-32", "gb18030"])
def test_all_other_bytes_stay(tmp_path, codec, newline):
    path = tmp_path / "games.pgn"
    before = THREE.replace("\n", newline).encode(codec)
    path.write_bytes(before)
    name = codec if codec == "gb18030" else None
    index = opened(path, name)
    for number in (2, 1, 3, 2):
        before, place, tree = path.read_bytes(), index.place(number), with_variation(index, number)
        save_tree(index, tree)
        after = path.read_bytes()
        assert after.startswith(before[: place.offset])
        assert after.endswith(before[place.offset + place.size :])
        assert not tree.is_changed
        assert "tried" in index.game(number).text
        assert tree.found == index.game(number)
        assert ("\n" in after.decode(codec).replace("\r\n", "")) == (newline == "\n")
    fresh = check_same(path, name)
    assert fresh.rows(0, 9) == index.rows(0, 9)
    assert [index.place(number) for number in (1, 2, 3)] == [fresh.place(number) for number in (1, 2, 3)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.pgn"]


@pytest.mark.parametrize("count", [20, pytest.param(2000, marks=pytest.mark.soak)])
def test_random_files(tmp_path, count):
    """A game is saved, and all others are what they were; or the save is refused, and the file is what it was."""
    rng, path, saved = random.Random(18), tmp_path / "random.pgn", 0
    for _ in range(count):
        path.write_bytes(random_text(rng).encode())
        before, index = path.read_bytes(), opened(path)
        games = [index.game(number).text for number in range(1, index.count + 1)]
        for number, text in enumerate(games, 1):
            try:
                tree = GameTree.of(index.game(number))
                tree.add(0, "g1f3" if "FEN" not in tree.headers else "h1h2")
                save_tree(index, tree)
            except ValueError:
                assert path.read_bytes() == before
                continue
            saved += 1
            fresh = check_same(path)
            games[number - 1] = fresh.game(number).text
            assert [fresh.game(one).text for one in range(1, fresh.count + 1)] == games
            assert [fresh.place(one) for one in range(1, fresh.count + 1)] == [
                index.place(one) for one in range(1, index.count + 1)
            ]
            assert games[number - 1] != text
            before = path.read_bytes()
    assert saved > count / 2


def test_a_file_that_is_another_one(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    index = opened(path)
    tree = with_variation(index, 2)
    other = THREE.replace("1. e4", "1. a4")
    path.write_text(other)
    save_tree(index, tree)  # the other game is not touched
    assert path.read_text().replace("( { tried } ", "(").startswith(other[:60])
    tree = GameTree.of(index.game(2))
    tree.add(0, "h2h4")
    path.write_text("\n" + path.read_text())
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"games\.pgn: the file has changed since it was opened"):
        save_tree(index, tree)
    assert path.read_bytes() == content
    path.unlink()
    with pytest.raises(ValueError, match=r"games\.pgn: No such file or directory"):
        save_tree(index, tree)
    assert not list(tmp_path.iterdir())
    assert tree.is_changed


def test_a_game_that_was_changed_before_the_index_was_made(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    tree = with_variation(opened(path), 2)
    path.write_text(THREE.replace("1. d4 d5", "1. d3 d5"))
    with pytest.raises(ValueError, match=r"games\.pgn: the file has changed since it was opened"):
        save_tree(opened(path), tree)
    assert "1. d3 d5" in path.read_text()


def test_a_program_that_writes_meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    index = opened(path)
    tree, whole = with_variation(index, 1), save.write_whole

    def write_late(target, parts):
        def slow():
            yield from parts_before
            with path.open("a") as file:
                file.write("\n\n1. h4 *\n")
            yield from parts

        parts = iter(parts)
        parts_before = [next(parts)]
        whole(target, slow())

    monkeypatch.setattr(save, "write_whole", write_late)
    with pytest.raises(ValueError, match="the file has changed since it was opened"):
        save_tree(index, tree)
    assert path.read_text() == THREE + "\n\n1. h4 *\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.pgn"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails(tmp_path, monkeypatch, number, call):
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    index = opened(path)
    tree = with_variation(index, 2)

    def fail(*_arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(*((os, "fsync", fail) if call == "fsync" else (Path, "replace", fail)))
    with pytest.raises(ValueError, match=rf"games\.pgn: {os.strerror(number)}; nothing was changed"):
        save_tree(index, tree)
    assert path.read_text() == THREE
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.pgn"]
    monkeypatch.undo()
    save_tree(index, tree)
    assert "tried" in path.read_text()


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.pgn import save
from engine.pgn.index import GameIndex

def counted(function, step):
    def call(*arguments, **options):
        counted.calls += 1
        if counted.calls == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call

path = Path(sys.argv[1])
before = path.read_bytes()
for step in range(1, 6):
    path.write_bytes(before)
    child = os.fork()
    if not child:
        counted.calls = 0
        os.fsync, Path.replace = counted(os.fsync, step), counted(Path.replace, step)
        save._chunks = counted(save._chunks, step)
        save.save_game(GameIndex(path), 2, "1. h4 *")
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    print(ascii(path.read_text()))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_process_that_is_killed(tmp_path):
    """Killed at any moment: the file is the old one or the new one."""
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, timeout=100, check=True
    )
    contents = done.stdout.split("\n")
    assert contents[:4] == [ascii(THREE)] * 4
    assert contents[4] == ascii(path.read_text()) != ascii(THREE)
    assert "1. h4 *\\n[Event" in contents[4]


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(THREE.encode("latin-1") + b'\n\n[White "x"]\n\n1. e4 hello e5 *\n')
    before, index = path.read_bytes(), opened(path)
    tree = with_variation(index, 1)
    tree.node(tree.add(0, "d2d4")).comment = "Ω"
    with pytest.raises(ValueError, match=r"games\.pgn: '\\u03a9' cannot be written in LATIN-1, as the file is"):
        save_tree(index, tree)
    with pytest.raises(ValueError, match=r"games\.pgn, game 4: it holds text that is no move and would be lost"):
        save_tree(index, GameTree.of(index.game(4)))
    for other in (GameTree.of("1. e4 *"), GameTree.empty()):
        with pytest.raises(ValueError, match=r"the game is not of .*games\.pgn; save a copy instead"):
            save_tree(index, other)
    for text in ("My notes", "1. e4 *\n\n1. d4 *", "1. e4 {", '[White "a"]\n[White "b"]\n\n*', ""):
        with pytest.raises(ValueError, match=r"games\.pgn, game 2: it would not be read as one game any more"):
            save_game(index, 2, text)
    assert path.read_bytes() == before


def test_files_that_may_not_be_written(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(THREE)
    index = opened(path)
    path.chmod(stat.S_IREAD)
    try:
        with pytest.raises(ValueError, match=r"games\.pgn: the file is read-only; nothing was changed"):
            save_tree(index, with_variation(index, 1))
    finally:
        path.chmod(stat.S_IREAD | stat.S_IWRITE)
    assert path.read_text() == THREE
    index.path = None
    with pytest.raises(ValueError, match=r"games\.pgn: it is no file that can be written"):
        save_game(index, 1, "1. e4 *")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "games.pgn", tmp_path / "link.pgn"
    path.write_text(THREE)
    path.chmod(0o640)
    link.symlink_to(path)
    index = opened(link)
    save_tree(index, with_variation(index, 3))
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "tried" in path.read_text()
