import io
import random
import subprocess
import sys

import chess
import pytest

from engine.pgn.encoding import Encoding
from engine.pgn.game_file import GameFile, looks_like_games, split_games
from engine.pgn.positions import find_position
from movegen import Position

TWO = '[White "Müller"]\n\n1. e4 { très bien } e5 *\n\n[White "B"]\n\n1. d4 *\n'


def games_in(path, encoding=None):
    with GameFile(path, encoding) as file:
        return [found.read().game for found in file.games()], file.encoding


@pytest.mark.parametrize(
    ("codec", "expected"),
    [
        ("utf-8", Encoding("utf-8")),
        ("utf-8-sig", Encoding("utf-8", b"\xef\xbb\xbf")),
        ("latin-1", Encoding("latin-1")),
        ("utf-16", Encoding("utf-16-le", b"\xff\xfe")),
        ("utf-32", Encoding("utf-32-le", b"\xff\xfe\x00\x00")),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_encoding_is_found(tmp_path, codec, expected, newline):
    path = tmp_path / "games.pgn"
    path.write_bytes(TWO.replace("\n", newline).encode(codec))
    games, coding = games_in(path)
    assert [game.headers["White"] for game in games] == ["Müller", "B"]
    assert games[0].next().comment == "très bien"
    assert (coding.name, coding.mark, coding.newline) == (expected.name, expected.mark, newline)
    assert coding.mark + coding.encode(TWO) == path.read_bytes()


def test_big_endian(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(b"\xfe\xff" + TWO.encode("utf-16-be"))
    games, coding = games_in(path)
    assert games[0].headers["White"] == "Müller"
    assert coding.mark + coding.encode(TWO) == path.read_bytes()


@pytest.mark.parametrize("codec", ["cp1250", "utf-16", "UTF8", "utf-8-sig", "cp437", "utf-16-be"])
def test_the_wish_overrides(tmp_path, codec):
    path = tmp_path / "games.pgn"
    path.write_bytes(TWO.replace("è", "é").encode(codec))
    games, coding = games_in(path, codec)
    assert games[0].headers["White"] == "Müller"
    assert coding.mark + coding.encode(TWO.replace("è", "é")) == path.read_bytes()


def test_latin_1_gives_back_every_byte(tmp_path):
    path = tmp_path / "games.pgn"
    content = b'[White "' + bytes(range(0x80, 0x100)) + b'"]\n\n*\n'
    path.write_bytes(content)
    with GameFile(path) as file:
        (found,) = file.games()
        assert file.encoding.encode(found.text) == content


@pytest.mark.parametrize(("codec", "content"), [("latin-1", b"caf\xe9"), ("utf-8", b"caf\xc3\xa9")])
def test_a_file_may_end_in_a_letter_with_an_accent(tmp_path, codec, content):
    """In Latin-1 such a letter is how a longer one of UTF-8 begins."""
    path = tmp_path / "games.pgn"
    path.write_bytes(b"1. e4 * ; " + content)
    with GameFile(path) as file:
        assert file.encoding.name == codec
        assert [found.text for found in file.games()] == ["1. e4 * ; café"]


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (b"", None, "there is no game in it"),
        (b"My notes\n", None, "there is no game in it"),
        (b"# Teresa\n\nA UCI chess engine; play e4 and d4.\n", None, "there is no game in it"),
        (b"\x00\x01\x02" * 100, None, "there is no game in it: it is no text"),
        (b"\xff\xfea", None, "not UTF-16-LE all through"),
        (b'[White "\xff"]', "utf-8", "not UTF-8 all through"),
        (b'[White "a"]', "klingon", "there is no encoding 'klingon'"),
        (b'[White "a"]', "hex", "there is no encoding 'hex'"),
    ],
)
def test_what_holds_no_game_is_refused(tmp_path, content, encoding, reason):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"notes\.txt: ") as caught:
        games_in(path, encoding)
    assert reason in str(caught.value)


def test_random_bytes_hold_no_game(tmp_path):
    rng, path = random.Random(14), tmp_path / "random"
    for _ in range(100):
        path.write_bytes(rng.randbytes(3000).replace(b"\0", b" "))
        with pytest.raises(ValueError, match=r"random: "):
            games_in(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"none\.pgn: No such file"):
        GameFile(tmp_path / "none.pgn")
    with pytest.raises(ValueError, match=str(tmp_path.name)):
        GameFile(tmp_path)


def texts(text):
    return [" ".join(block.split()) for block in split_games(io.StringIO(text))]


def test_games_are_parted():
    event = '[Event "{}"]'.format
    assert texts(f"{event(1)}\n\n1. e4 *\n\n{event(2)}\n\n1. d4 *") == [f"{event(1)} 1. e4 *", f"{event(2)} 1. d4 *"]
    # no blank line before the headers of the next game; several before the moves
    assert texts(f"{event(1)}\n1. e4 *\n{event(2)}\n\n\n\n1. d4 *") == [f"{event(1)} 1. e4 *", f"{event(2)} 1. d4 *"]
    # games without moves, games without headers
    assert texts(f"{event(1)}\n\n{event(2)}\n\n") == [event(1), event(2)]
    assert texts("1. e4 *\n\n1. d4 *\n\n") == ["1. e4 *", "1. d4 *"]
    # headers with a blank line between
    assert texts(f'{event(1)}\n\n[Site "x"]\n\n1. e4 *') == [f'{event(1)} [Site "x"] 1. e4 *']
    # blank lines and brackets in comments
    assert len(texts(f'{event(1)}\n\n1. e4 {{ a\n\n[Site "x"]\n\nb }} e5 *\n\n{event(2)}\n\n*')) == 2
    # a comment that is not closed ends with its game
    assert len(texts(f"{event(1)}\n\n1. e4 {{ oh\n\n{event(2)}\n\n*")) == 2
    # `;` hides brackets, `%` hides a line
    assert len(texts(f"{event(1)}\n\n1. e4 ; {{\n\n{event(2)}\n\n*")) == 2
    assert len(texts(f"{event(1)}\n\n1. e4\n% {{\n\n{event(2)}\n\n*")) == 2


def test_games_by_number(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("A letter.\n\n" + "".join(f'[Round "{n}"]\n\n1. e4 *\n\n' for n in range(1, 6)) + "Yours, X.\n")
    with GameFile(path) as file:
        assert file.game(3).read().game.headers["Round"] == "3"
        assert not file.game(1).number > 1
        assert file.game().number == 5
        assert file.has_other_text
        with pytest.raises(ValueError, match="it has 5 games, there is no game 6"):
            file.game(6)


@pytest.mark.thorough
def test_a_large_file_is_read_game_by_game(tmp_path):
    import tracemalloc

    path = tmp_path / "large.pgn"
    with path.open("w") as file:
        for number in range(20_000):
            file.write(f'[Event "{number}"]\n[White "A"]\n\n' + "1. e4 e5 2. Nf3 Nc6 " * 10 + "*\n\n")
    with GameFile(path) as file:
        tracemalloc.start()
        count = sum(1 for _ in file.games())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000 < path.stat().st_size / 2


# Positions


def test_positions_of_games_and_fens(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n")
    name = str(path)
    after = chess.Board()
    for move in ("e4", "e5", "Nf3"):
        after.push_san(move)
    assert find_position(name).open().position.fen() == after.fen()
    assert find_position(name, ply=0).open().position == Position()
    assert find_position(name, game=2, ply=1).open().position.fen().startswith("rnbqkbnr/pppppppp/8/8/3P4")
    assert find_position("").open().position == Position()
    assert find_position("7k/8/8/8/8/8/R7/K7 w - - 0 1").open().position.turn == "white"


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("1. e4 *", {"ply": 2}, "game 1: it has 1 half-moves, not 2"),
        ("1. e4 *", {"game": 2}, "it has one game, there is no game 2"),
        ("1. e4 *\n\n1. d4 Ke2 *", {"game": 2}, "game 2: 1... Ke2 is not a legal move"),
        ('[Variant "Atomic"]\n\n1. e4 *', {}, "game 1: Atomic is not played here"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', {}, "game 1: "),
    ],
)
def test_positions_that_are_not_there(tmp_path, text, options, reason):
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"games\.pgn") as caught:
        find_position(str(path), **options)
    assert reason in str(caught.value)


@pytest.mark.parametrize("options", [{"ply": 1}, {"game": 1}])
def test_plies_and_games_are_of_files(options):
    with pytest.raises(ValueError, match="is for PGN files"):
        find_position("", **options)


@pytest.mark.parametrize(
    ("text", "ply", "ending"),
    [
        ("1. f3 e5 2. g4 Qh4# 0-1", 3, "checkmate"),
        ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2", 7, "threefold repetition"),
        ('[FEN "7k/8/6QK/8/8/8/8/8 w - - 0 1"]\n\n1. Qf7 1/2-1/2', 0, "stalemate"),
    ],
)
def test_a_finished_game_opens_before_its_end(tmp_path, text, ply, ending):
    path = tmp_path / "over.pgn"
    path.write_text(text)
    opened = find_position(str(path)).open()
    assert opened.position == find_position(str(path), ply=ply).open().position
    assert not opened.position.is_game_over(claim_draw=True)
    assert f"the game is over: {ending}; this is the last position before it (--ply {ply})" in opened.remark
    assert not find_position(str(path), ply=ply).open().remark


def test_standard_input(tmp_path):
    code = (
        "from engine.pgn.game_file import GameFile\nwith GameFile('-') as file:\n print(file.game(2).text, file.name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=TWO.encode("latin-1"), capture_output=True, timeout=60, check=True
    )
    assert b"1. d4 *\n standard input" in done.stdout.replace(b"\r", b"")
    assert tmp_path.exists()


def test_what_looks_like_games():
    assert looks_like_games(TWO.encode())
    assert looks_like_games(TWO.encode("utf-16"))
    assert looks_like_games((TWO * 100).encode()[:4096])
    assert looks_like_games(("1. Nf3 Nf6 2. Ng1 Ng8 " * 500).encode()[:4096])
    assert not looks_like_games(b"My notes\n")
