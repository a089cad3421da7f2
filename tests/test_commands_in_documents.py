"""Commands in the documents that are not run: Teresa takes their options, and what they read comes from one before."""

import argparse
import re
import shlex

import pytest

from engine.__main__ import ALIASES, COMMANDS, main
from tests.documents import BLOCKS_OF_CONSOLE, PROJECT, Block, commands_in

RECIPE = "## The shipped net"  # in docs/network.md: from nothing but an engine
SHIPPED = "engine/network/teresa.net"


class Parsed(BaseException):
    """What a command line means; nothing is done."""


@pytest.fixture
def parse(monkeypatch):
    """A command line of Teresa -> its arguments, as the command would get them."""

    def stop_with(kind):
        original = getattr(argparse.ArgumentParser, kind)

        def parse_and_stop(self, args=None, namespace=None):
            raise Parsed(original(self, args, namespace))

        monkeypatch.setattr(argparse.ArgumentParser, kind, parse_and_stop)

    def parsed(words):
        with pytest.raises(Parsed) as found:
            main(words)
        return found.value.args[0]

    stop_with("parse_args")
    stop_with("parse_intermixed_args")
    return parsed


def words_of(command):
    """The words after `teresa`; brackets say that something may be left out."""
    return shlex.split(re.sub(r" \[([^]]*)\]", r" \1", command), comments=True)[1:]


def is_of_teresa(command):
    words = command.split()
    return words[0] == "teresa" and words[1] in {*COMMANDS, *ALIASES}


LINES = [
    pytest.param(command, id=f"{block.name} {number}")
    for block in BLOCKS_OF_CONSOLE
    if "not run" in block.comments
    for number, command in enumerate(commands_in(block))
    if is_of_teresa(command)
]


@pytest.mark.parametrize("command", LINES)
def test_commands_that_are_not_run_have_options_that_exist(command, parse, capsys):
    try:
        parse(words_of(command))
    except SystemExit:
        pytest.fail(f"{command}\n{capsys.readouterr().err}")


def recipe():
    """The commands by which the shipped net was made, in their order."""
    text = (PROJECT / "docs" / "network.md").read_text(encoding="utf-8")
    first = text[: text.index(f"\n{RECIPE}\n")].count("\n")
    last = first + text[text.index(f"\n{RECIPE}\n") + 1 :].split("\n## ")[0].count("\n")
    blocks: list[Block] = [block for block in BLOCKS_OF_CONSOLE if block.document.name == "network.md"]
    return [command for block in blocks if first < block.line <= last + 1 for command in commands_in(block)]


def needed(arguments):
    """The files that a command of `teresa train` reads."""
    names = ("files", "folders", "held_out", "start_from", "base", "weights")
    found = [getattr(arguments, name, None) or [] for name in names]
    return {str(path) for paths in found for path in (paths if isinstance(paths, list) else [paths])}


def test_the_recipe_of_the_shipped_net_begins_with_nothing(parse):
    made: set[str] = set()
    commands = [parse(words_of(command)) for command in recipe()]
    for arguments in commands:
        assert needed(arguments) <= made, arguments
        made.add(str(arguments.output))
    assert {arguments.command for arguments in commands} == {"generate", "fit", "export"}
    assert str(commands[-1].output) == SHIPPED


def test_commands_that_do_not_exist_are_noticed(parse):
    assert words_of("teresa train data STORE [--json]   # a list") == ["train", "data", "STORE", "--json"]
    for words in (["train", "fit", "a.vf"], ["train", "fit", "a.vf", "--output", "R", "--no-such-option"]):
        with pytest.raises(SystemExit):
            parse(words)
