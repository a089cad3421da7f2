"""A round's labelled games: of a teacher, of trees that a teacher labels, or of self-play; into the store."""

from pathlib import Path
from typing import Any

from engine.training.data.store import Store
from engine.training.generate.chunk_check import check_chunk
from engine.training.generate.chunks import Plan
from engine.training.generate.generation import chunks_of, generate, source_of
from engine.training.generate.plans import self_play_games, teacher_games, tree_positions
from engine.training.loop.rounds import Round
from engine.training.loop.settings import TREES, LoopSettings, seed_of
from engine.training.loop.spent import CountedJournal, OpenRun, spent


def plan_of(settings: LoopSettings, number: int, part: str, weights: Path) -> Plan:
    """The games of a round; `weights`: the best net, which plays or whose trees are labelled."""
    seed, limit = seed_of(settings, number, part), f"nodes {settings.nodes}"
    if settings.is_self_play:
        return self_play_games(weights, settings.visits, settings.games, seed)
    if part == TREES:
        return tree_positions(settings.teacher, limit, settings.tree_games, seed, weights, settings.of_trees)
    return teacher_games(settings.teacher, limit, settings.games, seed)


def label_round(
    one: Round, part: str, store: Path, weights: Path, counted_in: Path, open_run: OpenRun
) -> dict[str, Any]:
    """Make the games, unless the store has them already; -> what is recorded."""
    plan = plan_of(one.settings, one.number, part, weights)
    source = source_of(chunks_of(plan, store))
    chunk = Store(store).find_source(source)
    if chunk is None or Store(store).damage_of(chunk) is not None:
        with open_run() as run:
            generate(
                plan,
                store,
                lambda journal: run.runner(CountedJournal(journal, counted_in), check_chunk),
                lambda _: None,
            )
        chunk = Store(store).find_source(source)
    if chunk is None:
        raise ValueError(f"{store} has not kept the games of round {one.number}: `teresa train data {store} --check`")
    counts = {"games": chunk.games, "positions": chunk.positions}
    return {"chunk": chunk.name, **counts, "cpu_seconds": spent(counted_in)}
