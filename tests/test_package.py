"""The wheel, installed into an empty environment outside the tree, must have all it needs."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def environment(environment):
    """Without a path that may lead into the tree."""
    return {name: value for name, value in environment.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory, environment):
    """An environment with nothing but the wheel and what it depends on; -> its folder of commands."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(PROJECT)]
    subprocess.run(build, check=True, capture_output=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    commands = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    install = [commands / "pip", "install", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, env=environment)
    return commands


def run(command, folder, environment):
    finished = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.slow
def test_the_wheel_works_outside_the_tree(installed, tmp_path, environment):
    assert "perft" in run([installed / "teresa", "--help"], tmp_path, environment)
    command = [installed / "teresa"]
    finished = subprocess.run(command, input="uci\nquit\n", env=environment, capture_output=True, text=True, check=True)
    assert "uciok" in finished.stdout
    assert run([installed / "teresa", "perft", "4"], tmp_path, environment).endswith("Nodes searched: 197281\n")
    suites = [installed / "teresa", "perft", "2", "--suite", "standard", "chess960"]
    assert "1086 of 1088 positions checked, 0 wrong" in run(suites, tmp_path, environment)
    program = "import movegen; print(movegen.__file__, movegen.Position().san('e2e4'))"
    output = run([installed / "python", "-c", program], tmp_path, environment)
    assert output.strip().endswith(" e4")
    assert str(PROJECT) not in output


@pytest.mark.slow
def test_the_wheel_holds_no_tests_and_all_data(installed):
    (wheel,) = installed.parent.parent.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    files = (path for package in ("engine", "movegen", "perft") for path in (PROJECT / package).rglob("*"))
    needed = {str(path.relative_to(PROJECT)) for path in files if path.is_file() and "__pycache__" not in path.parts}
    assert {name.replace(os.sep, "/") for name in needed} <= set(names)
    assert not any(name.startswith("tests") for name in names)
