"""How the browser gets the address: by a private file, not by arguments that all users can read."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer import browser as opener
from engine.explorer.browser import Door, open_door
from engine.explorer.server import Server
from tests.engine.explorer.views import new_session, until

ADDRESS = "http://127.0.0.1:4000/#secret-token"


@pytest.fixture
def session():
    session = new_session(visits=300)
    yield session
    session.close()


@pytest.fixture
def started(monkeypatch):
    """The commands that would have been run."""
    commands = []

    class Started:
        def __init__(self, command, **_named):
            commands.append(command)

        def wait(self, _seconds):
            return 0

    monkeypatch.setattr(opener.subprocess, "Popen", Started)
    return commands


def test_the_token_is_in_a_private_file_and_in_no_argument(started):
    door = open_door(ADDRESS)
    assert ADDRESS in door.file.read_text(encoding="utf-8")
    assert all("secret-token" not in word for word in started[0])
    assert started[0][-1] == door.file.as_uri()
    if os.name == "posix":
        assert door.file.stat().st_mode & 0o777 == 0o600
        assert door.file.parent.stat().st_mode & 0o777 == 0o700
    door.close()
    assert not door.file.parent.exists()


def test_the_file_goes_when_a_page_has_come(started, session, new_page):
    server = Server(session)
    server.open_browser()
    file = server._door.file
    assert file.exists()
    page = new_page(server.address)
    until(lambda: not file.exists())
    assert len(started) == 1
    server.open_browser()
    file = server._door.file
    assert file.exists(), "the page that watches already does not use up the file"
    page.close()
    server.close()
    assert not file.exists()


def test_the_file_goes_after_a_while(started, monkeypatch):
    monkeypatch.setattr(opener, "SECONDS_TO_OPEN", 0.05)
    door = open_door(ADDRESS)
    until(lambda: not door.file.exists())
    assert started


def test_a_browser_that_cannot_be_started_is_reported(monkeypatch):
    def fail(*_arguments, **_named):
        raise FileNotFoundError(2, "No such file")

    monkeypatch.setattr(opener.subprocess, "Popen", fail)
    with pytest.raises(ValueError, match="cannot be started: No such file"):
        open_door(ADDRESS)


def test_the_file_leads_to_the_page(browser, session):
    server = Server(session)
    door = Door(server.address)
    page = browser.new_page()
    page.goto(door.file.as_uri())
    page.wait_for_selector("tbody tr")
    assert page.url == server.address
    page.close()
    door.close()
    server.close()


SCRIPT = """
import sys
from engine.explorer.browser import open_door
door = open_door(sys.argv[1])
print(door.file, flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for the browser")
def test_code_of_the_working_directory_is_not_run(tmp_path, environment):
    """A `webbrowser.py` where a GUI was started is left alone, and the real browser gets the file."""
    (tmp_path / "webbrowser.py").write_text("import pathlib; pathlib.Path('was-run').touch()")
    fake = tmp_path / "fake-browser"
    fake.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/opened"\n')
    fake.chmod(0o700)
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, ADDRESS],
        cwd=tmp_path,
        env={**environment, "BROWSER": f"{fake} %s"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    file = process.stdout.readline().strip()
    until((tmp_path / "opened").exists, 60)
    until(lambda: file in (tmp_path / "opened").read_text())
    assert not (tmp_path / "was-run").exists()
    process.communicate("\n", timeout=60)
    assert not os.path.exists(file), "left behind at exit"  # noqa: PTH110
