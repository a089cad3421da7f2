import json
import re

import pytest

from engine.explorer.command import main, read_settings
from engine.explorer.export import page_of
from tests.engine.explorer.shows import new_session


def test_a_page_holds_all_it_needs():
    session = new_session()
    page = page_of(session).decode()
    session.close()
    assert not re.search(r'(src|href)="(?!data:)', page)
    saved = json.loads(re.search(r'id="saved">(.*?)</script>', page)[1])
    assert saved["searches"][0]["summary"]["visits"] == 2000
    assert len(saved["searches"][0]["nodes"]) > 10
    assert set(saved["searches"][0]["nodes"]) <= set(saved["places"])


def test_settings_of_a_second_search():
    assert read_settings("formula=ucb1, evaluator=playout") == {"Formula": "ucb1", "Evaluator": "playout"}
    with pytest.raises(ValueError, match="settings are"):
        read_settings("colour=red")


@pytest.mark.slow
def test_the_command_saves_a_page(tmp_path, capsys):
    file = tmp_path / "search.html"
    beside = ["--beside", "formula=ucb1,evaluator=playout"]
    assert main(["--save", str(file), "--seconds", "0.5", "--hash", "16", *beside]) == 0
    assert file.stat().st_size > 100_000
    assert str(file) in capsys.readouterr().out
    assert main(["8/8/8/8/8/8/8/8 w - - 0 1", "--save", str(file)]) == 2
    assert main(["--diff", str(file), str(file)]) == 2
    assert "no saved tree" in capsys.readouterr().err
