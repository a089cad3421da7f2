"""This engine as a player, in this process: a fixed number of visits for each move."""

import time
from collections.abc import Mapping, Sequence

from engine.config.options import Options
from engine.match.player import Choice, Clock, Forfeit, PlayerSpec, bounded_centipawns, mate_centipawns
from engine.match.player_files import open_resources
from engine.report.move_stats import LOSS, WIN, centipawns
from engine.search.clock import Limits
from engine.search.reporter import BestMove, Info
from engine.search.searcher import Searcher, search_to_end
from movegen import Position

BYTES_PER_VISIT, LEAST_MEGABYTES, MOST_MEGABYTES = 8192, 16, 256
LARGEST_SEED = 2**31 - 1


def own_options(values: Mapping[str, str], visits: int) -> Options:
    """The options of this engine, with room for trees of this many visits."""
    options = Options()
    options.hash_megabytes = min(MOST_MEGABYTES, max(LEAST_MEGABYTES, visits * BYTES_PER_VISIT >> 20))
    for name, value in values.items():
        options.set(name, value)
    return options


class _Listener(BestMove):
    """Keeps the move and the score of the last search."""

    info: Info | None = None

    def on_info(self, info: Info) -> None:
        """Keep this report of the search."""
        self.info = info


class OwnPlayer:
    """A player that is this engine, in the process; its tree is kept from move to move."""

    def __init__(self, spec: PlayerSpec, visits: int) -> None:
        self._listener, self._options = _Listener(), own_options(spec.options, visits)
        resources = open_resources(spec.options, spec.checksums)
        self._searcher, self._limits = Searcher(self._options, self._listener, resources), Limits(nodes=visits)

    def start_game(self, position: Position, seed: int) -> None:
        """Begin a game, with its own seed."""
        self._options.seed = 1 + seed % LARGEST_SEED
        self._searcher.forget()
        self._searcher.set_position(position, None)

    def choose(self, position: Position, new_moves: Sequence[int], clocks: Mapping[str, Clock]) -> Choice:  # noqa: ARG002
        """Search a fixed number of visits; there is no clock."""
        begin = time.perf_counter()
        if new_moves:
            self._searcher.set_position(position, tuple(new_moves))
        self._listener.info = None
        search_to_end(self._searcher, self._limits)
        move, self._listener.move = self._listener.move, None
        if move is None:
            raise Forfeit("no move")
        return Choice(move, _centipawns(self._listener.info), time.perf_counter() - begin)

    def watch(self, move: str) -> None:
        """Do nothing: `choose` gets the moves that were played."""

    def close(self) -> None:
        """Do nothing: there is no process to end."""


def _centipawns(info: Info | None) -> int | None:
    if info is None or not info.lines:
        return None
    move = info.lines[0][0]
    if move.result == WIN:
        return mate_centipawns((move.distance + 1) // 2)
    if move.result == LOSS:
        return mate_centipawns(-(move.distance // 2))
    return bounded_centipawns(centipawns(move.score))
