"""Players from texts of a command line or a file."""

from collections.abc import Mapping
from pathlib import Path

from engine.config.options import BY_NAME
from engine.match.player import PlayerSpec
from engine.match.player_files import (
    WEIGHTS,
    absolute_command,
    absolute_option,
    absolute_setting,
    checksums_of,
    engine_checksums,
)
from perft.command_text import words_of

PRESENT = "default"  # the engine as it is
# What the match itself decides, and what has no meaning in it.
REFUSED = {
    "UCI_Chess960": "the openings decide it",
    "Seed": "--seed decides it",
    "MultiPV": "a match needs one line",
    "Ponder": "nobody thinks in the opponent's time",
    "UCI_EngineAbout": "it cannot be changed",
    "Explorer": "use teresa explore",
    "Explorer Port": "use teresa explore",
    "Open Explorer": "use teresa explore",
    "LogFile": "all games would write to one file",
    "Clear Hash": "each game begins so",
}


def read_player(text: str, name: str, options: Mapping[str, str] | None = None) -> PlayerSpec:
    """This engine as a player: `default`, a weights file, options (`PUCT C=600`), or several, with commas.

    `options` come from elsewhere; the text goes before them.
    """
    found: dict[str, str] = {}
    for part in (part.strip() for part in text.split(",")):
        option, separator, value = part.partition("=")
        if separator:
            found[option.strip()] = value.strip()
        elif Path(part).is_file():
            found[WEIGHTS] = part
        elif part != PRESENT:
            raise ValueError(f"{name}: {part!a} is neither '{PRESENT}', nor an option (Name=Value), nor a weights file")
    return own_player_spec(
        name if text == PRESENT and not options else f"{name} ({text})", {**found, **(options or {})}
    )


def own_player_spec(name: str, values: Mapping[str, str]) -> PlayerSpec:
    """This engine with some options; a `ValueError` if one is refused."""
    options = {}
    for option, value in values.items():
        try:
            known = _checked_option(option, value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        options[known] = absolute_option(known, value)
    return PlayerSpec(name, options, None, checksums_of(options))


def _checked_option(name: str, value: str) -> str:
    """The usual name of an option; a `ValueError` if a player cannot have it, or not with this value."""
    option = BY_NAME.get(name.lower())
    if option is None:
        raise ValueError(f"no option is called {name[:40]!a}")
    if option.name in REFUSED:
        raise ValueError(f"{option.name}: {REFUSED[option.name]}")
    try:
        option.parse(value)
    except ValueError as error:
        raise ValueError(f"{option.name}: {error}") from None
    return option.name


def read_engine(command: str, name: str, options: Mapping[str, str]) -> PlayerSpec:
    """A UCI engine from the command line."""
    try:
        words = words_of(command)
    except ValueError as error:
        raise ValueError(f"{name}: {command[:80]!a} is not a command: {error}") from None
    if not words:
        raise ValueError(f"{name}: the command is empty")
    words = absolute_command(words)
    settings = {option: absolute_setting(option, value) for option, value in options.items()}
    return PlayerSpec(f"{name} ({Path(words[0]).name})", settings, words, engine_checksums(words, settings))
