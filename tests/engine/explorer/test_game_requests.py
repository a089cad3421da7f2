"""The requests of a game's page: their answers; each is refused without token and Origin, or with wrong data."""

import json
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra `explore`")

from engine.explorer.game_page import GamePage
from engine.explorer.interactive import InteractiveSession
from tests.engine.explorer.games import KNOWN, POSTED, Asker, judge_all, new_page, page_of_file
from tests.engine.explorer.views import new_session
from tests.engine.report.searches import MIDDLEGAME

QUESTIONS = {"game": {}, "games": {"from": 0, "count": 9}, "export": {"kind": "pgn"}, "legality": {"fen": MIDDLEGAME}}
PLACE = {"revision": 1, "node": 2}
ACTIONS = {
    "show": PLACE,
    "open": {"number": 3},
    "paste": {"text": MIDDLEGAME},
    "judge": {"on": False},
    "add": {**PLACE, "move": "g2g3"},
    "rename": {"revision": 1, "node": 5, "name": "mine"},
    "remove": {"revision": 1, "node": 5},
    "promote": {"revision": 1, "node": 5},
    "save": {"revision": 1},
    "play": {**PLACE, "elo": 450, "user": "white"},
    "move": {"move": "h2h3"},
    "endplay": {},
    "try": {**PLACE, "move": "g2g3"},
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A page that no test changes."""
    page = page_of_file(tmp_path_factory.mktemp("pgn") / "games.pgn")
    yield Asker.of(page)
    page.close()


@pytest.fixture
def page(tmp_path):
    page = page_of_file(tmp_path / "games.pgn")
    yield page
    page.close()


@pytest.fixture
def asker(page):
    return Asker.of(page)


def test_these_are_all_requests(page):
    assert set(page.questions()) == set(QUESTIONS)
    assert set(page.actions()) - set(InteractiveSession.actions(page)) == set(ACTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_need_the_token_and_come_from_the_page(shared, name):
    client, address = shared.client, f"/data/{name}"
    assert client.get(address, params=QUESTIONS[name]).status_code == 401
    assert client.get(address, params=QUESTIONS[name], headers={"Authorization": "Bearer x"}).status_code == 401
    assert client.get(address, params=QUESTIONS[name], headers={**KNOWN, "Origin": "http://a.b"}).status_code == 403
    assert client.get(address, params=QUESTIONS[name], headers={**KNOWN, "Host": "a.b"}).status_code == 421
    assert client.post(address, json={}, headers=POSTED).status_code == 405
    assert client.get(address, params={"text": "x" * 2048}, headers=KNOWN).status_code == 414
    assert client.get(address, params=QUESTIONS[name], headers=KNOWN).status_code == 200


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_need_the_token_and_come_from_the_page(shared, name):
    client, address, asked = shared.client, f"/do/{name}", ACTIONS[name]
    without_token = {key: value for key, value in POSTED.items() if key != "Authorization"}
    assert client.post(address, json=asked, headers=without_token).status_code == 401
    assert client.post(address, json=asked, headers=KNOWN).status_code == 403, "no Origin"
    assert client.post(address, json=asked, headers={**POSTED, "Origin": "http://a.b"}).status_code == 403
    assert client.post(address, json=asked, headers={**POSTED, "Host": "a.b"}).status_code == 421
    assert client.get(address, headers=KNOWN).status_code == 405
    large = json.dumps({**asked, "x": "x" * (64 << 10)})
    assert client.post(address, content=large, headers=POSTED).status_code == 413
    assert client.post(address, content=b"[]", headers=POSTED).status_code == 400
    plain = {**POSTED, "Content-Type": "text/plain"}
    assert client.post(address, content=json.dumps(asked), headers=plain).status_code == 415
    assert shared.get("game")["changes"] == 0


WRONG = {"text": (7, None, ["a"]), "number": ("1", 1.0, True, None), "truth": ("true", 1, None)}
KINDS = {
    **dict.fromkeys(("revision", "node", "number"), "number"),
    **dict.fromkeys(("text", "move", "name", "user"), "text"),
    "on": "truth",
}


@pytest.mark.parametrize("name", ACTIONS)
def test_arguments_have_their_types(shared, name):
    for argument in ACTIONS[name]:
        if argument == "elo":
            continue
        kind = KINDS[argument]
        for value in WRONG[kind]:
            status, text = shared.post(name, **{**ACTIONS[name], argument: value})
            named = {"text": "a text", "number": "a number", "truth": "true or false"}[kind]
            assert (status, text) == (400, f"{argument} must be {named}")
        left = {key: value for key, value in ACTIONS[name].items() if key != argument}
        assert shared.post(name, **left)[0] == 400
    assert shared.get("game")["changes"] == 0


@pytest.mark.parametrize("name", [name for name, asked in ACTIONS.items() if "revision" in asked])
def test_requests_about_another_game_are_refused(shared, name):
    for revision in (0, 2, -1):
        asked = {**ACTIONS[name], "revision": revision}
        assert shared.post(name, **asked) == (409, "another game is open now")


@pytest.mark.parametrize("name", [name for name, asked in ACTIONS.items() if "node" in asked])
def test_there_must_be_such_a_node(shared, name):
    for node in (-1, 7, 10**30):
        status, text = shared.post(name, **{**ACTIONS[name], "node": node})
        assert status == 400
        assert text.startswith(f"there is no node {node}"[:30])


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("games", {"from": "x", "count": 5}, "from must be a number"),
        ("games", {"from": 0, "count": 0}, "count must be from 1 to 200"),
        ("games", {"from": 0, "count": 201}, "count must be from 1 to 200"),
        ("games", {"from": 10**8, "count": 5}, "from must be a number"),
        ("games", {"from": 0, "count": 5, "text": "x" * 101}, "the text is too long"),
        ("export", {}, "kind must be one of pgn, annotated, html"),
        ("export", {"kind": "../../etc/passwd"}, "kind must be one of pgn, annotated, html"),
    ],
)
def test_questions_that_are_wrong(shared, name, asked, message):
    assert shared.get(name, **asked) == (400, message)


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("add", {**PLACE, "move": "e2e5"}, "is not a legal move"),
        ("add", {**PLACE, "move": "x" * 60_000}, "is not a legal move"),
        ("rename", {**PLACE, "name": "x"}, "only a variation can be named"),
        ("rename", {"revision": 1, "node": 5, "name": "x" * 5000}, "may have 200 letters"),
        ("remove", PLACE, "cannot be removed"),
        ("remove", {"revision": 1, "node": 0}, "cannot be removed"),
        ("promote", PLACE, "the main line already"),
        ("open", {"number": 0}, "there is no game 0"),
        ("open", {"number": 4}, "there is no game 4"),
        ("paste", {"text": "x" * 40_000}, "too long"),
        ("play", {**PLACE, "elo": 100, "user": "white"}, "elo must be from 450 to 2590"),
        ("play", {**PLACE, "elo": "strong", "user": "white"}, "elo must be a number"),
        ("play", {**PLACE, "elo": None, "user": "me"}, "user must be white or black"),
        ("play", {"revision": 1, "node": 4, "elo": 450, "user": "white"}, "the game is over there"),
        ("move", {"move": "e2e4"}, "no position is being played out"),
        ("try", {**PLACE, "move": "g2g3"}, "not judged yet"),
        ("try", {**PLACE, "move": "g2g3", "hints": "many"}, "hints must be a number"),
        ("try", {**PLACE, "move": "g2g3", "reveal": 1}, "reveal must be true or false"),
    ],
)
def test_actions_that_are_wrong(shared, name, asked, message):
    status, text = shared.post(name, **asked)
    assert status == 400
    assert message in text
    assert shared.get("game")["changes"] == 0


# What they do


def test_the_list_of_games(asker):
    found = asker.get("games", **{"from": 0, "count": 2})
    while found["state"] != "done":
        found = asker.get("games", **{"from": 0, "count": 2})
    assert (found["count"], found["matching"]) == (3, 3)
    assert [(row["number"], row["white"], row["problem"]) for row in found["games"]] == [
        (1, "Anna, B", ""),
        (2, "Dora", "Atomic is not played here"),
    ]
    found = asker.get("games", **{"from": 1, "count": 5, "text": "dora"})
    assert (found["matching"], [row["number"] for row in found["games"]]) == (2, [3])
    assert asker.get("about")["file"] == {"name": "games.pgn", "games": 3}


def test_without_a_file_there_is_no_list():
    page = new_page()
    asker = Asker.of(page)
    assert asker.get("games", **{"from": 0, "count": 2}) == (400, "no file is open")
    assert asker.post("open", number=1) == (400, "no file is open")
    assert asker.post("save", revision=1) == (400, "the game is not from a file: download it as PGN")
    page.close()


def test_variations_are_added_named_and_saved_into_the_file(asker, page, tmp_path):
    before = (tmp_path / "games.pgn").read_text(encoding="utf-8")
    added = asker.post("add", **PLACE, move="g2g3")
    assert (added["node"]["san"], added["changes"]) == ("g3", 1)
    named = asker.post("rename", revision=1, node=added["node"]["id"], name="quiet")
    assert [node["name"] for node in named["nodes"] if node["name"]] == ["quiet"]
    assert "g3" not in (tmp_path / "games.pgn").read_text(encoding="utf-8"), "only an explicit save writes"
    assert asker.post("save", revision=1) == {"saved": "games.pgn"}
    after = (tmp_path / "games.pgn").read_text(encoding="utf-8")
    assert "( { quiet } 2. g3 )" in " ".join(after.split())
    assert after.endswith(before[before.index('[Event "B"]') :]), "the other games stay byte for byte"
    assert asker.get("game")["changed"] is False
    removed = asker.post("remove", revision=1, node=added["node"]["id"])
    assert removed["changed"] is True
    assert added["node"]["id"] not in [node["id"] for node in removed["nodes"]]
    Path(tmp_path / "games.pgn").write_text("[Event]\n", encoding="utf-8")
    status, text = asker.post("save", revision=1)
    assert (status, "changed since it was opened" in text) == (400, True)
    assert page.game.data()["changed"] is True, "nothing is lost"


def test_a_position_that_is_set_up_is_checked(shared):
    assert shared.get("legality", fen=MIDDLEGAME) == {"fen": MIDDLEGAME, "problems": []}
    found = shared.get("legality", fen="8/8/8/8/8/8/8/P6k w KQ - 0 1")
    assert found["fen"] is None
    assert len(found["problems"]) >= 2
    x960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    assert shared.get("legality", fen=x960, chess960="1")["problems"] == []
    assert shared.get("legality")["problems"]


def test_news_of_the_game_are_lines_of_the_stream(page):
    """An array is a frame of the search, an object has what is new of the game."""
    import asyncio

    from engine.explorer.app import Streams

    async def lines(cursor):
        frames = Streams(page)._frames("", 1, cursor)
        found = json.loads(await anext(frames)), json.loads(await anext(frames))
        await frames.aclose()
        return found

    judge_all(page)
    page.look = lambda: None
    game, frame = asyncio.run(lines(0))
    assert frame[0]["summary"]["visits"] == 0
    assert game["game"]["judged"].keys() == {"1", "2", "3", "4"}
    assert game["game"]["judging"]["state"] == "done"
    page.open_number(3)
    until_now, _ = asyncio.run(lines(game["game"]["cursor"]))
    assert until_now["game"]["revision"] == 2


def test_a_page_that_asks_for_no_news_gets_none(page):
    import asyncio

    from engine.explorer.app import Streams

    async def first():
        frames = Streams(page)._frames("", 1)
        line = await anext(frames)
        await frames.aclose()
        return json.loads(line)

    assert isinstance(asyncio.run(first()), list)


def test_other_pages_have_no_game():
    session = new_session(visits=50)
    asker = Asker.of(session)
    assert asker.get("about")["game"] is False
    assert asker.get("game") == (404, "Not Found")
    assert asker.post("save", revision=1) == (404, "Not Found")
    assert session.news(0) is None
    session.close()


# Files


def exported(asker, kind):
    answer = asker.client.get("/data/export", params={"kind": kind}, headers=KNOWN)
    assert answer.status_code == 200
    name = unquote(answer.headers["content-disposition"].removeprefix("attachment; filename*=UTF-8''"))
    return name, answer.headers["content-type"], answer.text


def test_the_game_as_a_file(asker, page):
    import io

    import chess.pgn

    judge_all(page)
    asker.post("add", **PLACE, move="g2g3")
    name, kind, text = exported(asker, "pgn")
    assert (name, kind) == ("Anna-Carl.pgn", "application/x-chess-pgn; charset=utf-8")
    game = chess.pgn.read_game(io.StringIO(text))
    assert [node.move.uci() for node in game[0][0].variations] == ["g2g4", "e2e4", "g2g3"]
    assert "%eval" not in text
    name, _, text = exported(asker, "annotated")
    assert name == "Anna-Carl-judged.pgn"
    game = chess.pgn.read_game(io.StringIO(text))
    assert game.errors == []
    assert game.headers["Annotator"].startswith("Teresa ")
    first, blunder = game[0], game[0][0][0]
    assert (first.clock(), first.eval() is not None) == (59.0, True)
    assert (blunder.nags, blunder.eval().white().mate()) == ({4}, -1)
    name, kind, text = exported(asker, "html")
    assert (name, kind) == ("Anna-Carl.html", "text/html; charset=utf-8")
    saved = json.loads(text.partition('id="saved">')[2].partition("</script>")[0])
    assert saved["about"] | {"interactive": False, "game": True} == saved["about"]
    assert saved["game"] == asker.get("game")
    assert (saved["positions"], saved["searches"]) == ({}, [])


@pytest.mark.parametrize(
    ("white", "black", "name"),
    [("?", "?", "game"), ("../../x", "?", "x"), ("Ünal, Ö.", '"\r\nSet-Cookie: a', "Ünal"), ("a" * 200, "b", "a" * 80)],
)
def test_names_of_files_are_harmless(page, white, black, name):
    from engine.explorer.export import name_of

    page.game.tree.headers.update({"White": white, "Black": black})
    found = name_of(page.game)
    assert found.startswith(name)
    assert all(letter.isalnum() or letter == "-" for letter in found)
    assert len(found) <= 80


def test_a_page_begins_at_the_node_asked_for(tmp_path):
    page = page_of_file(tmp_path / "x.pgn", node=3)
    assert isinstance(page, GamePage)
    assert page.game.data()["current"] == 3
    assert page.position("")["fen"] == page.game.data()["nodes"][3]["fen"]
    page.close()
