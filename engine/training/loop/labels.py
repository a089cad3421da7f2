"""A round's labelled games: of a teacher, of trees that it labels, of trees with its net, or of self-play."""

from pathlib import Path
from typing import Any

from engine.training.data.store import Store
from engine.training.generate.chunk_check import check_chunk
from engine.training.generate.chunks import Plan
from engine.training.generate.generation import chunks_of, delete_parts, generate, source_of
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.plans import net_labels, self_play_games, teacher_games, tree_positions
from engine.training.generate.teachers import UciTeacher, checksum_of
from engine.training.loop.loop_journal import LABELS
from engine.training.loop.rounds import Round
from engine.training.loop.settings import SELF_PLAY, TEACHER, TEACHER_NET, TREES, LoopSettings, option_of, seed_of
from engine.training.loop.spent import CountedJournal, OpenRun, spent

INSTEAD_OF_NET = "put it back, or use another one from now on with --change --teacher-net FILE"


def plan_of(settings: LoopSettings, number: int, part: str, weights: Path) -> Plan:
    """The games of a round; `weights`: the best net, which plays or whose trees are labelled."""
    seed, limit = seed_of(settings, number, part), f"nodes {settings.nodes}"
    if settings.source == SELF_PLAY:
        return self_play_games(weights, settings.visits, settings.games, seed)
    if settings.source == TEACHER_NET:
        return net_labels(net_teacher_of(settings, weights), settings.games, seed)
    if part == TREES:
        return tree_positions(settings.teacher, limit, settings.tree_games, seed, weights, settings.of_trees)
    return teacher_games(settings.teacher, limit, settings.games, seed)


def net_teacher_of(settings: LoopSettings, weights: Path) -> NetTeacher:
    """The searches that label their own nodes, with the net of a teacher and the priors of this one.

    Its net is that of the settings, whatever is in the file now: labels that are there already need no file.
    """
    net = settings.teacher_net, settings.teacher_net_sha256
    return NetTeacher(*net, str(weights), checksum_of(weights), settings.visits, settings.least_visits)


def check_teacher_net(settings: LoopSettings) -> None:
    """Raise a `ValueError` if the net of the teacher is not there, or is not the one of the settings any more."""
    path, option = Path(settings.teacher_net), option_of("teacher_net")
    try:
        is_same = checksum_of(path) == settings.teacher_net_sha256
    except OSError as error:
        raise ValueError(f"{option}: {path}: cannot be read: {error.strerror}; {INSTEAD_OF_NET}") from None
    if not is_same:
        raise ValueError(f"{option}: {path} has changed; {INSTEAD_OF_NET}")


def check_teacher(settings: LoopSettings) -> None:
    """Raise a `ValueError` if labels cannot be made: the teacher cannot be started, or its net is lost or another."""
    if settings.source == TEACHER_NET:
        check_teacher_net(settings)
    elif settings.source == TEACHER:
        UciTeacher(settings.teacher, f"nodes {settings.nodes}").check()


def lacks_its_teacher(one: Round) -> bool:
    """Are there labels of a round that cannot be made any more?"""
    if one.next_step is None or one.next_step.kind != LABELS:
        return False
    try:
        check_teacher(one.settings)
    except ValueError:
        return True
    return False


def label_round(
    one: Round, part: str, store: Path, weights: Path, counted_in: Path, open_run: OpenRun
) -> dict[str, Any]:
    """Make the games, unless the store has them already; -> what is recorded."""
    plan = plan_of(one.settings, one.number, part, weights)
    chunks = chunks_of(plan, store)
    source = source_of(chunks)
    chunk = Store(store).find_source(source)
    if chunk is None or Store(store).damage_of(chunk) is not None:
        with open_run() as run:
            generate(
                plan, store, lambda book: run.runner(CountedJournal(book, counted_in), check_chunk), lambda _: None
            )
        chunk = Store(store).find_source(source)
    else:
        delete_parts(chunks, store)
    if chunk is None:
        raise ValueError(f"{store} has not kept the games of round {one.number}: `teresa train data {store} --check`")
    counts = {"games": chunk.games, "positions": chunk.positions}
    return {"chunk": chunk.name, **counts, "cpu_seconds": spent(counted_in)}
