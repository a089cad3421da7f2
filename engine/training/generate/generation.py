"""`teresa train generate`: millions of labelled games, in several processes, the same for the same seed.

The work is cut into chunks of games. Each game has its own seed and each chunk starts with a new teacher, so any
process can make any chunk at any time. Finished chunks stay in a folder next to the output until all are there and are
joined in order; after an interruption, the run continues with the missing ones. Self-play has a second file for each
chunk, and for the whole: the visits.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import active_children, get_context
from pathlib import Path

from engine.system.output_file import check_writable, write_whole
from engine.training.data.viriformat import Game, pack_game
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from engine.training.generate.chunks import Chunks
from engine.training.generate.interrupts import ends_quietly, interrupts_held_back
from engine.training.generate.labelling import TeacherGame, ValueGame
from engine.training.generate.plan import Plan
from engine.training.generate.self_play import SelfTeacher
from engine.training.generate.teacher import Teacher


def new_game(plan: Plan, number: int) -> TeacherGame | ValueGame:
    """The n-th game, with its own seed."""
    rng = random.Random(f"{plan.seed} {number}")
    return ValueGame(rng) if plan.value_only else TeacherGame(rng)


def play(plan: Plan, numbers: range, teacher: Teacher | SelfTeacher) -> Iterator[TeacherGame | ValueGame]:
    """Play games, many at once; each is yielded when it is over."""
    waiting = iter(numbers)
    games = [new_game(plan, number) for number in islice(waiting, plan.at_once)]
    while games:
        answers = teacher.ask([game.question() for game in games])
        unfinished: list[TeacherGame | ValueGame] = []
        for game, answer in zip(games, answers, strict=True):
            if not game.take(answer):
                unfinished.append(game)
                continue
            yield game
            number = next(waiting, None)
            if number is not None:
                unfinished.append(new_game(plan, number))
        games = unfinished


def make_chunk(plan: Plan, chunk: int, chunks: Chunks) -> int:
    """Make one chunk; -> the number of its positions."""
    records: list[Game] = []
    with plan.teacher.open() as teacher:
        for game in play(plan, plan.games_of(chunk), teacher):
            records += game.records()
    games = b"".join(map(pack_game, records))
    visits = b"".join(pack_visits(record.visits) for record in records) if plan.has_visits else None
    chunks.write(chunk, games, visits)
    return sum(len(record.moves) for record in records)


def check_output(output: Path) -> None:
    """Raise a `ValueError` if the files of a run cannot be written, or would replace others."""
    if output.exists():
        raise ValueError(f"{output} already exists")
    if sibling(output) == output:
        raise ValueError(f"{output}: this suffix is for files of visits")
    if sibling(output).exists() and not parts_folder(output).exists():
        raise ValueError(f"{sibling(output)} already exists, with the visits of another file")
    check_writable(output, is_ours=lambda _: False, kind="a file of games")


def parts_folder(output: Path) -> Path:
    """The folder of the chunks of a run, until all are there."""
    return output.with_name(output.name + ".parts")


def generate(plan: Plan, output: Path, processes: int, advance: Callable[[int, int], None]) -> None:
    """Make all missing chunks and join them; `advance(games, positions)` is called after each chunk.

    Nothing is written before teacher and files are checked.
    """
    check_output(output)
    plan.teacher.check()
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    missing = [chunk for chunk in range(plan.chunks) if not chunks.has(chunk)]
    advance(sum(len(plan.games_of(chunk)) for chunk in set(range(plan.chunks)) - set(missing)), 0)
    try:
        make_chunks(plan, chunks, missing, processes, advance)
    except BrokenProcessPool:
        raise ValueError(
            "a process was killed, perhaps for lack of memory: the same command continues the run"
        ) from None
    finally:
        chunks.remove_if_empty()
    join(plan, chunks, output)


def make_chunks(
    plan: Plan, chunks: Chunks, missing: list[int], processes: int, advance: Callable[[int, int], None]
) -> None:
    """Make the missing chunks in several processes, which end together with this one."""
    with ProcessPoolExecutor(processes, get_context("spawn"), ends_quietly) as pool:
        try:
            with interrupts_held_back():
                jobs = {pool.submit(make_chunk, plan, chunk, chunks): chunk for chunk in missing}
            for job in as_completed(jobs):
                advance(len(plan.games_of(jobs[job])), job.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def join(plan: Plan, chunks: Chunks, output: Path) -> None:
    """Join all chunks into one file. The visits are written first: once the file exists, nothing is missing."""
    numbers = range(plan.chunks)
    if plan.has_visits:
        write_whole(sibling(output), chain([pack_file_header()], map(chunks.read_visits, numbers)))
    write_whole(output, map(chunks.read_games, numbers))
    shutil.rmtree(chunks.folder)
