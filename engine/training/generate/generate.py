"""`teresa train generate`: labelled games by the million, in several processes, the same for the same seed.

The work is cut into chunks of games. Each chunk has random numbers of its own and starts with a teacher who has
forgotten everything, so it does not matter which process does it, or when. Chunks that are done stay in a folder
beside the output until all are there and are joined in order; a run that was interrupted goes on with the others.
Self-play has a second file for each chunk, and for the whole: the visits.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import active_children, get_context
from pathlib import Path

from engine.system.output_file import check_writable, write_whole
from engine.training.data.viriformat import Game, pack_game
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from engine.training.generate.chunks import Chunks
from engine.training.generate.interrupts import ends_quietly, interrupts_held_back
from engine.training.generate.labelling import TeacherGame, ValueGame
from engine.training.generate.self_play import SelfPlay, SelfTeacher
from engine.training.generate.teacher import Teacher, UciEngine


@dataclass(frozen=True)
class Plan:
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


def new_game(order: Plan, number: int) -> TeacherGame | ValueGame:
    """Game number so and so, with random numbers of its own."""
    rng = random.Random(f"{order.seed} {number}")
    return ValueGame(rng) if order.value_only else TeacherGame(rng)


def play(order: Plan, numbers: range, teacher: Teacher | SelfTeacher) -> Iterator[TeacherGame | ValueGame]:
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


def make_chunk(order: Plan, chunk: int, chunks: Chunks) -> int:
    """Make one chunk; -> its positions."""
    records: list[Game] = []
    with order.teacher.open() as teacher:
        for game in play(order, order.games_of(chunk), teacher):
            records += game.records()
    games = b"".join(map(pack_game, records))
    visits = b"".join(pack_visits(record.visits) for record in records) if order.has_visits else None
    chunks.write(chunk, games, visits)
    return sum(len(record.moves) for record in records)


def check_output(output: Path) -> None:
    """A `ValueError` if the files of a run cannot be written, or would replace others."""
    if output.exists():
        raise ValueError(f"{output} is there already")
    if sibling(output) == output:
        raise ValueError(f"{output}: this ending is for files of visits")
    if sibling(output).exists() and not parts_folder(output).exists():
        raise ValueError(f"{sibling(output)} is there already, with the visits of another file")
    check_writable(output, is_ours=lambda _: False, kind="a file of games")


def parts_folder(output: Path) -> Path:
    """Where the chunks of a run stay until all are there."""
    return output.with_name(output.name + ".parts")


def generate(order: Plan, output: Path, processes: int, advance: Callable[[int, int], None]) -> None:
    """Make all chunks that are not there yet and join them; `advance(games, positions)` is called after each chunk.

    Nothing is written before it is known that the teacher is there and the files can be written.
    """
    check_output(output)
    order.teacher.check()
    chunks = Chunks(parts_folder(output), order)
    chunks.open()
    missing = [chunk for chunk in range(order.chunks) if not chunks.has(chunk)]
    advance(sum(len(order.games_of(chunk)) for chunk in set(range(order.chunks)) - set(missing)), 0)
    try:
        make_chunks(order, chunks, missing, processes, advance)
    except BrokenProcessPool:
        raise ValueError("a process was ended from outside, or for want of memory: the same command goes on") from None
    finally:
        chunks.remove_if_empty()
    join(order, chunks, output)


def make_chunks(
    order: Plan, chunks: Chunks, missing: list[int], processes: int, advance: Callable[[int, int], None]
) -> None:
    """Make the missing chunks in several processes, which end with this one."""
    with ProcessPoolExecutor(processes, get_context("spawn"), ends_quietly) as pool:
        try:
            with interrupts_held_back():
                jobs = {pool.submit(make_chunk, order, chunk, chunks): chunk for chunk in missing}
            for job in as_completed(jobs):
                advance(len(order.games_of(jobs[job])), job.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def join(order: Plan, chunks: Chunks, output: Path) -> None:
    """All chunks in order into one file. Their visits come before it: once it is there, nothing is missing."""
    numbers = range(order.chunks)
    if order.has_visits:
        write_whole(sibling(output), chain([pack_file_header()], map(chunks.read_visits, numbers)))
    write_whole(output, map(chunks.read_games, numbers))
    shutil.rmtree(chunks.folder)
