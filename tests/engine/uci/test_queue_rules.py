"""Which command runs in which state: every command in every state, then random sequences with their rules."""

import random
import time

import pytest

from engine.loader import Outlook
from engine.uci.queue import READY_SECONDS, CommandQueue
from tests.engine.uci.test_queue import FakeActivity, FakeLoader

NAMES = ["uci", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "debug", "register"]
OTHERS = ["d", "eval", "moves", "why", "whynot", "savetree", "loadtree", "bench", "help"]
SHOWING = ["setoption name Explorer value true", "setoption name Explorer Port value 1", "setoption name Open Explorer"]
CHANGING = [
    "position startpos",
    "setoption name Hash value 1",
    "setoption name EvalFile value x",
    "ucinewgame",
    "eval",
    "bench",
    "savetree x",
    "loadtree x",
]
AT_ONCE = ["uci", "debug on", "register later", "help"]
LOOKING = ["d", "moves", "why", "whynot e4", "isready", "ponderhit"]
SEARCHES = ["go nodes 1", "go infinite", "go perft 3", "go"]
EVERYTHING = [*SHOWING, *CHANGING, *AT_ONCE, *LOOKING, *SEARCHES]


class FakeFallback:
    """Notes what it is asked for."""

    is_playing = True

    def __init__(self):
        self.attended, self.stops = [], 0

    def attend(self, pending, search_is_ready):
        self.attended.append(([" ".join([command.name, *command.arguments]) for command in pending], search_is_ready))

    def stop(self):
        self.stops += 1


class Talk:
    """A queue whose handlers only note what they were called with. `go`, `eval` and `bench` may keep it busy."""

    def __init__(self, *, is_ready=True, is_busy=False, works=False):
        self.ran, self.said, self.loader, self.activity = [], [], FakeLoader(), FakeActivity()
        self.loader.is_ready, self.activity.is_busy, self.works = is_ready, is_busy, works
        self.broken, self.fallbacks = [], []
        handlers = dict.fromkeys([*NAMES, *OTHERS], self.note)
        self.queue = CommandQueue(
            handlers, self.activity, self.loader, self.said.append, self.new_fallback, lambda: self.ran.append("loaded")
        )

    def new_fallback(self):
        self.fallbacks.append(FakeFallback())
        return self.fallbacks[-1]

    def note(self, command):
        text = " ".join([command.name, *command.arguments])
        if self.activity.is_busy and text in (*CHANGING, *SEARCHES):
            self.broken.append(text)
        self.ran.append(text)
        if self.works and command.name in ("go", "eval", "bench"):
            self.activity.is_busy = True

    def hear(self, *lines):
        for line in lines:
            assert self.queue.hear(line, 1.0)
        return [text for text in self.ran if text != "loaded"]

    def run_due(self):
        with self.queue._lock:
            self.queue._run_due()
        return [text for text in self.ran if text != "loaded"]

    @property
    def pending(self):
        return [" ".join([command.name, *command.arguments]) for command in self.queue._pending]


@pytest.mark.parametrize("line", EVERYTHING)
def test_when_nothing_runs_each_command_runs_at_once(line):
    talk = Talk()
    assert talk.hear(line) == [line]
    assert talk.ran == (["loaded", line])  # even the first
    assert talk.hear("stop") == [line, "stop"]
    assert talk.pending == []


@pytest.mark.parametrize("endless", [False, True])
@pytest.mark.parametrize("line", EVERYTHING)
def test_during_a_search_only_what_leaves_it_alone_runs(line, endless):
    talk = Talk(is_busy=True)
    talk.activity.may_be_endless = endless
    expected = {**{key: [] for key in CHANGING}, **{key: ["stop"] for key in SEARCHES}}.get(line, [line])
    assert talk.hear(line) == expected
    assert talk.pending == ([] if expected == [line] else [line])
    assert talk.activity.stops == (endless and line in SEARCHES)
    talk.activity.is_busy = False
    assert talk.run_due() == [*expected, *([] if expected == [line] else [line])]


@pytest.mark.parametrize("line", EVERYTHING)
def test_without_kernels_only_what_needs_none_runs(line):
    talk = Talk(is_ready=False)
    at_once = line in AT_ONCE or line in ("setoption name Hash value 1", "setoption name X value 1")
    assert talk.hear(line) == ([line] if at_once else [])
    assert talk.pending == ([] if at_once else [line])
    assert len(talk.fallbacks) == (line in SEARCHES and line != "go perft 3")
    talk.loader.is_ready = True
    assert talk.run_due() == [line]


@pytest.mark.parametrize("line", EVERYTHING)
def test_without_kernels_the_order_is_kept_behind_what_waits(line):
    """But for what never waits."""
    talk = Talk(is_ready=False)
    first = [line] if line in AT_ONCE else []
    assert talk.hear("position startpos", line) == first
    talk.loader.is_ready = True
    assert talk.run_due() == [*first, "position startpos", *([] if first else [line])]


@pytest.mark.parametrize("line", [*SHOWING, *LOOKING])
def test_what_leaves_a_search_alone_waits_behind_a_pending_go(line):
    talk = Talk(is_busy=True)
    talk.hear("go nodes 1")
    assert talk.hear(line)[1:] == ([line] if line == "isready" else [])
    assert talk.pending == (["go nodes 1"] if line == "isready" else ["go nodes 1", line])
    talk.activity.is_busy = False
    assert talk.run_due()[-1] == ("go nodes 1" if line == "isready" else line)


@pytest.mark.parametrize("line", ["moves", "why", "whynot e4"])
@pytest.mark.parametrize("endless", [False, True])
def test_what_looks_at_a_pending_search_waits_for_its_end_if_it_has_one(line, endless):
    talk = Talk(is_busy=True, works=True)
    talk.hear("go nodes 1", line, "d")
    talk.activity.is_busy, talk.activity.may_be_endless = False, endless
    found = talk.run_due()[1:]
    assert found == (["go nodes 1", line, "d"] if endless else ["go nodes 1"])
    talk.activity.is_busy = False
    assert talk.run_due()[1:] == ["go nodes 1", line, "d"]


@pytest.mark.parametrize(
    ("pending", "hurried", "left"),
    [
        (["position startpos", "ponderhit"], ["ponderhit"], ["position startpos"]),
        (["position startpos", "d", "ponderhit", "ponderhit"], ["ponderhit"], ["position startpos", "d", "ponderhit"]),
        (["position startpos", "go nodes 1", "ponderhit"], [], ["position startpos", "go nodes 1", "ponderhit"]),
        (["position startpos", "stop"], ["stop"], ["position startpos", "stop"]),
        (["go nodes 1", "stop", "stop"], ["stop"], ["go nodes 1", "stop", "stop"]),
        (["position startpos", "ponderhit", "stop"], ["ponderhit", "stop"], ["position startpos", "stop"]),
        (["position startpos", "d"], [], ["position startpos", "d"]),
    ],
)
def test_what_is_meant_for_a_search_asked_for_before_the_kernels_were_there(pending, hurried, left):
    talk = Talk(is_ready=False, works=True)
    talk.hear("go ponder", *pending)
    talk.loader.is_ready = True
    assert talk.run_due() == ["go ponder", *hurried]
    assert talk.pending == left


@pytest.mark.parametrize("work", ["eval", "bench", "go nodes 1", "go perft 3"])
def test_a_go_or_a_stop_is_kept_for_the_work_that_was_asked_for_before(work):
    talk = Talk(is_busy=True)
    talk.hear(work)
    for line in ("stop", "go infinite"):
        before = len(talk.ran)
        talk.hear(line)
        assert talk.ran[before] == "stop"
    assert talk.pending == [work, "stop", "stop", "go infinite"]


def test_a_go_after_nothing_stops_nothing():
    talk = Talk()
    assert talk.hear("position startpos", "go nodes 1", "go nodes 2") == [
        "position startpos",
        "go nodes 1",
        "go nodes 2",
    ]


@pytest.mark.parametrize(
    ("waits", "endless", "seconds", "has_ended", "stops"),
    [
        (1, 1, 0, 1, 1),
        (1, 1, 99, 1, 1),
        (1, 1, 99, 0, 0),
        (0, 0, 99, 1, 0),
        (0, 1, 99, 0, 0),
        (0, 1, 29.9, 1, 0),  # a search for a mate gets some time
        (0, 1, 30, 1, 1),
    ],
)
def test_at_the_end_of_input_a_search_that_waits_for_stop_is_stopped(waits, endless, seconds, has_ended, stops):
    talk = Talk(is_busy=True)
    talk.activity.waits_for_stop, talk.activity.may_be_endless = bool(waits), bool(endless)
    talk.activity.search_seconds = seconds
    talk.queue._input_has_ended = bool(has_ended)
    talk.run_due()
    assert talk.activity.stops == stops


@pytest.mark.parametrize("line", ["moves", "go nodes 1"])
def test_what_was_piped_behind_a_search_for_a_mate_waits_for_it(line):
    talk = Talk(is_ready=False, works=True)
    talk.hear("go mate 2", line)
    talk.queue._input_has_ended = talk.activity.may_be_endless = talk.loader.is_ready = True
    talk.run_due()
    assert (talk.ran, talk.pending, talk.activity.stops) == (["loaded", "go mate 2"], [line], 0)


# `isready`, and a search that is late or never comes


@pytest.mark.parametrize(
    ("seconds", "outlook", "playing", "answered"),
    [
        (0.0, Outlook.LATE, False, False),
        (3.99, Outlook.LATE, False, False),
        (4.0, Outlook.LATE, False, True),
        (7.99, Outlook.SOON, False, False),
        (8.0, Outlook.SOON, False, True),
        (0.0, Outlook.NEVER, False, True),
        (0.0, Outlook.SOON, True, True),
    ],
)
def test_when_isready_is_answered_before_the_kernels_are_there(seconds, outlook, playing, answered):
    talk = Talk(is_ready=False)
    talk.loader.seconds, talk.loader.outlook = seconds, outlook
    talk.loader.has_failed = outlook is Outlook.NEVER
    talk.queue._fallback = FakeFallback()
    talk.queue._fallback.is_playing = playing
    talk.hear("position startpos", "isready", "isready")
    assert talk.ran == (["isready", "isready"] if answered else [])
    assert talk.pending == ["position startpos", *([] if answered else ["isready", "isready"])]


@pytest.mark.parametrize("outlook", [Outlook.SOON, Outlook.LATE])
def test_a_late_isready_wakes_the_queue_by_itself(outlook):
    talk = Talk(is_ready=False)
    talk.loader.seconds, talk.loader.outlook = READY_SECONDS[outlook] - 0.1, outlook
    talk.hear("isready")
    talk.loader.seconds = READY_SECONDS[outlook]
    assert talk.ran == []
    end = time.perf_counter() + 5  # a tenth of a second is enough
    while not talk.ran and time.perf_counter() < end:
        time.sleep(0.005)
    assert talk.ran == ["isready"]


def test_a_fallback_is_made_once_for_the_first_search_and_attended_to_until_the_end():
    talk = Talk(is_ready=False)
    talk.hear("position startpos", "go perft 3")
    assert talk.fallbacks == []
    talk.hear("go nodes 1", "d")
    (fallback,) = talk.fallbacks
    commands = ["position startpos", "go perft 3", "go nodes 1", "d"]
    assert fallback.attended == [(commands[:3], False)] * 2 + [(commands, False)]  # also before a new command is added
    talk.loader.is_ready = True
    talk.run_due()
    assert fallback.attended[-1] == (commands, True)  # before anything runs
    assert fallback.stops == 0
    assert talk.ran == ["loaded", *commands]


@pytest.mark.parametrize(("failed", "ended", "stops"), [(1, 1, 1), (1, 0, 0), (0, 1, 0)])
def test_without_a_search_the_fallback_answers_at_once_when_the_input_has_ended(failed, ended, stops):
    talk = Talk(is_ready=False)
    talk.loader.has_failed = bool(failed)
    talk.hear("go infinite")
    talk.queue._input_has_ended = bool(ended)
    talk.run_due()
    assert talk.fallbacks[0].stops == stops


@pytest.mark.parametrize("line", [line for line in EVERYTHING if line not in AT_ONCE])
def test_what_the_fallback_cannot_do_is_refused_once_the_kernels_never_come(line):
    talk = Talk(is_ready=False)
    talk.loader.has_failed = True
    talk.hear(line)
    name = line.split()[0]
    is_kept = name in ("position", "ucinewgame", "setoption", "ponderhit", "isready") or line in SEARCHES
    is_kept = is_kept and line != "go perft 3"
    refusal = f"info string {name}: cannot be done, the search could not be loaded"
    assert talk.said == ([] if is_kept else [refusal])
    if line in ("isready", "setoption name Hash value 1"):
        assert talk.ran == [line]


@pytest.mark.parametrize(
    ("idle", "pending", "failed", "plays", "in_vain", "ends", "result"),
    [
        (True, False, False, False, False, True, True),
        (False, False, False, False, False, False, None),
        (True, True, False, False, False, False, None),
        (False, True, False, False, True, True, True),
        (False, False, True, False, False, True, False),
        (True, False, True, True, False, False, None),
        (True, False, True, True, True, True, False),
    ],
)
def test_when_the_end_of_input_is_the_end(idle, pending, failed, plays, in_vain, ends, result):
    talk = Talk(is_ready=not failed, is_busy=not idle)
    talk.loader.has_failed = failed
    if plays:
        talk.queue._fallback = FakeFallback()
    if pending:
        talk.activity.is_busy = True
        talk.hear("position startpos")
    asked = []

    def is_in_vain():
        asked.append(1)
        if len(asked) > 3:
            raise TimeoutError
        return in_vain

    if ends:
        assert talk.queue.finish(is_in_vain) is result
    else:
        with pytest.raises(TimeoutError):
            talk.queue.finish(is_in_vain)
    assert talk.queue._input_has_ended


# Random sequences


@pytest.mark.parametrize("seed", range(60))
def test_in_any_sequence_nothing_is_lost_and_nothing_disturbs_a_search(seed):
    """Commands that change the tree run in their order, never during a search, each once."""
    rng = random.Random(seed)
    talk = Talk(is_ready=rng.random() < 0.5, works=True)
    talk.new_fallback = FakeFallback
    sent = []
    for _ in range(60):
        sent.append(rng.choice([*EVERYTHING, "stop"]))
        talk.hear(sent[-1])
        if rng.random() < 0.1:
            talk.loader.is_ready = True
        if rng.random() < 0.3:
            talk.activity.is_busy = False
            talk.run_due()
    talk.loader.is_ready = True
    while talk.pending:
        talk.activity.is_busy = False
        talk.run_due()
    assert talk.broken == []
    assert sorted(text for text in talk.ran if text not in ("stop", "loaded")) == sorted(
        text for text in sent if text != "stop"
    )
    ordered = {*CHANGING, *SEARCHES}
    options = {line for line in CHANGING if line.startswith("setoption")}
    assert [text for text in talk.ran if text in ordered - options] == [
        text for text in sent if text in ordered - options
    ]
    assert talk.ran.count("loaded") == 1
    assert talk.ran.count("stop") >= sent.count("stop")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("what isready", ["info string what: unknown command, skipped (try 'help')"]),
        (
            "\x07 \\ é",
            [f"info string {token}: unknown command, skipped (try 'help')" for token in ("\\x07", "\\\\", "\\xe9")],
        ),
        ("y" * 99, [f"info string {'y' * 40}: unknown command, skipped (try 'help')"]),
        ("", []),
    ],
)
def test_unknown_words_are_named(line, said):
    talk = Talk()
    assert talk.queue.hear(line, 0.0)
    assert talk.said == said
    assert not talk.queue.hear("quit", 0.0)
    assert not talk.queue.hear("please quit now", 0.0)
