"""Opens players for games, and checks beforehand that they can be opened."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from engine.match.own_player import OwnPlayer
from engine.match.player import MatchPlayer, PlayerSpec, TimeControl
from engine.match.player_files import check_engine_files, check_same_files, open_resources
from engine.match.uci_player import UciPlayer
from engine.system.environment import command_line


def open_player(spec: PlayerSpec, control: TimeControl) -> MatchPlayer:
    """A player that is ready for games. This engine plays in the process if visits are counted, else through UCI."""
    if spec.command is not None:
        check_engine_files(spec.checksums)
        return UciPlayer(spec, control)
    if control.visits is not None:
        return OwnPlayer(spec, control.visits)
    check_same_files(spec.options, spec.checksums)
    return UciPlayer(replace(spec, command=command_line()), control)


def check_players(specs: Sequence[PlayerSpec], *, is_local: bool) -> None:
    """Raise a `ValueError` if a player cannot play. Engines are tried only if they would run on this machine."""
    for spec in specs:
        if spec.command is None:
            try:
                open_resources(spec.options, spec.checksums)
            except ValueError as error:
                raise ValueError(f"{spec.name}: {error}") from None
        elif is_local:
            check_engine_files(spec.checksums)
            with closing(UciPlayer(spec, TimeControl(visits=1))) as player:
                player.running()
