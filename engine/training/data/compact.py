"""Makes a `.policy` file of the `.visits` of a file of games; `policies` describes the format."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.system.files import write_whole
from engine.training.data.games import Games, decode, open_games
from engine.training.data.manifest import store_around
from engine.training.data.policies import (
    END_OF_POSITION,
    FIRST_SKIP,
    LAST_CODE,
    STEPS_PER_HALVING,
    pack_policy_header,
    policy_sibling,
    sort_moves,
)
from engine.training.data.visits import sibling
from movegen.board import board_at
from movegen.compiler.jit import inlined, kernel
from movegen.generate import fill_moves
from movegen.moves import MAX_MOVES

LONGEST_SKIP = 3  # 1 << 3 moves
LEAST_SHARES = np.array([2 ** (-(code + 0.5) / STEPS_PER_HALVING) for code in range(LAST_CODE + 1)])  # of each code
MOST_BYTES = MAX_MOVES // 2 + 1  # of a position
GAMES_AT_ONCE = 1000


def compact(path: Path) -> Path:
    """Write the policies of a file of games that has visits; -> their file. A `ValueError` says why it cannot be."""
    output = policy_sibling(path)
    refuse_in_store(path)
    if not sibling(path).is_file():
        raise ValueError(f"{path} has no visits: there is no file {sibling(path)}")
    if output.exists():
        raise ValueError(f"{output} already exists")
    games = open_games([path])
    if (games.visit_start < 0).any():
        raise ValueError(f"{sibling(path)} has not the visits of all games: it is cut off")
    write_whole(output, policies_of(games))
    return output


def refuse_in_store(path: Path) -> None:
    """A `ValueError` if a file is one of a store, whose chunks do not change."""
    store = store_around(path)
    if store is not None:
        raise ValueError(
            f"{path} is in the store {store}, whose files do not change: copy it and its visits to another folder, "
            f"compact the copy, delete the copy's .visits, --add the copy, and --remove {path.stem[:12]}"
        )


def policies_of(games: Games) -> Iterator[bytes]:
    """The content of the file, in parts."""
    yield pack_policy_header(games.files[0])
    for begin in range(0, games.size.size, GAMES_AT_ONCE):
        part = games.where(np.arange(begin, min(begin + GAMES_AT_ONCE, games.size.size)))
        decoded = decode(part)
        visits = decoded.visit_bounds, decoded.visit_moves, decoded.visit_counts
        if (np.add.reduceat(decoded.visit_counts, decoded.visit_bounds[:-1], dtype=np.int64) == 0).any():
            raise ValueError("there is a position without visits")
        data = np.zeros(part.positions * MOST_BYTES, dtype=np.uint8)
        legal = np.zeros(MAX_MOVES, dtype=np.uint16)
        size = int(write_policies(decoded.positions.boards, part.size, visits, LEAST_SHARES, legal, data))
        yield data[:size].tobytes()


@inlined
def write_half_byte(data: np.ndarray, place: int, code: int) -> int:
    """Write four bits where zeros are; -> the next place."""
    data[place >> 1] |= np.uint8(code << (4 * (place & 1)))
    return place + 1


@inlined
def write_skips(data: np.ndarray, place: int, moves: int) -> int:
    """Write that some moves have nothing; -> the next place."""
    for power in range(LONGEST_SKIP, -1, -1):
        while moves >= 1 << power:
            place = write_half_byte(data, place, FIRST_SKIP + power)
            moves -= 1 << power
    return place


@inlined
def code_of(share: float, best: float, total: float, least: np.ndarray) -> int:
    """The code of a share of the total; more than LAST_CODE for nothing. The best move always has one."""
    code = 0
    while code <= LAST_CODE and share < total * least[code]:
        code += 1
    return min(code, LAST_CODE) if share == best else code


@kernel
def write_policies(
    boards: np.ndarray,
    sizes: np.ndarray,
    visits: tuple[np.ndarray, np.ndarray, np.ndarray],
    least: np.ndarray,
    legal: np.ndarray,
    data: np.ndarray,
) -> int:
    """Write the policies of games of these sizes into zeros, from their visits (bounds, moves, counts); -> bytes."""
    bounds, moves, counts = visits
    place, position = 0, 0
    for size in sizes:
        place += place & 1
        for _ in range(size):
            count = int(np.int64(fill_moves(board_at(boards, position), legal)))
            sort_moves(legal, count)
            begin, end = bounds[position], bounds[position + 1]
            total, best = 0.0, 0.0
            for entry in range(begin, end):
                total += float(counts[entry])
                best = max(best, float(counts[entry]))
            skipped = 0
            for index in range(count):
                share = 0.0
                for entry in range(begin, end):
                    if moves[entry] == legal[index]:
                        share = float(counts[entry])
                code = code_of(share, best, total, least)
                if code > LAST_CODE:
                    skipped += 1
                else:
                    place = write_half_byte(data, write_skips(data, place, skipped), code)
                    skipped = 0
            place = write_half_byte(data, place, END_OF_POSITION)
            position += 1
    return (place + 1) >> 1
