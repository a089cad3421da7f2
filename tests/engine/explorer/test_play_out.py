"""Playing positions out, at a rating, and exercises: what is tried is searched before it is called bad."""

import threading

import pytest

from engine.explorer import exercises
from engine.explorer.exercises import Exercises
from engine.explorer.open_game import Moments, OpenGame
from engine.explorer.opponent import RATINGS, Opponent, check_rating, name_of
from engine.explorer.play_out import PlayOuts
from engine.pgn.annotated import Annotation
from engine.pgn.game_tree import GameTree
from engine.search.resources import Resources
from movegen import Position
from tests.engine.explorer.games import FOOLS_MATE, LONG, options

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"  # Rb8 is mate


def game_of(tree=None):
    return OpenGame(tree or GameTree.of(FOOLS_MATE), 1, Moments())


class Replies:
    """Stands for an `Opponent`: plays given moves."""

    def __init__(self, *moves):
        self.moves, self.seen, self.is_stopped = list(moves), [], False

    def choose(self, position):
        self.seen.append((position.fen(), len(position.past_keys)))
        return position.code(self.moves.pop(0))

    def stop(self):
        self.is_stopped = True


@pytest.fixture
def play_outs(monkeypatch):
    found = PlayOuts(options(), Resources())

    def answer_with(*moves):
        opponent = Replies(*moves)
        monkeypatch.setattr("engine.explorer.play_out.Opponent", lambda *_: opponent)
        return opponent

    found.answer_with = answer_with
    return found


def test_the_moves_become_a_variation_with_a_name(play_outs):
    play_outs.answer_with("d8h4", "h4g3")
    game = game_of()
    assert play_outs.begin(game, 2, 1340, "white") == {"node": None, "reply": None, "over": None, "result": None}
    answer = play_outs.move(game, "h2h3")
    assert (answer["node"]["name"], answer["reply"]["san"], answer["over"]) == ("against 1340", "Qh4+", None)
    answer = play_outs.move(game, "g2g3")
    assert (answer["reply"]["uci"], answer["over"], answer["result"]) == ("h4g3", "checkmate", "0-1")
    assert answer["reply"]["node"]["parent"] == answer["node"]["id"]
    names = [node["name"] for node in game.data()["nodes"][7:]]
    assert names == ["against 1340", "", "", ""]
    with pytest.raises(ValueError, match="the game is over"):
        play_outs.move(game, "a2a3")


def test_teresa_begins_where_it_is_her_turn_and_may_follow_the_game(play_outs):
    play_outs.answer_with("e7e5")
    game = game_of()
    answer = play_outs.begin(game, 1, None, "white")
    assert (answer["reply"]["node"]["id"], answer["reply"]["node"]["main"]) == (2, True)
    assert game.changes == 0
    assert play_outs.end() == {"playing": False}
    with pytest.raises(ValueError, match="no position is being played out"):
        play_outs.move(game, "a2a3")
    opponent = play_outs.answer_with("e1g1")
    play_outs.begin(game_of(GameTree.of(LONG)), 6, 450, "black")
    assert opponent.seen[0][1] == 4, "what was played before counts for repetitions"


def test_of_another_game_nothing_is_played(play_outs):
    play_outs.answer_with()
    game = game_of()
    play_outs.begin(game, 0, 450, "white")
    with pytest.raises(ValueError, match="no position is being played out"):
        play_outs.move(game_of(), "e2e4")
    with pytest.raises(ValueError, match="not a legal move"):
        play_outs.move(game, "e2e5")


def test_one_move_at_a_time_and_none_after_the_end(play_outs):
    opponent, game = play_outs.answer_with("e7e6"), game_of(GameTree.empty())
    may_go, thinks = threading.Event(), threading.Event()
    choose = opponent.choose

    def think(position):
        thinks.set()
        may_go.wait(10)
        return choose(position)

    opponent.choose = think
    play_outs.begin(game, 0, 450, "white")
    answers = []
    thread = threading.Thread(target=lambda: answers.append(play_outs.move(game, "e2e4")))
    thread.start()
    assert thinks.wait(10)
    for again in (lambda: play_outs.move(game, "d2d4"), lambda: play_outs.begin(game, 0, 450, "white")):
        with pytest.raises(ValueError, match="Teresa is thinking"):
            again()
    play_outs.end()
    assert opponent.is_stopped
    may_go.set()
    thread.join(10)
    assert (answers[0]["node"]["san"], answers[0]["reply"]) == ("e4", None)


@pytest.mark.jit
def test_the_opponent_plays_at_the_rating():
    weak = Opponent(options(), 450, Resources())
    position = Position(BACK_RANK)
    assert position.is_legal(position.uci(weak.choose(position)))
    assert weak._searcher.run.level.visits == 1
    assert weak._searcher.options.analyse_mode is False
    strong = Opponent(options(), None, Resources())
    assert position.uci(strong.choose(position)) == "b1b8"
    assert strong._searcher.run.level is None
    assert strong.choose(position.play("b1b8")) is None


def test_ratings_are_those_that_were_measured():
    check_rating(None)
    for elo in RATINGS:
        check_rating(elo)
    for elo in (RATINGS[0] - 1, RATINGS[-1] + 1):
        with pytest.raises(ValueError, match="elo must be from 450 to 2590"):
            check_rating(elo)
    assert (name_of(None), name_of(1340)) == ("against Teresa", "against 1340")


# Exercises


def exercise(tree, best, score):
    """A game whose first move is judged: White should have played another one."""
    game = game_of(tree)
    worth = {"uci": best, "san": "", "score": score, "pv": [best], "line": [], "visits": 9, "proven": None}
    game.add_judged(1, {"best": worth}, Annotation(), {"state": "done"})
    return game


@pytest.fixture
def mate_was_missed():
    tree = GameTree.of(f'[FEN "{BACK_RANK}"]\n[White "a"]\n\n1. Kf1 *')
    return exercise(tree, "b1b8", 1.0)


@pytest.mark.jit
def test_a_tried_move_gets_a_verdict(mate_was_missed):
    game, judge = mate_was_missed, Exercises(options(), Resources())
    worse = judge.tried(game, 0, "h2h3", 1, is_revealed=False)
    assert (worse["verdict"], "best" in worse, game.exercises) == ("worse", False, {})
    assert worse["loss"] == pytest.approx(1 - worse["score"])
    assert worse["visits"] >= exercises.FIRST_VISITS
    shown = judge.tried(game, 0, "h2h3", 2, is_revealed=True)
    assert (shown["best"]["uci"], game.exercises) == ("b1b8", {"1": {"solved": False, "hints": 2}})
    best = judge.tried(game, 0, "b1b8", 1, is_revealed=False)
    assert (best["verdict"], best["loss"], best["text"]) == ("best", 0.0, "Rb8# is the best move.")
    assert game.exercises == {"1": {"solved": True, "hints": 2}}
    with pytest.raises(ValueError, match="is not a move"):
        judge.tried(game, 0, "b1b9", 0, is_revealed=False)


class Searched(Exercises):
    """Replaces the scores of searches: those that the tried move leaves, look by look."""

    def __init__(self, *scores):
        super().__init__(options(), Resources())
        self.looks, self.scores = 0, list(scores)

    def _look(self):
        self.looks += 1
        return self.scores.pop(0), 3000 * self.looks, False


@pytest.mark.parametrize(
    ("scores", "verdict", "looks"),
    [
        ([0.59], "good", 1),
        ([0.70], "good", 1),
        ([0.40, 0.45, 0.58], "good", 3),
        ([0.40] * 5, "worse", 5),
        ([0.55] * 5, "unclear", 5),
        ([0.30, 0.30, 0.30, 0.30, 0.559], "unclear", 5),
    ],
)
def test_what_looks_bad_is_searched_again(monkeypatch, scores, verdict, looks):
    monkeypatch.setattr(exercises, "search_to_end", lambda *_: None)
    judge = Searched(*scores)
    game = exercise(GameTree.of("1. f3 *"), "e2e4", 0.6)
    answer = judge.tried(game, 0, "d2d4", 0, is_revealed=False)
    assert (answer["verdict"], judge.looks) == (verdict, looks)


def test_the_end_of_the_game_needs_no_search():
    tree = GameTree.of(f'[FEN "{BACK_RANK}"]\n[White "a"]\n\n1. Kf1 *')
    game = exercise(tree, "b1a1", 0.9)
    judge = Searched()
    answer = judge.tried(game, 0, "b1b8", 0, is_revealed=False)
    assert (answer["verdict"], answer["score"], answer["visits"]) == ("good", 1.0, 0)


def test_what_is_not_judged_is_no_exercise():
    judge = Searched()
    with pytest.raises(ValueError, match="not judged yet"):
        judge.tried(game_of(), 2, "g2g3", 0, is_revealed=False)
    with pytest.raises(ValueError, match="not judged yet"):
        judge.tried(game_of(), 4, "g2g3", 0, is_revealed=False)
