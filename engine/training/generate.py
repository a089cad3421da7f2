"""`teresa train generate`: labelled games by the million, in several processes, the same for the same seed.

The work is cut into chunks of games. Each chunk has random numbers of its own and starts with a teacher who has
forgotten everything, so it does not matter which process does it, or when. Chunks that are done stay in a folder
beside the output until all are there and are joined in order; a run that was interrupted goes on with the others.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import islice
from json import dumps
from multiprocessing import get_context
from pathlib import Path

from engine.training.labelled import TeacherGame, ValueGame
from engine.training.teacher import Teacher, UciEngine
from engine.training.viriformat import pack_game


@dataclass(frozen=True)
class Order:
    """What is to be made."""

    teacher: UciEngine
    value_only: bool
    games: int
    seed: int
    at_once: int  # games asked about together; their questions must fit into a pipe
    games_per_chunk: int = 128

    @property
    def chunks(self) -> int:
        """How many chunks that is."""
        return -(-self.games // self.games_per_chunk)

    def games_of(self, chunk: int) -> range:
        """The numbers of a chunk's games."""
        first = chunk * self.games_per_chunk
        return range(first, min(first + self.games_per_chunk, self.games))


def new_game(order: Order, number: int) -> TeacherGame | ValueGame:
    """Game number so and so, with random numbers of its own."""
    rng = random.Random(f"{order.seed} {number}")
    return ValueGame(rng) if order.value_only else TeacherGame(rng)


def play(order: Order, numbers: range, teacher: Teacher) -> Iterator[TeacherGame | ValueGame]:
    """Play games, many at once; each is given out when it is over."""
    waiting = iter(numbers)
    table = [new_game(order, number) for number in islice(waiting, order.at_once)]
    while table:
        answers = teacher.ask([game.question() for game in table])
        going_on: list[TeacherGame | ValueGame] = []
        for game, answer in zip(table, answers, strict=True):
            if not game.take(answer):
                going_on.append(game)
                continue
            yield game
            number = next(waiting, None)
            if number is not None:
                going_on.append(new_game(order, number))
        table = going_on


def make_chunk(order: Order, chunk: int, folder: Path) -> int:
    """Make one chunk; -> its positions."""
    positions, parts = 0, []
    with order.teacher.open() as teacher:
        for game in play(order, order.games_of(chunk), teacher):
            for record in game.records():
                parts.append(pack_game(record))
                positions += len(record.moves)
    new = folder / f"{chunk}.new"
    new.write_bytes(b"".join(parts))
    new.replace(chunk_path(folder, chunk))
    return positions


def chunk_path(folder: Path, chunk: int) -> Path:
    """Where a chunk that is done stays."""
    return folder / f"{chunk:06}.vf"


def open_folder(output: Path, order: Order) -> Path:
    """The folder for chunks; one that belongs to another order is refused."""
    folder = output.with_name(output.name + ".parts")
    folder.mkdir(parents=True, exist_ok=True)
    note, text = folder / "order.json", dumps(asdict(order), sort_keys=True)
    if note.is_file() and note.read_text() != text:
        raise ValueError(f"{folder} belongs to a run with other options: {note.read_text()}")
    note.write_text(text)
    return folder


def generate(order: Order, output: Path, processes: int, advance: Callable[[int, int], None]) -> None:
    """Make all chunks that are not there yet and join them; `advance(games, positions)` is called after each chunk."""
    if output.exists():
        raise ValueError(f"{output} is there already")
    folder = open_folder(output, order)
    missing = [chunk for chunk in range(order.chunks) if not chunk_path(folder, chunk).is_file()]
    advance(sum(len(order.games_of(chunk)) for chunk in set(range(order.chunks)) - set(missing)), 0)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        jobs = {pool.submit(make_chunk, order, chunk, folder): chunk for chunk in missing}
        try:
            for job in as_completed(jobs):
                advance(len(order.games_of(jobs[job])), job.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    join(order, folder, output)


def join(order: Order, folder: Path, output: Path) -> None:
    """All chunks in order into one file."""
    new = folder / "joined.new"
    with new.open("wb") as file:
        for chunk in range(order.chunks):
            file.write(chunk_path(folder, chunk).read_bytes())
    new.replace(output)
    shutil.rmtree(folder)
