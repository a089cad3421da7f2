"""Reads a store again, and finds what is wrong: damaged chunks, files of something else, games that are there twice."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.system.files import digest_of
from engine.system.folder_lock import LOCK
from engine.training.data.games import Games, open_games
from engine.training.data.manifest import GAMES, MANIFEST, SHA_256, SUFFIXES, Chunk
from engine.training.data.new_chunk import describe
from engine.training.data.store import ASIDE, CHUNKS, STRANGE, Store
from engine.training.data.viriformat import HEADER_SIZE, PAIR_SIZE

DOUBLED_SHARE = 0.01  # of a chunk's games; records of a single move may be equal by chance
HASH_BYTES = 8  # of a game: among a hundred million, two different ones with the same hash are unlikely (0.03 %)
GAMES_AT_ONCE = 100_000  # that are hashed: Python's objects need more memory than the hashes

# Kinds of faults besides those of `store`
RECORDED_TWICE, MISCOUNTED, DOUBLED = "recorded twice", "miscounted", "doubled"
LEFT_OVER, NOT_RECORDED, FOREIGN = "left over", "not recorded", "foreign"


class StoreFault(NamedTuple):
    """What is wrong, where, and what to do."""

    kind: str
    place: str
    advice: str


@dataclass
class StoreReport:
    """What was found in a store."""

    games: int = 0  # that could be read
    doubled: int = 0  # of those, games that are in several chunks
    faults: list[StoreFault] = field(default_factory=list)


def check_store(store: Store, advance: Callable[[], None] = lambda: None) -> StoreReport:
    """Read everything; `advance` is called after each chunk. Needs 30 bytes of memory for each game."""
    report = StoreReport()
    hashes: dict[str, np.ndarray] = {}
    for chunk in store.chunks:
        found = read_chunk(store, chunk)
        if isinstance(found, StoreFault):
            report.faults.append(found)
        else:
            hashes[chunk.name] = game_hashes(found)
            report.games += chunk.games
        advance()
    report.faults += [recorded_twice(store, name) for name in sorted(store.manifest.twice)]
    repeated = repeated_in(list(hashes.values()))
    shared = {name: own[np.isin(own, repeated)] for name, own in hashes.items()}
    report.doubled = sum(map(len, shared.values()))
    report.faults += doubled_faults(store, shared)
    report.faults += unknown_files(store)
    return report


# Chunks


def read_chunk(store: Store, chunk: Chunk) -> Games | StoreFault:
    """The games of a chunk, or what is wrong with it."""
    path = store.path(chunk.name)
    damage = store.damage_of(chunk)
    if damage == STRANGE:
        return StoreFault(damage, str(path), "move that elsewhere: it would be read as the visits of its games")
    if damage is not None:
        return StoreFault(damage, str(path), how_to_mend(chunk))
    try:
        games = open_games([path])
        if describe(path, games, chunk.source).chunk == chunk:
            return games
    except ValueError as error:
        return StoreFault(MISCOUNTED, str(path), f"{error}; {how_to_mend(chunk)}")
    return StoreFault(MISCOUNTED, str(path), f"the manifest has other numbers of games; {how_to_mend(chunk)}")


def how_to_mend(chunk: Chunk) -> str:
    """What to do about a damaged chunk."""
    name = chunk.source.get("name")
    again = f"--add {name} again" if name else f"repeat the `train generate` of its plan ({plan_text(chunk)})"
    return f"{again}, or --merge a store that has it; or --remove {chunk.name[:12]}"


def plan_text(chunk: Chunk) -> str:
    """The plan that a chunk came from."""
    plan = chunk.source.get("plan")
    return ", ".join(f"{key} {value}" for key, value in plan.items()) if isinstance(plan, dict) else "unknown"


def recorded_twice(store: Store, name: str) -> StoreFault:
    """It is used once only."""
    advice = f"harmless; copy it to another folder, --remove {name[:12]} and --add the copy, and it is recorded once"
    return StoreFault(RECORDED_TWICE, str(store.path(name)), advice)


# Games in several chunks


def game_hashes(games: Games) -> np.ndarray:
    """A hash of each different game of a file: of its start, moves and labels."""
    data = games.files[0].data
    ends = games.start + HEADER_SIZE + PAIR_SIZE * games.size
    hashes = np.empty(ends.size, dtype=np.uint64)
    for begin in range(0, ends.size, GAMES_AT_ONCE):
        part = slice(begin, begin + GAMES_AT_ONCE)
        bounds = zip(games.start[part].tolist(), ends[part].tolist(), strict=True)
        words = b"".join(hashlib.blake2b(data[start:end], digest_size=HASH_BYTES).digest() for start, end in bounds)
        hashes[part] = np.frombuffer(words, dtype=np.uint64)
    return np.unique(hashes)


def repeated_in(hashes: list[np.ndarray]) -> np.ndarray:
    """What is in more than one of several arrays that have each number once."""
    numbers, counts = np.unique(np.concatenate([np.zeros(0, dtype=np.uint64), *hashes]), return_counts=True)
    repeated: np.ndarray = numbers[counts > 1]
    return repeated


def doubled_faults(store: Store, shared: dict[str, np.ndarray]) -> Iterator[StoreFault]:
    """The chunks of which too many games are in others; `shared`: the hashes of such games by chunk."""
    for name, own in shared.items():
        games = store.manifest.chunks[name].games
        if own.size < DOUBLED_SHARE * games or not own.size:
            continue
        with_other = {other: np.intersect1d(own, theirs).size for other, theirs in shared.items() if other != name}
        most = max(with_other, key=lambda other: with_other[other])
        where = f"{own.size:,} of {games:,} games are in other chunks too, {with_other[most]:,} of them in {most[:12]}"
        yield StoreFault(DOUBLED, str(store.path(name)), f"{where}: --remove one of the two")


# Other files


def unknown_files(store: Store) -> Iterator[StoreFault]:
    """Files in the folder that the manifest does not know."""
    for path in sorted(store.folder.iterdir()):
        if path.name not in (MANIFEST, LOCK, CHUNKS):
            yield unknown_file(path)
    folder = store.folder / CHUNKS
    chunks = store.manifest.chunks
    recorded = {name + suffix for name, chunk in chunks.items() for suffix in chunk.files}
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        if path.name not in recorded and not (path.suffix in SUFFIXES and path.stem in chunks):  # that is STRANGE
            yield unknown_file(path, is_removed=path.stem in store.manifest.removed)


def unknown_file(path: Path, *, is_removed: bool = False) -> StoreFault:
    """What a file is that the manifest does not know."""
    if ASIDE.fullmatch(path.name):
        return StoreFault(LEFT_OVER, str(path), "of an interrupted command: the next one that writes deletes it")
    is_ours = path.parent.name == CHUNKS and SHA_256.fullmatch(path.stem) is not None and path.is_file()
    if is_ours and path.suffix in SUFFIXES:
        if is_removed:
            return StoreFault(
                LEFT_OVER, str(path), "of a chunk that was taken out: repeat that with --force, or delete it"
            )
        if is_whole(path.with_suffix(GAMES)):
            games = path.with_suffix(GAMES)
            cause = f"of an interrupted command, or its line in {MANIFEST} is damaged"
            advice = f"repeat that; if it cannot be repeated, --add {games} takes it in, without its plan if it has one"
            return StoreFault(NOT_RECORDED, str(path), f"{cause}: {advice}")
        return StoreFault(LEFT_OVER, str(path), "of an interrupted command: repeat that, or delete the file")
    return StoreFault(FOREIGN, str(path), "not of this store: move it elsewhere, or delete it")


def is_whole(games: Path) -> bool:
    """Have the files of a chunk that is not recorded the content that their name says?"""
    paths = [path for suffix in SUFFIXES if (path := games.with_suffix(suffix)).is_file()]
    try:
        return games.is_file() and digest_of(*paths) == games.stem
    except OSError:
        return False
