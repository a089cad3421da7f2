import re

import pytest

from engine.config.options import OPTIONS, Options
from tests.engine.uci.process import Process


def test_every_option_has_its_default_and_a_line_for_uci():
    settings = Options()
    for option in OPTIONS:
        line = option.uci_line()
        assert re.fullmatch(r"option name [A-Za-z0-9_ ]+ type (spin|check|string|button|combo)( .*)?", line)
        if option.kind == "spin":
            assert option.lowest <= settings.value(option.name) <= option.highest
            assert f"min {option.lowest} max {option.highest}" in line
    assert "option name Hash type spin default 256 min 1 max 65536" in [option.uci_line() for option in OPTIONS]
    assert "option name Ponder type check default false" in [option.uci_line() for option in OPTIONS]
    assert "option name Clear Hash type button" in [option.uci_line() for option in OPTIONS]
    assert "option name Formula type combo default PUCT var UCB1 var PUCT" in [option.uci_line() for option in OPTIONS]


def test_values_are_set_by_name_in_any_case():
    settings = Options()
    settings.set("hash", "16")
    settings.set("UCI_CHESS960", "True")
    settings.set("formula", "ucb1")
    assert settings.hash_megabytes == 16
    assert settings.chess960 is True
    assert settings.formula == "UCB1"
    assert settings.set("Clear Hash", "").kind == "button"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("Hash", "0", "must be from 1 to 65536"),
        ("Hash", "x", "must be a whole number"),
        ("Hash", "", "must be a whole number"),
        ("Hash", "9" * 50, "must be from"),
        ("Hash", "\u0663", "must be a whole number"),
        ("Ponder", "yes", "true or false"),
        ("Formula", "AB", "must be one of UCB1, PUCT"),
        ("No Such", "1", "no option is called 'No Such'"),
    ],
)
def test_bad_values_are_refused_and_change_nothing(name, value, reason):
    settings = Options()
    with pytest.raises(ValueError, match=reason):
        settings.set(name, value)
    assert settings.hash_megabytes == 256


def texts_of(option):
    """Every default and every limit, as a GUI would send it."""
    if option.kind == "spin":
        return [str(option.default), str(option.lowest), str(option.highest)]
    if option.kind == "check":
        return ["true", "false"]
    return [str(option.default) or "<empty>", *option.choices]


CASES = [(option, text) for option in OPTIONS if option.kind != "button" for text in texts_of(option)]


@pytest.mark.parametrize(("option", "text"), CASES, ids=[f"{option.name}={text[:20]}" for option, text in CASES])
def test_defaults_and_limits_are_taken(option, text):
    settings = Options()
    settings.set(option.name, text)
    value = settings.value(option.name)
    expected = {"spin": int, "check": lambda word: word == "true"}.get(option.kind, lambda word: word)(text)
    assert value == ("" if expected == "<empty>" else expected)


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.kind == "spin"], ids=lambda it: it.name)
def test_what_lies_beyond_the_limits_is_refused(option):
    for text in (str(option.lowest - 1), str(option.highest + 1)):
        with pytest.raises(ValueError, match=f"must be from {option.lowest} to {option.highest}"):
            Options().set(option.name, text)


LARGE = {"Hash": "64", "Threads": "8"}  # more may be more than a machine has


@pytest.mark.slow
def test_the_engine_takes_every_option_at_its_limits_and_searches_on(environment):
    engine = Process(environment)
    engine.ask("isready", until="readyok", seconds=120)
    engine.send("setoption name Hash value 16")
    for option, text in CASES:
        if option.name.startswith("Explorer"):
            continue
        value = text if int(LARGE.get(option.name, "0")) == 0 else min(text, LARGE[option.name], key=int)
        lines = engine.ask(f"setoption name {option.name} value {value}", "go nodes 20", seconds=120)
        assert not any("setoption" in line or "failed" in line for line in lines)
        engine.send(f"setoption name {option.name} value {str(option.default).lower() or '<empty>'}")
    engine.quit_cleanly()
