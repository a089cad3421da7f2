"""What the commands that search do, with a searcher that only notes its calls."""

import time

import pytest

from engine.search.clock import Limits
from engine.uci.search_commands import move_line, perft_work
from movegen import Position
from movegen.fen import START_FEN
from tests.engine.uci.fakes import AFTER_E4, FakedTalk, FakeReport
from tests.engine.uci.test_info_lines import ROW, info


@pytest.fixture
def talk(monkeypatch):
    return FakedTalk(monkeypatch)


def code(text, position=None):
    return (position or Position()).code(text)


def test_positions_of_one_game_are_followed_move_by_move(talk):
    e4, e5 = code("e2e4"), code("e7e5", Position(AFTER_E4))
    talk.hear("position startpos", "position startpos moves e2e4", "position startpos moves e2e4 e7e5")
    talk.hear(
        "position startpos moves e2e4 e7e5", "position startpos moves e2e4", f"position fen {AFTER_E4} moves e7e5"
    )
    fens = [call[1] for call in talk.calls if call[0] == "position"]
    assert [call[2] for call in talk.calls if call[0] == "position"] == [None, (e4,), (e5,), (), None, None]
    assert fens[0] == START_FEN
    assert fens[1] == fens[4] == AFTER_E4
    assert fens[2] == fens[3] == fens[5]
    assert talk.search.game.texts == ("e7e5",)


def test_after_a_ponder_miss_only_the_last_move_is_taken_back(talk):
    talk.hear("position startpos moves e2e4 e7e5", "position startpos moves e2e4 c7c5 g1f3")
    after = Position().play("e2e4")
    assert talk.calls[-1][0] == "takes back"
    assert talk.calls[-1][2] == (code("c7c5", after), code("g1f3", after.play("c7c5")))
    talk.hear("position startpos moves e2e4 c7c5 g1f3 b8c6")
    assert talk.calls[-1][0] == "position"
    assert len(talk.calls[-1][2]) == 1


@pytest.mark.parametrize("wrong", ["position startpos moves e2e4 e2e4", "position fen rubbish", "position"])
def test_a_wrong_position_changes_nothing(talk, wrong):
    talk.hear("position startpos moves e2e4")
    game, calls = talk.search.game, len(talk.calls)
    talk.hear(wrong)
    assert talk.search.game is game
    assert len(talk.calls) == calls
    assert talk.said[0].startswith("info string position: ")


def test_repairs_of_a_fen_are_reported(talk):
    talk.hear("position fen 4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1")
    assert len(talk.said) >= 1
    assert all(line.startswith("info string position: ") for line in talk.said)
    assert talk.calls[-1][0] == "position"


@pytest.mark.parametrize(
    ("fen", "text", "expected", "started"),
    [
        ("startpos", "wtime 1000 btime 2000 winc 1", Limits(time_left=1000, increment=1), 7.5),
        ("startpos moves e2e4", "wtime 1000 btime 2000 winc 1", Limits(time_left=2000), 7.5),
        ("startpos", "movetime 50", Limits(move_time=50), None),  # loading does not count
        ("startpos", "nodes 50", Limits(nodes=50), None),
        ("startpos", "ponder btime 9", Limits(time_left=9, ponder=True), 7.5),
        ("startpos", "", Limits(infinite=True), None),
    ],
)
def test_a_search_starts_with_its_limits_at_the_moment_of_the_command(talk, fen, text, expected, started):
    talk.hear(f"position {fen}")
    talk.hear(f"go {text}", moment=7.5)
    assert talk.calls[-1] == ("go", expected, (), started)
    assert talk.session.background.is_busy
    assert talk.session.background.waits_for_stop == (expected.infinite or expected.ponder)


def test_a_search_without_a_position_is_from_the_start(talk):
    talk.hear("go nodes 3")
    assert [call[:2] for call in talk.calls if call[0] == "position"] == [("position", START_FEN)]
    assert talk.search.game.fen == START_FEN


def test_moves_to_search_are_those_that_are_legal(talk):
    talk.hear("position startpos", "go nodes 5 searchmoves e2e4 e2e5 Nf3 xyz")
    assert talk.calls[-1][2] == (code("e2e4"), code("g1f3"))
    assert [line for line in talk.said if "left out" in line] == talk.said
    assert [("e2e5" in line, "xyz" in line) for line in talk.said] == [(True, False), (False, True)]


def test_what_cannot_be_read_of_go_is_reported_and_the_limits_in_debug_mode(talk):
    talk.hear("debug on", "go nodes x depth 3")
    assert talk.said == ["info string go: nodes needs a whole number, skipped", f"info string {Limits(depth=3)}"]
    talk.session.background.cancel_search()
    talk.hear("debug off", "go nodes 5", "debug", "debug off on")
    assert talk.said[2:] == ["info string debug: 'on' or 'off' must follow; ignored"] * 2


def test_a_search_that_cannot_start_leaves_the_session_idle(talk):
    talk.searcher.failure = RuntimeError("no luck")
    talk.hear("go nodes 5")
    assert talk.said == ["info string go: failed (RuntimeError('no luck'))"]
    assert talk.session.background.is_idle
    talk.searcher.failure = None
    talk.hear("go nodes 6")
    assert talk.calls[-1][1] == Limits(nodes=6)


def test_stop_reaches_the_search_and_only_then(talk):
    talk.hear("stop")
    assert "stop" not in talk.calls
    talk.hear("go infinite", "stop")
    assert talk.calls[-1] == "stop"


def test_a_ponder_hit_is_passed_on_with_its_moment(talk):
    talk.hear("ponderhit")
    assert talk.said == ["info string ponderhit: no search is pondering; ignored"]
    talk.hear("go ponder wtime 900 btime 900")
    talk.searcher.is_pondering = True
    talk.hear("ponderhit", moment=8.25)
    assert talk.calls[-1] == ("hit", 8.25)
    assert not talk.session.background.waits_for_stop


def test_a_new_game_forgets_and_keeps_the_position(talk):
    talk.hear("position startpos moves e2e4")
    game = talk.search.game
    talk.hear("ucinewgame")
    assert talk.calls[-1] == "forget"
    assert talk.search.game is game


@pytest.mark.parametrize(
    ("best", "in_check", "lines"),
    [
        ("e2e4", False, ["bestmove e2e4 ponder e7e5"]),
        (None, False, ["info depth 0 score cp 0", "bestmove 0000 ponder e7e5"]),
        (None, True, ["info depth 0 score mate 0", "bestmove 0000 ponder e7e5"]),
    ],
)
def test_the_answer_of_a_search(talk, best, in_check, lines):
    talk.hear("go infinite")
    if in_check:
        talk.searcher.position = Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    states = []
    say = talk.search.say
    talk.search.say = lambda line: (states.append(talk.session.background.is_idle), say(line))
    talk.search.on_best_move(best, "e7e5")
    assert talk.said == lines
    assert not any(states)
    assert talk.session.background.is_idle


def test_the_end_of_a_search_wakes_what_waits_for_it(talk):
    talk.hear("go nodes 5", "position startpos moves e2e4")
    talk.search.on_best_move("e2e4", None)
    end = time.perf_counter() + 30
    while talk.calls[-1][0] != "position" and time.perf_counter() < end:
        time.sleep(0.005)
    assert talk.calls[-1][1] == AFTER_E4


@pytest.mark.parametrize("with_table", [True, False])
def test_the_table_of_moves_comes_before_the_answer_if_it_is_wanted(talk, with_table):
    talk.searcher.report = lambda: FakeReport([ROW])
    talk.hear(f"setoption name MoveStats value {str(with_table).lower()}")
    talk.search.on_best_move("e2e4", None)
    assert talk.said == [*([f"info string {move_line(ROW)}"] if with_table else []), "bestmove e2e4"]


def test_a_table_that_cannot_be_shown_does_not_keep_the_answer_back(talk):
    talk.searcher.report = lambda: FakeReport([])
    talk.hear("setoption name MoveStats value true")
    talk.search.on_best_move("e2e4", None)
    assert talk.said == ["info string MoveStats: nothing was searched yet; ignored", "bestmove e2e4"]


@pytest.mark.parametrize(
    ("depth", "total", "first"), [(-5, 20, "a2a3: 1"), (0, 20, "a2a3: 1"), (1, 20, "a2a3: 1"), (3, 8902, "a2a3: 380")]
)
def test_leaves_are_counted_for_each_move(depth, total, first):
    said = []
    perft_work(Position(), depth, 2)(said.append, lambda: False)
    assert said[0] == first
    assert len(said) == 21
    assert said[:20] == sorted(said[:20])
    assert sum(int(line.split()[1]) for line in said[:20]) == total
    assert said[-1] == f"\nNodes searched: {total}"


@pytest.mark.jit
def test_a_count_that_is_stopped_prints_no_total():
    said = []
    perft_work(Position(), 8, 1)(said.append, lambda: True)
    assert said == ["info string perft: stopped"]


def test_infos_are_printed_with_wdl_if_it_is_wanted(talk):
    for shown in (False, True):
        talk.session.options.show_wdl = shown
        talk.search.on_info(info())
    assert [" wdl " in line for line in talk.said] == [False, False, True, True]
    assert all(line.startswith("info depth 7 ") for line in talk.said)


def test_chess960_is_passed_on_to_the_position(talk):
    talk.hear("setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1 moves e1g1")
    assert talk.searcher.position.fen() == "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"
    assert talk.search.game.chess960
