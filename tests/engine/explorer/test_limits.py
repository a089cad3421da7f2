"""The server, its file for the browser, and the page for a GUI."""

import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer import browser
from engine.explorer import server as server_module
from engine.explorer.browser import Door, open_door
from engine.explorer.embedded import EmbeddedExplorer
from engine.explorer.server import Server
from engine.explorer.view import View
from tests.engine.report.searches import MIDDLEGAME, new_searcher


def test_the_server_has_limits_and_says_nothing_of_itself():
    before = sys.getswitchinterval()
    server = Server(View([]))
    config = server._server.config
    assert (config.limit_concurrency, config.h11_max_incomplete_event_size) == (64, 16_384)
    assert (config.access_log, config.server_header, config.proxy_headers, config.ws) == (False, False, False, "none")
    assert server.address == f"http://127.0.0.1:{server.port}/#{server.token}"
    thread, waited = server._thread, []
    server._thread = SimpleNamespace(join=waited.append)
    server.close()
    assert waited == [1.0], "for a second at most"
    thread.join(10)
    assert not thread.is_alive()
    assert sys.getswitchinterval() == before


def test_one_door_at_a_time(monkeypatch):
    doors = []

    class Opened:
        def __init__(self, address):
            self.address, self.is_open = address, True
            doors.append(self)

        def close(self):
            self.is_open = False

    monkeypatch.setattr(server_module, "open_door", Opened)
    server = Server(View([]))
    server.open_browser()
    server.open_browser()
    assert [(door.address, door.is_open) for door in doors] == [(server.address, False), (server.address, True)]
    server._close_door()
    assert not doors[1].is_open
    server.open_browser()
    server.close()
    assert not doors[2].is_open


def test_the_file_for_the_browser():
    door = Door("http://x/#y")
    assert door.file.name == "explorer.html"
    assert door.file.parent.name.startswith("teresa-")
    text = door.file.read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="0; url=http://x/#y">' in text
    assert '<a href="http://x/#y">' in text
    assert '<meta name="referrer" content="no-referrer">' in text
    door.close()
    door.close()


def test_a_browser_gets_no_part_of_this_process(monkeypatch):
    started = []
    monkeypatch.setattr(
        browser.subprocess,
        "Popen",
        lambda command, **named: started.append((command, named)) or SimpleNamespace(wait=lambda _: 0),
    )
    door = open_door("http://x")
    ((command, named),) = started
    assert command == [sys.executable, "-I", "-m", "webbrowser", "-t", door.file.as_uri()]
    null = browser.subprocess.DEVNULL
    assert named == {"stdin": null, "stdout": null, "stderr": null, "start_new_session": True}
    door.close()


def test_a_browser_that_fails_leaves_no_file(monkeypatch):
    doors = []

    def fail(door):
        doors.append(door)
        raise OSError(13, "Not allowed")

    monkeypatch.setattr(Door, "open", fail)
    with pytest.raises(ValueError, match=r"^the browser cannot be started: Not allowed$"):
        open_door("http://x")
    assert not doors[0].file.exists()
    assert doors[0]._is_done.is_set()

    def full(*_):
        raise OSError(28, "No space")

    monkeypatch.setattr(browser.Path, "touch", full)
    with pytest.raises(ValueError, match=r"^no file for the browser: No space$"):
        open_door("http://x")


def test_the_page_for_a_gui_is_served_once(monkeypatch):
    servers, said = [], []

    class Served:
        def __init__(self, view, port):
            self.view, self.port, self.address = view, port, f"address {len(servers)}"
            self.calls = []
            servers.append(self)

        def open_browser(self):
            self.calls.append("browser")

        def close(self):
            self.calls.append("close")

    monkeypatch.setattr(server_module, "Server", Served)
    report = new_searcher(MIDDLEGAME).report
    explorer = EmbeddedExplorer(said.append, report)
    explorer.close()
    assert explorer.open(4567) is servers[0]
    explorer.open_in_browser(99)
    assert (len(servers), servers[0].port, servers[0].calls) == (1, 4567, ["browser"])
    assert said == ["explorer at address 0"] * 2
    assert [(search.name, search.report) for search in servers[0].view.searches] == [("Teresa", report)]
    explorer.close()
    explorer.close()
    assert servers[0].calls == ["browser", "close"]
    explorer.open(1)
    assert (len(servers), servers[1].port, said[-1]) == (2, 1, "explorer at address 1")


def test_a_missing_package_is_named_when_the_page_is_asked_for(monkeypatch):
    monkeypatch.setattr("engine.system.environment.find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"'\.\[explore\]'"):
        EmbeddedExplorer(print, None).open(0)
