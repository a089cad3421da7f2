"""Commands that UCI does not have."""

import time

import pytest

from engine.config.options import OPTIONS
from engine.uci.other_commands import HANDLERS
from engine.uci.parse import UCI_COMMANDS
from engine.uci.session import Session, help_lines, option_lines
from tests.engine.uci.test_queue import FakeLoader


@pytest.fixture
def session():
    session = Session([].append, loader=FakeLoader())
    yield session
    session.close()


def test_help_lists_every_command():
    lines = help_lines()
    for name in UCI_COMMANDS:
        assert any(name in line.replace(",", " ").split() for line in lines) or name == "register"
    assert set(HANDLERS) < {name for name, kind in UCI_COMMANDS.items() if kind.meaning}
    for name, kind in UCI_COMMANDS.items():
        assert not kind.meaning or f"{name:8} {kind.meaning}" in lines


def test_every_command_has_one_handler(session):
    session.loader.is_ready = True
    session.queue.hear("isready", time.perf_counter())
    names = [*session._handlers(), *session.search.handlers(), *HANDLERS, "quit"]
    assert sorted(names) == sorted(UCI_COMMANDS)
    assert set(session.queue._handlers) == set(UCI_COMMANDS)


def test_help_lists_every_option_with_its_default_range_and_meaning():
    lines = option_lines()
    assert len(lines) == len(OPTIONS)
    for option, line in zip(OPTIONS, lines, strict=True):
        assert line.startswith(f"{option.name}: {option.meaning} (")
        assert option.kind == "button" or f"default {option.default_text}" in line
    assert "Hash: memory of the tree in MB (default 256, 1 to 65536)" in lines
    assert any("one of UCB1 PUCT" in line for line in lines)
    assert all(line.isascii() for line in lines)  # any terminal shows it


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("help", "info string d        show the position"),
        ("help options", "info string Ponder: "),
        ("help me", "info string help: only 'options' may follow; ignored"),
    ],
)
def test_help_needs_no_kernels(command, expected):
    said = []
    session = Session(said.append, loader=FakeLoader())
    session.queue.hear(command, time.perf_counter())
    assert any(line.startswith(expected) for line in said)
    assert all(line.startswith("info string ") for line in said)
    session.close()
