from importlib import metadata

import pytest

from perft.runner import versions
from perft.runner.versions import Refusal, differences, versions_behind
from tests.perft.runner.work import unit

DRIVER = {"Python": "3.12", "numba": "0.61.2", "numpy": "2.1.0", "sources": "abc"}


def test_what_a_result_depends_on():
    found = versions_behind(unit(1).function)
    assert found["numba"] == metadata.version("numba")
    assert found["numpy"] == metadata.version("numpy")
    assert len(found["Python"].split(".")) == 2
    assert len(found["sources"]) == 64
    assert versions_behind(unit(1).function) is found  # computed once


def test_a_package_that_is_missing(monkeypatch):
    monkeypatch.setattr(versions, "PACKAGES", ("no-such-package",))
    assert versions_behind.__wrapped__("perft:f")["no-such-package"] == "(missing)"


def test_no_difference():
    assert differences(dict(DRIVER), DRIVER) is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"numba": "0.60.0"}, "has numba 0.60.0 instead of 0.61.2"),
        ({"Python": "3.13", "numpy": "2.2.0"}, "has Python 3.13 instead of 3.12 and numpy 2.2.0 instead of 2.1.0"),
        ({"sources": "def"}, "has other sources of Teresa"),
    ],
)
def test_differences_in_words(change, text):
    assert differences(DRIVER | change, DRIVER) == text
    assert str(Refusal("tcp://a:1", text)) == f"tcp://a:1 {text}"
