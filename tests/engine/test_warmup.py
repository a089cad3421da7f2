import pytest

from engine import warmup


@pytest.fixture
def done(monkeypatch, tmp_path):
    """What was compiled, with an empty cache."""
    done = []
    parts = {"search": lambda: done.append("search"), "report": lambda: done.append("report")}
    monkeypatch.setattr(warmup, "parts_of_games", lambda: parts)
    monkeypatch.setattr(warmup, "ready_file", lambda: tmp_path / "ready")
    return done


def test_a_first_start_compiles_and_tells_so_once(done, capsys):
    warmup.ensure_warm()
    told = capsys.readouterr()
    assert done == ["search", "report"]
    assert "first start" in told.err
    assert told.out == ""
    warmup.ensure_warm()
    assert done == ["search", "report"]
    assert capsys.readouterr() == ("", "")


def test_the_command_tells_the_seconds_of_each_part(done, capsys):
    assert warmup.main(["--search", "--time"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["search", "report", "all"]
    assert done == ["search", "report"]
