import argparse

import pytest

from engine.cli.arguments import (
    add_limits,
    add_position,
    asked_position,
    engine_options,
    opened,
    positive_number,
    seconds_of,
)
from engine.config.options import Options


def parsed(add, *words):
    parser = argparse.ArgumentParser()
    add(parser)
    return parser.parse_args(words)


def limits(parser):
    add_limits(parser, 1, "each position", old_names=True)


@pytest.mark.parametrize(
    ("words", "seconds", "visits"),
    [
        ([], 1, None),
        (["--seconds", "2.5"], 2.5, None),
        (["--movetime", "2500"], 2.5, None),
        (["--visits", "7"], None, 7),
        (["--nodes", "7"], None, 7),
        (["--seconds", "3", "--visits", "7"], 3, 7),
    ],
)
def test_limits_have_one_name_and_keep_the_old_ones(words, seconds, visits):
    options = parsed(limits, *words)
    assert (seconds_of(options, 1), options.visits) == (seconds, visits)


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        (float, "0", "more than 0"),
        (float, "-1", "more than 0"),
        (float, "nan", "more than 0"),
        (float, "inf", "at most 1,000,000"),
        (float, "1e300", "at most 1,000,000"),
        (int, "0", "more than 0"),
        (int, "9" * 30, "at most 1,000,000,000,000"),
        (int, "9" * 400, "at most 1,000,000,000,000"),
        (int, "-" + "9" * 400, "more than 0"),
        (float, "9" * 400, "at most 1,000,000"),
    ],
)
def test_numbers_out_of_range(kind, text, reason):
    with pytest.raises(argparse.ArgumentTypeError, match=reason):
        positive_number(kind)(text)


@pytest.mark.parametrize("words", [["--seconds", "x"], ["--visits", "1.5"], ["--movetime", "0"]])
def test_words_that_are_no_numbers(words, capsys):
    with pytest.raises(SystemExit):
        parsed(limits, *words)
    assert f"argument {words[0]}" in capsys.readouterr().err.replace("--visits/--nodes", "--visits")


def test_a_position_by_words(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes('[White "ü"]\n\n1. e4 *\n\n1. d4 d5 *\n'.encode("utf-16"))
    options = parsed(add_position, str(path), "--game", "2", "--ply", "1", "--encoding", "utf-16")
    assert opened(asked_position(options, chess960=False)).fen().startswith("rnbqkbnr/pppppppp/8/8/3P4")
    options = parsed(add_position, *["7k/8/8/8/8/8/R7/K7", "w", "-", "-", "3", "4"])
    assert opened(asked_position(options, chess960=False)).fen() == "7k/8/8/8/8/8/R7/K7 w - - 3 4"


def test_a_wrong_setting_is_named_as_it_was_given():
    options = argparse.Namespace(hash=16, threads=0, elo=None)
    with pytest.raises(ValueError, match="--threads: must be"):
        engine_options(options)
    options.threads = 2
    settings = engine_options(options, Options(move_overhead=0))
    assert [settings.value(name) for name in ("Hash", "Threads", "Move Overhead")] == [16, 2, 0]
