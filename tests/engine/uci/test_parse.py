"""Lines of text as data."""

import pytest

from engine.search.clock import Limits
from engine.uci.parse import (
    LARGEST_NUMBER,
    WhyQuestion,
    is_search,
    option_of,
    read_command,
    read_go,
    read_number,
    read_option,
    read_question,
    read_start_and_moves,
)
from movegen.fen import START_FEN


@pytest.mark.parametrize(
    ("line", "name", "arguments", "skipped"),
    [
        ("go nodes 5\r\n", "go", ["nodes", "5"], []),
        ("  please  go   nodes 5", "go", ["nodes", "5"], ["please"]),
        ("savetree  two  blanks.npz \n", "savetree", ["two  blanks.npz"], []),
        ("oh savetree --force  a  b", "savetree", ["--force  a  b"], ["oh"]),
        ("savetree", "savetree", [], []),
        ("setoption name Log File value  a  b ", "setoption", ["name", "Log", "File", "value", "a  b"], []),
        ("setoption name Clear Hash", "setoption", ["name", "Clear", "Hash"], []),
        ("setoption name X value", "setoption", ["name", "X", "value"], []),
        ("d savetree a  b", "d", ["savetree", "a", "b"], []),
    ],
)
def test_commands(line, name, arguments, skipped):
    command, unknown = read_command(line, 7.0)
    assert (command.name, command.arguments, command.moment) == (name, arguments, 7.0)
    assert unknown == skipped


@pytest.mark.parametrize("line", ["", " \r\n", "dance now"])
def test_lines_without_a_command(line):
    assert read_command(line, 0.0) == (None, line.split())


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("setoption name Explorer Port value 3", "explorer port"),
        ("setoption", ""),
        ("setoption name value 3", ""),
        ("go explorer", ""),
    ],
)
def test_the_option_of_a_command(text, option):
    assert option_of(read_command(text, 0.0)[0]) == option


@pytest.mark.parametrize(("text", "expected"), [("go", True), ("go perft", True), ("go perft 3", False), ("d", False)])
def test_what_asks_for_a_move(text, expected):
    assert is_search(read_command(text, 0.0)[0]) == expected


def test_limits_of_the_player_to_move():
    text = "wtime 1000 btime 2000 winc 10 binc 20 movestogo 5 searchmoves e2e4 d2d4 ponder"
    go = read_go(text.split())
    assert go.search_moves == ["e2e4", "d2d4"]
    assert go.limits(white_to_move=True) == Limits(time_left=1000, increment=10, moves_to_go=5, ponder=True)
    assert go.limits(white_to_move=False) == Limits(time_left=2000, increment=20, moves_to_go=5, ponder=True)
    assert read_go([]).limits(white_to_move=True) == Limits(infinite=True)
    assert read_go(["mate", "0"]).limits(white_to_move=True) == Limits(mate=1)
    assert read_go(["nodes", "9" * 30]).limits(white_to_move=True) == Limits(nodes=10**15)
    assert len(read_go(["wtime", "x", "dance", "depth"]).complaints) == 3


CLOCKS = "wtime 60000 btime 30000 winc 1000 binc 500 movestogo 20"


@pytest.mark.parametrize(
    ("text", "white", "black"),
    [
        (CLOCKS, Limits(60_000, 1000, 20), Limits(30_000, 500, 20)),
        ("wtime 300", Limits(300), Limits(300)),  # one clock is both clocks
        ("btime 300 winc 10", Limits(300, 10), Limits(300, 0)),
        ("wtime -5 btime 0", Limits(-5), Limits(0)),
        ("ponder wtime 100 btime 200", Limits(100, ponder=True), Limits(200, ponder=True)),
    ],
)
def test_each_player_has_a_clock(text, white, black):
    go = read_go(text.split())
    assert (go.limits(white_to_move=True), go.limits(white_to_move=False)) == (white, black)
    assert go.complaints == []


@pytest.mark.parametrize(
    ("text", "expected", "complaints"),
    [
        ("", Limits(infinite=True), 0),
        ("ponder", Limits(infinite=True, ponder=True), 0),
        ("nodes 0 depth -3 mate 0", Limits(nodes=1, depth=1, mate=1), 0),
        ("movetime 0", Limits(move_time=0), 0),
        ("movetime infinite nodes 7", Limits(nodes=7, infinite=True), 1),
        ("movetime x nodes 7", Limits(nodes=7), 1),
        ("nodes depth 3", Limits(depth=3), 1),
        ("depth 3 nodes", Limits(depth=3), 1),
        ("depth 3 hurry 5", Limits(depth=3), 2),
        ("movestogo 5", Limits(moves_to_go=5, infinite=True), 0),
    ],
)
def test_limits(text, expected, complaints):
    go = read_go(text.split())
    assert go.limits(white_to_move=True) == expected
    assert len(go.complaints) == complaints


def test_moves_to_search_end_at_the_next_keyword():
    go = read_go(["searchmoves", "e2e4", "d2d4", "nodes", "5", "ponder"])
    assert go.search_moves == ["e2e4", "d2d4"]
    assert go.limits(white_to_move=True) == Limits(nodes=5, ponder=True)


def test_positions_and_questions():
    assert read_start_and_moves(["startpos", "moves", "e2e4"]) == (START_FEN, ["e2e4"])
    assert read_start_and_moves(["fen", "8/8", "w", "moves"]) == ("8/8 w", [])
    assert read_question([]) == WhyQuestion(None, None)
    assert read_question(["not", "e4", "300"]) == WhyQuestion("e4", 300)
    for wrong in ("not", "e4 0", "e4 x", "e4 1 2"):
        with pytest.raises(ValueError, match=r"must|not understood"):
            read_question(wrong.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("17", 17),
        ("-17", -17),
        ("+17", 17),
        ("007", 7),
        (str(LARGEST_NUMBER), LARGEST_NUMBER),
        (str(LARGEST_NUMBER + 1), LARGEST_NUMBER),
        (f"-{LARGEST_NUMBER + 1}", -LARGEST_NUMBER),
        ("9" * 5000, LARGEST_NUMBER),
        ("-" + "9" * 5000, -LARGEST_NUMBER),
        ("", None),
        ("-", None),
        ("+", None),
        ("1.5", None),
        ("1e3", None),
        ("--1", None),
        ("1-", None),
        ("x1", None),
        ("٣", None),  # a digit, but not of this protocol
        ("²", None),
    ],
)
def test_numbers(text, expected):
    assert read_number(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name Hash value 16", ("Hash", "16")),
        ("name Clear Hash", ("Clear Hash", "")),
        ("name Log File value", ("Log File", "")),
        ("name A value b value c", ("A", "b value c")),
        ("name name value x", ("name", "x")),
        ("", "'name' must follow"),
        ("Hash value 16", "'name' must follow"),
        ("value name", "'name' must follow"),
        ("name", "the name is missing"),
        ("name value 16", "the name is missing"),
    ],
)
def test_options(text, expected):
    if isinstance(expected, tuple):
        assert read_option(text.split()) == expected
    else:
        with pytest.raises(ValueError, match=f"^{expected}$"):
            read_option(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("startpos", (START_FEN, [])),
        ("startpos moves", (START_FEN, [])),
        ("startpos moves e2e4 e7e5", (START_FEN, ["e2e4", "e7e5"])),
        ("fen 8/8 w - - 0 1 moves a b", ("8/8 w - - 0 1", ["a", "b"])),
        ("fen", ("", [])),
        ("fen moves e2e4", ("", ["e2e4"])),
        ("startpos e2e4", "'e2e4' after startpos is not understood"),
        ("startpos e2e4 moves e7e5", "'e2e4' after startpos is not understood"),
        ("startpos " + "x" * 99, f"'{'x' * 40}' after startpos is not understood"),
        ("", "'startpos' or 'fen' must follow"),
        ("moves e2e4", "'startpos' or 'fen' must follow"),
        ("8/8 w", "'startpos' or 'fen' must follow"),
    ],
)
def test_positions(text, expected):
    if isinstance(expected, tuple):
        assert read_start_and_moves(text.split()) == expected
    else:
        with pytest.raises(ValueError, match=f"^{expected}$"):
            read_start_and_moves(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", WhyQuestion(None, None)),
        ("e4", WhyQuestion("e4", None)),
        ("not e4", WhyQuestion("e4", None)),
        ("e4 1", WhyQuestion("e4", 1)),
        ("not e4 250", WhyQuestion("e4", 250)),
        ("not", "a move must follow"),
        ("e4 0", "visits must be a whole number of at least 1, not '0'"),
        ("not e4 -5", "visits must be a whole number of at least 1, not '-5'"),
        ("e4 many", "visits must be a whole number of at least 1, not 'many'"),
        ("e4 1 2", "'2' is not understood: a move and a number of visits may follow"),
        ("not e4 1 2 3", "'2' is not understood: a move and a number of visits may follow"),
    ],
)
def test_questions(text, expected):
    if isinstance(expected, WhyQuestion):
        assert read_question(text.split()) == expected
    else:
        with pytest.raises(ValueError, match=f"^{expected}$"):
            read_question(text.split())


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("wtime x", ["wtime needs a whole number, skipped"]),
        ("nodes", ["nodes needs a whole number, skipped"]),
        ("nodes depth 3", ["nodes needs a whole number, skipped"]),
        ("movetime infinite", ["movetime needs a whole number, skipped"]),
        ("dance " + "y" * 99, ["'dance' is not understood, skipped", f"'{'y' * 40}' is not understood, skipped"]),
        ("searchmoves nonsense ponder", []),  # which moves are legal is seen later
    ],
)
def test_complaints(text, complaints):
    assert read_go(text.split()).complaints == complaints


@pytest.mark.parametrize(
    ("text", "moves", "limits"),
    [
        ("searchmoves", [], Limits(infinite=True)),
        ("searchmoves e2e4 infinite", ["e2e4"], Limits(infinite=True)),
        ("searchmoves e2e4 depth 4 searchmoves d2d4", ["e2e4", "d2d4"], Limits(depth=4)),
        ("perft 4 searchmoves a2a3", ["a2a3"], Limits(infinite=True)),
        ("movetime 70 mate 3 movestogo 9", [], Limits(move_time=70, mate=3, moves_to_go=9)),
        ("wtime 5 wtime 7", [], Limits(7)),  # the last one counts
    ],
)
def test_more_limits(text, moves, limits):
    go = read_go(text.split())
    assert (go.search_moves, go.limits(white_to_move=True)) == (moves, limits)
    assert go.perft == (4 if "perft" in text else None)


def test_the_sides_are_never_mixed_up():
    """Every subset of the four numbers, for both sides."""
    names = ("wtime", "btime", "winc", "binc")
    for mask in range(16):
        values = {name: 100 + index for index, name in enumerate(names) if mask >> index & 1}
        go = read_go([word for name, value in values.items() for word in (name, str(value))])
        for is_white, own, other in ((True, "w", "b"), (False, "b", "w")):
            limits = go.limits(white_to_move=is_white)
            assert limits.time_left == values.get(f"{own}time", values.get(f"{other}time"))
            assert limits.increment == values.get(f"{own}inc", 0)
            assert limits.infinite == (not {"wtime", "btime"} & set(values))
