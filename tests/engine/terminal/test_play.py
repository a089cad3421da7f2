import random
import sys

import chess
import chess.pgn
import pytest

from engine.__main__ import main
from engine.terminal.board import board_text
from engine.terminal.files import read_games
from engine.terminal.play import _new_talk, _parser
from engine.terminal.table import new_console
from movegen import Position
from tests.engine.terminal.console import Terminal, piped

QUICK = ("--visits", "40", "--hash", "16", "--seed", "1")
needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Games that nobody named are saved where one stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new_talk(*arguments):
    return _new_talk(_parser().parse_args([*QUICK, *arguments]))


def typed(monkeypatch, *lines):
    """A person who types these lines, and then Ctrl-D."""
    waiting = list(lines)

    def answer(_prompt=""):
        if not waiting:
            raise EOFError
        line = waiting.pop(0)
        if line == "^C":
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr("builtins.input", answer)


def play(capsys, monkeypatch, arguments, *lines, status=0):
    typed(monkeypatch, *lines)
    assert main(["play", *QUICK, *arguments]) == status
    return capsys.readouterr().out


def test_a_whole_game(capsys, folder):
    rng, talk = random.Random(1), new_talk("--elo", "600")
    talk._begin()
    for _ in range(300):
        if talk.match.is_over:
            break
        talk.obey(talk.match.position.san(rng.choice(talk.match.position.move_codes)))
    talk.obey("save game.pgn")
    output = capsys.readouterr().out
    assert "The game is over" in output
    game = read_games(folder / "game.pgn")[0]
    board = game.end().board()
    assert board.is_game_over(claim_draw=True)
    assert game.headers["Result"] == board.result(claim_draw=True) == talk.match.result
    assert game.headers["BlackElo"] == "600"
    assert (game.headers["White"], game.headers["Black"][:6]) == ("Human", "Teresa")


def test_what_a_person_can_ask(capsys, monkeypatch):
    asked = ["e4", "hint", "moves", "why", "why not h4", "threat", "flip", "board", "help", "", "resign", "why", "quit"]
    output = play(capsys, monkeypatch, [], *asked)
    assert "\x1b" not in output
    assert "score ." in output
    assert "scores are for you" in output
    assert "verdict: BEST" in output
    assert "Black to move, 40 visits" in output  # why: Teresa's last move
    assert "White to move" in output
    assert " h  g  f  e  d  c  b  a" in output
    assert "Teresa wins, 0-1" in output


def test_advice_has_the_numbers_of_the_report(capsys):
    talk = new_talk()
    talk.obey("hint")
    row = talk.adviser.analysis(talk.match.position).children()["rows"][0]
    output = capsys.readouterr().out
    assert output.startswith(f"{row['san']}: score {row['q']:.2f}".replace("0.", "."))
    assert f"{row['n']} visits; line {' '.join(row['line'][:2])}" in output


def test_why_not_of_a_move_that_teresa_did_not_make(capsys):
    talk = new_talk()
    talk.obey("e4")
    talk.obey("why not h6")
    assert "Black to move, 40 visits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("Ke2", "White's own pawn stands on e2"),
        ("e2e5", "does not move"),
        ("dance", "is not a move"),
        ("why", "no move of Teresa's"),
        ("why not", "a move must follow"),
        ("why Ke2", "White's own pawn stands on e2"),
        ("why e4 x", "visits must be a whole number"),
        ("undo", "no move of yours"),
        ("save", "name of a file must follow"),
        ("save nowhere/x.pgn", "No such file"),
        ("draw?", "has not searched yet"),
    ],
)
def test_bad_input_is_answered(capsys, monkeypatch, line, answer):
    output = play(capsys, monkeypatch, [], line)
    assert answer in output


def test_a_threat_in_check(capsys, monkeypatch):
    assert "in check" in play(capsys, monkeypatch, ["--fen", "7k/8/8/8/8/8/7P/r6K w - - 0 1"], "threat")


def test_the_threat_is_the_opponents_best_move(capsys, monkeypatch):
    hanging_mate = "6k1/5ppp/8/8/8/8/r4PPP/6K1 w - - 0 1"
    assert "Ra1#: mate in 1" in play(capsys, monkeypatch, ["--fen", hanging_mate], "threat")


def test_undo_and_another_move(capsys, monkeypatch, folder):
    play(capsys, monkeypatch, [], "e4", "undo", "d4", "save game.pgn")
    moves = [str(move) for move in read_games(folder / "game.pgn")[0].mainline_moves()]
    assert moves[0] == "d2d4"
    assert len(moves) == 2


def test_save_never_writes_over_other_files(capsys, monkeypatch, folder):
    (folder / "precious.pgn").write_text("mine")
    output = play(capsys, monkeypatch, [], "e4", "save precious.pgn", "save a.pgn", "Nf3", "save a.pgn", "save")
    assert "precious.pgn exists already" in output
    assert (folder / "precious.pgn").read_text() == "mine"
    assert len(list(read_games(folder / "a.pgn")[0].mainline_moves())) == 4


@pytest.mark.parametrize(("last", "status"), [((), 0), (("^C",), 130), (("quit",), 0), (("new", "quit"), 0)])
def test_nothing_is_lost(capsys, monkeypatch, folder, last, status):
    output = play(capsys, monkeypatch, [], "e4", *last, status=status)
    (saved,) = folder.glob("teresa-*.pgn")
    assert f"--resume {saved.name}" in output
    assert next(iter(read_games(saved)[0].mainline_moves())) == chess.Move.from_uci("e2e4")


def test_a_game_that_cannot_be_saved_is_shown(capsys, monkeypatch):
    def refuse(path, _text):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("engine.terminal.talk.write_whole", refuse)
    output = play(capsys, monkeypatch, [], "e4")
    assert "Permission denied" in output
    assert "1. e4 " in output


def test_resume(capsys, monkeypatch, folder):
    play(capsys, monkeypatch, ["--elo", "700", "--colour", "black"], "save game.pgn")
    before = list(read_games(folder / "game.pgn")[0].mainline_moves())
    assert len(before) == 1
    reply = chess.Board()
    reply.push(before[0])
    move = next(iter(reply.legal_moves)).uci()
    output = play(capsys, monkeypatch, ["--resume", "game.pgn"], move)
    assert "You play Black against Teresa at about 700 Elo" in output
    after = list(read_games(folder / "game.pgn")[0].mainline_moves())
    assert after[:2] == [*before, chess.Move.from_uci(move)]
    assert len(after) == 3


def test_resume_keeps_a_file_with_several_games(capsys, monkeypatch, folder):
    text = '[Event "1"]\n\n1. e4 *\n\n[Event "2"]\n\n1. d4 d5 *\n'
    (folder / "two.pgn").write_text(text)
    play(capsys, monkeypatch, ["--resume", "two.pgn"], "c4")
    assert (folder / "two.pgn").read_text() == text
    (saved,) = folder.glob("teresa-*.pgn")
    assert [str(move) for move in read_games(saved)[0].mainline_moves()][:3] == ["d2d4", "d7d5", "c2c4"]


def test_a_game_that_is_over_can_be_taken_back(capsys, monkeypatch, folder):
    (folder / "mate.pgn").write_text("1. f3 e5 2. g4 Qh4# 0-1")
    output = play(capsys, monkeypatch, ["--resume", "mate.pgn"], "a3", "undo", "hint")
    assert "checkmate: Teresa wins" in output
    assert "the game is over, 0-1" in output
    assert "visits; line" in output


@pytest.mark.parametrize("number", ["0", "959"])
def test_chess960(capsys, monkeypatch, folder, number):
    play(capsys, monkeypatch, ["--chess960", number, "--colour", "black"], "save game.pgn")
    game = read_games(folder / "game.pgn")[0]
    assert game.board().chess960_pos() == int(number)
    assert len(list(game.mainline_moves())) == 1
    assert "You play" in play(capsys, monkeypatch, ["--resume", "game.pgn"])


def test_castling_in_chess960(capsys, monkeypatch, folder):
    fen = "k7/8/8/8/8/8/8/1R3KR1 w GB - 0 1"
    play(capsys, monkeypatch, ["--chess960", "--fen", fen], "O-O-O", "save game.pgn")
    game = read_games(folder / "game.pgn")[0]
    assert not game.errors
    assert game.next().san() in ("O-O-O", "O-O-O+")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--elo", "100"], "UCI_Elo: must be from"),
        (["--fen", "rubbish"], "side field"),
        (["--chess960", "960"], "0 to 959"),
        (["--chess960", "1", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "two starts"),
        (["--resume", "none.pgn"], "none.pgn: No such file"),
        (["--resume", "none.pgn", "--chess960"], "a start of its own"),
    ],
)
def test_bad_options(capsys, arguments, reason):
    assert main(["play", *arguments]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("is_flipped", [False, True])
@pytest.mark.parametrize("letters", [False, True])
def test_the_board_shows_every_man(letters, is_flipped):
    position = Position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    console = new_console(is_terminal=False)
    text = board_text(position, "e2e4", console, is_flipped=is_flipped, letters=letters).plain
    board = chess.Board(position.fen())
    rows = [row[3:].replace("[", " ").replace("]", " ").split() for row in text.splitlines()[:8]]
    squares = [[chess.square(file, rank) for file in range(8)] for rank in range(7, -1, -1)]
    for row, places in zip(rows[::-1] if is_flipped else rows, squares, strict=True):
        men = [board.piece_at(place) for place in places]
        signs = [("." if man is None else man.symbol() if letters else man.unicode_symbol()) for man in men]
        assert (row[::-1] if is_flipped else row) == signs
    assert text.count("[") == 2


@pytest.mark.slow
def test_through_pipes(environment, folder):
    status, output, errors = piped(environment, folder, ["play", *QUICK], ["e4", "hint", "save game.pgn"])
    assert (status, errors) == (0, "")
    assert "\x1b" not in output
    assert "Teresa plays 1... " in output
    assert len(list(read_games(folder / "game.pgn")[0].mainline_moves())) == 2


@pytest.mark.slow
@needs_terminals
@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal(environment, folder, no_color):
    terminal = Terminal(environment, folder, "play", *QUICK, **({"NO_COLOR": "1"} if no_color else {}))
    terminal.until("> ")
    terminal.type("Nf3")
    terminal.until("Teresa plays 1... ")
    terminal.until("> ", 2)
    terminal.interrupt()
    status, output = terminal.end()
    assert status == 130
    assert ("\x1b[1;38;" in output or "48;5" in output) != no_color
    assert ("♘" in output) == no_color  # where colours tell the sides apart, all men are filled
    assert "♞" in output
    (saved,) = folder.glob("teresa-*.pgn")
    assert len(list(read_games(saved)[0].mainline_moves())) == 2


@pytest.mark.slow
@needs_terminals
def test_ctrl_c_while_teresa_thinks(environment, folder):
    terminal = Terminal(environment, folder, "play", "--seconds", "50", "--hash", "16")
    terminal.until("> ")
    terminal.type("e4")
    terminal.until("Teresa thinks")
    terminal.interrupt()
    status, _ = terminal.end()
    assert status == 130
    (saved,) = folder.glob("teresa-*.pgn")
    assert [str(move) for move in read_games(saved)[0].mainline_moves()] == ["e2e4"]
