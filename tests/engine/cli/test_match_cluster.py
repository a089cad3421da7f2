"""`teresa match` on a Dask cluster of this machine, and without Dask."""

import subprocess
import sys

import pytest

from engine.__main__ import main

pytestmark = [pytest.mark.jit, pytest.mark.slow]

MATCH = ["match", "default", "PUCT C=3000", "--visits", "20", "--games", "8", "--workers", "2"]


def test_the_same_games_on_a_local_cluster(tmp_path, capsys):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    assert main([*MATCH, "--pgn", str(tmp_path / "here.pgn")]) == 0
    expected = capsys.readouterr().out
    arguments = [*MATCH, "--cluster", "local", "--run", str(tmp_path / "run"), "--pgn", str(tmp_path / "there.pgn")]
    assert main(arguments) == 0
    assert capsys.readouterr().out == expected
    assert (tmp_path / "there.pgn").read_bytes() == (tmp_path / "here.pgn").read_bytes()


@pytest.mark.soak  # in `make test`: test_a_tuning_imports_nothing_of_dask, whose games and units are those of a match
def test_nothing_of_dask_is_imported_by_default(tmp_path, environment, warm):  # noqa: ARG001
    command = [sys.executable, "-X", "importtime", "-m", "engine", *MATCH, "--run", str(tmp_path / "run")]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
    modules = {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines() if "import time:" in line}
    assert "engine.cli.match_run" in modules
    assert not {name for name in modules if name.split(".")[0] in ("dask", "distributed", "tornado")}
