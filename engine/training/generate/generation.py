"""`teresa train generate`: millions of labelled games, the same for the same seed on any number of machines.

The work is cut into chunks of games, which any worker can make at any time. Finished chunks stay in a
folder next to the output until all are there and are joined in order; after an interruption, the run continues with the
missing ones. Self-play has a second file for each chunk, and for the whole: the visits.
"""

import shutil
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from engine.system.files import check_writable, write_whole
from engine.training.data.visits import pack_file_header, sibling
from engine.training.generate.chunk_units import ChunkBook, make_chunks
from engine.training.generate.chunks import Chunks, Plan
from perft.runner.runner import Runner


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
    plan: Plan, output: Path, new_runner: Callable[[ChunkBook], Runner], advance: Callable[[int], None]
) -> None:
    """Let workers make all missing chunks, and join them; `advance(positions)` is called after each chunk.

    Nothing is written, and no worker is started, before teacher and files are checked.
    """
    check_output(output)
    plan.teacher.check()
    chunks = Chunks(parts_folder(output), plan)
    chunks.open()
    try:
        make_chunks(plan, chunks, new_runner, advance)
    finally:
        chunks.remove_if_empty()
    join(plan, chunks, output)


def join(plan: Plan, chunks: Chunks, output: Path) -> None:
    """Join all chunks into one file. The visits are written first: once the file exists, nothing is missing."""
    numbers = range(plan.chunks)
    if plan.has_visits:
        write_whole(sibling(output), chain([pack_file_header()], map(chunks.read_visits, numbers)))
    write_whole(output, map(chunks.read_games, numbers))
    shutil.rmtree(chunks.folder)
