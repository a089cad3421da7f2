"""Explanations: legal lines, true proofs, and a search that is not disturbed."""

import json
import time
from dataclasses import replace

import chess
import pytest

from engine.bench import POSITIONS as BENCH
from engine.explain.explain import NothingSearchedError, answer, explain, search_alone, search_more, settle
from engine.explain.text import EXTRA_HINT, WHY_NOT_HINT, data_of, lines_of
from engine.explain.verdict import THRESHOLDS, Verdict
from engine.report.effort import StopReason
from engine.report.move_stats import moves_below
from engine.report.node import Shape
from engine.search import clock
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import LOST, MATE_IN_1, MATE_IN_2, MIDDLEGAME, new_searcher, searched
from tests.engine.search.test_resources import TABLES, write_book

MATES = (
    "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/5k2/7r/5K2 b - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    LOST,
)


def is_forced_mate(board, plies):
    """Can the player to move mate within this number of plies? By looking at everything."""
    for move in list(board.legal_moves):
        board.push(move)
        wins = board.is_checkmate() or (plies > 2 and is_lost(board, plies - 1))
        board.pop()
        if wins:
            return True
    return False


def is_lost(board, plies):
    """Is the player to move mated within this number of plies, whatever is played?"""
    if board.is_checkmate():
        return True
    if plies < 2 or not any(board.legal_moves):
        return False
    for move in list(board.legal_moves):
        board.push(move)
        loses = is_forced_mate(board, plies - 1)
        board.pop()
        if not loses:
            return False
    return True


@pytest.mark.parametrize("fen", MATES)
def test_proofs_agree_with_looking_at_everything(fen):
    searcher, proven = searched(fen, 20_000), 0
    for row in searcher.report().rows():
        found = explain(searcher.report(), row.uci)
        if not row.proven or row.proven["plies"] > 5 or row.proven["result"] == "draw":
            continue
        board = chess.Board(fen)
        board.push_uci(row.uci)
        plies = row.proven["plies"] - 1
        if row.proven["result"] == "win":
            assert found.verdict is Verdict.PROVEN_WIN
            assert is_lost(board, plies)
        else:
            assert found.verdict is Verdict.PROVEN_LOSS
            assert is_forced_mate(board, plies)
        proven += 1
    assert proven > 0


@pytest.mark.parametrize("fen", BENCH)
def test_lines_are_legal_and_numbers_agree(fen):
    searcher, position = searched(fen, 3000), Position(fen)
    rows = searcher.report().rows(shape=Shape(lines=500))
    for row in [rows[0], *rows[1:4], rows[-1]]:
        found = explain(searcher.report(), row.san)
        assert found.row._replace(v=None) == row
        after = position.play(found.row.uci)
        position.play_all(found.row.line)
        for reply in found.replies:
            after.play_all(reply.line)
        assert all(line.isascii() and "\n" not in line for line in lines_of(found))
    data = data_of(explain(searcher.report()))
    assert json.loads(json.dumps(data)) == data
    assert data["move"]["uci"] == data["best"]["uci"] == searcher.report().summary()["best"]


def test_why_the_best_move():
    searcher = searched(MIDDLEGAME, 20_000)
    found = explain(searcher.report())
    rows = searcher.report().rows()
    assert found.verdict is Verdict.BEST
    assert (found.row.uci, found.rival.uci) == (rows[0].uci, rows[1].uci)
    assert found.missing == rows[0].n - rows[1].n + (rows[1].q <= rows[0].q)
    history = searcher.report().history()
    leaders = [history["moves"][line.index(max(line))] for line in history["n"]]
    changes = [index for index, leader in enumerate(leaders) if leader != rows[0].uci]
    assert found.best_since == history["visits"][changes[-1] + 1 if changes else 0]
    assert found.step_shares[0] == rows[0].share
    assert any("it had made the visits asked for" in line for line in lines_of(found))


@pytest.mark.parametrize("move", ["h4", "a2", "Kh1"])
def test_a_move_that_was_given_few_visits_gets_a_separate_search(move):
    searcher = searched(MIDDLEGAME, 20_000)
    if move == "a2":
        move = searcher.report().rows()[-1].san
    before, history = searcher.tree.memory.copy(), searcher.report().history()
    found = explain(searcher.report(), move)
    assert found.verdict is Verdict.FEW_VISITS
    more = search_more(found, found.visits_missing)
    assert more.verdict in (Verdict.WORSE, Verdict.REFUTED, Verdict.CLOSE, Verdict.UNDECIDED)
    assert more.added == 2000
    assert more.row.n == found.row.n + 2000
    assert sum(more.row.wdl) == 1000
    Position(MIDDLEGAME).play_all(more.row.line)
    assert (searcher.tree.memory == before).all()
    assert searcher.report().history() == history
    assert any("2,000 added now" in line for line in lines_of(more))


def test_more_visits_can_be_asked_for_and_stopped():
    found = explain(searched(MIDDLEGAME, 3000).report(), "h4")
    assert search_more(found, 5000).added == 5000
    assert search_more(found, 5000, lambda: True).added == 0


def test_a_search_of_its_own_can_prove():
    """Every move but one lets the opponent mate at once: the separate search finds that."""
    fen = "6k1/5ppp/8/8/8/8/1r3PPP/R5K1 w - - 0 1"
    searcher = searched(fen, 60)
    lost = next(row for row in searcher.report().rows() if row.san == "Rd1")
    more = search_more(explain(searcher.report(), lost.uci), 2000)
    assert more.row.proven is None or more.verdict.startswith("PROVEN")
    stalemate = searched("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 2)
    found = search_more(explain(stalemate.report(), "Qg6"), 2000)
    assert (found.verdict, found.row.proven) == (Verdict.PROVEN_DRAW, {"result": "draw", "plies": 1})


def test_what_is_not_legal_or_not_searched():
    searcher = new_searcher(MIDDLEGAME)
    with pytest.raises(NothingSearchedError, match="nothing was searched yet"):
        explain(searcher.report())
    found = explain(searcher.report(), "Ke2")
    assert found.verdict is Verdict.NOT_LEGAL
    assert lines_of(found) == ["verdict: NOT LEGAL: a king does not move from g1 to e2"]
    chosen = tuple(Position(MIDDLEGAME).code(move) for move in ("h3", "Nd5"))
    searcher.go(Limits(nodes=500), search_moves=chosen)
    searcher.wait()
    with pytest.raises(NothingSearchedError, match="left out"):
        explain(searcher.report(), "h4")


def test_a_turned_opinion_is_dated_by_the_history():
    searcher = searched(MIDDLEGAME, 20_000)
    history = searcher.report().history()
    best = history["moves"][0]
    for column, move in enumerate(history["moves"][1:6], 1):
        found = explain(searcher.report(), move)
        above = [
            index
            for index, line in enumerate(history["q"])
            if line[column] is not None and line[0] is not None and line[column] >= line[0]
        ]
        if found.best.uci == best and above and above[-1] + 1 < len(history["visits"]):
            assert found.below_since == history["visits"][above[-1] + 1]


@pytest.mark.parametrize(
    ("fen", "limits", "reason"),
    [
        (MIDDLEGAME, Limits(nodes=300), StopReason.NODES),
        (MIDDLEGAME, Limits(move_time=60), StopReason.TIME),
        (MIDDLEGAME, Limits(depth=3), StopReason.DEPTH),
        (MATE_IN_1, Limits(nodes=1000), StopReason.PROVEN),
        ("k7/8/8/8/8/8/5r2/7K w - - 0 1", Limits(time_left=60_000), StopReason.ONLY_MOVE),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Limits(nodes=10), StopReason.NO_MOVE),
    ],
)
def test_the_reason_for_stopping(fen, limits, reason):
    searcher = new_searcher(fen)
    searcher.go(limits)
    searcher.wait()
    assert searcher.report().summary()["state"] == reason


def test_a_move_that_nothing_can_catch_up_with_settles_the_search(monkeypatch):
    monkeypatch.setattr(clock, "has_thought_enough", lambda *_: True)
    searcher = new_searcher(MIDDLEGAME)
    searcher.go(Limits(time_left=100_000))
    searcher.wait()
    assert searcher.report().summary()["state"] == StopReason.SETTLED
    assert "no other move could catch up" in lines_of(explain(searcher.report()))[-1]


def test_moves_of_a_book_and_of_tablebases_are_called_so(tmp_path):
    searcher = new_searcher()
    searcher.resources.set_book(str(write_book(tmp_path / "book.bin", [(chess.Board(), "b2b4", 1)])))
    searcher.resources.set_tablebases(str(TABLES))
    searcher.options.own_book = True
    searcher.go(Limits(time_left=60_000))
    searcher.wait()
    found = explain(searcher.report())
    assert (found.row.uci, found.summary["state"]) == ("b2b4", StopReason.BOOK)
    assert "it is the opening book's move" in lines_of(found)[-2]
    searcher.set_position(Position("8/8/8/8/3k4/8/8/KQ6 w - - 0 1"), None)
    searcher.go(Limits(nodes=200))
    searcher.wait()
    found = explain(searcher.report())
    assert (found.summary["moves_by"], found.summary["known_score"]) == ("tablebase", 1.0)
    assert "the tablebases allow" in "\n".join(lines_of(found)) or len(found.root.moves) == 1


def test_a_move_chosen_by_chance_is_called_so():
    for seed in range(1, 40):
        searcher = searched(MIDDLEGAME, 200, Seed=seed, Temperature=10_000)
        found = explain(searcher.report())
        most = max(searcher.report().rows(), key=lambda row: row.n)
        if found.row.n < most.n:
            assert f"{most.san} has more visits" in lines_of(found)[-2]
            assert "left to chance" in lines_of(found)[-2]
            return
    pytest.fail("chance always chose the best move")


def test_stop_is_a_reason_and_a_running_search_is_reported():
    searcher = new_searcher(MIDDLEGAME)
    searcher.go(Limits(infinite=True))
    time.sleep(0.3)
    assert searcher.report().summary()["state"] == StopReason.SEARCHING
    assert "it is still searching" in lines_of(explain(searcher.report()))[-1]
    searcher.stop()
    searcher.wait()
    assert searcher.report().summary()["state"] == StopReason.STOP


@pytest.mark.slow
def test_a_running_search_is_not_disturbed():
    """With questions asked all the time, a search repeats itself to the last visit."""
    trees = []
    for asks in (False, True):
        searcher = new_searcher(MATE_IN_2, Hash=64)
        searcher.go(Limits(nodes=60_000))
        while searcher.is_searching and asks:
            rows = searcher.report().rows()
            if rows and rows[0].n > 10:
                explain(searcher.report())
                search_more(explain(searcher.report(), rows[-1].uci), 500)
        searcher.wait()
        trees.append(searcher.tree)
    assert (trees[0].visits == trees[1].visits).all()
    assert (trees[0].wins == trees[1].wins).all()


# Evidence


def test_no_move_is_called_refuted_on_few_visits():
    """By the tree alone none is; by `answer` only after a search for it alone."""
    searcher, refuted = searched(BENCH[17], 5000), 0
    for row in searcher.report().rows():
        found = explain(searcher.report(), row.uci)
        assert found.verdict is not Verdict.REFUTED
        if found.visits_missing > THRESHOLDS.extra_visits and not refuted:
            more = answer(searcher.report(), row.uci)
            assert more.row.n >= THRESHOLDS.least_visits or more.row.proven
            assert more.row.n == row.n + more.added
            assert f"({row.n:,} visit" in lines_of(more)[1]
            assert f"{more.added:,} added now" in lines_of(more)[1]
            refuted += 1
    assert refuted == 1


def test_a_search_that_is_stopped_leaves_the_verdict_open():
    found = explain(searched(MIDDLEGAME, 3000).report(), "h4")
    assert found.needs_search
    stopped = settle(found, None, lambda: True)
    assert (stopped.verdict, stopped.added) == (Verdict.FEW_VISITS, 0)
    asked = settle(found, 700)
    assert asked.added == 700


def test_visits_of_both_searches_are_added_up():
    searcher = searched(MIDDLEGAME, 20_000)
    found = explain(searcher.report(), "b4")
    more = search_more(found, 3000)
    move = found.stats
    alone = search_alone(found.root.snapshot, found.after, 3000)
    wins = int(alone.tree.wins[0]) + move.wins
    draws = int(alone.tree.draws[0]) + move.draws
    assert more.row.n == move.visits + 3000
    assert more.row.q == pytest.approx(wins / 2**20 / more.row.n, abs=1e-6)
    assert more.row.wdl[1] == pytest.approx(1000 * draws / 2**20 / more.row.n, abs=0.5)
    best = max(moves_below(alone.tree, 0), key=lambda reply: reply.visits)
    assert more.replies[0].n == best.visits
    assert more.missing == found.missing  # of the search that it is compared with


def test_a_separate_search_is_as_deep_as_any_after_a_search_for_a_mate():
    report = searched(MIDDLEGAME, 300).report()
    found = explain(report, "b4")
    shallow = found.root.snapshot.params._replace(deepest=1)
    alone = search_alone(replace(found.root.snapshot, params=shallow), found.after, 300)
    assert any(moves_below(alone.tree, int(move.slot)) for move in moves_below(alone.tree, 0))


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("", "evidence 2,0"),
        (WHY_NOT_HINT, "; `why not Nh4 20000` searches more"),
        (EXTRA_HINT, "; `--extra 20000` searches more"),
    ],
)
def test_the_hint_fits_the_place_where_it_is_read(hint, expected):
    found = answer(searched(MIDDLEGAME, 3000).report(), "Nh4")
    last = lines_of(found, hint)[-1]
    assert expected in last
    assert ("searches more" in last) == bool(hint)
    assert lines_of(found) == data_of(found)["text"]


@pytest.mark.parametrize("move", [None, "b4", "h4"])
def test_every_verdict_names_its_visits(move):
    report = searched(MIDDLEGAME, 3000).report()
    found = explain(report, move)
    count = "1 visit" if found.row.n == 1 else f"{found.row.n:,} visits"
    assert lines_of(found)[1] == f"verdict: {found.verdict} ({count})"


def test_kept_visits_are_not_said_to_be_made_in_the_last_time():
    searcher = searched(MIDDLEGAME, 3000)
    searcher.go(Limits(nodes=1000))
    searcher.wait()
    assert "4,000 visits, 1,000 of them now in " in lines_of(explain(searcher.report()))[0]
