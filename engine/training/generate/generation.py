"""`teresa train generate`: millions of labelled games, in several processes, the same for the same seed.

The work is cut into chunks of games, which any process can make at any time, on any machine. Finished chunks stay in a
folder next to the output until all are there and are joined in order; after an interruption, the run continues with the
missing ones. Self-play has a second file for each chunk, and for the whole: the visits.
"""

import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain
from multiprocessing import active_children, get_context, resource_tracker
from pathlib import Path

from engine.system.files import check_writable, write_whole
from engine.training.data.visits import pack_file_header, sibling
from engine.training.generate.chunk_units import ChunkBook, make_chunks_in_units
from engine.training.generate.chunks import Chunks, Plan
from engine.training.generate.games import chunk_games
from perft.runner.runner import Runner

CAN_HOLD_BACK = hasattr(signal, "pthread_sigmask")  # not on Windows


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Block Ctrl-C. In processes that are started meanwhile it stays blocked until they call `ends_quietly`."""
    if not CAN_HOLD_BACK:
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ends_quietly() -> None:
    """Let Ctrl-C end this process, without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if CAN_HOLD_BACK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def make_chunk(plan: Plan, chunk: int, chunks: Chunks) -> int:
    """Make one chunk; -> the number of its positions."""
    games, visits, positions = chunk_games(plan, chunk)
    chunks.write(chunk, games, visits)
    return positions


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


def generate(
    plan: Plan,
    output: Path,
    processes: int,
    advance: Callable[[int, int], None],
    new_runner: Callable[[ChunkBook], Runner] | None = None,
) -> None:
    """Make all missing chunks and join them; `advance(games, positions)` is called after each chunk.

    With a runner its workers make them, else processes of this machine. Nothing is written before teacher and files
    are checked.
    """
    check_output(output)
    plan.teacher.check()
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    missing = [chunk for chunk in range(plan.chunks) if not chunks.has(chunk)]
    advance(sum(len(plan.games_of(chunk)) for chunk in set(range(plan.chunks)) - set(missing)), 0)
    try:
        if new_runner is not None:
            make_chunks_in_units(plan, missing, new_runner, chunks, advance)
        else:
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
