"""What `go` means for the player to move."""

import pytest

from engine.clock import Limits
from engine.commands import read_go

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


def test_moves_to_search_end_where_another_word_begins():
    go = read_go(["searchmoves", "e2e4", "d2d4", "nodes", "5", "ponder"])
    assert go.wished == ["e2e4", "d2d4"]
    assert go.limits(white_to_move=True) == Limits(nodes=5, ponder=True)
