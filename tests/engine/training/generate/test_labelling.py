"""The recipe of docs/network.md: what is a label, what is played, where a record ends, how games end."""

import random
import sys

import chess
import pytest

from engine.training.data.viriformat import (
    CHESS960_START,
    DRAWN,
    ENDGAME_START,
    LOST,
    NOISY,
    STANDARD_START,
    VALUE_ONLY,
    WON,
)
from engine.training.generate.labelling import TeacherGame, ValueGame
from engine.training.generate.teachers import Label
from movegen import Position

labelling = sys.modules[TeacherGame.__module__]
KINGS = "7k/8/8/8/8/8/8/K7 w - - 0 1"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
NEVER = 0.999  # a sample at which nothing random happens


class Script:
    """A random generator whose samples are given; it takes the last of some things, and keeps what it was offered."""

    def __init__(self, *samples):
        self.samples, self.offered = list(samples), []

    def random(self):
        return self.samples.pop(0) if self.samples else NEVER

    def choice(self, items):
        self.offered.append(list(items))
        return items[-1]

    def choices(self, items, weights):
        self.offered.append(dict(zip(items, weights, strict=True)))
        return [items[-1]]


@pytest.fixture
def new_game(monkeypatch):
    def make(kind, fen=START, samples=(NEVER, NEVER), start=STANDARD_START):
        monkeypatch.setattr(labelling, "random_start", lambda *_, **__: (Position(fen, chess960=True), start))
        rng = Script(*samples)
        game = kind(rng)
        rng.offered.clear()
        return game, rng

    return make


def take_all(game, moves, score=100):
    """Answer with these moves; -> whether the game was over after each."""
    return [game.take(Label(score, move)) for move in moves.split()]


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (TeacherGame, {"endgames": 0.1, "chess960": 0.1, "plies": (4, 11)}),
        (ValueGame, {"endgames": 0.12, "chess960": 0.1, "plies": (2, 10)}),
    ],
)
def test_the_starts_that_are_asked_for(kind, asked, monkeypatch):
    found, rng = [], random.Random(1)

    def start(given, **shares):
        found.append((given is rng, shares))
        return Position(chess960=True), STANDARD_START

    monkeypatch.setattr(labelling, "random_start", start)
    kind(rng)
    assert found == [(True, asked)]


@pytest.mark.parametrize(("sample", "extra"), [(0.0, NOISY), (0.3499, NOISY), (0.35, 0), (0.99, 0)])
@pytest.mark.parametrize("start", [STANDARD_START, CHESS960_START, ENDGAME_START])
def test_every_third_game_is_noisy(new_game, sample, extra, start):
    game, _ = new_game(TeacherGame, samples=(sample, NEVER, NEVER), start=start)
    game._played_out = False
    assert game.take(Label(1, "e2e4")) is False
    game._result = DRAWN
    assert [record.extra for record in game.records()] == [start | extra]


@pytest.mark.parametrize(("sample", "is_random"), [(0.1499, True), (0.15, False)])
def test_random_moves_of_noisy_games_are_no_labels(new_game, sample, is_random):
    game, rng = new_game(TeacherGame, samples=(0.0, NEVER, sample))
    position = Position(START, chess960=True)
    game.take(Label(30, "e2e4"))
    assert rng.offered == ([list(position.move_codes)] if is_random else [])
    played = position.uci(position.move_codes[-1]) if is_random else "e2e4"
    assert game.question().uci == f"fen {START} moves {played}"
    assert game.question().position.fen() == position.play(played).fen()
    assert game.question().rng is rng


def test_only_noisy_games_have_random_moves(new_game):
    game, rng = new_game(TeacherGame, samples=(0.35, NEVER, 0.0))
    game.take(Label(30, "e2e4"))
    assert game.question().uci.endswith(" moves e2e4")
    assert rng.samples == [0.0]


def test_the_first_question_has_no_moves(new_game):
    for kind in (TeacherGame, ValueGame):
        assert new_game(kind)[0].question().uci == f"fen {START}"


def test_a_record_ends_where_another_move_than_the_label_is_played(new_game):
    game, _ = new_game(TeacherGame, samples=(0.0, NEVER, NEVER, 0.0, NEVER, NEVER), start=CHESS960_START)
    board, seen, starts = chess.Board(), [], [chess.Board().fen()]
    for ply, (move, score) in enumerate((("e2e4", 11), ("e7e5", -12), ("g1f3", 13), ("b8c6", -14))):
        code = game._position.code(move)
        assert game.take(Label(score, move, [(code, 5 + ply)])) is False
        seen.append((code, score, [(code, 5 + ply)]))
        played = game._moves[-1]
        board.push_uci(played)
        if played != move:
            starts.append(board.fen())
    game._result = WON
    records = game.records()
    assert len(starts) == len(records) == 2
    assert [chess.Board(record.start.fen()).fen() for record in records] == starts
    assert all(record.start.past_keys == () for record in records)
    flat = [row for record in records for row in zip(record.moves, record.scores, record.visits, strict=True)]
    assert flat == seen
    assert {(record.result, record.extra) for record in records} == {(WON, CHESS960_START | NOISY)}


def test_in_the_first_16_plies_moves_are_sampled_by_visits(new_game):
    game, rng = new_game(TeacherGame)
    for ply in range(18):
        best, *others = game._position.move_codes
        visits = [(best, 7), (others[0], 2 + ply)]
        rng.offered.clear()
        game.take(Label(10, game._position.uci(best), visits))
        assert rng.offered == ([dict(visits)] if ply < 16 else [])
    assert len(game._games) == 17


@pytest.mark.parametrize(
    ("score", "start", "is_over"),
    [
        (1200, STANDARD_START, False),
        (-1200, CHESS960_START, False),
        (1201, STANDARD_START, True),
        (-1201, STANDARD_START, True),
        (1201, CHESS960_START, True),
        (1201, ENDGAME_START, False),
        (-31000, ENDGAME_START, False),
    ],
)
def test_starts_without_balance_are_dropped_except_for_endgames(new_game, score, start, is_over):
    game, _ = new_game(TeacherGame, start=start)
    assert game.take(Label(score, "e2e4")) is is_over
    game._result = None if is_over else DRAWN
    assert len(game.records()) == (not is_over)


def test_later_moves_may_lose_the_balance(new_game):
    game, _ = new_game(TeacherGame)
    assert game.take(Label(0, "e2e4")) is False
    assert game.take(Label(1700, "e7e5")) is False


@pytest.mark.parametrize("kind", [TeacherGame, ValueGame])
@pytest.mark.parametrize("answer", [Label(None, "e2e4"), Label(5, None)])
def test_a_game_without_an_answer_is_over(new_game, kind, answer):
    game, _ = new_game(kind)
    assert game.take(answer) is True
    assert game.records() == []


QUIET = "g1f3 g8f6 f3e5 f6e4 e5d3 e4d6 d3f4 d6f5 f4h5 f5h4 h5g3 h4g6"  # without a repetition
SHUFFLE = QUIET.split()


@pytest.mark.parametrize(
    ("white_scores", "plies", "result"),
    [
        ([1801] * 8, 6, WON),
        ([-1801] * 8, 6, LOST),
        ([0, *[1801] * 8], 7, WON),
        ([0, *[-1801] * 8], 7, LOST),
        ([1800] * 9, None, None),
        ([0, 1801, 1801, 1801, 1801, 1801, 1800, *[-2000] * 5], None, None),
        ([0, 1801, 1801, 1801, 1801, 1801, 0, *[-2000] * 5], None, None),
    ],
)
def test_games_are_won_after_six_plies_of_a_large_score(new_game, white_scores, plies, result):
    game, _ = new_game(TeacherGame, start=ENDGAME_START)
    for ply, (score, move) in enumerate(zip(white_scores, SHUFFLE, strict=False), 1):
        if game.take(Label(score if ply % 2 else -score, move)):
            assert (ply, {record.result for record in game.records()}) == (plies, {result})
            return
    assert plies is None
    assert game.records() == []


@pytest.mark.parametrize(("sample", "is_adjudicated"), [(0.1999, False), (0.2, True)])
def test_one_game_in_five_is_played_out(new_game, sample, is_adjudicated):
    game, _ = new_game(TeacherGame, samples=(NEVER, sample), start=ENDGAME_START)
    ends = [game.take(Label(5000 if ply % 2 == 0 else -5000, move)) for ply, move in enumerate(SHUFFLE[:6])]
    assert ends == [False] * 5 + [is_adjudicated]


@pytest.mark.parametrize(("before", "count"), [(70, 0), (71, 1)])
def test_level_plies_count_after_the_seventieth(new_game, before, count):
    game, _ = new_game(TeacherGame)
    game._moves = ["e2e4"] * before
    game.take(Label(-5, "e2e4"))
    assert game._drawn_plies == count


def test_level_plies_must_follow_each_other(new_game):
    game, _ = new_game(TeacherGame)
    game._moves = ["e2e4"] * 80
    for move in SHUFFLE[:4]:
        game.take(Label(0, move))
    assert game._drawn_plies == 4
    game.take(Label(6, SHUFFLE[4]))
    assert game._drawn_plies == 0


MATES_AND_DRAWS = [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", WON),
    ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1", LOST),
    ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7", DRAWN),  # stalemate
    ("7k/8/8/8/8/8/1r6/K7 w - - 0 1", "a1b2", DRAWN),  # bare kings
    ("7k/8/8/8/8/8/R7/K7 w - - 99 90", "a2b2", DRAWN),  # fifty moves
]


@pytest.mark.parametrize(("fen", "move", "result"), MATES_AND_DRAWS)
def test_games_end_by_the_rules(new_game, fen, move, result):
    game, _ = new_game(TeacherGame, fen, start=ENDGAME_START)
    assert game.take(Label(50, move)) is True
    assert [record.result for record in game.records()] == [result]


def test_a_third_repetition_ends_a_game(new_game):
    game, _ = new_game(TeacherGame)
    assert take_all(game, "g1f3 g8f6 f3g1 f6g8 " * 2) == [False] * 7 + [True]
    assert [record.result for record in game.records()] == [DRAWN]


@pytest.mark.parametrize(("before", "is_over"), [(299, False), (300, True)])
def test_a_game_has_at_most_301_plies(new_game, before, is_over):
    game, _ = new_game(TeacherGame, samples=(NEVER, 0.0))
    game._moves = ["e2e4"] * before
    assert game.take(Label(900, "e2e4")) is is_over


def test_records_without_a_label_are_left_out(new_game):
    game, _ = new_game(TeacherGame, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", (0.0, NEVER, 0.0), start=ENDGAME_START)
    game.take(Label(50, "a1a8"))  # another move is played, and its record has no label yet
    game._result = WON
    assert [len(record.moves) for record in game.records()] == [1]


# Value-only games.


def value_game(new_game, fen=START, samples=(NEVER,)):
    game, rng = new_game(ValueGame, fen, samples, start=CHESS960_START)
    return game, rng


def test_value_games_have_one_of_four_shares_of_random_moves(monkeypatch):
    monkeypatch.setattr(labelling, "random_start", lambda *_, **__: (Position(chess960=True), ENDGAME_START))
    rng = Script()
    game = ValueGame(rng)
    assert rng.offered == [[0.02, 0.06, 0.12, 0.25]]
    game.take(Label(1, "e2e4"))
    assert game.records()[0].extra == ENDGAME_START | VALUE_ONLY


CAPTURES = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1"


@pytest.mark.parametrize("fen", [CAPTURES, CAPTURES.replace(" w ", " b "), START])
@pytest.mark.parametrize(
    ("sample", "among", "kind"),
    [(0.2499, 0.3999, "captures"), (0.2499, 0.4, "all"), (0.25, 0.0, "label")],
)
def test_random_moves_are_captures_four_times_in_ten(new_game, fen, sample, among, kind):
    game, rng = value_game(new_game, fen, (sample, among))
    position, board = Position(fen, chess960=True), chess.Board(fen, chess960=True)
    label = position.uci(position.move_codes[0])
    captures = {move.uci() for move in board.legal_moves if board.is_capture(move)}
    game.take(Label(1, label))
    (record,) = game.records()
    if kind == "label":
        assert (rng.offered, record.moves) == ([], [position.move_codes[0]])
        return
    expected = captures if kind == "captures" and captures else set(position.legal_moves)
    assert {position.uci(code) for code in rng.offered[0]} == expected
    assert record.moves == [rng.offered[0][-1]]
    assert game.question().position.fen() == position.play(record.moves[0]).fen()


def test_the_past_of_a_value_game_is_forgotten(new_game):
    """Positions are labelled alone: a repetition does not end the game, the count of quiet plies goes on."""
    game, _ = value_game(new_game)
    assert take_all(game, "g1f3 g8f6 f3g1 f6g8 " * 3) == [False] * 12
    position = game.question().position
    assert (position.past_keys, position.halfmove_clock) == ((), 12)
    assert game.question().uci == f"fen {position.fen(shredder=True)}"


@pytest.mark.parametrize(
    ("fen", "move", "is_over"),
    [
        ("7k/8/8/8/8/8/R7/K7 w - - 38 90", "a2b2", False),
        ("7k/8/8/8/8/8/R7/K7 w - - 39 90", "a2b2", True),
        *((fen, move, True) for fen, move, _ in MATES_AND_DRAWS),
    ],
)
def test_ends_of_value_games(new_game, fen, move, is_over):
    game, _ = value_game(new_game, fen)
    assert game.take(Label(20, move)) is is_over


@pytest.mark.parametrize(("before", "is_over"), [(198, False), (199, True)])
def test_a_value_game_has_at_most_200_plies(new_game, before, is_over):
    game, _ = value_game(new_game)
    game._game.moves, game._game.scores = [0] * before, [0] * before
    assert game.take(Label(20, "e2e4")) is is_over


@pytest.mark.parametrize(("score", "is_decided"), [(1501, True), (-1501, True), (1500, False), (-1500, False)])
def test_a_value_game_is_decided_by_four_large_scores(new_game, score, is_decided):
    game, _ = value_game(new_game)
    assert take_all(game, " ".join(SHUFFLE[:4]), score) == [False] * 3 + [is_decided]
