import subprocess
import sys

import pytest

from engine.bench import POSITIONS, search_all, speeds
from engine.cli.bench import main
from movegen import Position


def test_the_signature_repeats_itself_and_notices_other_searches():
    first, second, other = (list(search_all(visits)) for visits in (300, 300, 301))
    assert first[:-1] == second[:-1]
    assert first[-2].startswith("signature ")
    assert first[-2] != other[-2]
    nodes, name, speed, unit = first[-1].split()
    assert (name, unit) == ("nodes", "nps")
    assert int(speed) > 0
    assert 300 < int(nodes) <= 300 * len(POSITIONS)


def test_the_signature_of_the_shipped_network():
    """The same on every machine. A new network, other constants or another search change it, and this line."""
    assert list(search_all(300))[-2] == "signature 7878c5b0f38fbef6"


@pytest.mark.parametrize("visits", [1, 2, 3])
def test_few_visits_are_enough(visits):
    lines = list(search_all(visits))
    assert sum(" visits " in line for line in lines) == len(POSITIONS)
    assert lines[-2].startswith("signature ")


def test_all_positions_can_be_searched():
    assert all(Position(fen).legal_moves for fen in POSITIONS)
    assert len(set(POSITIONS)) == len(POSITIONS) == 20


def test_speeds_are_told_for_each_kind():
    assert sum(line.split()[-1].isdigit() for line in speeds(200)) == 3


def test_bad_arguments_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--nodes", "0"])
    assert "--visits/--nodes: must be more than 0" in capsys.readouterr().err


@pytest.mark.slow
def test_the_signature_is_the_same_without_pext(environment):
    def signature(**settings):
        command = [sys.executable, "-m", "engine", "bench", "--nodes", "400"]
        output = subprocess.run(command, env={**environment, **settings}, capture_output=True, text=True, check=True)
        return output.stdout.splitlines()[-2]

    assert signature() == signature(TERESA_PORTABLE="1")
