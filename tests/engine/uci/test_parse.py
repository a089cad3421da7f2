"""Lines of text as data."""

import pytest

from engine.search.clock import Limits
from engine.uci.parse import Question, is_search, option_of, read_command, read_go, read_position, read_question
from movegen.fen import START_FEN

KNOWN = {"go", "setoption", "savetree", "position", "d"}


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
    command, unknown = read_command(line, 7.0, KNOWN)
    assert (command.name, command.arguments, command.moment) == (name, arguments, 7.0)
    assert unknown == skipped


@pytest.mark.parametrize("line", ["", " \r\n", "dance now"])
def test_lines_without_a_command(line):
    assert read_command(line, 0.0, KNOWN) == (None, line.split())


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
    assert option_of(read_command(text, 0.0, KNOWN)[0]) == option


@pytest.mark.parametrize(("text", "expected"), [("go", True), ("go perft", True), ("go perft 3", False), ("d", False)])
def test_what_asks_for_a_move(text, expected):
    assert is_search(read_command(text, 0.0, KNOWN)[0]) == expected


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
    assert read_position(["startpos", "moves", "e2e4"]) == (START_FEN, ["e2e4"])
    assert read_position(["fen", "8/8", "w", "moves"]) == ("8/8 w", [])
    assert read_question([]) == Question(None, None)
    assert read_question(["not", "e4", "300"]) == Question("e4", 300)
    for wrong in ("not", "e4 0", "e4 x", "e4 1 2"):
        with pytest.raises(ValueError, match=r"must|not understood"):
            read_question(wrong.split())
