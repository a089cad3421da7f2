import re

import pytest

from engine.options import OPTIONS, Settings


def test_every_option_has_its_default_and_a_line_for_uci():
    settings = Settings()
    for option in OPTIONS:
        line = option.uci_line()
        assert re.fullmatch(r"option name [A-Za-z0-9_ ]+ type (spin|check|string|button|combo)( .*)?", line)
        if option.kind == "spin":
            assert option.lowest <= settings.number(option.name) <= option.highest
            assert f"min {option.lowest} max {option.highest}" in line
    assert "option name Hash type spin default 256 min 1 max 65536" in [option.uci_line() for option in OPTIONS]
    assert "option name Ponder type check default false" in [option.uci_line() for option in OPTIONS]
    assert "option name Clear Hash type button" in [option.uci_line() for option in OPTIONS]
    assert "option name Formula type combo default PUCT var UCB1 var PUCT" in [option.uci_line() for option in OPTIONS]


def test_values_are_set_by_name_in_any_case():
    settings = Settings()
    settings.set("hash", "16")
    settings.set("UCI_CHESS960", "True")
    settings.set("formula", "ucb1")
    assert settings.number("Hash") == 16
    assert settings.flag("UCI_Chess960") is True
    assert settings.text("Formula") == "UCB1"
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
    settings = Settings()
    with pytest.raises(ValueError, match=reason):
        settings.set(name, value)
    assert settings.number("Hash") == 256
