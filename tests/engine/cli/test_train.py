"""What the commands of `teresa train` make of their arguments."""

import json
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.cli import train_runs
from engine.cli.train import main
from engine.network.weights_file import SHIPPED, load_weights
from engine.training.data.games import open_games
from engine.training.fit.figures import evaluate_network
from engine.training.generate.chunks import Plan
from engine.training.generate.net_teacher import net_teacher
from engine.training.generate.teachers import UciTeacher, self_play
from tests.conftest import JIT_DISABLED
from tests.engine.training.data.games import random_records
from tests.engine.training.teacher.made_up_nets import made_up_net


@pytest.fixture
def plans(monkeypatch):
    """The plans that would have been carried out, with output and processes."""
    found = []

    def generate(plan, output, new_runner, advance):
        found.append((plan, output, new_runner.func.__self__.workers))  # a method of the run, with the check
        advance(1234)
        advance(1000)

    monkeypatch.setattr(train_runs, "generate", generate)
    monkeypatch.setattr(train_runs, "warm_up", lambda: found.append("warm"))
    return found


STOCKFISH, OTHER = UciTeacher("stockfish", "nodes 7", 16), UciTeacher("x", "nodes 7", 16)


@pytest.mark.parametrize(
    ("words", "plan", "processes"),
    [
        ("--nodes 7", Plan(STOCKFISH, False, 5, 9, 1), 1),
        ("--nodes 7 --teacher x --processes 3", Plan(OTHER, False, 5, 9, 1), 3),
        ("--depth 2 --value-only", Plan(UciTeacher("stockfish", "depth 2", 4), True, 5, 9, 16), 1),
        ("--depth 2 --at-once 1", Plan(UciTeacher("stockfish", "depth 2", 16), False, 5, 9, 1), 1),
        ("--nodes 7 --at-once 16", Plan(UciTeacher("stockfish", "nodes 7", 4), False, 5, 9, 16), 1),
    ],
)
def test_plans_of_a_teacher(plans, capsys, words, plan, processes):
    assert main(["generate", "out.vf", "--games=5", "--seed=9", *words.split()]) == 0
    assert plans == [(plan, Path("out.vf"), processes)]
    assert plans[0][0].games_per_chunk == 128
    assert capsys.readouterr().out == "out.vf: 2,234 new positions\n"


def test_plans_of_trees(plans):
    words = ["generate", "out.vf", "--games=5", "--seed=9", "--nodes=7", "--of-trees=3000"]
    assert main(words) == 0
    teacher, trees = UciTeacher("stockfish", "nodes 7", 16), self_play(SHIPPED, 3000)
    assert plans == ["warm", (Plan(teacher, False, 5, 9, 1, trees, games_per_chunk=8), Path("out.vf"), 1)]


@pytest.mark.parametrize(("words", "least"), [([], 16), (["--least-visits", "40"], 40)])
def test_plans_of_a_net(plans, tmp_path, words, least):
    net = tmp_path / "made-up.nnue"
    net.write_bytes(made_up_net().pack())
    shared = ["generate", "out.vf", "--games=5", "--seed=9", "--teacher-net", str(net), "--visits=300"]
    assert main([*shared, *words]) == 0
    plan = Plan(net_teacher(net, SHIPPED, 300, least), False, 5, 9, 1, games_per_chunk=8)
    assert plans == ["warm", (plan, Path("out.vf"), 1)]


def test_plans_of_self_play(plans):
    assert main(["generate", "out.vf", "--games=5", "--seed=9", "--self-play", "--visits", "2"]) == 0
    plan = Plan(self_play(SHIPPED, 2), False, 5, 9, 1, games_per_chunk=16)
    assert plans == ["warm", (plan, Path("out.vf"), 1)]


def test_self_play_with_another_net(plans, tmp_path):
    copy = tmp_path / "copy.net"
    copy.write_bytes(SHIPPED.read_bytes())
    words = ["generate", "out.vf", "--games=5", "--seed=9", "--self-play", "--visits=3", "--weights", str(copy)]
    assert main(words) == 0
    assert plans[1][0].teacher == self_play(copy, 3)


@pytest.mark.parametrize(
    ("command", "rest"),
    [("generate", "; the same command goes on"), ("evaluate", ""), ("fit", "; the same command goes on")],
)
def test_interrupted_commands_say_whether_they_go_on(monkeypatch, capsys, command, rest):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(train_runs.RUNS, command, interrupt)
    words = {"generate": "out.vf --nodes 1 --games 1 --seed 1", "evaluate": "x.vf", "fit": "x.vf --output run"}
    assert main([command, *words[command].split()]) == 130
    assert capsys.readouterr().err == f"teresa train {command}: interrupted{rest}\n"


def options_of(monkeypatch, words):
    found = []
    monkeypatch.setitem(train_runs.RUNS, "fit", lambda options: found.append(options) or 0)
    assert main(words.split()) == 0
    return vars(found[0])


def test_defaults_of_a_fit(monkeypatch):
    options = options_of(monkeypatch, "fit a.vf b.vf --output run")
    assert options["files"] == [Path("a.vf"), Path("b.vf")]
    assert options["output"] == Path("run")
    own = ("validation", "label_scale", "result_share", "seed", "held_out", "start_from", "only")
    assert [options[name] for name in own] == [0.01, 1.1, 0.1, 1, [], None, None]
    names = ("hidden", "batch", "rate", "decay", "early_passes", "passes", "final_passes")
    assert [options[f"value_{name}"] for name in names] == [512, 8192, 2e-3, 0.1, 0, 3, 3]
    assert [options[f"policy_{name}"] for name in names] == [256, 4096, 2e-3, 0.05, 0, 4, 0]


def test_numbers_of_a_fit(monkeypatch):
    words = "fit a.vf --output run --value-hidden 64 --policy-rate 0.5 --policy-early-passes 1 --only policy --seed 4"
    options = options_of(monkeypatch, words)
    assert (options["value_hidden"], options["policy_rate"], options["policy_early_passes"]) == (64, 0.5, 1)
    assert (options["only"], options["seed"]) == ("policy", 4)


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(6, seed=3)))
    return path


@pytest.mark.thorough
@pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")
def test_figures_as_json_and_as_a_table(games, capsys):
    expected = evaluate_network(load_weights().network, open_games([games])).as_dict()
    assert main(["evaluate", str(games), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    assert main(["evaluate", str(games), "--weights", str(SHIPPED)]) == 0
    text = capsys.readouterr().out
    assert f"{expected['value_mse']:.5f}" in text
    assert "draws expected" in text


@pytest.fixture
def fitted(monkeypatch, tmp_path):
    """`fit` without a fit: -> what it was called with, and what was shown."""
    from engine.training.fit import fit as module

    calls, run = [], tmp_path / "run"
    run.mkdir()

    def fit(_files, folder, settings, nets, start, report, advance):
        calls.append((folder, settings, nets, start))
        report("a line")
        advance("value", 5, 10)
        for net in nets:
            (folder / f"{net}.npz").touch()
        return SimpleNamespace(with_moves=lambda: "set aside")

    monkeypatch.setattr(module, "fit", fit)
    monkeypatch.setattr(module, "network_of_run", lambda folder: f"network of {folder.name}")
    monkeypatch.setattr(train_runs, "show_figures", lambda *shown, as_json: calls.append((*shown, as_json)))
    return calls, run


def test_a_fit_ends_with_the_table_once_both_nets_are_there(fitted, games, capsys):
    calls, run = fitted
    assert main(["fit", str(games), "--output", str(run), "--only", "value"]) == 0
    assert [call[2] for call in calls] == [("value",)]
    assert main(["fit", str(games), "--output", str(run), "--only", "policy", "--seed", "4"]) == 0
    assert (calls[1][0], calls[1][1].seed, calls[1][2], calls[1][3]) == (run, 4, ("policy",), None)
    assert calls[2] == ("network of run", "set aside", False)
    assert capsys.readouterr().out == "a line\na line\n"


def test_the_table_is_of_the_files_held_out(fitted, games):
    calls, run = fitted
    assert main(["fit", str(games), "--output", str(run), "--held-out", str(games), "--start-from", str(SHIPPED)]) == 0
    assert (calls[0][2], calls[0][3]) == (("value", "policy"), SHIPPED)
    assert calls[1][1].positions == open_games([games]).positions


def test_an_export_reports_size_and_figures(monkeypatch, tmp_path, capsys):
    from engine.training.fit import fit as module

    asked = []

    def export(folders, output, held_out, base, *, base_share, force):
        asked.append((folders, output, held_out, base, base_share, force))
        output.write_bytes(bytes(1234))
        return {"a": 1} if held_out else {}

    monkeypatch.setattr(module, "export", export)
    output = tmp_path / "x.net"
    assert main(["export", "run", str(output)]) == 0
    words = ["export", "run", "other", str(output), "--held-out", "y.vf", "--force", "--base", "z.net"]
    words += ["--base-share", "0.5"]
    assert main(words) == 0
    both = [Path("run"), Path("other")]
    assert asked[0] == ([Path("run")], output, [], None, 0, False)
    assert asked[1:] == [(both, output, [Path("y.vf")], Path("z.net"), 0.5, True)]
    assert capsys.readouterr().out == f'{output}: 1,234 bytes\n{output}: 1,234 bytes {{"a": 1}}\n'


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, is_terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    progress = train_runs.progress_display()
    assert progress.disable is not is_terminal
    assert progress.console.stderr


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_of_a_fit_do_not_go_to_the_terminal_if_output_is_a_file(monkeypatch, is_terminal):
    """While the progress is shown on standard error, standard output is left alone unless it is that terminal."""
    output = StringIO()
    output.isatty = lambda: is_terminal
    errors = StringIO()
    errors.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stderr", errors)
    with train_runs.progress_display():
        print("draw model fitted")
    assert ("draw model fitted" in errors.getvalue()) == is_terminal
    assert output.getvalue() == ("" if is_terminal else "draw model fitted\n")
