"""The engine as a process, driven by raw pipes and by python-chess."""

import signal
import subprocess
import sys
import threading
import time

import chess
import pytest

from engine.config.options import OPTIONS
from engine.network.weights_file import SHIPPED
from engine.uci.pipes import Transcript
from engine.uci.session import Session
from engine.warmup import ready_file, use_search_kernels
from tests.engine.search.test_resources import TABLES, write_book
from tests.engine.uci.process import TERESA, Process, SharedProcess
from tests.engine.uci.test_queue import Talk

pytestmark = pytest.mark.jit  # the engine as a process, which is always compiled


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """All tests here but those of cold starts use compiled kernels."""
    use_search_kernels()
    ready_file().touch()


@pytest.fixture
def new_engine(environment):
    process = Process(environment)
    yield process
    if not process.process.stderr.closed:
        process.process.kill()
        process.end()


@pytest.fixture(scope="module")
def one_engine(environment):
    """A process that ends without an error after all tests."""
    process = SharedProcess(environment)
    yield process
    process.quit_for_good()


@pytest.fixture
def engine(one_engine):
    """As if it was just started."""
    yield one_engine
    one_engine.quit_cleanly()


@pytest.mark.clock
def test_uci_is_answered_at_once_and_lists_all_options(new_engine):
    new_engine.send("uci")
    lines = new_engine.until("uciok")
    assert time.perf_counter() - new_engine.started < 0.3 * 5
    assert lines[0].startswith("id name Teresa ")
    assert [line for line in lines if line.startswith("option")] == [option.uci_line() for option in OPTIONS]
    new_engine.quit_cleanly()


@pytest.mark.clock
def test_a_warm_start_is_ready_soon(new_engine):
    new_engine.send("uci", "isready")
    new_engine.until("readyok")
    assert time.perf_counter() - new_engine.started < 1.5 * 5
    new_engine.quit_cleanly()


def test_a_search_prints_its_line_and_one_best_move(engine):
    engine.send("position startpos moves e2e4", "go nodes 3000", "isready")
    lines = engine.until("bestmove")
    infos = [line for line in lines if line.startswith("info depth")]
    words = infos[-1].split()
    for name in ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"):
        assert words[words.index(name) + 1].isdigit()
    assert words[words.index("nodes") + 1] == "3000"
    line = words[words.index("pv") + 1 :]
    assert lines[-1].split() == ["bestmove", line[0], "ponder", line[1]]
    board = chess.Board()
    for move in ["e2e4", *line]:
        board.push_uci(move)


@pytest.mark.clock
def test_stop_and_isready_are_answered_during_a_search(engine):
    engine.send("isready")
    engine.until("readyok")
    engine.send("go infinite")
    engine.until("info depth")
    for command, answer in (("isready", "readyok"), ("stop", "bestmove")):
        begin = time.perf_counter()
        engine.send(command)
        engine.until(answer)
        assert time.perf_counter() - begin < 0.03 * 5


def test_what_comes_during_a_search_is_kept_and_another_go_ends_it_first(engine):
    engine.send("go infinite", "position startpos moves d2d4", "setoption name MultiPV value 2", "isready")
    engine.until("readyok")
    engine.send("moves", "stop")
    assert engine.until("bestmove")[-1].split()[1] in {move.uci() for move in chess.Board().legal_moves}
    engine.send("go nodes 500")
    lines = engine.until("bestmove")
    assert any(" multipv 2 " in line for line in lines)
    after = chess.Board()
    after.push_uci("d2d4")
    assert lines[-1].split()[1] in {move.uci() for move in after.legal_moves}
    engine.send("go infinite", "go nodes 100")
    engine.until("bestmove")
    engine.until("bestmove")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("dance", "dance: unknown command"),
        ("position fen rubbish", "position: side field is missing"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position: board field has 0 kings"),
        ("position startpos moves e2e4 e2e4", "position: e2e4 is not a legal move"),
        ("position", "position: 'startpos' or 'fen' must follow"),
        ("setoption name Hash value 0", "setoption: Hash: must be from 1 to"),
        ("setoption name Nonsense value 3", "setoption: no option is called 'Nonsense'"),
        ("setoption", "setoption: 'name' must follow"),
        ("ponderhit", "ponderhit: no search is pondering"),
        ("moves", "moves: nothing was searched yet"),
        ("x" * 100_000, "xxx"),
        ("\x00\x01\x7f", "\\x00\\x01\\x7f: unknown command"),
    ],
)
def test_bad_input_is_explained_and_the_engine_lives_on(engine, command, expected):
    engine.send(command, "isready")
    lines = engine.until("readyok")
    if len(lines) == 1:  # it waited until the kernels were loaded
        lines = engine.until("info string")
    assert any(line.startswith("info string") and expected in line for line in lines)
    engine.send("go nodes 100")
    engine.until("bestmove")


def test_bytes_that_are_no_text_and_crlf(engine):
    engine.process.stdin.write(b"\xff\xfe\xfa\r\nposition startpos\r\ngo nodes 50\r\n")
    engine.process.stdin.flush()
    engine.until("bestmove")


def test_unreadable_arguments_of_go_are_skipped(engine):
    engine.send("go wtime x nodes 200 dance depth")
    lines = engine.until("bestmove")
    assert sum(line.startswith("info string go: ") for line in lines) == 3
    assert " nodes 200 " in lines[-2]


@pytest.mark.parametrize("limits", ["wtime 0 btime 0", "wtime -500 btime -500", "movetime 0", "nodes 0", "depth 0"])
def test_limits_of_nothing_mean_move_at_once(engine, limits):
    engine.send(f"go {limits}")
    lines = engine.until("bestmove", seconds=20)
    assert any(" pv " in line for line in lines)


def test_no_legal_move(engine):
    engine.send("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "go nodes 100")
    assert engine.until("bestmove")[-1] == "bestmove 0000"


def test_pondering(engine):
    engine.send("position startpos", "go ponder wtime 300 btime 300", "isready")
    engine.until("readyok")
    time.sleep(0.5)
    assert not any(line.startswith("bestmove") for line in list(engine.lines.queue))
    engine.send("ponderhit")
    engine.until("bestmove", seconds=5)


def test_perft_and_the_board(engine):
    engine.send("position startpos moves e2e4", "d", "go perft 2")
    lines = engine.until("Nodes searched: 600")
    assert "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in lines
    assert "e7e5: 29" in lines


def test_chess960_castling(engine):
    engine.send("setoption name UCI_Chess960 value true")
    engine.send("position fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1 moves e1g1", "d")
    assert engine.until("Fen")[-1] == "Fen: 4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"


@pytest.mark.parametrize("command", ["quit", None])
@pytest.mark.parametrize("searching", [True, False])
def test_quit_and_end_of_input_end_the_process(new_engine, command, searching):
    if searching:
        new_engine.send("go infinite")
        new_engine.until("info depth")
    if command:
        new_engine.send(command)
    else:
        new_engine.process.stdin.close()
    begin = time.perf_counter()
    status = new_engine.process.wait(timeout=5)
    assert status == 0
    assert time.perf_counter() - begin < 1 * 5


def test_a_closed_output_is_no_error(environment):
    process = subprocess.Popen(
        TERESA, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    process.stdin.write(b"uci\ngo nodes 1000\nisready\nquit\n")
    process.stdin.close()
    assert process.wait(timeout=20) in (0, 120)  # 120: Python could not flush its output at the end
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


def test_help_and_move_table(engine):
    engine.send("help", "setoption name MoveStats value true", "setoption name UCI_ShowWDL value true", "go nodes 500")
    lines = engine.until("bestmove")
    assert any("show the position" in line for line in lines)
    table = [line for line in lines if line.startswith("info string ") and " WDL " in line]
    assert len(table) == 20
    infos = [line.split() for line in lines if line.startswith("info depth")]
    wdl = infos[-1][infos[-1].index("wdl") + 1 :][:3]
    assert sum(map(int, wdl)) == 1000


def pv_of(lines):
    words = [line for line in lines if " pv " in line][-1].split()
    return words[words.index("pv") + 1 :]


def test_searchmoves(engine):
    lines = engine.ask("go nodes 300 searchmoves a2a3 h2h4 e2e5")
    assert any("searchmoves: e2e5 is not a legal move" in line for line in lines)
    assert lines[-1].split()[1] in ("a2a3", "h2h4")
    lines = engine.ask("go searchmoves b2b3 nodes 50")
    assert lines[-1].split()[1] == "b2b3"
    assert " nodes 50 " in lines[-2]


def test_eval_prints_results_of_random_games(engine):
    engine.send("setoption name Evaluator value Playout", "position fen 4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1")
    lines = engine.ask("eval", until="info string score")
    games = lines[-2].split()
    wins, draws, losses = (int(games[games.index(word) - 1]) for word in ("won,", "drawn,", "lost"))
    assert wins + draws + losses == 2000
    assert wins > 10 > losses


def test_eval_prints_the_networks_view(engine):
    engine.ask("isready", until="readyok")
    lines = engine.ask("position fen 3qk3/8/8/8/8/8/P7/4K3 b - - 0 1", "eval", "go nodes 1")
    text = "\n".join(lines)
    assert "black to move: score 0.9" in text
    assert "q on d8: +0." in text
    assert "P on a2: " in text
    priors = [float(line.split()[-1].rstrip("%")) for line in lines if " prior " in line]
    assert priors == sorted(priors, reverse=True)


def test_another_network_is_loaded_and_a_wrong_file_is_refused(engine, tmp_path):
    lines = engine.ask(f"setoption name EvalFile value {tmp_path}/none.net", "isready", until="readyok")
    assert any("none.net: cannot be read" in line for line in lines)
    (tmp_path / "wrong.net").write_bytes(b"nonsense" * 100)
    lines = engine.ask(f"setoption name EvalFile value {tmp_path}/wrong.net", "isready", until="readyok")
    assert any("not a weights file of Teresa" in line for line in lines)
    engine.send(f"setoption name EvalFile value {SHIPPED}", "go nodes 100")
    assert not any("EvalFile" in line for line in engine.until("bestmove"))


def test_bench_ends_with_signature_and_speed(engine):
    lines = engine.ask("bench 50", until="signature")
    assert sum(" visits " in line for line in lines) == 20
    nodes = engine.until("")[-1].split()
    assert (nodes[1], nodes[3]) == ("nodes", "nps")


def test_long_work_can_be_stopped_or_left(engine):
    engine.send("isready", "go perft 8", "isready")  # deeper, the kernel would go on for long: it is not interrupted
    engine.until("readyok")
    engine.until("readyok")
    lines = engine.ask("stop", until="info string perft: stopped")
    assert not any(line.startswith("Nodes") for line in lines)
    engine.send("bench 100000000", "position startpos moves e2e4", "go nodes 20")
    engine.until("bestmove")
    assert "4P3" in engine.ask("d", until="Fen")[-1]
    engine.send("go perft 8")


def test_a_transcript_of_all_that_is_said_and_heard(new_engine, tmp_path):
    log = tmp_path / "log.txt"
    new_engine.ask(f"setoption name LogFile value {log}", "go nodes 50")
    lines = new_engine.ask(f"setoption name LogFile value {tmp_path}", "isready", until="readyok")
    assert any("cannot be written" in line for line in lines)
    new_engine.quit_cleanly()
    text = log.read_text()
    assert " > go nodes 50\n" in text
    assert " < bestmove " in text
    assert " > quit\n" in text


def test_books_and_tablebases(engine, tmp_path):
    book = write_book(tmp_path / "book.bin", [(chess.Board(), "b2b4", 1)])
    engine.send(f"setoption name BookFile value {book}", "setoption name OwnBook value true")
    engine.send(f"setoption name SyzygyPath value {TABLES}")
    lines = engine.ask("go wtime 60000 btime 60000")
    assert pv_of(lines)[0] == lines[-1].split()[1] == "b2b4"
    lines = engine.ask("setoption name UCI_AnalyseMode value true", "go nodes 3000")
    assert len(pv_of(lines)) > 1
    fen = "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"
    lines = engine.ask(f"position fen {fen}", "go nodes 300")
    assert " score cp 9999 " in lines[-2]
    assert f" tbhits {chess.Board(fen).legal_moves.count()} " in lines[-2]
    lines = engine.ask("setoption name BookFile value /no/such/book", "isready", until="readyok")
    assert any("there is no book" in line for line in lines)
    lines = engine.ask("setoption name SyzygyPath value <empty>", "go nodes 300")
    assert " tbhits 0 " in lines[-2]


def test_debug_and_register(engine):
    engine.ask("register later", "isready", until="readyok")
    assert not any("Limits(" in line for line in engine.ask("go nodes 20"))
    assert any("Limits(" in line for line in engine.ask("debug on", "go nodes 20"))
    assert "must follow" in engine.ask("debug maybe", until="info string debug")[-1]
    assert not any("Limits(" in line for line in engine.ask("debug off", "go nodes 20"))


def test_clear_hash_forgets_and_the_tree_is_kept_otherwise(engine):
    def root_visits():
        table = engine.ask("moves", "isready", until="readyok")
        return sum(int(line.split()[4]) for line in table if " N " in line)

    engine.ask("isready", until="readyok")
    first = engine.ask("go nodes 5000")[-1].split()
    assert root_visits() == 4999
    engine.ask(f"position startpos moves {first[1]} {first[3]}", "go nodes 10")
    assert root_visits() > 20
    engine.ask("setoption name Clear Hash", "go nodes 10")
    assert root_visits() == 9


def test_the_move_table_has_every_column(engine):
    engine.ask("isready", until="readyok")
    engine.ask("go nodes 500")
    row = engine.ask("moves", until="info string")[-1].split()
    for column in ("N", "P", "Q", "U", "WDL", "pv"):
        assert column in row


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("searching", [True, False])
def test_ctrl_c_ends_the_process_without_a_traceback(new_engine, searching):
    new_engine.send("isready")
    new_engine.until("readyok")
    if searching:
        new_engine.send("go infinite")
        new_engine.until("info depth")
    new_engine.process.send_signal(signal.SIGINT)
    assert new_engine.end() == (0, "")


@pytest.mark.parametrize("limits", ["infinite", "ponder wtime 1000 btime 1000", "infinite searchmoves b1b8"])
def test_a_proven_root_waits_for_stop(engine, limits):
    engine.send("position fen 6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", f"go {limits}", "isready")
    engine.until("readyok")
    time.sleep(0.5)
    assert not any(line.startswith("bestmove") for line in list(engine.lines.queue))
    lines = engine.ask("stop")
    assert lines[-1] == "bestmove b1b8"
    assert any(" score mate 1 " in line for line in lines)


def test_go_mate_ends_at_a_proven_mate_of_at_most_so_many_moves(engine):
    engine.ask("isready", until="readyok")
    for mate in (1, 3):
        lines = engine.ask("position fen 6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", f"go mate {mate}")
        assert lines[-1] == "bestmove b1b8"
        assert " score mate 1 " in lines[-2]
    engine.send("position fen 7k/8/8/4K3/6Q1/8/8/8 w - - 0 1", "go mate 1", "isready")  # mate in two
    engine.until("readyok")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in list(engine.lines.queue))
    engine.ask("stop")


def test_ponderhit_is_refused_without_pondering(engine):
    engine.send("go infinite", "isready")
    engine.until("readyok")
    lines = engine.ask("ponderhit", until="info string ponderhit")
    assert not any(line.startswith("bestmove") for line in lines)
    engine.ask("stop")


def test_pv_ends_where_the_game_ends(engine):
    lines = engine.ask("position fen 7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "go nodes 20000")
    board = chess.Board("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")
    for move in pv_of(lines):
        board.push_uci(move)
    assert board.is_checkmate()


def test_why_after_a_search(engine):
    engine.ask("isready", until="readyok")
    fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
    best = engine.ask(f"position fen {fen}", "go nodes 3000")[-1].split()[1]
    lines = engine.ask("why", "isready", until="readyok")[:-1]
    assert all(line.startswith("info string ") for line in lines)
    assert "White to move, 3,000 visits" in lines[0]
    assert lines[2].split()[2] == chess.Board(fen).san(chess.Move.from_uci(best))
    for question in ("whynot Nh4", "why not Nh4", "why f3h4", "why not Nh4 500"):
        lines = engine.ask(question, until="info string   evidence")
        added = "500" if question.endswith("500") else "2,000"
        assert f"{added} added now" in lines[1]
    for question, answer in (
        ("why not Ke2", "NOT LEGAL: a king does not move from g1 to e2"),
        ("why Nxd9", "NOT LEGAL: 'Nxd9' is not a move"),
        ("why not", "why: a move must follow"),
        ("whynot h4 many", "visits must be a whole number of at least 1"),
        ("why h4 1 2", "'2' is not understood"),
    ):
        assert answer in engine.ask(question, until="info string")[-1]


def test_why_before_a_search(engine):
    engine.ask("isready", until="readyok")
    assert "nothing was searched yet" in engine.ask("why", until="info string why")[-1]


def test_why_during_a_search_does_not_end_or_disturb_it(engine):
    engine.ask("isready", until="readyok")
    engine.send("go infinite")
    engine.until("info depth")
    for _ in range(5):
        assert "still searching" in engine.ask("why", until="info string   settled")[-1]
        lines = engine.ask("why not a4", until="info string   evidence")
        assert not any(line.startswith("bestmove") for line in lines)
    engine.send("why not a4 10000000", "stop")
    engine.until("bestmove", seconds=5)
    assert engine.ask("isready", until="readyok", seconds=5)
    engine.ask("go nodes 100")


# The end of input


def piped(environment, text, *, seconds=120):
    """What a pipe of commands gives: -> lines."""
    run = subprocess.run(
        TERESA, env=environment, input=text.encode(), capture_output=True, timeout=seconds, check=False
    )
    assert (run.returncode, run.stderr) == (0, b"")
    return run.stdout.decode().splitlines()


ASKED = [
    ("d", "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("isready", "readyok"),
    ("uci", "uciok"),
    ("go perft 3", "Nodes searched: 8902"),
    ("bench 20", "signature "),
    ("eval", "info string h2h4 prior "),
    ("go nodes 300\nmoves", "info string h2h4 "),
    ("go nodes 300\nwhy", "info string   settled "),
    ("go nodes 300\nwhy not h4 300", "info string   evidence "),
    ("go infinite", "bestmove "),
    ("go ponder wtime 1000 btime 1000", "bestmove "),
    ("go", "bestmove "),
    ("go depth 3", "bestmove "),
    ("go nodes 100\nposition fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string position: "),
    ("go infinite\nposition startpos moves e2e4\nd", "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b "),
]
OF_PROCESSES = ("d", "bench 20", "go nodes 300\nwhy", "go infinite", "go depth 3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [pytest.param(*case, marks=[] if case[0] in OF_PROCESSES else pytest.mark.soak) for case in ASKED],
)
def test_what_was_asked_is_finished_at_the_end_of_input(environment, text, expected):
    assert any(line.startswith(expected) for line in piped(environment, text))


@pytest.mark.parametrize(("text", "expected"), ASKED)
def test_what_was_asked_while_it_was_loaded_is_finished_at_the_end_of_input(text, expected):
    """Likewise, without a process."""
    talk = Talk()
    talk.hear(*text.split("\n"))
    loading = threading.Timer(0.1, talk.load)
    loading.start()
    assert talk.session.queue.finish(lambda: False)
    loading.join()
    talk.close()
    assert any(line.startswith(expected) for said in talk.said for line in said.split("\n"))


def test_piped_searches_are_made_one_after_the_other_to_their_end(environment, tmp_path):
    mate = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
    text = (
        "position startpos\ngo nodes 700\nmoves\nposition startpos moves e2e4\ngo nodes 900 searchmoves a7a6\n"
        f"position fen {mate}\ngo movetime 300\nsavetree {tmp_path}/tree.npz\nbench 20\ngo nodes 50\n"
    )
    lines = piped(environment, text)
    moves = [line.split()[1] for line in lines if line.startswith("bestmove")]
    assert len(moves) == 4
    assert moves[1:] == ["a7a6", "b1b8", "b1b8"]
    before = [lines[number - 1] for number, line in enumerate(lines) if line.startswith("bestmove")]
    assert [" nodes 700 " in before[0], " nodes 900 " in before[1]] == [True, True]
    assert sum(" N " in line for line in lines) == 20  # `moves` came after its search
    assert any("moves saved in" in line for line in lines)
    assert any(line.startswith("signature") for line in lines)


@pytest.mark.parametrize(
    ("position", "limit", "end"),
    [
        ("startpos", "depth 5", "info depth 5 "),
        ("fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "mate 2", " score mate 2 "),
    ],
)
def test_piped_searches_without_visits_or_time_are_made_to_their_end(position, limit, end):
    """They are not cut short by what comes after them."""
    talk = Talk()
    talk.hear(f"position {position}", f"go {limit}", "moves", "go nodes 1")
    loading = threading.Timer(0.1, talk.load)
    loading.start()
    assert talk.session.queue.finish(lambda: False)
    loading.join()
    talk.close()
    lines = [line for said in talk.said for line in said.split("\n")]
    best = next(number for number, line in enumerate(lines) if line.startswith("bestmove"))
    assert end in lines[best - 1]
    assert not any(" N " in line for line in lines[:best])


def test_quit_leaves_at_once_whatever_was_asked(environment):
    assert piped(environment, "go nodes 100000000\nquit\n") == []
    engine = Process(environment)
    engine.ask("isready", until="readyok")
    engine.send("bench 100000000", "go nodes 1000000000", "quit")
    assert engine.end(seconds=30) == (0, "")


def test_an_engine_without_a_reader_ends(environment):
    """A GUI that has died closes both pipes: a search that would go on for hours is given up."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(TERESA, env=environment, **pipes)
    process.stdin.write(b"go depth 1000\n")
    process.stdin.close()
    while not process.stdout.readline().startswith(b"info depth"):
        pass
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


# Searches and jobs


@pytest.mark.parametrize("job", ["eval", "bench 20", "bench 100000", "go perft 3"])
def test_a_job_never_runs_during_a_search(engine, job):
    """It waits during a search, is started by its end, ended before the next search: each `go` has one answer."""
    engine.ask("isready", until="readyok")
    for _ in range(3):
        engine.send("go infinite", job, "go infinite", "position startpos moves e2e4", "setoption name Hash value 4")
        engine.send("ucinewgame", "go nodes 100", job, "position startpos", "go nodes 50")
        lines = [line for _ in range(4) for line in engine.until("bestmove", seconds=60)]
        assert sum(line.startswith("bestmove") for line in lines) == 4
    engine.ask("isready", until="readyok")


def test_a_table_of_moves_that_fails_does_not_stop_the_move(monkeypatch):
    """Whatever goes wrong with it: a `bestmove` is due."""
    lines = []
    session = Session(lines.append, loader=Loaded())
    for command in ("setoption name MoveStats value true", "position startpos"):
        session.queue.hear(command, time.perf_counter())
    monkeypatch.setattr(session.search, "show_moves", lambda: 1 / 0)
    session.search.on_best_move("e2e4", None)
    assert lines[-1] == "bestmove e2e4"
    assert "MoveStats: failed" in lines[-2]
    session.close()


class Loaded:
    """A loader that has nothing to do."""

    is_ready, has_failed, seconds = True, False, 0.0

    def close(self):
        pass


# A warm start


@pytest.mark.parametrize("limits", ["movetime 400", "nodes 3000", "infinite", "wtime 60000 btime 60000", "depth 2"])
def test_a_search_asked_for_before_it_is_loaded_is_the_real_one(engine, limits):
    engine.send(f"go {limits}")
    if limits == "infinite":
        engine.send("stop")
    lines = engine.until("bestmove", seconds=120)
    assert not any("simple player" in line for line in lines)
    if limits == "movetime 400":  # counted from the time when it was loaded
        words = lines[-2].split()
        assert int(words[words.index("nodes") + 1]) > 100


# Pondering


def test_a_ponder_hit_starts_the_clock_and_keeps_what_was_found(engine):
    engine.ask("isready", until="readyok")
    engine.send("position startpos moves e2e4 e7e5", "go ponder wtime 60000 btime 60000")
    engine.until("info depth")
    time.sleep(1)
    assert not any(line.startswith("bestmove") for line in list(engine.lines.queue))
    lines = engine.ask("ponderhit", seconds=60)
    words = lines[-2].split()
    assert int(words[words.index("time") + 1]) >= 1000  # since the start of pondering
    board = chess.Board()
    for move in ("e2e4", "e7e5", lines[-1].split()[1]):
        board.push_uci(move)


def test_a_ponder_miss_is_answered_and_the_next_search_is_for_the_move_played(engine):
    engine.ask("isready", until="readyok")
    engine.send("position startpos moves e2e4 e7e5", "go ponder wtime 60000 btime 60000")
    engine.until("info depth")
    engine.ask("stop")
    lines = engine.ask("position startpos moves e2e4 c7c5", "go nodes 500 searchmoves c2c3")
    assert lines[-1].split()[1] == "c2c3"
    assert " nodes 500 " in lines[-2]
    engine.send("go ponder wtime 1000 btime 1000", "position startpos moves d2d4", "go nodes 100")
    engine.until("bestmove")  # the next `go` ends what ponders
    assert " nodes 100 " in engine.until("bestmove")[-2]


def test_a_ponder_hit_before_the_search_is_loaded(engine):
    engine.send("position startpos moves e2e4", "go ponder wtime 3000 btime 3000", "ponderhit", "isready")
    lines = engine.until("bestmove", seconds=60)
    assert not any("no search is pondering" in line for line in lines)


# Smaller things


def test_one_clock_is_the_clock_of_both_sides(engine):
    engine.ask("isready", until="readyok")
    assert engine.ask("position startpos moves e2e4", "go wtime 300", seconds=60)[-1].startswith("bestmove")
    assert engine.ask("position startpos", "go btime 300", seconds=60)[-1].startswith("bestmove")


def test_the_board_has_coordinates_the_player_to_move_and_checkers(engine):
    lines = engine.ask("position fen 4k3/8/8/8/1b6/8/4r3/4K2R w K - 0 1", "d", until="Checkers")
    assert "1  . . . . K . . R" in lines
    assert "   a b c d e f g h" in lines
    assert lines[-2:] == ["To move: white", "Checkers: b4 e2"]
    assert engine.ask("position startpos moves e2e4", "d", until="Checkers")[-2:] == ["To move: black", "Checkers: -"]


def test_the_secret_of_the_explorer_is_not_in_the_transcript(tmp_path):
    transcript = Transcript()
    transcript.open(str(tmp_path / "log.txt"))
    transcript.said("info string explorer at http://127.0.0.1:4711/#s3cr3t-t0ken")
    transcript.heard("setoption name Hash value 1 # no secret")
    transcript.open("")
    text = (tmp_path / "log.txt").read_text()
    assert "s3cr3t" not in text
    assert "http://127.0.0.1:4711/#***" in text
    assert "# no secret" in text


def test_new_game_keeps_the_position(engine):
    engine.ask("position startpos moves e2e4", "ucinewgame", "go nodes 50")
    assert " b KQkq " in engine.ask("d", until="Fen")[-1]
