"""What was judged stays, whatever becomes of the file."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config.options import Options
from engine.review.judged import DEEP, Judged, Rival, Worth
from engine.review.kept import KeptReview, game_digest, remove_old, reviews_folder, settings_key
from engine.review.plan import Plan
from engine.search.clock import Limits
from movegen import Position

START = Position()
CODES = [START.code("e4"), START.play("e4").code("e5"), START.play_all("e4 e5").code("Nf3")]
NAMES = (("white", "e2e4", "e4"), ("black", "e7e5", "e5"), ("white", "g1f3", "Nf3"))


def worth(index):
    row = {"uci": "e2e4", "san": "e4", "n": 5, "share": 0.5, "q": 0.25, "wdl": [1, 2, 997], "proven": None}
    return Worth(round(0.1 * index + 0.123456, 6), None, 100 + index, "e2e4", "e4", ["e2e4"], ["e4"], (row,))


def judged(ply):
    turn, uci, san = NAMES[ply]
    return Judged(ply, ply // 2 + 1, turn, uci, san, worth(ply), worth(ply + 1))


MOVES = [judged(ply) for ply in range(3)]


def opened(folder, **settings):
    return KeptReview.open("game", "settings", folder=folder, **settings)


def filled(folder):
    kept = opened(folder)
    for move in MOVES:
        kept.add(move)
    return kept


def test_what_is_kept_is_read_again(tmp_path):
    kept = filled(tmp_path)
    assert opened(tmp_path).judged(START, CODES) == kept.judged(START, CODES) == MOVES
    lines = [json.loads(line) for line in kept.path.read_text().splitlines()]
    assert [line.get("position") for line in lines] == [None, 0, 1, 2, 3]
    assert lines[0]["schema"] == "teresa-kept-review/1"
    size = kept.path.stat().st_size
    for move in MOVES:
        kept.add(move)
    assert kept.path.stat().st_size == size  # nothing was new
    assert (kept.remark, kept.ignored) == ("", 0)


def test_later_lines_replace_earlier_ones(tmp_path):
    kept = filled(tmp_path)
    rival = Rival("d2d4", "d4", 0.2, 50)
    kept.add(replace(MOVES[1], rival=rival))
    assert opened(tmp_path).judged(START, CODES)[1].rival == rival
    deep = replace(worth(1), score=0.7, depth_pass=DEEP)
    kept.add(replace(MOVES[1], before=deep))
    found = opened(tmp_path).judged(START, CODES)
    assert found[1].before == found[0].after == deep
    assert found[1].rival is None  # it was that of the shorter search


def test_notes_stay_when_a_game_is_judged_anew(tmp_path):
    kept = filled(tmp_path)
    kept.note("exercise", 1, {"solved": False})
    kept.note("exercise", 1, {"solved": True, "hints": 2})
    fresh = opened(tmp_path, fresh=True)
    assert fresh.judged(START, CODES) == []
    again = opened(tmp_path)
    assert again.notes("exercise") == {1: {"solved": True, "hints": 2}}
    assert again.notes("other") == {}
    again.add(MOVES[0])
    assert opened(tmp_path).judged(START, CODES) == MOVES[:1]


def test_a_file_cut_or_damaged_anywhere(tmp_path):
    """The lines before the damage count; what is added later is not lost by it."""
    whole = filled(tmp_path).path.read_bytes()
    path = opened(tmp_path).path
    for place in range(0, len(whole), 41):
        for content in (whole[:place], whole[:place] + b"\xff" + whole[place + 1 :]):
            path.write_bytes(content)
            kept = opened(tmp_path)
            found = kept.judged(START, CODES)
            assert found == MOVES[: len(found)]
            is_line_end = content in (b"", whole) or (content == whole[:place] and content.endswith(b"\n"))
            assert is_line_end or kept.ignored or len(content) < len(whole)
            for move in MOVES:
                kept.add(move)
            assert opened(tmp_path).judged(START, CODES) == MOVES


@pytest.mark.parametrize(
    "content", [b"My notes\n", b"\x00" * 50, b"[1, 2]\n[3]\n", b"[" * 5000, b'{"schema": "other/1", "check": 1}\n\n']
)
def test_files_of_others_are_replaced_and_named(tmp_path, content):
    path = opened(tmp_path).path
    path.write_bytes(content)
    kept = opened(tmp_path)
    assert kept.judged(START, CODES) == []
    assert kept.ignored
    assert str(path) in kept.remark
    kept.add(MOVES[0])
    assert opened(tmp_path).remark == ""
    assert opened(tmp_path).judged(START, CODES) == MOVES[:1]


def test_sound_lines_that_say_nonsense_are_ignored(tmp_path):
    kept = filled(tmp_path)
    nonsense = [{"position": 1}, {"position": 0, "worth": {}}, {"rival": "x", "move": {}}, {"note": 1}, {}]
    kept._write([*nonsense, {"position": 2, "worth": {**worth(2).whole(), "score": 7}}])
    found = opened(tmp_path)
    assert found.ignored == 6
    assert found.judged(START, CODES) == MOVES


def test_what_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    kept = opened(tmp_path / "file")
    kept.add(MOVES[0])
    assert "what is judged is not kept" in kept.remark
    assert kept.judged(START, CODES) == MOVES[:1]
    (tmp_path / "game-settings.jsonl").mkdir()
    closed = opened(tmp_path)
    assert str(tmp_path) in closed.remark
    closed.add(MOVES[0])


def test_two_processes_at_once(tmp_path, environment):
    """Each adds all moves, many times; every line is whole."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom tests.engine.review.test_kept import MOVES, opened, replace\n"
        "for number in range(20):\n"
        "    kept = opened(Path(sys.argv[1]))\n"
        "    kept.note(sys.argv[2], number, {})\n"
        "    kept.add(MOVES[number % 3])\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path)]
    both = [subprocess.Popen([*words, name], env={**environment, "PYTHONPATH": str(Path.cwd())}) for name in "ab"]
    assert [process.wait(120) for process in both] == [0, 0]
    kept = opened(tmp_path)
    assert kept.ignored == 0
    assert [sorted(kept.notes(name)) for name in "ab"] == [list(range(20))] * 2
    assert kept.judged(START, CODES) == MOVES


def test_the_folder_is_bounded(tmp_path):
    for number in range(6):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"x" * 100)
        os.utime(path, (1000 + number, 1000 + number))
    (tmp_path / "other.txt").write_bytes(b"x" * 1000)
    os.utime(tmp_path / "0.jsonl", (2000, 2000))  # used again
    remove_old(tmp_path, 350)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.jsonl", "4.jsonl", "5.jsonl", "other.txt"]


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "a"))
    monkeypatch.setenv("TERESA_CACHE_DIR", str(tmp_path / "b"))
    assert reviews_folder() == tmp_path / "a"
    monkeypatch.delenv("TERESA_REVIEW_DIR")
    assert reviews_folder() == tmp_path / "b" / "reviews"
    monkeypatch.delenv("TERESA_CACHE_DIR")
    assert reviews_folder().name == "reviews"


def test_what_the_keys_tell_apart(tmp_path):
    """Moves and start, not headers; the plan, the network and the options that change a search."""
    other_start = Position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 9")
    games = [game_digest(START, CODES), game_digest(START, CODES[:2]), game_digest(other_start, CODES)]
    games.append(game_digest(Position(chess960=True), CODES))
    assert len({*games}) == 4
    assert game_digest(Position(), list(CODES)) == games[0]
    options, plan = Options(), Plan.default()
    (tmp_path / "net").write_bytes(b"x")
    variants = [replace(options, seed=2), replace(options, puct_c=1), replace(options, eval_file=str(tmp_path / "net"))]
    keys = [settings_key(one, plan) for one in (options, *variants)]
    keys += [settings_key(options, Plan.of(Limits(nodes=n))) for n in (10_000, 20_000)]
    assert len({*keys}) == 6
    assert settings_key(replace(options, hash_megabytes=1, threads=2, show_wdl=True, seed=1), plan) == keys[0]
    with pytest.raises(ValueError, match="nowhere"):
        settings_key(replace(options, eval_file=str(tmp_path / "nowhere")), plan)
