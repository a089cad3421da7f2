"""The search follows the node that is shown, games are opened, and a game is judged in the background."""

import threading

import pytest

from engine.explorer import background_judge
from engine.explorer.asked import OldRevisionError
from engine.explorer.game_session import _Root
from engine.pgn.game_tree import GameTree
from movegen import Position
from tests.engine.explorer.games import FOOLS_MATE, LONG, judge_all, new_page, page_of_file
from tests.engine.explorer.views import until
from tests.engine.report.searches import KIWIPETE, MIDDLEGAME


@pytest.fixture
def page():
    page = new_page(GameTree.of(LONG))
    yield page
    page.close()


def search(page, visits=300):
    (analysis,) = page.analyses
    analysis.start(visits=visits)
    analysis.wait()


def visits(page):
    return page.report(0).summary()["visits"]


def test_the_search_follows_the_game_and_keeps_its_tree(page):
    search(page)
    below = {row.uci: row.n for row in page.report(0).rows("e2e4")}
    shown = page.show(1, 1)
    assert (shown["fen"], shown["node"], shown["newest"]) == (Position().play("e4").fen(), 1, True)
    assert {row.uci: row.n for row in page.report(0).rows()} == below
    page.show(1, 0)
    assert visits(page) > 250, "one step back: what the other moves had is still there"
    page.show(1, 4)
    assert page.position("")["fen"] == Position().play_all("e4 e5 Nf3 Nc6").fen()
    page.show(1, 8)
    assert page.analyses[0].position.past_keys, "the game before counts for repetitions"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, "e4", (None, False)),
        ("", "", ((), False)),
        ("", "e4 e5", (("e4", "e5"), False)),
        ("e4 e5", "e4", ((), True)),
        ("e4 e5", "e4 c5 d4", (("c5", "d4"), True)),
        ("e4 e5", "", (None, False)),
        ("e4 e5 d4", "d4", (None, False)),
    ],
)
def test_how_the_searches_get_from_node_to_node(before, after, expected):
    def root(names):
        position, codes = Position(), []
        for name in names.split():
            codes.append(position.code(name))
            position = position.play(codes[-1])
        return _Root(Position(), codes)

    moves, takes_back = expected
    codes = None if moves is None else tuple(root(after).codes[len(after.split()) - len(moves) :])
    assert root(after).moves_from(None if before is None else root(before)) == (codes, takes_back)


def test_from_another_start_nothing_is_kept():
    assert _Root(Position(), []).moves_from(_Root(Position(KIWIPETE), [])) == (None, False)


def test_of_requests_that_wait_only_the_newest_moves_the_search(page):
    moved, answers = [], {}
    move = page._show
    page._show = lambda game, node: (moved.append(node), move(game, node))
    with page._showing:
        threads = []
        for node in (1, 2, 3):
            threads.append(threading.Thread(target=lambda node=node: answers.update({node: page.show(1, node)})))
            threads[-1].start()
            until(lambda node=node: page._shown.now == node)
    for thread in threads:
        thread.join(10)
    assert moved == [3]
    assert {node: answer["newest"] for node, answer in answers.items()} == {1: False, 2: False, 3: True}


def test_where_the_game_has_ended_nothing_is_searched():
    page = new_page()
    page.go()
    page.show(1, 4)
    assert not page.is_searching
    assert page.position("")["over"]
    assert page.open(0, "")["why"]["trouble"]
    page.show(1, 3)
    assert page.is_searching
    page.close()


def test_a_node_below_the_root_and_the_way_back(page):
    search(page)
    page.show(1, 1)
    page.descend("c7c5/g1f3")
    assert page._root.codes == page.game.position(1)[1] + [
        Position().play("e4").code("c5"),
        Position().play_all("e4 c5").code("Nf3"),
    ]
    assert page.show(1, 1)["fen"] == Position().play("e4").fen()
    page.setup(MIDDLEGAME)
    assert page.position("")["fen"] == MIDDLEGAME
    assert page.show(1, 1)["fen"] == Position().play("e4").fen()


def test_another_game_of_the_file_or_of_a_text(tmp_path):
    page = page_of_file(tmp_path / "games.pgn")
    page.library.start()
    with pytest.raises(ValueError, match="game 2: Atomic is not played here"):
        page.open_number(2)
    assert page.game.revision == 1
    opened = page.open_number(3)
    assert (opened["revision"], opened["number"], len(opened["nodes"])) == (2, 3, 9)
    with pytest.raises(OldRevisionError):
        page.show(1, 1)
    page.show(2, 2)
    pasted = page.paste(MIDDLEGAME)
    assert (pasted["revision"], pasted["number"], pasted["start"]["fen"]) == (3, None, MIDDLEGAME)
    assert page.position("")["fen"] == MIDDLEGAME
    assert page.paste(FOOLS_MATE)["headers"]["Black"] == "Carl"
    for text, message in (("nothing", "no game"), ("8/8/8/8/8/8/8/8 w - - 0 1", "king"), ("x" * 40_000, "too long")):
        with pytest.raises(ValueError, match=message):
            page.paste(text)
    assert page.game.revision == 4
    page.close()


@pytest.mark.parametrize("rights", ["HFhf", "KQkq"])
def test_a_fen_that_is_right_only_in_chess960_keeps_its_castling(page, rights):
    start = page.paste(f"bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w {rights} - 0 1")["start"]
    assert (start["chess960"], start["fen"].split()[2]) == (True, "KQkq")
    assert not page.paste(Position().fen())["start"]["chess960"]


def test_a_game_that_was_left_with_changes_comes_back_with_them(tmp_path):
    page = page_of_file(tmp_path / "games.pgn")
    page.library.start()
    added = page.game.add(1, "d7d5")
    page.open_number(3)
    page.paste(MIDDLEGAME)
    assert [game.number for game in page.unsaved()] == [1]
    cursor = page.game.data()["cursor"]
    back = page.open_number(1)
    assert (back["revision"], back["number"], back["changed"], added in back["nodes"]) == (4, 1, True, True)
    assert page.news(cursor)["revision"] == 4, "pages hear of it"
    assert page.open_number(1)["changed"], "the one that is open, too"
    page.library.save(page.game)
    page.open_number(3)
    assert page.unsaved() == []
    assert added["uci"] in [node["uci"] for node in page.open_number(1)["nodes"]], "read from the file"
    page.close()


def test_of_games_that_are_opened_at_once_the_last_one_is_shown(page, monkeypatch):
    shown = []
    monkeypatch.setattr(page, "_show", lambda game, _node: shown.append(game))
    with page._showing:
        threads = []
        for revision, text in ((2, FOOLS_MATE), (3, LONG)):
            threads.append(threading.Thread(target=page.paste, args=(text,)))
            threads[-1].start()
            until(lambda revision=revision: page.game.revision == revision)
    for thread in threads:
        thread.join()
    assert shown == [page.game]


# Judging


def test_every_move_is_judged_and_stays_so(reviews):
    page = new_page()
    judge_all(page)
    data = page.game.data()
    assert data["judging"]["state"] == "done"
    assert sorted(data["judged"]) == ["1", "2", "3", "4"]
    mate = data["judged"]["4"]
    assert (mate["score"], mate["loss"], mate["best"]["uci"], mate["best"]["score"]) == (0.0, 0.0, "d8h4", 0.0)
    assert (mate["eval"], mate["rows"][0]["san"]) == (None, "Qh4#")
    assert data["judged"]["3"]["mark"] == "blunder"
    assert data["judged"]["3"]["eval"] == {"mate": -1}
    assert data["players"]["white"]["blunder"] == 1
    assert data["opening"]["eco"] == "A00"
    assert len(list(reviews.iterdir())) >= 1
    page.close()
    again = new_page()
    again.judge._search = lambda *_: pytest.fail("searched again")
    judge_all(again)
    assert again.game.data()["judged"] == data["judged"]
    again.close()


def test_judging_is_paused_and_goes_on(monkeypatch):
    monkeypatch.setattr(background_judge, "SECONDS_BETWEEN_LOOKS", 0.005)
    page = new_page()
    page.switch_judge(is_on=False)
    page.look()
    until(lambda: page.game.judging["state"] == "paused")
    assert page.game.judged == {}
    page.switch_judge(is_on=True)
    until(lambda: page.game.judging["state"] == "done")
    page.close()


def test_a_judge_that_fails_says_so_and_the_page_lives_on(monkeypatch):
    page = new_page()
    monkeypatch.setattr(page.judge, "_search", lambda *_: 1 // 0)
    judge_all(page)
    assert page.game.judging["state"] == "trouble"
    assert "division" in page.game.judging["message"]
    assert page.show(1, 2)["newest"]
    monkeypatch.undo()
    page.judge._judge = None
    page.switch_judge(is_on=True)
    until(lambda: page.game.judging["state"] == "done")
    page.close()


def test_a_judge_leaves_a_game_when_another_is_opened():
    page = new_page(GameTree.of(LONG), plan=background_judge.Plan(background_judge.Limits(nodes=10**9)))
    page.look()
    until(lambda: page.judge._judge is not None and page.judge._judge._searcher.is_searching)
    page.paste("1. e4 *")
    until(lambda: page.game.judging["state"] == "quick")
    page.close()
    assert not page.judge.is_running


def test_an_empty_game_is_judged_at_once():
    page = new_page(GameTree.empty())
    page.judge._search = lambda *_: pytest.fail("searched")
    judge_all(page)
    assert page.game.judging == {"state": "done", "done": 0, "of": 0, "message": ""}
    assert page.about()["file"] is None
    page.close()
