"""Chunks of games as units of work; they are recorded in the folder of chunks."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.training.generate.chunks import GAMES_SUFFIX, NET_FILES, VISITS_SUFFIX, Chunks, Plan
from engine.training.generate.labelled_games import chunk_games
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.teachers import SelfPlay, UciTeacher
from perft.runner.journal import Result
from perft.runner.runner import Runner
from perft.runner.units import Unit, UnitAnswer, WithFiles

MAKE_CHUNK = "engine.training.generate.chunk_units:make_chunk_unit"
FROM_FOLDER = Result(0, "", (), 0.0)  # of a chunk that was there: it has no new positions


def chunk_unit(plan: Plan, chunk: int) -> Unit:
    """The unit of a chunk. On other machines the files of nets must be at the same place; their hashes are compared."""
    fields = asdict(plan)
    for own_search in (fields["teacher"], fields["trees"] or {}):
        for name in NET_FILES & own_search.keys():
            own_search[name] = str(Path(own_search[name]).resolve())
    return Unit(MAKE_CHUNK, {"plan": fields, "chunk": chunk})


def make_chunk_unit(plan: Mapping[str, Any], chunk: int) -> WithFiles:
    """Make a chunk, on a worker; -> the number of its positions, and its files."""
    teacher, trees = plan["teacher"], plan["trees"]
    kind = NetTeacher if "net" in teacher else SelfPlay if "weights" in teacher else UciTeacher
    parts = {"teacher": kind(**teacher), "trees": None if trees is None else SelfPlay(**trees)}
    games, visits, positions = chunk_games(Plan(**{**plan, **parts}), chunk)
    return WithFiles(positions, {GAMES_SUFFIX: games} | ({} if visits is None else {VISITS_SUFFIX: visits}))


class ChunkJournal:
    """The folder of chunks as the place where results are kept: a run on a cluster can be finished without one."""

    def __init__(self, chunks: Chunks, plan: Plan) -> None:
        self._chunks = chunks
        self.units = [chunk_unit(plan, chunk) for chunk in range(plan.chunks)]
        self.done = {unit.identity: FROM_FOLDER for chunk, unit in enumerate(self.units) if chunks.has(chunk)}

    def record(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        """Write the chunk."""
        self._chunks.write(unit.input["chunk"], answer.files[GAMES_SUFFIX], answer.files.get(VISITS_SUFFIX))
        result = Result(answer.value, answer.digest, workers, answer.seconds)
        self.done[unit.identity] = result
        return result

    def withdraw(self, unit: Unit) -> None:
        """Let the chunk be made again."""
        self._chunks.forget(unit.input["chunk"])
        del self.done[unit.identity]


def make_chunks(
    plan: Plan, chunks: Chunks, new_runner: Callable[[ChunkJournal], Runner], advance: Callable[[int], None]
) -> None:
    """Let workers make the chunks that are missing; `advance(positions)` is called after each."""
    journal = ChunkJournal(chunks, plan)
    with closing(new_runner(journal).run(journal.units)) as results:
        for _, result in results:
            advance(result.value)
