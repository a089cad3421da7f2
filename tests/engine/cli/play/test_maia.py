"""`teresa play --maia`: which file, how it plays, and what is refused."""

import argparse

import pytest

from engine.cli.play.maia import keep_maia, limits_of_opponent, maia_file, set_chance, set_maia
from engine.cli.play.played_game import engine_maia, engine_side, new_pgn
from engine.cli.play.searches import Hints, Opponent
from engine.config.options import Options
from engine.mcts.queue import NetQueue
from engine.search.clock import Limits
from engine.search.resources import Resources
from movegen import Position
from tests.engine.mcts.outside import Scattered


@pytest.fixture(autouse=True)
def _with_the_extra(monkeypatch):
    monkeypatch.setattr("engine.cli.play.maia.check_extra", lambda _: None)


def arguments_of(**values):
    return argparse.Namespace(**{"maia": 1500, "weights": None, "elo": None, "seconds": None, "visits": None, **values})


def test_the_file_is_named_or_in_the_folder(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"there is no maia-1500\.pb\.gz in .*maia-chess"):
        maia_file(1500, str(tmp_path))
    for name in ("maia-1500.onnx", "maia-1500.pb.gz", "other.pb"):
        (tmp_path / name).touch()
        expected = "maia-1500.onnx" if name == "maia-1500.onnx" else "maia-1500.pb.gz"
        assert maia_file(1500, str(tmp_path)).name == expected
    assert maia_file(1500, str(tmp_path / "other.pb")).name == "other.pb"
    monkeypatch.chdir(tmp_path)
    assert maia_file(1500, None).name == "maia-1500.pb.gz"


@pytest.mark.parametrize("rating", [0, 1000, 1550, 2000, -1100])
def test_other_ratings_are_refused(rating):
    with pytest.raises(ValueError, match="1100, 1200 … 1900"):
        maia_file(rating, None)


def test_the_arguments(tmp_path):
    (tmp_path / "maia-1500.pb").touch()
    arguments = arguments_of(weights=str(tmp_path))
    set_maia(arguments)
    assert arguments.weights == str(tmp_path / "maia-1500.pb")
    with pytest.raises(ValueError, match="two ratings"):
        set_maia(arguments_of(elo=1500))
    usual = Limits(move_time=1000)
    assert limits_of_opponent(arguments_of(), usual) == Limits(nodes=1)
    assert limits_of_opponent(arguments_of(visits=30), Limits(nodes=30)) == Limits(nodes=30)
    assert limits_of_opponent(arguments_of(maia=None), usual) == usual


def test_the_temperature():
    options = Options()
    set_chance(options, None)
    assert options.temperature == 0
    set_chance(options, 0.75)
    assert options.temperature == 750
    for wrong in (-0.1, 10.1, 1e9):
        with pytest.raises(ValueError, match="from 0 to 10"):
            set_chance(options, wrong)


def test_why_says_how_likely_the_move_was_and_what_a_search_says():
    resources = Resources()
    resources.queue = NetQueue(Scattered())
    hints = Hints(Limits(nodes=60), Resources(), type("NoTerminal", (), {"is_terminal": False})())
    opponent = Opponent(Options(hash_megabytes=1), Limits(nodes=1), resources, hints)
    position = Position()
    code = opponent.choose([position], [])
    _, priors = Scattered.judge(position.board, position.move_codes)
    assert priors[position.move_codes.index(code)] == priors.max()
    first, *search = opponent.explain(None)
    assert first == f"scattered: {position.san(code)} is move #1 there, {priors.max():.1%}, without a search"
    assert "visits" in search[0]
    assert "60 visits" in opponent.explain("a2a3", None)[1]


def test_a_game_goes_on_with_the_network_it_was_played_with(tmp_path):
    game = new_pgn(Position(), "white", "Me", None, 1500)
    assert game.headers["Black"].endswith(", Maia 1500")
    assert (engine_side(game), engine_maia(game)) == ("black", 1500)
    assert engine_maia(new_pgn(Position(), "white", "Me", None)) is None
    file = tmp_path / "net.pb"
    file.touch()
    for given in ({}, {"weights": str(tmp_path)}, {"weights": str(file)}, {"elo": 1500}):
        arguments = arguments_of(**{"maia": None, **given})
        keep_maia(arguments, 1500)
        is_named_otherwise = "elo" in given or given.get("weights") == str(file)
        assert arguments.maia == (None if is_named_otherwise else 1500)
    keep_maia(arguments := arguments_of(maia=1100), 1500)
    assert arguments.maia == 1100
