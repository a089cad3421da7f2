"""Gomoku in the terminal."""

import pytest

from engine.__main__ import main


def play(monkeypatch, capsys, lines, *options):
    answers = iter(lines)

    def answer(_prompt):
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    status = main(["gomoku", "--size", "3", "--win", "3", "--visits", "300", "--seed", "1", *options])
    return status, capsys.readouterr().out


def test_a_game_to_its_end(monkeypatch, capsys):
    """A player that takes the first free square loses."""
    squares = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
    status, output = play(monkeypatch, capsys, squares)
    assert status == 0
    assert "You play X" in output
    assert output.splitlines()[-1] in ("Teresa wins.", "A draw.")
    assert "Not possible: square 0, 1 is not free" in output or "Teresa plays" in output


def test_the_engine_can_begin(monkeypatch, capsys):
    status, output = play(monkeypatch, capsys, ["quit"], "--second")
    assert status == 0
    assert output.splitlines()[1].startswith("Teresa plays")


def test_what_one_can_type(monkeypatch, capsys):
    status, output = play(monkeypatch, capsys, ["help", "undo", "z9", "a", "a99", "\u0663", "a1", "undo", "q"])
    assert status == 0
    assert output.count("Type a square") == 1 + 1 + 4
    assert "nothing to take back" in output
    assert output.count("Not possible") == 4
    boards = output.split("   a b c\n")
    assert boards[-1].startswith(" 1 . . .\n 2 . . .\n 3 . . .")  # after the undo


def test_end_of_input_ends_the_game(monkeypatch, capsys):
    assert play(monkeypatch, capsys, [])[0] == 0


@pytest.mark.parametrize(
    "options", [["--size", "2"], ["--win", "9"], ["--visits", "0"], ["--simulations", "0"], ["--size", "x"]]
)
def test_bad_options(options):
    with pytest.raises(SystemExit) as stop:
        main(["gomoku", *options])
    assert stop.value.code == 2
