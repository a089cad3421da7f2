"""The whole table of options as a GUI sees it, and the parameters of the search that follow from it."""

import math
from itertools import pairwise

import pytest

from engine.config.options import OPTIONS, Option, Options
from engine.config.search_params import root_exponent, search_params, weakened
from engine.config.strength import LEVELS, Level, level_of
from engine.mcts.params import NETWORK, PLAYOUT, PUCT, UCB1
from engine.network.infer import PLAIN_SHARPNESS, sharpness
from tests.documents import markdown_table

LINES = """
Hash type spin default 256 min 1 max 65536
Threads type spin default 1 min 1 max 256
MultiPV type spin default 1 min 1 max 256
Ponder type check default false
Move Overhead type spin default 30 min 0 max 5000
UCI_Chess960 type check default false
UCI_ShowWDL type check default false
UCI_AnalyseMode type check default false
UCI_LimitStrength type check default false
UCI_Elo type spin default 2590 min 450 max 2590
UCI_EngineAbout type string default Teresa, Monte Carlo tree search in Python; GPL-3.0-or-later
OwnBook type check default false
BookFile type string default <empty>
SyzygyPath type string default <empty>
EvalFile type string default <empty>
Formula type combo default PUCT var UCB1 var PUCT
Evaluator type combo default Network var Network var Playout
UCB1 C type spin default 500 min 0 max 10000
PUCT C type spin default 550 min 0 max 10000
PUCT Growth type spin default 4000 min 0 max 10000
First Play type spin default 180 min -1000 max 1000
Policy Temperature type spin default 2400 min 100 max 10000
Root Temperature type spin default 5800 min 100 max 10000
Quiescence type check default true
Transpositions type check default true
Batch type spin default 0 min 0 max 64
Temperature type spin default 0 min 0 max 10000
Seed type spin default 0 min 0 max 2147483647
MoveStats type check default false
Explorer type check default false
Explorer Port type spin default 0 min 0 max 65535
Open Explorer type button
LogFile type string default <empty>
Clear Hash type button
"""
ATTRIBUTES = """
hash_megabytes threads multi_pv ponder move_overhead chess960 show_wdl analyse_mode limit_strength elo about own_book
book_file syzygy_path eval_file formula evaluator ucb1_c puct_c puct_growth first_play policy_temperature
root_temperature quiescence transpositions batch temperature seed move_stats explorer explorer_port open_explorer
log_file clear_hash
"""


def test_the_answer_to_uci_line_by_line():
    assert [option.uci_line() for option in OPTIONS] == [f"option name {line}" for line in LINES.strip().splitlines()]


def test_defaults_are_those_of_the_lines_and_under_their_names():
    options = Options()
    for option, attribute in zip(OPTIONS, ATTRIBUTES.split(), strict=True):
        value = getattr(options, attribute)
        assert value == options.value(option.name) == option.default
        if option.kind == "check":
            assert value is (attribute in ("quiescence", "transpositions"))


OTHER = {"spin": ("77", 77), "check": ("true", True), "string": ("some text", "some text")}


@pytest.mark.parametrize(
    ("option", "attribute"), list(zip(OPTIONS, ATTRIBUTES.split(), strict=True)), ids=lambda it: getattr(it, "name", "")
)
def test_an_option_sets_its_own_value_and_no_other(option, attribute):
    options, before = Options(), vars(Options())
    text, value = OTHER.get(option.kind, (option.choices[0], option.choices[0]) if option.choices else ("x", ""))
    if option.kind == "spin" and not option.lowest <= 77 <= option.highest:
        text, value = str(option.lowest), option.lowest
    if option.default is True:
        text, value = "false", False
    if option.default == value and option.choices:
        text = value = option.choices[1]
    assert options.set(option.name.upper(), text) is option
    assert vars(options) == before | ({} if option.kind == "button" else {attribute: value})
    assert type(getattr(options, attribute)) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (Option("x", "spin", 0, -5, 5), "+5", 5),
        (Option("x", "spin", 0, -5, 5), "-5", -5),
        (Option("x", "spin", 0, -5, 5), "00005", 5),
        (Option("x", "spin", 0, 0, 10**18), "9" * 18, 10**18 - 1),
        (Option("x", "check", False), "TRUE", True),
        (Option("x", "check", True), "False", False),
        (Option("x", "combo", "A", choices=("A", "Bc")), "bC", "Bc"),
        (Option("x", "string", "d"), "<empty>", ""),
        (Option("x", "string", "d"), "", ""),
        (Option("x", "string", "d"), " Two words ", " Two words "),
    ],
)
def test_texts_become_values(option, text, value):
    found = option.parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (Option("x", "spin", 0, -5, 5), "6", "must be from -5 to 5, not 6"),
        (Option("x", "spin", 0, -5, 5), "-6", "must be from -5 to 5, not -6"),
        (Option("x", "spin", 0, 0, 10**20), "1" * 19, f"must be from 0 to {10**20}, not {'1' * 19}"),
        *(
            (Option("x", "spin", 0, -5, 5), text, f"must be a whole number, not '{text}'")
            for text in ("--1", "-+1", "+-1", "-", "+", "1-", "")
        ),
        (Option("x", "spin", 0, -5, 5), "1.0", "must be a whole number, not '1.0'"),
        (Option("x", "spin", 0, -5, 5), "x" * 50, f"must be a whole number, not '{'x' * 40}'"),
        (Option("x", "check", False), "1", "must be true or false, not '1'"),
        (Option("x", "combo", "A", choices=("A", "B")), "", "must be one of A, B, not ''"),
    ],
)
def test_texts_that_are_refused(option, text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        option.parse(text)
    assert str(caught.value) == message


def test_the_table_in_the_documents():
    head, line, *rows = markdown_table().splitlines()
    assert (head, line) == ("| option | default (range) | meaning |", "| --- | --- | --- |")
    cells = {row.split(" | ")[0]: row.split(" | ")[1] for row in rows}
    assert len(cells) == len(OPTIONS) == 34
    assert cells["| `Hash`"] == "256 (1–65536)"
    assert cells["| `First Play`"] == "180 (-1000–1000)"
    assert cells["| `Formula`"] == "PUCT (UCB1, PUCT)"
    assert cells["| `Ponder`"] == "false"
    assert cells["| `BookFile`"] == "<empty>"
    assert cells["| `Clear Hash`"] == "button"
    assert cells["| `UCI_EngineAbout`"] == "text"
    assert all(row.endswith(f" | {option.meaning} |") for row, option in zip(rows, OPTIONS, strict=True))


def options_with(**changes):
    options = Options()
    for name, value in changes.items():
        setattr(options, name, value)
    return options


NUMBERS = {"ucb1_c": 700, "puct_c": 600, "puct_growth": 3000, "first_play": -250, "batch": 8}


@pytest.mark.parametrize(("formula", "c"), [("PUCT", 0.6), ("UCB1", 0.7)])
@pytest.mark.parametrize("evaluator", ["Network", "Playout"])
def test_parameters_of_the_search(formula, c, evaluator):
    temperatures = {"policy_temperature": 1500, "root_temperature": 2500}
    params = search_params(options_with(formula=formula, evaluator=evaluator, **NUMBERS, **temperatures))
    assert params.formula == (PUCT if formula == "PUCT" else UCB1)
    assert params.evaluator == (NETWORK if evaluator == "Network" else PLAYOUT)
    assert (params.exploration, params.growth, params.first_play, int(params.batch)) == (c, 3.0, -0.25, 8)
    assert (params.sharpness, params.root_sharpness) == (sharpness(1.5), sharpness(2.5))
    assert search_params(options_with(quiescence=False)).quiescence == 0
    assert search_params(options_with(transpositions=False)).transpositions == 0
    assert PLAIN_SHARPNESS / params.sharpness == pytest.approx(1.5, rel=1e-3)
    assert PLAIN_SHARPNESS / params.root_sharpness == pytest.approx(2.5, rel=1e-3)


def test_defaults_of_the_search():
    params = search_params(Options())
    assert (params.exploration, params.growth, params.first_play, int(params.batch)) == (0.55, 4.0, 0.18, 1)
    assert (params.sharpness, params.root_sharpness) == (sharpness(2.4), sharpness(5.8))


def test_weak_play_has_constants_of_its_ratings():
    params = search_params(options_with(**NUMBERS))
    weak = weakened(params)
    assert (weak.exploration, weak.growth, weak.first_play) == (0.8, 3.0, 0.15)
    assert (weak.sharpness, weak.root_sharpness) == (PLAIN_SHARPNESS, PLAIN_SHARPNESS)
    assert (weak.formula, weak.evaluator, int(weak.batch)) == (PUCT, NETWORK, 1)
    assert (params.quiescence, weak.quiescence) == (1, 0)
    assert (params.transpositions, weak.transpositions) == (1, 0)
    ucb1 = search_params(options_with(formula="UCB1", **NUMBERS))
    priors = {"sharpness": PLAIN_SHARPNESS, "root_sharpness": PLAIN_SHARPNESS}
    assert weakened(ucb1) == ucb1._replace(**priors, quiescence=0, transpositions=0, batch=1)


@pytest.mark.parametrize(
    ("evaluator", "policy", "root", "power"),
    [("Network", 2400, 5800, 2400 / 5800), ("Network", 1000, 500, 2.0), ("Playout", 1000, 500, 1.0)],
)
def test_the_power_between_the_priors_of_a_node_and_of_a_root(evaluator, policy, root, power):
    options = options_with(evaluator=evaluator, policy_temperature=policy, root_temperature=root)
    assert root_exponent(options) == pytest.approx(power)


MEASURED = [
    (450, 1, 1.0),
    (770, 1, 0.5),
    (940, 4, 0.5),
    (1120, 16, 0.5),
    (1340, 64, 0.5),
    (1610, 256, 0.5),
    (1950, 1024, 0.5),
    (2290, 4096, 0.35),
    (2590, 16384, 0.25),
]


def test_levels_are_those_of_the_measurements():
    assert [(elo, *level) for elo, level in LEVELS.items()] == MEASURED


def test_every_level_by_the_formula():
    """Between two ratings: visits along a line of their logarithms, temperatures along a line."""
    for elo in range(400, 2700):
        bounded = max(450, min(2590, elo))
        (low, *weak), (high, *strong) = next(pair for pair in pairwise(MEASURED) if pair[0][0] <= bounded <= pair[1][0])
        part = (bounded - low) / (high - low)
        visits = math.exp(math.log(weak[0]) + part * (math.log(strong[0]) - math.log(weak[0])))
        assert level_of(elo) == Level(round(visits), pytest.approx(weak[1] + part * (strong[1] - weak[1])))
