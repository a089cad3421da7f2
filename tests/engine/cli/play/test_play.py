import random
import signal
import subprocess
import sys

import chess
import pytest

from engine.__main__ import main
from engine.cli.arguments import limits_from
from engine.cli.console import new_console
from engine.cli.play import start
from engine.cli.play.board_and_moves import board_text
from engine.cli.play.command import _new_parser
from engine.system.files import write_whole
from movegen import Position
from perft.command_text import quoted
from tests.engine.cli.console import SECONDS, SOURCES, Terminal, command, piped
from tests.engine.pgn.games import read_games

QUICK = ("--visits", "40", "--hash", "16", "--seed", "1")
needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Games without a name are saved in the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new_loop(*arguments):
    parsed = _new_parser().parse_args([*QUICK, *arguments])
    return start.new_loop(parsed, start.find_start(parsed), limits_from(parsed, default=1))


def typed(monkeypatch, *lines):
    """A user types these lines, and then Ctrl-D."""
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


@pytest.mark.thorough
def test_a_whole_game(capsys, folder):
    rng, loop = random.Random(1), new_loop("--elo", "600")
    loop._begin()
    for _ in range(300):
        if loop.game.is_over:
            break
        loop.obey(loop.game.position.san(rng.choice(loop.game.position.move_codes)))
    loop.obey("save game.pgn")
    output = capsys.readouterr().out
    assert "The game is over" in output
    game = read_games(folder / "game.pgn")[0]
    board = game.end().board()
    assert board.is_game_over(claim_draw=True)
    assert game.headers["Result"] == board.result(claim_draw=True) == loop.game.result
    assert game.headers["BlackElo"] == "600"
    assert (game.headers["White"], game.headers["Black"][:6]) == ("Human", "Teresa")


@pytest.mark.thorough
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
    loop = new_loop()
    loop.obey("hint")
    row = loop.hints.analysis(loop.game.position).children()["rows"][0]
    output = capsys.readouterr().out
    assert output.startswith(f"{row['san']}: score {row['q']:.2f}".replace("0.", "."))
    assert f"{row['n']} visits; line {' '.join(row['line'][:2])}" in output


def test_why_not_of_a_move_that_teresa_did_not_make(capsys):
    loop = new_loop()
    loop.obey("e4")
    loop.obey("why not h6")
    assert "Black to move, 40 visits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("Ke2", "White's own pawn is on e2"),
        ("e2e5", "does not move"),
        ("dance", "is not a move"),
        ("why", "no move of Teresa's"),
        ("why not", "a move must follow"),
        ("why Ke2", "White's own pawn is on e2"),
        ("why e4 x", "visits must be a whole number"),
        ("undo", "no move of yours"),
        ("save", "name of a file must follow"),
        ("save nowhere/x.pgn", "No such file"),
        ("draw?", "Teresa plays on: it considers a draw after 10 moves"),
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

    monkeypatch.setattr("engine.cli.play.saving.write_whole", refuse)
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
        (["--elo", "100"], "--elo: must be from"),
        (["--elo", "3000"], "--elo: must be from"),
        (["--hash", "0"], "--hash: must be from"),
        (["--fen", "rubbish"], "side field"),
        (["--chess960", "1", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "two starts"),
        (["--resume", "none.pgn"], "none.pgn: No such file"),
        (["--resume", "none.pgn", "--chess960"], "--resume and a position are two starts"),
    ],
)
def test_bad_options(capsys, arguments, reason):
    assert main(["play", *arguments]) == 2
    assert reason in capsys.readouterr().err


# Files


@pytest.mark.parametrize("content", [b"My notes\n", b"", b"\x00\x01" * 99, b"# Title\n\n1. e4 is best by test\n"])
def test_resume_leaves_other_files_alone(capsys, monkeypatch, folder, content):
    path = folder / "notes.txt"
    path.write_bytes(content)
    typed(monkeypatch, "e4", "quit")
    assert main(["play", *QUICK, "--resume", "notes.txt"]) == 2
    assert "notes.txt: there is no game in it" in capsys.readouterr().err
    assert path.read_bytes() == content
    assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("more", ["Dear Anna, this is our game.\n\n", "\n\nYours, Teresa\n"])
def test_resume_keeps_other_text_of_the_file(capsys, monkeypatch, folder, more):
    text = '[White "A"]\n\n1. e4 e5 *\n'
    text = more + text if more.startswith("Dear") else text + more
    (folder / "letter.txt").write_text(text)
    play(capsys, monkeypatch, ["--resume", "letter.txt"], "Nf3")
    assert (folder / "letter.txt").read_text() == text
    assert len(list(folder.glob("teresa-*.pgn"))) == 1


def test_resume_takes_the_game_that_was_asked_for(capsys, monkeypatch, folder):
    (folder / "two.pgn").write_text('[Event "1"]\n\n1. e4 e5 *\n\n[Event "2"]\n\n1. d4 d5 *\n')
    play(capsys, monkeypatch, ["--resume", "two.pgn", "--game", "1"], "Nf3", "save one.pgn")
    assert [str(move) for move in read_games(folder / "one.pgn")[0].mainline_moves()][:3] == ["e2e4", "e7e5", "g1f3"]


@pytest.mark.parametrize("codec", ["latin-1", "utf-8-sig", "utf-16", "utf-8"])
def test_resume_keeps_the_encoding(capsys, monkeypatch, folder, codec):
    path = folder / "game.pgn"
    path.write_bytes('[White "Müller"]\r\n\r\n1. e4 { très bien } e5 *\r\n'.encode(codec))
    play(capsys, monkeypatch, ["--resume", "game.pgn"], "Nf3")
    (game,) = read_games(path, codec)
    assert game.headers["White"] == "Müller"
    assert game.next().comment == "très bien"
    assert len(list(game.mainline_moves())) == 4
    assert "\n" not in path.read_bytes().decode(codec).replace("\r\n", "")


def test_an_illegal_move_is_named(capsys, folder):
    (folder / "bad.pgn").write_text("1. e4 e5 *\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bg9 Be7 *\n")
    assert main(["play", *QUICK, "--resume", "bad.pgn"]) == 2
    assert capsys.readouterr().err == "teresa play: bad.pgn, game 2: 4. Bg9 is no move\n"


def test_a_file_that_another_program_changed_is_not_overwritten(capsys, folder):
    path = folder / "game.pgn"
    path.write_text("1. e4 e5 *\n")
    loop = new_loop("--resume", "game.pgn")
    path.write_text("1. e4 e5 *\n\n1. d4 *\n")
    loop.obey("Nf3")
    loop.obey("save")
    assert "game.pgn was changed by another program" in capsys.readouterr().out
    loop.leave()
    assert path.read_text() == "1. e4 e5 *\n\n1. d4 *\n"
    (saved,) = folder.glob("teresa-*.pgn")
    assert len(list(read_games(saved)[0].mainline_moves())) == 4


def test_a_game_of_a_file_that_cannot_be_written_is_saved_elsewhere(capsys, monkeypatch, folder):
    (folder / "game.pgn").write_text("1. e4 e5 *\n")

    def refuse(path, **_how):
        raise ValueError(f"{path}: Permission denied")

    monkeypatch.setattr("engine.cli.play.saving.check_writable", refuse)
    play(capsys, monkeypatch, ["--resume", "game.pgn"], "Nf3")
    assert (folder / "game.pgn").read_text() == "1. e4 e5 *\n"
    assert len(list(folder.glob("teresa-*.pgn"))) == 1


def test_saving_fails_in_the_old_place_but_not_in_a_new_one(capsys, monkeypatch, folder):
    (folder / "game.pgn").write_text("1. e4 e5 *\n")

    def refuse(path, content):
        if path.name == "game.pgn":
            raise OSError(28, "No space left on device")
        write_whole(path, content)

    monkeypatch.setattr("engine.cli.play.saving.write_whole", refuse)
    output = play(capsys, monkeypatch, ["--resume", "game.pgn"], "Nf3")
    assert "No space left" in output
    assert (folder / "game.pgn").read_text() == "1. e4 e5 *\n"
    assert len(list(folder.glob("teresa-*.pgn"))) == 1


def test_a_resigned_game(capsys, monkeypatch, folder):
    output = play(capsys, monkeypatch, [], "e4", "resign", "save game.pgn", "undo", "resign", "quit")
    assert read_games(folder / "game.pgn")[0].headers["Result"] == "0-1"
    assert "`teresa play --resume game.pgn` opens it again" in output
    assert "The game had ended, 0-1; it goes on" in play(capsys, monkeypatch, ["--resume", "game.pgn"])


def test_a_file_with_a_blank_in_its_name_can_be_typed(capsys, monkeypatch, folder):
    output = play(capsys, monkeypatch, [], "e4", "save my game.pgn", "resign", "quit")
    assert (folder / "my game.pgn").exists()
    assert f"`teresa play --resume {quoted('my game.pgn')}` opens it again" in output


# Starts and draws


@pytest.mark.parametrize("name", [[], ["--fen"]])
def test_a_bare_fen(capsys, monkeypatch, folder, name):
    fen = "6k1/5ppp/8/8/8/8/r4PPP/6K1 w - - 0 1"
    play(capsys, monkeypatch, [*name, fen], "h3", "save game.pgn")
    assert read_games(folder / "game.pgn")[0].headers["FEN"] == fen


def test_a_start_from_a_file(capsys, monkeypatch, folder):
    (folder / "book.pgn").write_text("1. e4 *\n\n1. d4 d5 2. c4 *\n")
    play(capsys, monkeypatch, ["book.pgn", "--game", "2", "--ply", "2"], "c4", "save game.pgn")
    game = read_games(folder / "game.pgn")[0]
    assert game.headers["FEN"].startswith("rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w")
    assert (folder / "book.pgn").read_text() == "1. e4 *\n\n1. d4 d5 2. c4 *\n"


@pytest.mark.parametrize("number", ["960", "-1", "x"])
def test_starts_that_are_none(capsys, number):
    with pytest.raises(SystemExit) as stop:
        main(["play", "--chess960", number])
    assert stop.value.code == 2
    assert "--chess960" in capsys.readouterr().err


LONG = "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8 Nf3 Nc6 Nc3 Nf6 d3 d6 a3 a6 h3 h6 e4 e5"


@pytest.mark.parametrize(
    ("fen", "moves", "answer"),
    [
        (None, "e4 e5", "considers a draw after 10 moves"),
        (None, LONG, "Teresa takes the draw"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", LONG, "Teresa plays on: its search gives it"),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", LONG, "Teresa takes the draw"),
    ],
)
def test_draws_are_taken_on_evidence(capsys, fen, moves, answer):
    loop = new_loop(*([fen] if fen else []))
    for move in moves.split():
        loop.game.play(loop.game.position.code(move))
    loop.obey("draw?")
    assert answer in capsys.readouterr().out
    assert loop.game.is_over == ("takes" in answer)


def test_moves_as_people_type_them(capsys, monkeypatch, folder):
    play(capsys, monkeypatch, [], "nf3", "why not g1-h3", "G2-G3", "save game.pgn")
    moves = [str(move) for move in read_games(folder / "game.pgn")[0].mainline_moves()]
    assert moves[0::2] == ["g1f3", "g2g3"]


# On a terminal


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
        pieces = [board.piece_at(square) for square in places]
        signs = [("." if piece is None else piece.symbol() if letters else piece.unicode_symbol()) for piece in pieces]
        assert (row[::-1] if is_flipped else row) == signs
    assert text.count("[") == 2


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_through_pipes(environment, folder):
    status, output, errors = piped(environment, folder, ["play", *QUICK], ["e4", "hint", "save game.pgn"])
    assert (status, errors) == (0, "")
    assert "\x1b" not in output
    assert "Teresa plays 1... " in output
    assert len(list(read_games(folder / "game.pgn")[0].mainline_moves())) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_reader_that_has_enough_does_not_cost_the_game(environment, folder):
    """`teresa play | head`"""
    process = subprocess.Popen(
        command("play", *QUICK),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**environment, "PYTHONPATH": SOURCES, "PYTHONUNBUFFERED": "1"},
    )
    process.stdin.write(b"e4\n")
    process.stdin.flush()
    while b"Teresa plays 1... " not in process.stdout.readline():
        assert process.poll() is None
    process.stdout.close()
    _, errors = process.communicate(b"d4\nquit\n", timeout=SECONDS)
    assert (process.returncode, errors) == (0, b"")
    (saved,) = folder.glob("teresa-*.pgn")
    assert len(list(read_games(saved)[0].mainline_moves())) >= 2


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
    assert ("♘" in output) == no_color  # where colours distinguish the sides, all pieces are filled
    assert "♞" in output
    (saved,) = folder.glob("teresa-*.pgn")
    assert len(list(read_games(saved)[0].mainline_moves())) == 2


@pytest.mark.slow
@needs_terminals
@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
@pytest.mark.parametrize("thinks", [False, True])
def test_signals_save_the_game(environment, folder, name, thinks):
    number = getattr(signal, name)
    terminal = Terminal(environment, folder, "play", *(("--seconds", "50", "--hash", "16") if thinks else QUICK))
    terminal.until("> ")
    terminal.type("e4")
    terminal.until("Teresa thinks" if thinks else "Teresa plays 1... ")
    if not thinks:
        terminal.until("> ", 2)
    terminal.interrupt(number)
    status, _ = terminal.end()
    assert status == 128 + number
    (saved,) = folder.glob("teresa-*.pgn")
    assert next(str(move) for move in read_games(saved)[0].mainline_moves()) == "e2e4"


@pytest.mark.slow
@needs_terminals
def test_a_closed_window_saves_the_game(environment, folder):
    terminal = Terminal(environment, folder, "play", *QUICK)
    terminal.until("> ")
    terminal.type("e4")
    terminal.until("Teresa plays 1... ")
    terminal.until("> ", 2)
    terminal.hang_up()
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
