"""This engine as a player: its options, its files, repeatable games."""

import os
import shutil

import chess.polyglot
import pytest

from engine.config.options import OPTIONS
from engine.match.adjudication import Adjudication
from engine.match.open_players import check_players, open_player
from engine.match.openings import Opening
from engine.match.own_player import OwnPlayer, own_options
from engine.match.pairs import Table
from engine.match.player import Clock, PlayerSpec, TimeControl
from engine.match.player_files import open_resources
from engine.match.roster import REFUSED, own_player_spec, read_player
from engine.network.weights_file import SHIPPED
from movegen import Position
from tests.engine.match.test_uci_player import OPENINGS

CLOCKS = {"white": Clock(0.0), "black": Clock(0.0)}


def test_the_engine_as_it_is():
    spec = read_player("default", "A")
    assert (spec.name, spec.options, spec.command) == ("A", {}, None)
    assert list(spec.checksums) == ["EvalFile"]
    assert spec.is_repeatable


def test_options_and_weights_in_one_text(tmp_path, monkeypatch):
    shutil.copy(SHIPPED, tmp_path / "new.net")
    monkeypatch.chdir(tmp_path)
    spec = read_player("puct c=600, new.net", "B", {"hash": "20"})
    assert spec.options == {"PUCT C": "600", "EvalFile": str(tmp_path / "new.net"), "Hash": "20"}
    assert spec.name == "B (puct c=600, new.net)"
    assert spec.checksums == read_player("default", "A").checksums  # the same content
    assert own_player_spec("C", {"EvalFile": "new.net"}).options == {"EvalFile": str(tmp_path / "new.net")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PUCT C=x", r"A \(PUCT C=x\): PUCT C: must be a whole number, not 'x'"),
        ("default,hash=99999999", r"\): Hash: must be from 1 to 65536"),
        ("Nothing=1", "no option is called"),
        ("no-such.net", "neither 'default', nor an option"),
        ("", "neither"),
        ("EvalFile=/nowhere/x.net", "/nowhere/x.net: No such file"),
        ("OwnBook=true,BookFile=/nowhere/x.bin", "/nowhere/x.bin: No such file"),
    ],
)
def test_bad_descriptions(text, reason):
    with pytest.raises(ValueError, match=f"{reason}"):
        read_player(text, "A")


@pytest.mark.parametrize("option", sorted(REFUSED))
def test_options_that_a_match_decides_are_refused(option):
    default = next(known for known in OPTIONS if known.name == option).default_text
    with pytest.raises(ValueError, match=f"A: {option}: "):
        own_player_spec("A", {option: default})


def test_memory_for_the_visits():
    assert own_options({}, 400).hash_megabytes == 16
    assert own_options({}, 10_000).hash_megabytes == 78
    assert own_options({}, 10**9).hash_megabytes == 256
    assert own_options({"Hash": "33"}, 400).hash_megabytes == 33


def test_several_threads_are_not_repeatable():
    assert not own_player_spec("A", {"Threads": "2"}).is_repeatable


def test_damaged_weights_are_found_beforehand(tmp_path):
    path = tmp_path / "new.net"
    path.write_bytes(SHIPPED.read_bytes()[:-1000])
    with pytest.raises(ValueError, match=r"A .*: EvalFile: "):
        check_players([read_player(str(path), "A")], is_local=False)


@pytest.mark.parametrize("control", [TimeControl(visits=10), TimeControl(clock=1.0)])
def test_weights_that_have_changed_are_refused(tmp_path, control):
    path = tmp_path / "new.net"
    shutil.copy(SHIPPED, path)
    spec = read_player(str(path), "A")
    path.write_bytes(SHIPPED.read_bytes() + b"x")
    open_resources.__globals__["_opened"].cache_clear()
    with pytest.raises(ValueError, match="is not what the games began with"):
        open_player(spec, control)


def test_another_shipped_network_is_refused():
    with pytest.raises(ValueError, match=r"teresa.net has changed: it is not what the games began with"):
        open_player(PlayerSpec("A", {}, None, {"EvalFile": "0" * 64}), TimeControl(visits=10))


def test_the_book_is_played(tmp_path):
    """A polyglot book with one move of the start position: a2a3, weight 1."""
    board = chess.Board()
    entry = chess.polyglot.zobrist_hash(board).to_bytes(8, "big") + (0o0020 | 0o1000).to_bytes(2, "big")
    path = tmp_path / "book.bin"
    path.write_bytes(entry + (1).to_bytes(2, "big") + bytes(4))
    spec = own_player_spec("A", {"OwnBook": "true", "BookFile": str(path)})
    assert set(spec.checksums) == {"EvalFile", "BookFile"}
    player = OwnPlayer(spec, visits=2)
    player.start_game(Position(), 1)
    assert player.choose(Position(), (), CLOCKS).move == "a2a3"


def test_damaged_books_and_missing_tables_are_found_beforehand(tmp_path):
    for options in ({"SyzygyPath": str(tmp_path)}, {"SyzygyPath": os.pathsep.join([str(tmp_path), "/nowhere"])}):
        with pytest.raises(ValueError, match="A: SyzygyPath: "):
            check_players([own_player_spec("A", options)], is_local=False)


def test_limited_strength_samples_moves_by_the_seed():
    spec = own_player_spec("A", {"UCI_LimitStrength": "true", "UCI_Elo": "450"})
    player, moves = OwnPlayer(spec, visits=20), []
    for seed in [*range(8), *range(8)]:
        player.start_game(Position(), seed)
        moves.append(player.choose(Position(), (), CLOCKS).move)
    assert moves[:8] == moves[8:]
    assert len(set(moves)) > 1


def games_of(first, second, openings=OPENINGS):
    with (table := Table([first, second], TimeControl(visits=8), Adjudication(most_plies=30))):
        for number, opening in enumerate(openings):
            table.play_pair(opening, number, seed=1)
    return table


@pytest.mark.thorough
def test_games_are_repeatable_in_any_order():
    """A pair does not depend on the pairs that the same players have played before."""
    first, second = read_player("default", "A"), read_player("Temperature=1000", "B")
    table = games_of(first, second)
    assert table.games == games_of(first, second).games
    with (other := Table([first, second], TimeControl(visits=8), Adjudication(most_plies=30))):
        other.play_pair(OPENINGS[2], 2, seed=1)
    assert other.games == table.games[4:]


def test_chess960_games_of_this_engine():
    opening = Opening("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1", ("b1a1",), chess960=True)
    table = games_of(read_player("default", "A"), read_player("default", "B"), [opening])
    assert '[Variant "Chess960"]' in table.games[0]
    assert "O-O-O" in table.games[0]
