"""The parts of the page of a game one by one, in a real browser: list, curve, exercises, games, numbers, verdict."""

from tests.engine.explorer.game_code import SMALL, node_called, run
from tests.engine.explorer.judged_games import game_data


def test_the_list_of_moves(code_page):
    data = game_data(SMALL, is_judged=False)
    found = run(code_page, "list", [data, node_called(data, "2. Nf3")])
    text = "Before. 1. e4 e5! good 1… c5 Sicilian 2. Nf3 2. c3 d5 2… d6 2. Nf3 named 2. f4 exf4 2. … Nc6 3. Bb5 1-0"
    assert found["text"].replace(" ", "") == text.replace(" ", "")
    assert found["labels"][:3] == ["1. e4", "1… e5", "1… c5"]
    assert found["groups"] == ["variation", "variation", "variation: named"]
    assert found["stops"] == [found["current"]], "one stop for the Tab key"
    assert found["chosen"] == [3, 5]
    assert found["marked"].endswith("?? #−3") or found["marked"].endswith("??")
    assert found["focused"] == "3", "the focus goes with the move"


def test_variations_nested_without_end_do_not_break_the_list(code_page):
    moves, notes = run(code_page, "nested", 3000)
    assert moves < 200
    assert notes == 1


def test_the_curve(code_page):
    data = game_data()
    del data["judged"][str(node_called(data, "3. Nc3"))]
    found = run(code_page, "curve", data)
    plies = sum(node["main"] for node in data["nodes"]) - 1
    assert found["xs"] == [5, 405]
    assert found["ys"] == [115, 65, 15]
    assert found["at"] == [0, 0, plies, plies]
    assert found["runs"] == [[0, plies]], "a score is also known from the best move of the next position"
    assert found["words"].startswith("1… d6, .")
    assert found["now"] == ["2", str(plies), found["words"]]
    assert found["chosen"] == [next(node["id"] for node in data["nodes"] if node["ply"] == plies)]


def test_an_exercise_and_its_hints(code_page):
    data = game_data()
    mistake = node_called(data, "21. Rhe1")
    judged = data["judged"][str(mistake)]
    rows = judged["rows"]
    rows[1]["q"] = round(rows[0]["q"] - 0.015, 3)
    rows[2]["q"] = round(rows[0]["q"] - 0.12, 3)
    moves = [data["nodes"][mistake]["uci"], "a1a8", rows[2]["uci"], rows[1]["uci"]]
    found = run(code_page, "exercise", [data, moves])
    assert found["choices"][0] == "21. Rhe1, missed win, open"
    assert found["said"] == [
        ["said bad", "Not that one. That is what was played."],
        ["said fair", "This move was not judged."],
        ["said bad", "Not that one: it loses .12."],
        ["said good", "Good: as strong as the best move."],
    ]
    assert found["hints"] == ["Hint", "Hint", "Hint", "Show the move"]
    best = judged["best"]
    assert found["shown"][2:] == [f"It stands on {best['uci'][:2]}.", f"{best['san']}."]
    assert found["why"]
    parent = data["nodes"][mistake]["parent"]
    calls = found["calls"]
    assert calls[0] == ["begin", parent, "white"]
    assert [call[0] for call in calls if call[0] == "back"] == ["back"] * 3, "a move that is not good is taken back"
    asked = [call[2] for call in calls if call[0] == "post"]
    assert asked[0] == {"node": parent, "move": moves[0], "hints": 0}
    assert asked[-1] == {"node": parent, "move": best["uci"], "hints": 4, "reveal": True}
    assert found["results"] == {str(mistake): {"solved": False, "hints": 4}}
    assert found["after"][0] == "21. Rhe1, missed win, shown"


def test_a_list_of_twenty_thousand_games(code_page):
    found = run(code_page, "games", 20_000)
    assert found["state"] == "20,000 games"
    assert found["first"][0].startswith("1 W0 – B 1–0")
    assert "41 moves" in found["first"][0]
    assert "broken: illegal move" in found["first"][1]
    assert found["broken"] == 1
    assert max(found["count"], found["few"]) < 15, "only what is in sight is there"
    assert found["middle"].startswith("10001 W10000")
    assert found["found"][0] == "1 of 20,000 games"
    assert found["opened"] == [20_000, 1]
    assert all(count == 200 for _, count, _ in found["asked"])
    assert len(found["asked"]) <= 6


def test_numbers_of_both_players(code_page):
    data = game_data()
    found = run(code_page, "numbers", [data, game_data(is_judged=False)])
    white, black = data["players"]["white"], data["players"]["black"]
    assert found["rows"][1] == ["Accuracy", f"{white['accuracy']:.1f} %", f"{black['accuracy']:.1f} %"]
    assert found["rows"][2] == ["Average centipawn loss", "23", "23"]
    assert ["?? Blunders", str(white["blunder"]), str(black["blunder"])] in found["rows"]
    opening = white["by_phase"]["opening"]
    row = next(row for row in found["rows"] if row[0] == "Opening")
    assert row[3:5] == [f"{opening['accuracy']:.1f} %", str(opening["average_centipawn_loss"])]
    assert len(found["calls"]) == 1
    assert found["empty"] == "The numbers come when the game has been judged."


def test_the_verdict_in_words(code_page):
    data = game_data()
    blunder, quiet = node_called(data, "24... cxd4"), node_called(data, "2. d4")
    judged = data["judged"][str(blunder)]
    found = run(code_page, "verdict", [data, [0, blunder, quiet]])
    (start, _), (texts, spoken), (plain, _) = found["all"]
    assert start == ["The start", "Hoogovens Group A · round 4 · Wijk aan Zee NED · 1999.01.20"]
    assert texts[0].startswith("24… cxd4??blunder")
    assert texts[1].startswith(f"Loses .34; better {judged['best']['san']} ")
    assert texts[2] == judged["text"].capitalize().replace("rxd4", "Rxd4") or texts[2].startswith("After it")
    assert spoken.startswith("24… cxd4, blunder, White’s score ")
    assert spoken.endswith(f"better was {judged['best']['san']}")
    assert plain[1] == "The best move."
    assert [call[0] for call in found["calls"]] == ["play", "exercise"]
    assert found["calls"][0][1:] == [data["nodes"][blunder]["parent"], judged["best"]["uci"]]
