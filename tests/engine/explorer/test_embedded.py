"""The page of an engine that speaks UCI."""

import re
import urllib.error
import urllib.request

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from tests.engine.uci.process import Process


@pytest.mark.slow
def test_the_explorer_is_reported_and_closed(environment, tmp_path):
    engine, tree = Process(environment), tmp_path / "tree.npz"
    engine.send("isready", "position startpos", "go infinite")
    said = engine.ask("setoption name Explorer value true", until="info string explorer at")[-1]
    assert re.fullmatch(r"info string explorer at http://127\.0\.0\.1:\d+/#[\w-]{43}", said), "as the log knows it"
    address = said.split()[-1].split("#")[0]
    assert urllib.request.urlopen(address, timeout=10).status == 200
    engine.ask("stop")
    assert engine.ask(f"savetree {tree}", until="info string")[-1].endswith(f"saved in {tree}")
    assert " visits of rnbqkbnr/" in engine.ask(f"loadtree {tree}", until="info string")[-1]
    engine.send("setoption name Explorer value false")
    engine.ask("isready", until="readyok")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=2)
    engine.ask("setoption name Explorer value true", until="info string explorer at")
    engine.quit_cleanly()
