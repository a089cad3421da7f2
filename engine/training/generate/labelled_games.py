"""The games of a plan: each has its own seed, and each chunk starts with a new teacher."""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from engine.network.weights_file import load_weights
from engine.training.data.viriformat import LabelledGame, pack_game
from engine.training.data.visits import pack_visits
from engine.training.generate.chunks import Plan
from engine.training.generate.labelling import TeacherGame, ValueGame
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.teachers import SelfPlay, SelfTeacher, Teacher
from engine.training.generate.tree_games import QUICK_VISITS, TaughtGame, TreeGame, TreeSearch

Game: TypeAlias = TeacherGame | ValueGame | TreeGame


def game_rng(seed: int, number: int) -> random.Random:
    """The random numbers of the n-th game."""
    return random.Random(f"{seed} {number}")


def new_labelled_game(plan: Plan, number: int, searches: TreeSearch | None = None) -> Game:
    """The n-th game, with its own seed."""
    rng = game_rng(plan.seed, number)
    if searches is not None:
        return TreeGame(rng, searches)
    return ValueGame(rng) if plan.value_only else TeacherGame(rng)


def play_games(plan: Plan, numbers: range, teacher: Teacher | SelfTeacher) -> Iterator[Game]:
    """Play games, many at once; each is yielded when it is over."""
    waiting, searches = iter(numbers), None if plan.trees is None else tree_search(plan.trees)
    games = [new_labelled_game(plan, number, searches) for number in islice(waiting, plan.at_once)]
    while games:
        answers = teacher.ask([game.question() for game in games])
        unfinished: list[Game] = []
        for game, answer in zip(games, answers, strict=True):
            if not game.take(answer):
                unfinished.append(game)
                continue
            yield game
            number = next(waiting, None)
            if number is not None:
                unfinished.append(new_labelled_game(plan, number, searches))
        games = unfinished


def tree_search(trees: SelfPlay) -> TreeSearch:
    """The searches of a plan."""
    trees.check()
    return TreeSearch(load_weights(Path(trees.weights)).network, trees.visits)


def records_of(plan: Plan, numbers: range) -> Iterator[LabelledGame]:
    """The records of games."""
    if isinstance(plan.teacher, NetTeacher):
        yield from taught_records(plan.teacher, plan.seed, numbers)
        return
    with plan.teacher.open() as teacher:
        for game in play_games(plan, numbers, teacher):
            yield from game.records()


def taught_records(teacher: NetTeacher, seed: int, numbers: range) -> Iterator[LabelledGame]:
    """The same, if the teacher's own trees are labelled."""
    searches = TreeSearch(load_weights(Path(teacher.weights)).network, QUICK_VISITS)
    with teacher.open() as taught:
        for number in numbers:
            yield from TaughtGame(game_rng(seed, number), searches, taught).records()


def chunk_games(plan: Plan, chunk: int) -> tuple[bytes, bytes | None, int]:
    """The games of a chunk, its visits if there are any, and the number of its positions."""
    records = list(records_of(plan, plan.games_of(chunk)))
    games = b"".join(map(pack_game, records))
    visits = b"".join(pack_visits(record.visits) for record in records) if plan.has_visits else None
    return games, visits, sum(len(record.moves) for record in records)
