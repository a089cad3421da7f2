import json
import sys
import xml.etree.ElementTree as ET

import chess
import chess.pgn
import pytest

from engine.__main__ import main
from engine.report.move_stats import centipawns
from engine.review.chart import sparkline
from engine.review.marks import severity_of
from tests.engine.cli.console import Terminal, piped
from tests.engine.pgn.games import read_games

QUICK = ("--visits", "250", "--hash", "16", "--seed", "1", "--fresh")
HUNG_QUEEN = """[Event "A <b> & more"]
[White "Anna <script>"]
[Black "B & \x1b[31mC"]
[Result "1-0"]

{ An opening. } 1. e4 e5 2. Nf3 Qh4 { was this wise? } ( 2... Nc6 3. Bb5 { Spanish } ) 3. Nxh4 Nc6 4. Nf3 1-0
"""
CLEAN = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n'
MATE = '[White "A"]\n[Black "B"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


def review(capsys, folder, text, *arguments, status=0):
    path = folder / "game.pgn"
    path.write_text(text, encoding="utf-8")
    assert main(["review", *QUICK, str(path), *map(str, arguments)]) == status
    return capsys.readouterr().out


def data(capsys, folder, text, *arguments):
    return json.loads(review(capsys, folder, text, "--json", *arguments))


def test_the_words_for_a_loss():
    losses = [0, 0.049, 0.05, 0.099, 0.1, 0.149, 0.15, 1]
    words = ["", "", "inaccuracy", "inaccuracy", "mistake", "mistake", "blunder", "blunder"]
    assert [str(severity_of(loss)) for loss in losses] == words


def test_a_hung_queen_is_found(capsys, tmp_path):
    answer = data(capsys, tmp_path, HUNG_QUEEN)
    (game,) = answer["games"]
    assert answer["schema"] == "teresa-review/2"
    assert game["is_complete"]
    judged = {move["san"]: move for move in game["moves"]}
    assert judged["Qh4"]["verdict"] == "blunder"
    assert [move["san"] for move in game["moves"] if move["verdict"]] == ["Qh4"]
    assert game["players"]["black"]["blunder"] == 1
    assert game["players"]["white"]["blunder"] == 0


def test_a_clean_game_has_no_blunder(capsys, tmp_path):
    output = review(capsys, tmp_path, CLEAN)
    assert "  blunder, score" not in output
    assert "  mistake, score" not in output
    (game,) = data(capsys, tmp_path, CLEAN)["games"]
    assert not any(move["verdict"] in ("mistake", "blunder") for move in game["moves"])


def test_the_numbers_fit_together(capsys, tmp_path):
    (game,) = data(capsys, tmp_path, HUNG_QUEEN)["games"]
    for move, after in zip(game["moves"], game["moves"][1:], strict=False):
        assert move["score"] == pytest.approx(1 - after["best"]["score"], abs=1e-5)
    for move in game["moves"]:
        expected = 0 if move["uci"] == move["best"]["uci"] else max(0, move["best"]["score"] - move["score"])
        assert move["loss"] == pytest.approx(expected, abs=1e-5)
        assert move["verdict"] == str(severity_of(move["loss"]))
    for side, player in game["players"].items():
        own = [move for move in game["moves"] if move["turn"] == side]
        assert player["moves"] == len(own)
        assert player["average_loss"] == pytest.approx(sum(move["loss"] for move in own) / len(own), abs=1e-5)


def test_the_pgn_has_the_numbers_of_the_json(capsys, tmp_path):
    output = tmp_path / "out.pgn"
    (answer,) = data(capsys, tmp_path, HUNG_QUEEN, "-o", output)["games"]
    (game,) = read_games(output)
    assert not game.errors
    nodes = list(game.mainline())
    assert [node.move.uci() for node in nodes] == [move["uci"] for move in answer["moves"]]
    for node, move in zip(nodes, answer["moves"], strict=True):
        score = node.eval()
        assert score.white().score() == move["eval"]["cp"]
        white = move["score"] if move["turn"] == "white" else 1 - move["score"]
        assert move["eval"]["cp"] == pytest.approx(centipawns(white), abs=1)
    blunder = nodes[3]
    assert chess.pgn.NAG_BLUNDER in blunder.nags
    best = answer["moves"][3]["best"]
    better = blunder.parent.variation(chess.Move.from_uci(best["uci"]))
    for uci in best["pv"][1:]:
        better = better.variation(chess.Move.from_uci(uci))
    assert better.board().is_valid()
    first = blunder.parent.variation(chess.Move.from_uci(best["uci"]))
    assert first.eval().white().score() == pytest.approx(-centipawns(best["score"]), abs=1)


def test_existing_annotations_are_kept(capsys, tmp_path):
    output = tmp_path / "out.pgn"
    review(capsys, tmp_path, HUNG_QUEEN, "-o", output)
    text = output.read_text(encoding="utf-8")
    for kept in ("An opening.", "was this wise?", "3. Bb5 { Spanish", '[Event "A <b> & more"]'):
        assert kept in text
    assert "Annotator" in text


def test_mates_are_reported_as_mates(capsys, tmp_path):
    output = tmp_path / "out.pgn"
    (answer,) = data(capsys, tmp_path, MATE, "-o", output)["games"]
    assert answer["moves"][2]["eval"] == {"mate": -1}
    assert answer["moves"][3]["eval"] is None
    assert answer["moves"][3]["score"] == 1
    nodes = list(read_games(output)[0].mainline())
    assert nodes[2].eval().white() == chess.engine.Mate(-1)
    assert nodes[3].eval() is None


def test_all_games_of_a_file(capsys, tmp_path):
    broken = '[Event "x"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n'
    stopped = '[Event "y"]\n\n1. e4 e5 2. Ke3 d5 *\n'
    text = f"{CLEAN}\n{broken}\n{stopped}\n"
    out, picture = tmp_path / "out.pgn", tmp_path / "p.svg"
    shown = review(capsys, tmp_path, text, "-o", out, "--picture", picture)
    assert "Atomic is not played here" in shown
    assert "2. Ke3 is not a legal move" in shown
    assert len(read_games(out)) == 3
    assert {path.name for path in tmp_path.glob("*.svg")} == {"p-1.svg", "p-2.svg", "p-3.svg"}
    for path in tmp_path.glob("*.svg"):
        ET.parse(path)  # noqa: S314  (our own file)


def test_what_is_wrong_with_a_game_is_said_with_its_place(capsys, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text('1. e4 *\n\n1. e4 e5 2. Nf3 Nc6 3. Bg9 *\n\n[Variant "Atomic"]\n\n1. e4 *\n')
    assert main(["review", *QUICK, str(path)]) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    assert notes[0] == f"note: {path}, game 2: 3. Bg9 is no move"
    assert notes[1] == f"note: {path}, game 3: Atomic is not played here"


@pytest.mark.parametrize("json_only", [[], ["--json"]])
def test_a_file_without_a_game_that_can_be_judged_is_an_error(capsys, tmp_path, json_only):
    (tmp_path / "good.pgn").write_text("1. e4 *\n")
    (tmp_path / "bad.pgn").write_text('[Variant "Atomic"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. Bg9 *\n')
    assert main(["review", *QUICK, *json_only, str(tmp_path / "good.pgn"), str(tmp_path / "bad.pgn")]) == 2
    shown = capsys.readouterr()
    place = f"{tmp_path / 'bad.pgn'}, game 1"
    assert shown.err == f"teresa review: no game could be judged: {place}: Atomic is not played here\n"
    assert json.loads(shown.out)["games"][2]["note"] if json_only else "good.pgn, game 1\n" in shown.out
    (tmp_path / "empty.pgn").write_text('[White "A"]\n\n*\n')
    assert main(["review", *QUICK, str(tmp_path / "empty.pgn")]) == 0
    assert "Scores:" not in capsys.readouterr().out


def test_chess960(capsys, tmp_path):
    game = chess.pgn.Game()
    game.setup(chess.Board("k7/8/8/8/8/8/8/1R3KR1 w GB - 0 1", chess960=True))
    game.add_variation(game.board().parse_san("O-O-O"))
    out = tmp_path / "out.pgn"
    (answer,) = data(capsys, tmp_path, str(game), "-o", out)["games"]
    assert answer["moves"][0]["uci"] == "f1b1"
    assert not read_games(out)[0].errors


def test_the_picture_and_the_table(capsys, tmp_path):
    picture = tmp_path / "p.svg"
    shown = review(capsys, tmp_path, HUNG_QUEEN, "--picture", picture)
    assert "\x1b" not in shown
    assert "2... Qh4??  blunder" in shown
    root = ET.parse(picture).getroot()  # noqa: S314  (our own file)
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.find(f"{name}polyline").get("points").split()) == 8
    assert len(root.findall(f"{name}circle[{name}title]")) == 1
    assert "Anna <script>" in "".join(root.itertext())
    assert "http://" not in picture.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")


def test_the_line_of_bars():
    assert sparkline([0, 0.5, 1], 10, bars=True) == "▁▅█"
    assert sparkline([0, 0.5, 1], 10, bars=False) == "059"
    assert len(sparkline([0.5] * 1000, 60, bars=True)) == 60
    assert sparkline([], 10, bars=True) == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["none.pgn"], "No such file"),
        (["empty.pgn"], "no game in it"),
        (["game.pgn", "-o", "game.pgn"], "the original stays"),
        (["game.pgn", "-o", "nowhere/x.pgn"], "nowhere/x.pgn: there is no folder"),
        (["game.pgn", "--picture", "nowhere/x.svg"], "nowhere/x.svg: there is no folder"),
        (["game.pgn", "--hash", "0"], "--hash: must be from 1"),
        (["game.pgn", "--game", "2"], "game.pgn: it has one game, there is no game 2"),
        (["game.pgn", "empty.pgn"], "empty.pgn: there is no game in it"),
        (["game.pgn", "game.pgn", "--game", "1"], "--game is for one file"),
        (["game.pgn", "--resume"], "--resume needs -o"),
        (["game.pgn", "--encoding", "klingon"], "there is no encoding 'klingon'"),
    ],
)
def test_what_is_wrong_is_said(capsys, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.pgn").write_text("")
    (tmp_path / "game.pgn").write_text(CLEAN)
    assert main(["review", *arguments]) == 2
    assert reason in capsys.readouterr().err
    assert (tmp_path / "game.pgn").read_text() == CLEAN


def test_an_interrupted_review_keeps_what_was_judged(capsys, tmp_path, monkeypatch):
    from engine.search import searcher as searcher_module

    searches, search = [], searcher_module.search_to_end

    def interrupted(searcher, limits):
        searches.append(1)
        if len(searches) == 5:
            raise KeyboardInterrupt
        search(searcher, limits)

    monkeypatch.setattr("engine.cli.review_games.search_to_end", interrupted)
    out = tmp_path / "out.pgn"
    shown = review(capsys, tmp_path, CLEAN, "-o", out, status=130)
    assert "3 of 10 half-moves were judged" in shown
    nodes = list(read_games(out)[0].mainline())
    assert [node.eval() is not None for node in nodes] == [True] * 3 + [False] * 7


@pytest.mark.slow
def test_through_a_pipe(environment, tmp_path):
    (tmp_path / "game.pgn").write_text(HUNG_QUEEN)
    status, output, errors = piped(environment, tmp_path, ["review", *QUICK, "game.pgn", "--json"])
    assert (status, errors) == (0, "")
    assert len(json.loads(output)["games"][0]["moves"]) == 7


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal(environment, tmp_path, no_color):
    (tmp_path / "game.pgn").write_text(HUNG_QUEEN)
    variables = {"NO_COLOR": "1"} if no_color else {}
    terminal = Terminal(environment, tmp_path, "review", *QUICK, "game.pgn", **variables)
    status, output = terminal.end()
    assert status == 0
    assert "game 1 " in output  # progress
    assert "▅" in output
    assert ("\x1b[1;31m" in output) != no_color
    assert "\x1b[31mC" not in output  # the names steer nothing
