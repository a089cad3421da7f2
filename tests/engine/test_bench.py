import subprocess
import sys

import pytest

from engine import bench as bench_module
from engine.bench import MIDDLEGAMES, POSITIONS, Bench, search_all, speeds
from engine.cli.bench import main
from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.params import CONSTANT, PLAYOUT, PUCT, UCB1
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
    assert list(search_all(300))[-2] == "signature 05fe054995716e9d"


@pytest.mark.parametrize("visits", [1, 2, 3])
def test_few_visits_are_enough(visits):
    lines = list(search_all(visits))
    assert sum(" visits " in line for line in lines) == len(POSITIONS)
    assert lines[-2].startswith("signature ")


def test_all_positions_can_be_searched():
    assert all(Position(fen).legal_moves for fen in POSITIONS)
    assert len(set(POSITIONS)) == len(POSITIONS) == 20


def test_speeds_are_reported_for_each_kind():
    assert sum(line.split()[-1].isdigit() for line in speeds(200)) == 3


def test_bad_arguments_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--nodes", "0"])
    assert "--visits/--nodes: must be more than 0" in capsys.readouterr().err


def test_a_bench_counts_the_visits_and_seconds_of_its_searches(monkeypatch):
    bench = Bench(megabytes=1)
    assert (bench.visits, bench.seconds) == (0, 0.0)  # the first search loads the kernel
    clock = iter([10.0, 12.0, 20.0, 20.5])
    monkeypatch.setattr(bench_module.time, "process_time", lambda: next(clock))
    params = search_params(Options())
    moves = bench.search(Position(), params, 300)
    assert sum(move.visits for move in moves) == 299
    assert len(bench.search(Position(POSITIONS[1]), params, 200)) == len(Position(POSITIONS[1]).legal_moves)
    assert (bench.visits, bench.seconds, bench.speed) == (500, 2.5, 200)
    assert bench.tree.visits[0] == 200  # each from an empty tree


def test_a_bench_stops_when_it_should():
    assert list(search_all(300, lambda: True)) == ["stopped"]
    answers = iter([False] * 6)
    lines = list(search_all(300, lambda: next(answers, True)))
    assert lines[-1] == "stopped"
    assert len(lines) < 5


class Fake:
    """A bench that notes what it is asked for."""

    def __init__(self, megabytes):
        self.searches, self.speed = [], 1000 + len(made)
        made.append((megabytes, self.searches))

    def search(self, position, params, visits):
        self.searches.append((position.fen(), params, visits))


made = []


def test_what_the_speeds_are_measured_with(monkeypatch):
    monkeypatch.setattr(bench_module, "Bench", Fake)
    lines = list(speeds(900))
    assert lines == [
        "visits per CPU second, one thread:",
        "UCB1, playouts, start position             1000",
        "PUCT, constant value, middlegames          1001",
        "the engine's default, middlegames          1002",
    ]
    (_, playouts), (_, constant), (_, default) = made
    assert [megabytes for megabytes, _ in made] == [512] * 3
    assert [(fen, visits) for fen, _, visits in playouts] == [(POSITIONS[0], 450)]
    assert [(fen, visits) for fen, _, visits in constant] == [(fen, 900) for fen in MIDDLEGAMES]
    assert [(fen, visits) for fen, _, visits in default] == [(fen, 450) for fen in MIDDLEGAMES]
    assert (playouts[0][1].formula, playouts[0][1].evaluator) == (UCB1, PLAYOUT)
    assert (constant[0][1].formula, constant[0][1].evaluator) == (PUCT, CONSTANT)
    assert default[0][1] == search_params(Options())
    assert (playouts[0][1].exploration, constant[0][1].exploration) == (0.5, 1.5)


def test_the_middlegames_are_those_of_the_list():
    assert POSITIONS[5:12] == MIDDLEGAMES
    assert all(len(Position(fen).legal_moves) > 25 for fen in MIDDLEGAMES)


@pytest.mark.slow
def test_the_signature_is_the_same_without_pext(environment):
    """By the kernels of the search alone: what else a game needs is not compiled."""
    program = "from engine.bench import search_all; print(list(search_all(400))[-2])"
    command, settings = [sys.executable, "-c", program], {**environment, "TERESA_PORTABLE": "1"}
    output = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
    assert output.strip() == list(search_all(400))[-2]
