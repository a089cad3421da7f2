"""`teresa train generate`: labelled games by the million, in several processes, the same for the same seed.

The work is cut into chunks of games. Each chunk has random numbers of its own and starts with a teacher who has
forgotten everything, so it does not matter which process does it, or when. Chunks that are done stay in a folder
beside the output until all are there and are joined in order; a run that was interrupted goes on with the others.
Self-play has a second file for each chunk, and for the whole: the visits.
"""

import random
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import chain, islice
from json import dumps
from multiprocessing import get_context
from pathlib import Path

from engine.training.labelled import TeacherGame, ValueGame
from engine.training.self_play import SelfPlay, SelfTeacher
from engine.training.teacher import Teacher, UciEngine
from engine.training.viriformat import Game, pack_game
from engine.training.visits import pack_file_header, pack_visits, sibling


@dataclass(frozen=True)
class Order:
    """What is to be made."""

    teacher: UciEngine | SelfPlay
    value_only: bool
    games: int
    seed: int
    at_once: int  # games asked about together; their questions must fit into a pipe
    games_per_chunk: int = 128

    @property
    def has_visits(self) -> bool:
        """Is there a file of visits to write?"""
        return isinstance(self.teacher, SelfPlay)

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


def play(order: Order, numbers: range, teacher: Teacher | SelfTeacher) -> Iterator[TeacherGame | ValueGame]:
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
    records: list[Game] = []
    with order.teacher.open() as teacher:
        for game in play(order, order.games_of(chunk), teacher):
            records += game.records()
    path = chunk_path(folder, chunk)
    if order.has_visits:
        write_parts(sibling(path), (pack_visits(record.visits) for record in records))
    write_parts(path, map(pack_game, records))
    return sum(len(record.moves) for record in records)


def chunk_path(folder: Path, chunk: int) -> Path:
    """Where a chunk that is done stays; its visits are there before it is."""
    return folder / f"{chunk:06}.vf"


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file that is there as a whole or not at all."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        file.writelines(parts)
    new.replace(path)


def open_folder(output: Path, order: Order) -> Path:
    """The folder for chunks; one that belongs to another order is refused."""
    folder = output.with_name(output.name + ".parts")
    if sibling(output) == output:
        raise ValueError(f"{output}: this ending is for files of visits")
    if sibling(output).exists() and not folder.exists():
        raise ValueError(f"{sibling(output)} is there already, with the visits of another file")
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
    with ProcessPoolExecutor(processes, get_context("spawn"), end_at_once_by_keyboard) as pool:
        jobs = {pool.submit(make_chunk, order, chunk, folder): chunk for chunk in missing}
        try:
            for job in as_completed(jobs):
                advance(len(order.games_of(jobs[job])), job.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    join(order, folder, output)


def end_at_once_by_keyboard() -> None:
    """Let Ctrl-C end a worker; else it would begin with the next chunk."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def join(order: Order, folder: Path, output: Path) -> None:
    """All chunks in order into one file. Their visits come before it: once it is there, nothing is missing."""
    chunks = [chunk_path(folder, chunk) for chunk in range(order.chunks)]
    if order.has_visits:
        visits = (sibling(chunk).read_bytes() for chunk in chunks)
        write_parts(sibling(output), chain([pack_file_header()], visits))
    write_parts(output, (chunk.read_bytes() for chunk in chunks))
    shutil.rmtree(folder)
