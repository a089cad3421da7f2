"""UCI engines that die, hang, play illegal moves or ignore the clock: counted apart, started again, nothing lost."""

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn
import pytest

from engine.match import uci_player
from engine.match.adjudication import Adjudication
from engine.match.open_players import check_players, open_player
from engine.match.openings import Opening
from engine.match.pairs import MatchPlan, Table, pairs_of
from engine.match.play import Match
from engine.match.player import Clock, PlayerSpec, TimeControl
from engine.match.roster import read_engine
from engine.match.uci_player import UciPlayer
from movegen import Position
from movegen.fen import START_FEN
from perft.runner.journal import Memory
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import RunError, Runner
from perft.runner.units import Unit

ENGINE = str(Path(__file__).with_name("fake_engine.py"))
VISITS = TimeControl(visits=10)
SHORT = Adjudication(most_plies=10)
OPENINGS = [Opening(START_FEN, (move,)) for move in ("e2e4", "d2d4", "c2c4")]
CLOCKS = {"white": Clock(1.0), "black": Clock(1.0)}


def engine(*arguments, name="F", options=None):
    return PlayerSpec(name, options or {}, [sys.executable, ENGINE, *map(str, arguments)])


def rows_of(first, second, control=VISITS, rules=SHORT):
    with (table := Table([first, second], control, rules)):
        for number, opening in enumerate(OPENINGS):
            table.play_pair(opening, number, seed=1)
    return table


def test_well_behaved_engines():
    table = rows_of(engine("nothing"), engine("nothing"))
    assert all(row == {"points": [0.5, 0.5], "forfeits": [None, None]} for row in table.rows)
    assert "[%eval 0.17]" in table.games[0]
    assert len(table.games) == 6


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "word"),
    [("crash", "crash"), ("illegal", "illegal move"), ("nonsense", "illegal move"), ("none", "no move")],
)
def test_a_failure_costs_one_game(tmp_path, what, word):
    """The engine is started again; the other games are played to their end."""
    table = rows_of(engine(what, 2, tmp_path), engine("nothing"))
    assert table.rows[0] == {"points": [0.0, 0.5], "forfeits": [f"first: {word}", None]}
    assert all(row["forfeits"] == [None, None] for row in table.rows[1:])


def test_the_last_words_of_an_engine_that_crashes_are_in_its_game(tmp_path):
    table = rows_of(engine("crash", 2, tmp_path), engine("nothing"))
    assert "white loses: crash (Fake: out of memory)" in " ".join(table.games[0].split())
    assert "(" not in table.games[1].split("\n\n")[1]


def test_the_last_words_of_a_program_that_is_not_an_engine():
    player = PlayerSpec("P", {}, [sys.executable, "-c", "raise SystemExit('no such network')"])
    with pytest.raises(ValueError, match="cannot be started as a UCI engine: no such network"):
        uci_player.UciPlayer(player, VISITS).start_game(Position(), 1)


def test_the_second_player_can_fail_too(tmp_path):
    table = rows_of(engine("nothing"), engine("crash", 1, tmp_path))
    assert table.rows[0] == {"points": [1.0, 0.5], "forfeits": ["second: crash", None]}


@pytest.mark.thorough
def test_an_engine_that_always_crashes_loses_every_game():
    table = rows_of(engine("crash", 1), engine("nothing"))
    assert all(row == {"points": [0.0, 0.0], "forfeits": ["first: crash"] * 2} for row in table.rows)


@pytest.mark.thorough
def test_an_engine_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(uci_player, "SECONDS_TO_ANSWER", 0.3)
    table = rows_of(engine("hang", 2, tmp_path), engine("nothing"), TimeControl(clock=1.0))
    assert table.rows[0]["forfeits"] == ["first: no answer", None]
    assert all(row["forfeits"] == [None, None] for row in table.rows[1:])


def test_an_engine_that_hangs_with_fixed_visits_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(uci_player, "SECONDS_TO_START", 0.5)
    monkeypatch.setattr(uci_player.UciPlayer, "_started", _started_slowly)
    table = rows_of(engine("hang", 2, tmp_path), engine("nothing"))
    assert table.rows[0]["forfeits"] == ["first: no answer", None]


def _started_slowly(player):
    return uci_player.chess.engine.SimpleEngine.popen_uci(list(player._spec.command), timeout=30)


@pytest.mark.parametrize("control", [TimeControl(clock=0.3), TimeControl(move_time=0.05)])
def test_an_engine_that_ignores_its_time(tmp_path, control):
    table = rows_of(engine("slow", 2, tmp_path), engine("nothing"), control)
    assert table.rows[0]["forfeits"] == ["first: time", None]
    assert "[%emt" in table.games[0]
    assert 'Termination "time forfeit"' in table.games[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "score",
    ["cp 0", "cp -28999", "cp 29500", "cp 30000", "cp 69290", "cp -69290", "mate 3", "mate -2", "mate 0", "mate 40000"],
)
def test_large_scores_keep_their_sign(score):
    """Of all evaluations that python-chess reads back, for both colours."""
    kind, number = score.split()
    is_mate, wins = kind == "mate", int(number) > 0
    for text in rows_of(engine(f"score {score}"), engine(f"score {score}")).games:
        _, *nodes = chess.pgn.read_game(io.StringIO(text)).mainline()  # the opening has one move
        for node in nodes:
            found = node.eval().pov(not node.turn())
            assert (found.is_mate(), found.score(mate_score=10**6) > 0) == (is_mate, wins)


@pytest.mark.thorough
@pytest.mark.parametrize("control", [TimeControl(clock=0.3), TimeControl(move_time=0.05)])
def test_getting_ready_for_a_game_is_not_on_the_clock(control):
    """An engine that clears a large table; it ends if one game is announced twice."""
    table = rows_of(engine("slow to clear"), engine("nothing"), control)
    assert all(row["forfeits"] == [None, None] for row in table.rows)


def test_a_match_that_reads_a_move_late_does_not_charge_the_engine():
    player = uci_player.UciPlayer(engine("nothing"), TimeControl(clock=1.0))
    try:
        player.start_game(Position(), 1)
        begin = time.perf_counter()
        with late_results(1.5):
            seconds = player.choose(Position(), [], CLOCKS).seconds
        assert time.perf_counter() - begin >= 1.5
        assert seconds < 1.5
    finally:
        player.close()


@contextlib.contextmanager
def late_results(seconds):
    """Futures whose results are taken late, as by a thread that waits for a processor."""
    with pytest.MonkeyPatch.context() as patch:
        real = uci_player.asyncio.run_coroutine_threadsafe

        def late(coroutine, loop):
            future = real(coroutine, loop)
            time.sleep(seconds)
            return future

        patch.setattr(uci_player.asyncio, "run_coroutine_threadsafe", late)
        yield


def test_forfeits_are_counted_by_worker(tmp_path):
    plan = MatchPlan((engine("crash", 2, tmp_path), engine("nothing", name="G")), VISITS, SHORT, tuple(OPENINGS), 1, 1)
    assert not plan.is_repeatable
    match = Match(plan)
    summary = match.play(Runner(InlinePool({}), Memory()))
    (forfeit,) = summary.data()["forfeits"]
    assert (forfeit["forfeit"], forfeit["games"]) == ("first: crash", 1)
    assert ":" in forfeit["worker"]
    assert summary.score.games == 6
    assert [pair for result in match.games for pair in pairs_of(result)] == list(summary.pairs)


# Engines that cannot play at all


def groups_of_engine_and_worker(command):
    """On a worker."""
    player = UciPlayer(PlayerSpec("F", {}, command), VISITS)
    try:
        pid = player.running().transport.get_pid()
        return [os.getpgid(pid), os.getpid()]
    finally:
        player.close()


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="needs groups of processes")
def test_an_engine_belongs_to_its_worker_not_to_the_terminal():
    """It ends with the worker, and Ctrl-C does not reach it."""
    command = list(engine("nothing").command)
    unit = Unit("tests.engine.match.test_uci_player:groups_of_engine_and_worker", {"command": command})
    pool = ProcessPool(1, {})
    try:
        ((_, result),) = Runner(pool, Memory()).run([unit])
    finally:
        pool.close()
    group, worker = result.value
    assert group == worker != os.getpgrp()


def test_a_missing_engine():
    spec = read_engine("/nowhere/engine --flag", "B", {})
    with pytest.raises(ValueError, match=r"B \(engine\): /nowhere/engine cannot be started .*No such file"):
        check_players([spec], is_local=True)
    check_players([spec], is_local=False)  # it may be there on the workers


def test_a_missing_engine_stops_a_run():
    plan = MatchPlan((read_engine("/nowhere/engine", "A", {}), engine("nothing")), VISITS, SHORT, (OPENINGS[0],))
    with pytest.raises(RunError, match="/nowhere/engine cannot be started"):
        Match(plan).play(Runner(InlinePool({}), Memory()))


def test_a_program_that_is_not_an_engine():
    with pytest.raises(ValueError, match="cannot be started as a UCI engine"):
        check_players([PlayerSpec("B", {}, [sys.executable, "-c", "pass"])], is_local=True)


def test_a_program_that_does_not_answer(environment):
    """In a process: python-chess kills the program without waiting for its end; asyncio must not complain of that."""
    program = (
        "import sys, time; from engine.match import open_players, uci_player\n"
        "from engine.match.player import PlayerSpec\n"
        "uci_player.SECONDS_TO_START = 2.0\n"
        "try:\n"
        "    open_players.check_players([PlayerSpec('B', {}, sys.argv[1:])], is_local=True)\n"
        "except ValueError as error:\n"
        "    time.sleep(1)\n"
        "    sys.exit(str(error))"
    )
    command = [sys.executable, "-c", program, sys.executable, ENGINE, "mute"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert ended.stderr == f"B: {sys.executable} cannot be started as a UCI engine: no answer\n"


def test_an_engine_that_does_not_get_ready():
    player = open_player(engine("unready"), VISITS)
    with pytest.raises(ValueError, match="F does not get ready"):
        player.start_game(Position(), 1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"No Such": "1"}, "does not support option No Such"),
        ({"Hash": "0"}, "at least 1"),
        ({"Hash": "many"}, "many"),
        ({"UCI_Chess960": "true"}, "automatically managed"),
    ],
)
def test_options_that_an_engine_refuses(options, reason):
    with pytest.raises(ValueError, match=f"F: .*{reason}"):
        check_players([engine("nothing", options=options)], is_local=True)


@pytest.mark.parametrize("command", ["", "   ", "'unclosed"])
def test_commands_that_are_none(command):
    with pytest.raises(ValueError, match="B: "):
        read_engine(command, "B", {})


def test_commands_are_found_once():
    """Workers may have another working folder or search path."""
    spec = read_engine("python3 -c pass", "B", {"Hash": "4"})
    assert list(spec.command) == [shutil.which("python3"), "-c", "pass"]
    assert (spec.options, spec.is_repeatable) == ({"Hash": "4"}, False)


def test_engines_and_their_files_have_whole_paths(tmp_path, monkeypatch):
    shutil.copy(ENGINE, tmp_path / "own.py")
    (tmp_path / "own.py").chmod(0o755)
    for name in ("a.nnue", "log.txt", "nothing"):
        (tmp_path / name).write_text(name)
    (tmp_path / "tables").mkdir()
    monkeypatch.chdir(tmp_path)
    own, folder = str(tmp_path / "own.py"), str(tmp_path)
    assert read_engine("./own.py nothing", "B", {}).command == [own, "nothing"]  # an argument, not the file
    options = {
        "EvalFile": "a.nnue",
        "Log File": "log.txt",
        "SyzygyPath": f"tables{os.pathsep}{folder}",
        "Hash": "nothing",
    }
    spec = read_engine(f"{sys.executable} own.py nothing", "B", {**options, "BookFile": "<empty>"})
    assert spec.command == [sys.executable, own, "nothing"]
    assert spec.options == {
        "EvalFile": str(tmp_path / "a.nnue"),
        "Log File": str(tmp_path / "log.txt"),
        "SyzygyPath": f"{tmp_path / 'tables'}{os.pathsep}{folder}",
        "Hash": "nothing",
        "BookFile": "<empty>",
    }
    hashed = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in spec.checksums}
    assert spec.checksums == hashed
    assert set(hashed) == {sys.executable, own, str(tmp_path / "a.nnue")}


def test_an_engine_that_has_changed_is_refused(tmp_path):
    """On the worker, and when a run is continued; touching it is no change."""
    program = tmp_path / "own.py"
    shutil.copy(ENGINE, program)
    spec = read_engine(f"{sys.executable} {program} nothing", "B", {})
    program.touch()
    check_players([spec], is_local=True)
    program.write_text(program.read_text() + "# new\n")
    for refused in (lambda: check_players([spec], is_local=True), lambda: open_player(spec, VISITS)):
        with pytest.raises(ValueError, match=r"own.py has changed"):
            refused()


# Chess960


def test_chess960_castling():
    """The king on b1 castles to the rook on a1: the fake engine plays the first move in the order of the alphabet."""
    start = Position("rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1", chess960=True)
    player = open_player(engine("nothing"), VISITS)
    try:
        player.start_game(start, 1)
        for castling in ("b1a1", "b8a8"):
            assert castling in (start if castling == "b1a1" else start.play("b1a1")).legal_moves
            player.watch(castling)
        after = start.play("b1a1").play("b8a8")
        choice = player.choose(after, [], CLOCKS)
        assert choice.move in after.legal_moves
    finally:
        player.close()
