"""The queue of a network outside the kernels: the tree of the reference, exact counts, what the network saw."""

import threading

import chess
import numpy as np
import pytest

from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import NETWORK, PUCT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.queue import NetQueue
from engine.mcts.tree import BUSY, SCORE_UNIT, ask_to_stop, new_tree
from engine.network.architecture import PRIOR_UNIT
from movegen import Position
from movegen.bits import U64
from movegen.board import Board, setup_from_board
from movegen.fen import write_fen
from tests import reference
from tests.engine.mcts.invariants import check_invariants, edges_below
from tests.engine.mcts.outside import NET, Scattered, Wrapped
from tests.engine.mcts.test_simulate import POSITIONS, proof

CONSTANTS = {"exploration": 0.9, "first_play": 0.1, "growth": 2.0}
PLAIN = SearchParams(PUCT, NETWORK, **CONSTANTS)


def new_task(position, net, params=PLAIN, megabytes=16):
    return SearchTask(new_tree(megabytes), root_of(position), NET, params, NetQueue(net))


def searched(position, net, visits, params=PLAIN, megabytes=16):
    task = new_task(position, net, params, megabytes)
    made = make_visits(task, new_worker(7, NET), visits)
    assert made == task.tree.visits[0]
    return task


# The oracle: the slow search of `tests.reference`, asked for the same values and priors


def slow_value(position):
    value, _ = Scattered.judge(position.board, position.move_codes)
    score = int((1.0 - float(value)) * SCORE_UNIT + 0.5)
    return score, min(SCORE_UNIT // 4, 2 * score, 2 * (SCORE_UNIT - score))


def slow_priors(position, _depth):
    _, priors = Scattered.judge(position.board, position.move_codes)
    weights = [float(prior) / float(priors.max()) for prior in priors]
    ordered = sorted(weights, reverse=True)
    total = 0.0
    for weight in ordered:
        total += weight
    return [1 + int(weight * (PRIOR_UNIT - len(priors)) / total) for weight in weights]


def assert_same_tree(tree, slot, edge):
    actual = int(tree.visits[slot]), int(tree.wins[slot]), int(tree.draws[slot]), proof(tree, slot)
    assert actual == (edge.visits, edge.wins, edge.draws, edge.proof)
    slots = list(edges_below(tree, slot))
    if edge.replies is None:  # it makes a node at the second visit, the queue at the first
        assert not any(tree.visits[below] for below in slots)
        return
    assert [int(tree.move[below]) for below in slots] == [reply.code for reply in edge.replies]
    for below, reply in zip(slots, edge.replies, strict=True):
        assert_same_tree(tree, below, reply)


@pytest.mark.parametrize("formula", ["puct", "ucb1"])
@pytest.mark.parametrize("name", POSITIONS)
def test_a_batch_of_one_builds_the_tree_of_the_reference(name, formula, scaled):
    visits = scaled(300)
    expected = reference.Reference(POSITIONS[name], formula, slow_value, slow_priors, seed=7, **CONSTANTS).run(visits)
    params = PLAIN._replace(formula={"puct": PUCT, "ucb1": UCB1}[formula])
    task = searched(POSITIONS[name], Scattered(), visits, params)
    assert_same_tree(task.tree, 0, expected.root)


def visits_of(tree):
    return {int(tree.move[slot]): int(tree.visits[slot]) for slot in edges_below(tree, 0)}


@pytest.mark.jit
def test_the_own_network_asked_from_outside_makes_the_same_visits():
    for position in (Position(), POSITIONS["middlegame"], POSITIONS["black to move"]):
        inside = SearchTask(new_tree(16), root_of(position), NET, PLAIN)
        make_visits(inside, new_worker(7, NET), 2000)
        expected, actual = visits_of(inside.tree), visits_of(searched(position, Wrapped(), 2000).tree)
        assert expected.keys() == actual.keys()
        assert sum(abs(expected[code] - actual[code]) for code in expected) <= 20  # values and priors are rounded


@pytest.mark.parametrize("batch", [0, 1, 5, 64])
@pytest.mark.parametrize("name", POSITIONS)
def test_counts_are_exact_and_nothing_stays_in_flight(name, batch, scaled):
    visits = scaled(500)
    net = Scattered(batch=16)
    task = searched(POSITIONS[name], net, visits, PLAIN._replace(batch=U64(batch), transpositions=U64(1)))
    assert task.tree.visits[0] == visits or task.tree.proven[0]
    assert max(net.sizes, default=1) <= (batch or net.batch)
    check_invariants(task.tree)
    assert not (task.tree.link == BUSY).any()


@pytest.mark.jit
def test_a_batch_grows_with_the_tree_and_stays_short_in_time():
    net = Scattered(batch=16)
    searched(Position(), net, 600, PLAIN._replace(batch=U64(0)))
    assert net.sizes[0] == 1
    assert max(net.sizes) == 16
    slow = NetQueue(Scattered(batch=16))
    slow._pace = 0.02  # seconds
    tree = new_tree(1)
    tree.visits[0] = 1000
    assert slow.batch_in(tree, PLAIN._replace(batch=U64(0))) == 2
    assert slow.batch_in(tree, PLAIN._replace(batch=U64(9))) == 9  # as it was asked for
    assert slow.visits_at_once(tree, PLAIN._replace(batch=U64(0))) == 2  # then the clock is looked at
    assert slow.visits_at_once(tree, PLAIN._replace(batch=U64(9))) == 36


# What the network sees


def fens_seen(leaves, leaf):
    """The boards that the network saw of a leaf, as FENs without counters, the newest first."""
    side = int(leaves.side[leaf])
    return [
        write_fen(setup_from_board(Board(*leaves.history[leaf, age]), (side + age) % 2 == 0)).split(" 0 ")[0]
        for age in range(int(leaves.history_count[leaf]))
    ]


class Watched(Scattered):
    """Keeps the positions that it saw."""

    def evaluate(self, leaves, _halt=None):
        super().evaluate(leaves)
        self.views = getattr(self, "views", set())
        for leaf in range(leaves.count):
            fens = fens_seen(leaves, leaf)
            counts = leaves.repetitions[leaf, : len(fens)].tolist()
            codes = sorted(leaves.moves[leaf, : leaves.move_count[leaf]].tolist())
            self.views.add((*fens, *counts, int(leaves.clock[leaf]), *codes))
            assert not leaves.history[leaf, len(fens) :].any()


def paths_below(tree, slot=0, path=()):
    """The moves to every node that was visited."""
    yield path
    for below in edges_below(tree, slot):
        if tree.visits[below]:
            yield from paths_below(tree, below, (*path, int(tree.move[below])))


@pytest.mark.parametrize("seen", [8, 1, 3])
@pytest.mark.parametrize("moves", ["", "e4 e5 Nf3", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e3 Nc6 Nf3", "b3 e6 Bb2 Nf6 Bxf6"])
def test_a_network_sees_the_boards_before_as_python_chess_has_them(moves, seen, scaled):
    start = Position().play_all(moves)
    net = Watched(history=seen)
    task = searched(start, net, scaled(120))
    paths = list(paths_below(task.tree))
    missing = 0
    for path in paths:
        position, board = Position().play_all(moves), chess.Board()
        for text in moves.split():
            board.push_san(text)
        for code in path:
            board.push_uci(position.uci(code))
            position = position.play(code)
        clock, fens, counts = board.halfmove_clock, [], []
        while len(fens) < seen:
            fens.append(f"{board.board_fen()} {board.fen().split()[1]} {board.castling_xfen()} {ep_of(board)}")
            counts.append(next(count for count in range(9, 0, -1) if board.is_repetition(count)) - 1)
            if not board.move_stack:
                break
            board.pop()
        missing += (*fens, *counts, clock, *sorted(position.move_codes)) not in net.views
    assert missing < 0.1 * len(paths)  # those of repetitions, and where the game is over


def ep_of(board):
    return chess.square_name(board.ep_square) if board.has_legal_en_passant() else "-"


def test_what_was_seen_is_not_asked_for_again(scaled):
    net, visits = Scattered(), scaled(200)
    task = new_task(Position(), net)
    make_visits(task, new_worker(7, NET), visits)
    asked = len(net.seen)
    again = task._replace(tree=new_tree(16))
    make_visits(again, new_worker(7, NET), visits)
    assert len(net.seen) == asked
    fields = ("visits", "wins", "draws", "move", "prior", "proven")
    assert all((getattr(task.tree, name)[:2000] == getattr(again.tree, name)[:2000]).all() for name in fields)
    # The same position by another way is another one for a network that sees eight boards.
    others = [Position().play_all(moves) for moves in ("Nf3 Nf6 Nc3", "Nc3 Nf6 Nf3")]
    for history, asked in ((8, 2), (1, 1)):
        net = Scattered(history=history)
        queue = NetQueue(net)
        for position in others:
            make_visits(SearchTask(new_tree(1), root_of(position), NET, PLAIN, queue), new_worker(7, NET), 1)
        assert len(net.seen) == asked


@pytest.mark.jit
def test_a_leaf_takes_the_mean_of_its_position_elsewhere():
    nets = Scattered(), Scattered()
    for net, transpositions in zip(nets, (0, 1), strict=True):
        searched(POSITIONS["rook ending"], net, 600, PLAIN._replace(transpositions=U64(transpositions)))
    assert len(nets[1].seen) < 0.8 * len(nets[0].seen)


@pytest.mark.jit
def test_a_full_tree_is_searched_on():
    task = searched(Position(), Scattered(batch=8), 3000, PLAIN._replace(batch=U64(8)), megabytes=1)
    assert task.tree.control[3] > 0  # recycled nodes
    check_invariants(task.tree)


# Failures, nonsense, other threads


class Nonsense(Scattered):
    """A network that says what none should say."""

    def evaluate(self, leaves, _halt=None):
        super().evaluate(leaves)
        leaves.values[:], leaves.draws[:], leaves.priors[:] = np.nan, np.inf, self.prior


@pytest.mark.parametrize("prior", [np.nan, 0.0, -1.0, np.inf])
def test_nonsense_cannot_damage_the_tree(prior, scaled):
    net = Nonsense()
    net.prior = prior
    task = searched(Position(), net, scaled(100))
    check_invariants(task.tree)
    priors = task.tree.prior[2:22]
    assert priors.min() >= 1
    assert priors.sum() <= PRIOR_UNIT


class Failing(Scattered):
    """Fails after a while, as if the memory were full."""

    def evaluate(self, leaves, _halt=None):
        super().evaluate(leaves)
        if len(self.sizes) > 10:
            raise MemoryError


def test_after_a_failure_the_tree_is_as_if_the_batch_had_not_been_collected():
    task = new_task(Position(), Failing(), PLAIN._replace(batch=U64(8)))
    with pytest.raises(MemoryError):
        make_visits(task, new_worker(7, NET), 1000)
    check_invariants(task.tree)
    assert not (task.tree.link == BUSY).any()
    assert task.tree.visits[0] >= 10


def test_a_search_that_shall_stop_asks_no_more():
    net = Scattered()
    task = new_task(Position(), net)
    make_visits(task, new_worker(7, NET), 20)
    ask_to_stop(task.tree, shall_stop=True)
    assert make_visits(task, new_worker(7, NET), 20) == 0
    assert task.tree.visits[0] == 20


@pytest.mark.jit
def test_threads_share_a_tree():
    net = Scattered(batch=8, seconds=0.0005)
    task = new_task(POSITIONS["middlegame"], net, PLAIN._replace(batch=U64(0)))
    made, each = [], 400
    make_visits(task, new_worker(1, NET), 1)

    def work(seed):
        made.append(make_visits(task, new_worker(seed, NET), each))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [each] * 4
    assert task.tree.visits[0] == 4 * each + 1
    check_invariants(task.tree)
    assert not (task.tree.link == BUSY).any()
