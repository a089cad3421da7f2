"""The search kernels: the same tree as the reference, and the properties of a good search."""

import itertools
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import chess
import numpy as np
import pytest

from engine.mcts.params import CONSTANT, NETWORK, PLAYOUT, PUCT, SCATTERED, UCB1, SearchParams, new_worker, root_of
from engine.mcts.proof import RESULT_SHIFT, prove_root
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import LIVE, RECYCLED, SCORE_UNIT, new_tree
from engine.network.architecture import new_scratch
from engine.network.batch import quiet_values_of, values_of
from engine.network.infer import sharpness
from engine.network.weights_file import load_weights
from movegen import Position
from movegen.bits import U64
from tests import reference
from tests.engine.mcts.invariants import check_invariants, edges_below
from tests.engine.network.compiled import priors_of

NET = load_weights().network
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
RESULTS = {0: None, 1: "loss", 2: "draw", 3: "win"}


def search(position, simulations, params, seed=1, megabytes=16):
    tree, worker = new_tree(megabytes), new_worker(seed, NET)
    made = simulate_many(tree, root_of(position), NET, params, worker, U64(simulations))
    assert made == tree.visits[0]
    return tree


def proof(tree, slot):
    proven = int(tree.proven[slot])
    return (RESULTS[proven >> int(RESULT_SHIFT)], proven & 0x3FFF) if proven else None


def edges_by_move(tree, position):
    return {position.uci(int(tree.move[slot])): slot for slot in edges_below(tree, 0)}


def assert_same_tree(tree, slot, edge):
    actual = (int(tree.visits[slot]), int(tree.wins[slot]), int(tree.draws[slot]), proof(tree, slot))
    assert actual == (edge.visits, edge.wins, edge.draws, edge.proof)
    slots = edges_below(tree, slot)
    assert len(slots) == len(edge.replies or [])
    for below, reply in zip(slots, edge.replies or [], strict=True):
        assert int(tree.move[below]) == reply.code
        assert_same_tree(tree, below, reply)


POSITIONS = {
    "start": Position(),
    "middlegame": Position(KIWIPETE),
    "mate in 2": Position("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"),
    "rook ending": Position("8/8/8/8/8/2k5/7r/K7 b - - 0 1"),
    "stalemate near": Position("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"),
    "fifty moves near": Position("7k/8/6K1/8/8/8/8/R7 w - - 97 100"),
    "repetition": Position("7k/8/8/8/8/8/r7/K7 w - - 0 1").play_all("Kb1 Ra3 Kb2 Ra4 Kb1 Ra3"),
    "black to move": Position(KIWIPETE).play("e1g1"),
}


def by_network(position, kernel=values_of):
    """The network's score and draw share for the player who moved to a position."""
    boards, shares = np.array([position.board], dtype=np.uint64), np.zeros((1, 3), dtype=np.int64)
    kernel(NET, new_scratch(NET), boards, shares)
    _, draws, losses = shares[0].tolist()
    return losses + draws // 2, draws


def network_priors(position, depth):
    """The network's prior of each legal move."""
    boards = np.array([position.board], dtype=np.uint64)
    moves, priors = np.zeros((1, 256), dtype=np.uint16), np.zeros((1, 256), dtype=np.uint16)
    counts = np.zeros(1, dtype=np.int64)
    temperature = 1.5 if depth == 0 else 1.0
    priors_of(NET, new_scratch(NET), boards, sharpness(temperature), moves, priors, counts)
    found = dict(zip(moves[0, : counts[0]].tolist(), priors[0, : counts[0]].tolist(), strict=True))
    return [found[code] for code in position.move_codes]


class Kind(NamedTuple):
    """An evaluator: its number for the kernels, and the same for the reference."""

    number: np.uint64
    evaluate: Callable
    priors: Callable = reference.uniform
    quiescence: np.uint64 = U64(0)
    transpositions: np.uint64 = U64(0)


EVALUATORS = {
    "scattered": Kind(SCATTERED, reference.scattered),
    "constant": Kind(CONSTANT, reference.constant),
    "network": Kind(NETWORK, by_network, network_priors),
    "transpositions": Kind(NETWORK, by_network, network_priors, transpositions=U64(1)),
    "quiescence": Kind(NETWORK, partial(by_network, kernel=quiet_values_of), network_priors, U64(1)),
}


def cases_of_the_reference():
    """All combinations. Without the JIT a quarter: each position and each evaluator with all that are left."""
    cases = []
    for (row, name), (column, evaluator) in itertools.product(enumerate(POSITIONS), enumerate(EVALUATORS)):
        for number, (formula, solver) in enumerate(itertools.product(("ucb1", "puct"), (True, False))):
            marks = () if (row + column) % 4 == number else pytest.mark.jit
            cases.append(pytest.param(name, formula, evaluator, solver, marks=marks))
    return cases


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "formula", "evaluator", "solver"), cases_of_the_reference())
def test_the_kernels_build_the_tree_of_the_reference(name, formula, evaluator, solver, scaled):
    position, kind = POSITIONS[name], EVALUATORS[evaluator]
    constants = {"exploration": 0.9, "first_play": 0.1, "growth": 2.0}
    constants_of_reference = {**constants, "transpositions": bool(kind.transpositions)}
    expected = reference.Reference(
        position, formula, kind.evaluate, kind.priors, seed=7, solver=solver, **constants_of_reference
    )
    visits = scaled(400)
    expected.run(visits)
    params = SearchParams(
        {"ucb1": UCB1, "puct": PUCT}[formula],
        kind.number,
        **constants,
        root_sharpness=sharpness(1.5),
        solver=U64(solver),
        quiescence=kind.quiescence,
        transpositions=kind.transpositions,
    )
    tree = search(position, visits, params, seed=7)
    assert_same_tree(tree, 0, expected.root)


@pytest.mark.parametrize("params", [SearchParams(UCB1, PLAYOUT, 1.4, 0.0), SearchParams(PUCT, PLAYOUT, 1.5, 0.1)])
def test_visits_add_up(params, scaled):
    visits = scaled(5000, plain=30)
    tree = search(Position(KIWIPETE), visits, params)
    assert tree.visits[0] == visits
    check_invariants(tree)
    todo = [0]
    while todo:
        slot = todo.pop()
        below = edges_below(tree, slot)
        if below:
            assert sum(int(tree.visits[edge]) for edge in below) == tree.visits[slot] - 1  # its own first visit
        todo += below


@pytest.mark.jit  # minutes without machine code
def test_expansion_is_lazy():
    tree = search(Position(), 1, SearchParams(PUCT, PLAYOUT, 1.5, 0.0))
    assert tree.link[0] == 0
    tree = search(Position(), 2, SearchParams(PUCT, PLAYOUT, 1.5, 0.0))
    assert len(edges_below(tree, 0)) == 20
    tree = search(Position(), 500, SearchParams(UCB1, PLAYOUT, 1.4, 0.0))
    assert all(tree.link[slot] == 0 for slot in edges_below(tree, 0) if tree.visits[slot] == 1)


@pytest.mark.thorough
@pytest.mark.parametrize("megabytes", [1, *(pytest.param(size, marks=pytest.mark.jit) for size in (2, 4))])
@pytest.mark.parametrize("threads", [1, pytest.param(4, marks=pytest.mark.jit)])  # plain Python has no atomic additions
def test_a_full_tree_goes_on(megabytes, threads, scaled):
    tree, params, root = new_tree(megabytes), SearchParams(PUCT, SCATTERED, 0.7, 0.0), root_of(Position(KIWIPETE))
    each = scaled(150_000, plain=4000) // threads
    workers = [
        threading.Thread(target=simulate_many, args=(tree, root, NET, params, new_worker(seed, NET), U64(each)))
        for seed in range(1, threads + 1)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert tree.visits[0] == each * threads
    assert tree.control[int(RECYCLED)] > 1000
    assert check_invariants(tree) > 300 * megabytes


@pytest.mark.jit
def test_the_kept_line_is_never_recycled():
    tree, worker = new_tree(1), new_worker(1, NET)
    root, params = root_of(Position(KIWIPETE)), SearchParams(PUCT, SCATTERED, 0.3, 0.0)
    simulate_many(tree, root, NET, params, worker, U64(3000))
    line = [int(tree.link[0])]
    while True:
        linked = [slot for slot in edges_below_header(tree, line[-1]) if tree.link[slot]]
        if not linked:
            break
        line.append(int(tree.link[min(linked, key=lambda slot: tree.visits[slot])]))  # not visited any more
    assert len(line) >= 2
    tree.kept[1 : len(line) + 1], tree.kept[0] = line, len(line)
    above = {header: int(tree.wins[header]) for header in line}
    simulate_many(tree, root, NET, params, worker, U64(200_000))
    assert all(tree.link[edge] == header for header, edge in above.items())
    check_invariants(tree)


def edges_below_header(tree, header):
    return range(header + 1, header + 1 + int(tree.visits[header]))


@pytest.mark.thorough
@pytest.mark.jit
def test_the_same_seed_gives_the_same_search():
    trees = [
        search(Position(KIWIPETE), 20_000, SearchParams(UCB1, PLAYOUT, 1.4, 0.0), seed=9, megabytes=1) for _ in "ab"
    ]
    for first, second in zip(*trees, strict=True):
        assert (first == second).all()
    other = search(Position(KIWIPETE), 20_000, SearchParams(UCB1, PLAYOUT, 1.4, 0.0), seed=10, megabytes=1)
    assert not (other.visits == trees[0].visits).all()


@pytest.mark.jit
@pytest.mark.parametrize("params", [SearchParams(UCB1, PLAYOUT, 1.4, 0.0), SearchParams(PUCT, PLAYOUT, 1.5, 0.1)])
@pytest.mark.parametrize(
    ("fen", "moves", "plies"),
    [
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", ["e1e8"], 1),
        ("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", ["e8e1"], 1),
        ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", ["d2h6"], 3),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", ["f6f7"], 3),
        ("6k1/3R4/5K2/8/8/8/8/8 w - - 0 1", ["d7d1", "d7d2", "d7d3", "d7d4", "d7d5", "d7d6"], 5),
    ],
)
def test_mates_are_proven_with_their_distance(params, fen, moves, plies):
    position = Position(fen)
    tree = search(position, 300_000, params, megabytes=64)
    assert proof(tree, 0) == ("loss", plies + 1)  # for the player who moved before
    winning = {move for move, slot in edges_by_move(tree, position).items() if proof(tree, slot) == ("win", plies)}
    assert winning
    if plies < 5:
        assert winning == set(moves)


def minimax(board, plies):
    """1, 0, −1 for the player to move if forced within this number of plies, None if not."""
    if board.is_checkmate():
        return -1
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    if plies == 0:
        return None
    values = []
    for move in board.legal_moves:
        board.push(move)
        below = minimax(board, plies - 1)
        board.pop()
        values.append(None if below is None else -below)
    if 1 in values:
        return 1
    return None if None in values else max(values)


@pytest.mark.jit
@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
        "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1",
        "k7/2K5/8/8/8/8/8/1Q6 w - - 0 1",
        "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1",
        "5k2/5P2/5K2/8/8/8/8/8 b - - 0 1",
    ],
)
def test_proofs_agree_with_exhaustive_search(fen):
    position = Position(fen)
    tree = search(position, 30_000, SearchParams(PUCT, PLAYOUT, 1.5, 0.1))
    board = chess.Board(fen)
    for move, slot in edges_by_move(tree, position).items():
        proven = proof(tree, slot)
        board.push_uci(move)
        exact = minimax(board, 3)
        board.pop()
        if proven and proven[1] <= 4:
            assert exact == {"win": -1, "draw": 0, "loss": 1}[proven[0]]


def proof_by_rule(replies):
    """What replies prove for the move before them: the opponent takes the quickest win, or puts off the end."""
    wins, draws, losses = ([plies for kind, plies in replies if kind == wanted] for wanted in ("win", "draw", "loss"))
    if wins:
        return "loss", min(wins) + 1
    if len(draws) + len(losses) < len(replies):
        return None
    return ("draw", max(draws) + 1) if draws else ("win", max(losses) + 1)


def test_proofs_follow_from_replies_in_any_order():
    """With all kinds of replies: the distance is that of the longest draw, the quickest win, the slowest loss."""
    tree, rng = search(Position(), 2, SearchParams(PUCT, CONSTANT, 1.0, 0.0)), np.random.default_rng(5)
    slots, seen = edges_below(tree, 0), set()
    numbers = {"loss": 1, "draw": 2, "win": 3, None: 0}
    for _ in range(2000):
        kinds = rng.permutation(["win", "draw", "loss", None])[: rng.integers(1, 5)].tolist()
        replies = [(kinds[rng.integers(len(kinds))], int(rng.integers(1, 60))) for _ in slots]
        for slot, (kind, plies) in zip(slots, replies, strict=True):
            tree.proven[slot] = numbers[kind] << 14 | plies if kind else 0
        tree.proven[0] = 0
        prove_root(tree)
        assert proof(tree, 0) == proof_by_rule(replies)
        seen.add((proof(tree, 0) or (None,))[0])
    assert seen == {"win", "draw", "loss", None}


def lost_proofs(tree, edge):
    """Edges below this one that their replies prove, and that are not proven."""
    todo, lost = [edge], []
    while todo:
        slot = todo.pop()
        below = edges_below(tree, slot)
        replies = [proof(tree, reply) or (None, 0) for reply in below]
        if below and proof_by_rule(replies) and not proof(tree, slot):
            lost.append(slot)
        todo += below
    return lost


@pytest.mark.thorough
@pytest.mark.jit
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("fen", ["8/8/8/8/8/2k5/7r/K7 b - - 0 1", "7k/8/8/8/8/8/K7/R7 w - - 95 100"])
def test_threads_lose_no_proof(fen, batch):
    """Whatever the replies of a node prove is recorded at the move before them."""
    position, params = Position(fen), SearchParams(UCB1, CONSTANT, 2.0, batch=U64(batch))
    for seed in range(5):
        tree, root = new_tree(16), root_of(position)
        threads = [
            threading.Thread(
                target=simulate_many, args=(tree, root, NET, params, new_worker(10 * seed + number, NET), U64(20_000))
            )
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert tree.control[int(RECYCLED)] == 0
        assert lost_proofs(tree, 0) == []


@pytest.mark.jit
@pytest.mark.parametrize("deepest", [1, 2, 3, 5])
def test_no_node_is_made_at_the_depth_of_the_settings(deepest):
    params = SearchParams(PUCT, SCATTERED, 0.5, deepest=deepest)
    tree = search(Position(KIWIPETE), 5000, params)
    check_invariants(tree)
    edges = [0]
    for _ in range(deepest):
        edges = [below for edge in edges for below in edges_below(tree, edge)]
    assert edges
    assert not any(tree.link[edge] for edge in edges)


@pytest.mark.jit
def test_every_player_maximises_its_own_score():
    """Both sides take the rook that hangs: a player who maximised the other's score would leave it."""
    position = Position("4k3/8/8/3r4/8/8/8/3QK3 w - - 0 1")
    tree = search(position, 30_000, SearchParams(UCB1, PLAYOUT, 0.7, 0.0))
    by_move = edges_by_move(tree, position)
    best = max(by_move, key=lambda move: tree.visits[by_move[move]])
    assert best == "d1d5"
    mirrored = Position("3qk3/8/8/8/3R4/8/8/4K3 b - - 0 1")
    tree = search(mirrored, 30_000, SearchParams(UCB1, PLAYOUT, 0.7, 0.0))
    by_move = edges_by_move(tree, mirrored)
    assert max(by_move, key=lambda move: tree.visits[by_move[move]]) == "d8d4"


def test_game_overs_are_backed_up_and_not_skipped():
    """Every simulation adds one visit and its exact result, also where the game is over."""
    position = Position("5k2/5P2/8/5K2/8/8/8/8 w - - 0 1")
    tree = search(position, 60, SearchParams(UCB1, CONSTANT, 5.0, 0.0))
    stalemate = edges_by_move(tree, position)["f5f6"]
    assert proof(tree, stalemate) == ("draw", 1)
    assert tree.visits[stalemate] > 0
    assert tree.wins[stalemate] == int(tree.visits[stalemate]) * SCORE_UNIT // 2
    assert tree.draws[stalemate] == int(tree.visits[stalemate]) * SCORE_UNIT


@pytest.mark.jit
def test_moves_that_lose_at_once_are_not_preferred():
    """If the rook leaves the first rank, Black mates at once: such moves are proven losses and get few visits."""
    position = Position("4r1k1/8/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    tree = search(position, 20_000, SearchParams(PUCT, PLAYOUT, 1.5, 0.0))
    by_move = edges_by_move(tree, position)
    losing = [move for move, slot in by_move.items() if proof(tree, slot) == ("loss", 2)]
    assert "d1d8" not in losing
    assert "d1a1" not in losing
    assert "d1d2" in losing
    assert all(tree.visits[by_move[move]] < 100 for move in losing)


@pytest.mark.jit
def test_a_second_occurrence_is_a_draw_for_now_and_never_proven():
    """The rook goes to and fro: positions since the root count as drawn, and nothing is proven by it."""
    position = Position("k7/7R/8/8/8/8/8/K7 w - - 0 1")
    tree = search(position, 20_000, SearchParams(PUCT, CONSTANT, 1.5, 0.0), megabytes=64)
    drawn = [slot for slot in range(1, tree.visits.size) if tree.move[slot] < LIVE and tree.draws[slot] > 0]
    repeated = [slot for slot in drawn if tree.proven[slot] == 0 and tree.link[slot] == 0 and tree.visits[slot] > 1]
    assert repeated
    assert proof(tree, 0) is None


@pytest.mark.jit
def test_what_was_repeated_before_the_root_is_judged_again_from_there():
    """After Kb1, Ka8 is the second time that the position is on the board, but not since the root: no draw."""
    start = Position("k7/7R/8/8/8/8/8/K7 w - - 0 1").play_all("Kb1 Kb8 Ka1")
    tree = search(start, 3000, SearchParams(UCB1, CONSTANT, 1.0, 0.0))
    back = edges_by_move(tree, start)["b8a8"]
    assert start.play("Ka8").occurrences == 2
    assert proof(tree, back) is None
    assert tree.draws[back] < int(tree.visits[back]) * SCORE_UNIT


def test_a_third_occurrence_is_a_proven_draw():
    start = Position("k7/7R/8/8/8/8/8/K7 w - - 0 1").play_all("Kb1 Kb8 Ka1 Ka8 Kb1 Kb8 Ka1")
    assert start.play("Ka8").occurrences == 3
    tree = search(start, 500, SearchParams(UCB1, CONSTANT, 1.0, 0.0))
    assert proof(tree, edges_by_move(tree, start)["b8a8"]) == ("draw", 1)


def test_fifty_moves_are_a_proven_draw_but_mate_comes_first():
    position = Position("7k/8/6K1/8/8/8/8/R7 w - - 99 100")
    tree = search(position, 500, SearchParams(PUCT, CONSTANT, 1.0, 0.0))
    by_move = edges_by_move(tree, position)
    assert proof(tree, by_move["a1a8"]) == ("win", 1)
    assert proof(tree, 0) == ("loss", 2)
    position = Position("7k/8/5K2/8/8/8/8/R7 w - - 99 100")
    tree = search(position, 500, SearchParams(PUCT, CONSTANT, 1.0, 0.0))
    assert proof(tree, 0) == ("draw", 2)


@pytest.mark.parametrize(("queen", "expected"), [("g7", ("win", 1)), ("f7", ("draw", 1))])
def test_a_finished_game_is_proven_at_the_root(queen, expected):
    """For the player who moved before: mate or stalemate."""
    board = chess.Board("7k/8/6K1/8/8/8/8/8 b - - 0 1")
    board.set_piece_at(chess.parse_square(queen), chess.Piece(chess.QUEEN, chess.WHITE))
    assert proof(search(Position(board.fen()), 10, SearchParams(PUCT, CONSTANT, 1.0, 0.0)), 0) == expected


def test_a_drawn_position_at_the_root_is_still_searched():
    tree = search(Position("7k/8/6K1/8/8/8/8/R7 w - - 120 100"), 50, SearchParams(PUCT, CONSTANT, 1.0, 0.0))
    assert len(edges_below(tree, 0)) > 0


@pytest.mark.thorough
@pytest.mark.jit
@pytest.mark.parametrize("batch", [4, 16, 64])
@pytest.mark.parametrize("evaluator", [NETWORK, PLAYOUT])
def test_batches_of_leaves_keep_the_tree_whole(batch, evaluator):
    """Leaves collected under virtual loss: every visit is counted once, none stays in flight, also in a full tree."""
    params = SearchParams(PUCT, evaluator, 0.8, batch=U64(batch))
    tree = search(Position(KIWIPETE), 30_001, params, megabytes=1)
    assert tree.visits[0] == 30_001
    assert tree.control[int(RECYCLED)] > 0
    check_invariants(tree)


def test_a_batch_is_evaluated_as_single_leaves_are():
    """From a root without visits, the leaves of the first batches are new ones: their scores are the network's."""
    position = Position(KIWIPETE)
    tree = search(position, 1 + 16, SearchParams(PUCT, NETWORK, 50.0, batch=U64(16)))
    for move, slot in edges_by_move(tree, position).items():
        if tree.visits[slot] == 1:
            assert (int(tree.wins[slot]), int(tree.draws[slot])) == by_network(position.play(move))


def search_until_proven(position, params):
    tree, worker = new_tree(64), new_worker(1, NET)
    assert simulate_many(tree, root_of(position), NET, params, worker, U64(2_000_000)) < 2_000_000
    return tree


@pytest.mark.jit
def test_mates_are_proven_in_batches_too():
    position = Position("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1")
    tree = search_until_proven(
        position, SearchParams(PUCT, NETWORK, 1.0, growth=1.0, root_sharpness=sharpness(3.0), batch=U64(8))
    )
    assert proof(tree, edges_by_move(tree, position)["d2h6"]) == ("win", 3)
