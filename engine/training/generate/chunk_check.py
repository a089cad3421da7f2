"""Chunks that workers send are replayed before they are recorded: what is damaged or made up does not count."""

from pathlib import Path

import numpy as np

from engine.training.data.games import index_file, index_sibling
from engine.training.data.viriformat import HEADER_SIZE, PAIR_SIZE
from engine.training.data.visits import COUNT_SIZE, ENTRY_SIZE, pack_file_header
from engine.training.generate.chunks import GAMES_SUFFIX, VISITS_SUFFIX
from perft.runner.units import Unit, UnitAnswer

GAMES, VISITS = Path("games"), Path("visits")  # in messages


def check_chunk(_unit: Unit, answer: UnitAnswer) -> None:
    """`ValueError` unless games and visits are whole, with legal moves and the number of positions that is reported."""
    data = np.frombuffer(answer.files.get(GAMES_SUFFIX, b""), dtype=np.uint8)
    if data.size == 0 == answer.value:  # all games were dropped
        return
    starts, sizes = index_file(GAMES, data)
    if starts[-1] + HEADER_SIZE + PAIR_SIZE * (sizes[-1] + 1) != data.size:
        raise ValueError("the last game is cut off")
    if int(sizes.sum()) != answer.value:
        raise ValueError(f"{answer.value} positions are reported, {sizes.sum()} are there")
    if VISITS_SUFFIX in answer.files:
        _check_visits(answer.files[VISITS_SUFFIX], data, starts, sizes)


def _check_visits(packed: bytes, data: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> None:
    visits = np.frombuffer(pack_file_header() + packed, dtype=np.uint8)
    found, entries = index_sibling(GAMES, VISITS, data, visits, starts, sizes)
    end = found[-1] + COUNT_SIZE * sizes[-1] + ENTRY_SIZE * entries[-1]
    if (found < 0).any() or end != visits.size:
        raise ValueError("the visits are not as long as the games need them")
