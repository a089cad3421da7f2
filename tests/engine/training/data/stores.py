"""Files of random games, and stores of them."""

import random

from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store, store_to_write
from engine.training.data.store_check import check_store
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from movegen import Position
from tests.engine.network.boards import code_to_move
from tests.engine.training.data.games import random_records


def games_file(path, count=4, seed=1, *, with_visits=False):
    """A file of random games; -> the file."""
    records = random_records(count, seed)
    path.write_bytes(b"".join(record[0] for record in records))
    if with_visits:
        sibling(path).write_bytes(pack_file_header() + pack_visits(visits_of(records, random.Random(seed))))
    return path


def visits_of(records, rng):
    """For each position its label, and another move if there is one."""
    for _, pairs, *_ in records:
        for board, move, _ in pairs:
            codes = Position(board.shredder_fen(), chess960=True).move_codes
            (label,) = [code for code in codes if code_to_move(code, board) == move]
            others = [code for code in codes if code != label]
            yield [(code, rng.randint(1, 500)) for code in (label, *others[:1])]


def add(folder, *paths):
    """Add files to a store, new or not; -> what became of each."""
    with store_to_write(folder, create=True) as store:
        return [store.add(inspect(path)) for path in paths]


def names_in(folder):
    """The names of all files, as a set."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def faults_in(folder):
    """The kinds of the faults that a check finds."""
    return [fault.kind for fault in check_store(Store(folder)).faults]
