"""One game: its end by the rules, by adjudication, by the clock, by a player that fails."""

import io

import chess
import chess.pgn
import pytest

from engine.match.adjudication import Adjudication
from engine.match.game import BLACK, WHITE, play_game
from engine.match.game_text import game_text
from engine.match.openings import Opening
from engine.match.player import TimeControl
from movegen import Position
from tests.engine.match.scripted import ScriptedPlayer

VISITS = TimeControl(visits=1)
NEVER = Adjudication()
FOOLS_WHITE, FOOLS_BLACK = ("f2f3", "g2g4"), ("e7e5", "d8h4")
KNIGHTS_WHITE, KNIGHTS_BLACK = ("g1f3", "f3g1") * 3, ("g8f6", "f6g8") * 3


def play(white, black, control=VISITS, rules=NEVER, start=None):
    controls = control if isinstance(control, dict) else {WHITE: control, BLACK: control}
    return play_game(start or Position(), {WHITE: white, BLACK: black}, controls, rules, seed=7)


def test_checkmate():
    white, black = ScriptedPlayer(FOOLS_WHITE, [-10, -30]), ScriptedPlayer(FOOLS_BLACK, [20, 29_999])
    game = play(white, black)
    assert (game.points, game.reason, game.forfeit, game.is_adjudicated) == (0.0, "checkmate", None, False)
    assert game.moves == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert game.scores == [-10, 20, -30, 29_999]
    assert white.watched == black.watched == game.moves
    assert (white.new_moves, black.new_moves) == ([0, 2], [1, 2])


def test_each_colour_has_its_seed():
    white, black = ScriptedPlayer(FOOLS_WHITE), ScriptedPlayer(FOOLS_BLACK)
    play(white, black)
    assert [white.starts[0][1], black.starts[0][1]] == [14, 15]


def test_threefold_repetition():
    game = play(ScriptedPlayer(KNIGHTS_WHITE), ScriptedPlayer(KNIGHTS_BLACK))
    assert (game.points, game.reason, len(game.moves)) == (0.5, "threefold repetition", 8)


@pytest.mark.parametrize("what", ["crash", "no answer", "time", "no move", "illegal move"])
@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_forfeits(what, colour):
    failing = ScriptedPlayer(["!" + what] if colour == WHITE else ["e7e5", "!" + what])
    other = ScriptedPlayer(["g1f3", "f3g1"])
    game = play(failing, other) if colour == WHITE else play(other, failing)
    assert game.points == (0.0 if colour == WHITE else 1.0)
    assert (game.forfeit, game.reason) == (what, f"{colour} loses: {what}")


@pytest.mark.parametrize("move", ["e2e5", "e7e5", "0000", "nonsense", ""])
def test_illegal_moves(move):
    game = play(ScriptedPlayer([move]), ScriptedPlayer())
    assert (game.points, game.forfeit, game.moves) == (0.0, "illegal move", [])


# Adjudication


def test_resigning_takes_several_moves():
    rules = Adjudication(resign_score=800, resign_moves=3)
    white = ScriptedPlayer(KNIGHTS_WHITE, [-799, -900, -800, -801])
    game = play(white, ScriptedPlayer(KNIGHTS_BLACK, [900]), rules=rules)
    assert (game.points, game.reason, game.is_adjudicated) == (0.0, "white resigns", True)
    assert len(game.moves) == 7


def test_black_resigns():
    rules = Adjudication(resign_score=300, resign_moves=2)
    game = play(ScriptedPlayer(KNIGHTS_WHITE, [0]), ScriptedPlayer(KNIGHTS_BLACK, [-300]), rules=rules)
    assert (game.points, game.reason, len(game.moves)) == (1.0, "black resigns", 4)


def test_a_player_without_scores_does_not_resign():
    rules = Adjudication(resign_score=0, resign_moves=1, draw_score=1000, draw_moves=1, draw_from=1)
    game = play(ScriptedPlayer(KNIGHTS_WHITE, [None]), ScriptedPlayer(KNIGHTS_BLACK, [None]), rules=rules)
    assert game.reason == "threefold repetition"


def test_draws_need_both_players_and_the_number_of_the_move():
    rules = Adjudication(draw_score=10, draw_moves=2, draw_from=3)
    level = play(ScriptedPlayer(KNIGHTS_WHITE, [10]), ScriptedPlayer(KNIGHTS_BLACK, [-10]), rules=rules)
    assert (level.points, level.reason, len(level.moves)) == (0.5, "draw by adjudication", 4)
    other = play(ScriptedPlayer(KNIGHTS_WHITE, [10]), ScriptedPlayer(KNIGHTS_BLACK, [-11]), rules=rules)
    assert other.reason == "threefold repetition"
    later = Adjudication(draw_score=10, draw_moves=1, draw_from=4)
    game = play(ScriptedPlayer(KNIGHTS_WHITE, [0]), ScriptedPlayer(KNIGHTS_BLACK, [0]), rules=later)
    assert len(game.moves) == 6  # White is about to make move 4


def test_numbers_of_moves_go_on_from_the_start():
    start = Position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 39")
    rules = Adjudication(draw_score=10, draw_moves=1, draw_from=40)
    game = play(ScriptedPlayer(["g1f3", "f3g1"], [0]), ScriptedPlayer(["g8f6", "f6g8"], [0]), rules=rules, start=start)
    assert (game.reason, len(game.moves)) == ("draw by adjudication", 2)


def test_length():
    game = play(ScriptedPlayer(KNIGHTS_WHITE), ScriptedPlayer(KNIGHTS_BLACK), rules=Adjudication(most_plies=5))
    assert (game.points, game.reason, len(game.moves)) == (0.5, "too long", 5)


# Clocks


def test_clock_arithmetic():
    """1 s + 0.1 s: 1 − 0.3 + 0.1 = 0.8, 0.8 − 0.84 (within the margin) → 0 + 0.1, 0.1 − 0.2 is too long."""
    white = ScriptedPlayer(KNIGHTS_WHITE, seconds=[0.3, 0.84, 0.2])
    black = ScriptedPlayer(KNIGHTS_BLACK, seconds=[0.1])
    game = play(white, black, TimeControl(clock=1.0, increment=0.1))
    assert (game.forfeit, game.points, len(game.moves)) == ("time", 0.0, 4)
    assert [clocks[WHITE].left for clocks in white.clocks] == pytest.approx([1.0, 0.8, 0.1])
    assert [clocks[BLACK].left for clocks in white.clocks] == pytest.approx([1.0, 1.0, 1.0])
    assert game.seconds == [0.3, 0.1, 0.84, 0.1]


def test_clocks_with_odds():
    """10 s + 0.1 s against a tenth of it: each player sees both clocks, and loses on its own."""
    control = TimeControl(clock=10.0, increment=0.1)
    white, black = ScriptedPlayer(KNIGHTS_WHITE, seconds=[2.0]), ScriptedPlayer(KNIGHTS_BLACK, seconds=[0.4, 0.4, 0.4])
    game = play(white, black, {WHITE: control, BLACK: control.times(0.1)})
    assert (game.forfeit, game.points, len(game.moves)) == ("time", 1.0, 5)
    assert [clock for clocks in white.clocks for clock in clocks[BLACK]] == pytest.approx(
        [1.0, 0.01, 0.61, 0.01, 0.22, 0.01]
    )
    assert [clock for clocks in black.clocks for clock in clocks[WHITE]] == pytest.approx(
        [8.1, 0.1, 6.2, 0.1, 4.3, 0.1]
    )


@pytest.mark.parametrize(
    ("control", "factor", "expected"),
    [
        (TimeControl(visits=400), 0.25, TimeControl(visits=100)),
        (TimeControl(visits=4), 0.01, TimeControl(visits=1)),
        (TimeControl(move_time=2.0), 0.5, TimeControl(move_time=1.0)),
        (TimeControl(clock=8.0, increment=0.5), 0.25, TimeControl(clock=2.0, increment=0.125)),
    ],
)
def test_odds(control, factor, expected):
    assert control.times(factor) == expected
    assert control.times(1.0) == control


def test_a_move_that_is_too_late_is_not_played():
    game = play(ScriptedPlayer(["e2e4"], seconds=[1.06]), ScriptedPlayer(), TimeControl(clock=1.0))
    assert (game.moves, game.forfeit) == ([], "time")


def test_time_for_each_move():
    game = play(ScriptedPlayer(KNIGHTS_WHITE, seconds=[0.5, 0.7]), ScriptedPlayer(), TimeControl(move_time=0.5))
    assert game.forfeit != "time"
    game = play(ScriptedPlayer(KNIGHTS_WHITE, seconds=[0.5, 0.8]), ScriptedPlayer(), TimeControl(move_time=0.5))
    assert (game.forfeit, len(game.moves)) == ("time", 2)


# PGN


def read_back(text):
    game = chess.pgn.read_game(io.StringIO(text))
    assert not game.errors
    return game


def test_pgn_has_evaluations_for_white():
    opening = Opening(chess.STARTING_FEN, ("f2f3",))
    played = play(
        ScriptedPlayer(["g2g4"], [-250]), ScriptedPlayer(FOOLS_BLACK, [120, 29_999]), start=opening.position()
    )
    game = read_back(game_text(played, opening, ("A", "B"), "3.1"))
    nodes = list(game.mainline())
    assert [node.move.uci() for node in nodes] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    evaluations = [node.eval() for node in nodes]
    assert evaluations[0] is None
    assert [score.white() for score in evaluations[1:3]] == [chess.engine.Cp(-120), chess.engine.Cp(-250)]
    assert evaluations[3].white() == chess.engine.Mate(-1)
    assert {name: game.headers[name] for name in ("White", "Black", "Round", "Result", "Termination")} == {
        "White": "A",
        "Black": "B",
        "Round": "3.1",
        "Result": "0-1",
        "Termination": "normal",
    }
    assert nodes[-1].comment.endswith("checkmate")


def test_pgn_of_a_forfeit_at_the_first_move():
    opening = Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    played = play(ScriptedPlayer(["!time"]), ScriptedPlayer(), start=opening.position())
    game = read_back(game_text(played, opening, ("A", "B"), "1.1"))
    assert game.headers["Termination"] == "time forfeit"
    assert game.headers["FEN"].startswith("4k3/8")
    assert game.comment == "white loses: time"


def test_pgn_has_times_if_there_is_a_clock():
    played = play(ScriptedPlayer(FOOLS_WHITE, seconds=[0.25]), ScriptedPlayer(FOOLS_BLACK, seconds=[0.5]))
    text = game_text(played, Opening(chess.STARTING_FEN), ("A", "B"), "1.1", with_seconds=True)
    assert [node.emt() for node in read_back(text).mainline()] == [0.25, 0.5, 0.25, 0.5]
