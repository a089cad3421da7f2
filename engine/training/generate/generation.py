"""`teresa train generate`: millions of labelled games, the same for the same seed on any number of machines.

The work is cut into chunks of games, which any worker can make at any time. Finished chunks stay in a
folder next to the output until all are there and are joined in order; after an interruption, the run continues with the
missing ones. Self-play has a second file for each chunk, and for the whole: the visits.

The output may be a store: then the joined file becomes a chunk of it, which knows the plan.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from engine.system.files import check_writable, write_whole
from engine.training.data.manifest import is_store, store_around
from engine.training.data.new_chunk import inspect
from engine.training.data.policies import policy_sibling
from engine.training.data.store import Store, store_to_write
from engine.training.data.visits import pack_file_header, sibling
from engine.training.generate.chunk_units import ChunkJournal, make_chunks
from engine.training.generate.chunks import JOINED, NET_FILES, TREES, Chunks, Plan
from perft.runner.runner import Runner

PLAN_LETTERS = 16  # of the hash of a plan


def check_output(output: Path) -> None:
    """Raise a `ValueError` if the files of a run cannot be written, or would replace others."""
    if is_store(output):
        with store_to_write(output):
            return
    if output.exists():
        raise ValueError(f"{output} already exists")
    if (store := store_around(output)) is not None:
        raise ValueError(f"{output} is in the store {store}: name the store itself to add games to it")
    if output in (sibling(output), policy_sibling(output)):
        raise ValueError(f"{output}: this suffix is for files of visits")
    if sibling(output).exists() and not parts_folder(output).exists():
        raise ValueError(f"{sibling(output)} already exists, with the visits of another file")
    check_writable(output, is_ours=lambda _: False, kind="a file of games")


def parts_folder(output: Path) -> Path:
    """The folder of the chunks of a run, until all are there; for a store, it has a folder for each plan."""
    output = output.resolve() if output.is_dir() else output
    return output.with_name(output.name + ".parts")


def chunks_of(plan: Plan, output: Path) -> Chunks:
    """The chunks of a run in their folder."""
    chunks = Chunks(parts_folder(output), plan)
    return Chunks(chunks.folder / chunks.identity[:PLAN_LETTERS], plan) if is_store(output) else chunks


def generate(
    plan: Plan, output: Path, new_runner: Callable[[ChunkJournal], Runner], advance: Callable[[int], None]
) -> None:
    """Let workers make all missing chunks, and join them; `advance(positions)` is called after each chunk.

    Nothing is written, and no worker is started, before teacher and files are checked. One process at a time makes the
    games of a plan, or a file.
    """
    check_output(output)
    plan.teacher.check()
    chunks = chunks_of(plan, output)
    try:
        with chunks.held():
            check_output(output)  # another process may have finished it meanwhile
            if is_store(output):
                check_is_new(chunks, Store(output))
            chunks.open()
            make_chunks(plan, chunks, new_runner, advance)
            (join_in_store if is_store(output) else join)(plan, chunks, output)
    finally:
        if is_store(output):
            with suppress(OSError):  # chunks of other plans are in it
                parts_folder(output).rmdir()


def check_is_new(chunks: Chunks, store: Store) -> None:
    """Raise a `ValueError` if a store has the games of a plan, undamaged. What is left of their chunks is deleted."""
    chunk = store.find_source(source_of(chunks))
    if chunk is not None and store.damage_of(chunk) is None:
        if chunks.are_there():
            chunks.delete()
        raise ValueError(
            f"{store.folder} has these games already: chunk {chunk.name[:12]}; other games need another seed"
        )


def delete_parts(chunks: Chunks, store: Path) -> None:
    """Delete what a process that was killed has left of the chunks of a plan, whose games a store has."""
    if chunks.folder.is_dir():
        with chunks.held():
            chunks.delete()
    with suppress(OSError):  # it is not there, or chunks of other plans are in it
        parts_folder(store).rmdir()


def source_of(chunks: Chunks) -> dict[str, Any]:
    """Where a chunk of a store came from: the plan, in which files of nets are known by their content."""
    files = NET_FILES | {f"{TREES}_weights"}
    return {"plan": {key: Path(value).name if key in files else value for key, value in chunks.plan.items()}}


def write_joined(plan: Plan, chunks: Chunks, output: Path) -> None:
    """Join all chunks into one file. The visits are written first: once the file exists, nothing is missing."""
    numbers = range(plan.chunks)
    if plan.has_visits:
        write_whole(sibling(output), chain([pack_file_header()], map(chunks.read_visits, numbers)))
    write_whole(output, map(chunks.read_games, numbers))


def join(plan: Plan, chunks: Chunks, output: Path) -> None:
    """Join all chunks into one file, and delete them."""
    write_joined(plan, chunks, output)
    chunks.delete()


def join_in_store(plan: Plan, chunks: Chunks, folder: Path) -> None:
    """Join all chunks into one of a store, and delete them. Until that is recorded, the same command does it again."""
    whole = chunks.folder / JOINED
    write_joined(plan, chunks, whole)
    with store_to_write(folder) as store:
        store.add(inspect(whole, source_of(chunks)))
    chunks.delete()
