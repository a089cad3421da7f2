"""Searches in files: loaded trees are as sound as searched ones, whatever the file says."""

import errno
import os
import random
import sys
import tracemalloc
import zipfile

import chess
import numpy as np
import pytest

from engine.explorer.view import loaded
from engine.mcts.params import DEEPEST
from engine.mcts.tree import IN_USE, RECYCLED, SCORE_UNIT
from engine.report.node import Shape
from engine.report.progress import History, Sample
from engine.report.snapshot import NotInMemoryError
from engine.report.tree_columns import TREE_KINDS
from engine.report.tree_file import COLUMN_TYPES, MOST_SLOTS, TEXT, TREE_SCHEMA, is_saved_tree, load
from engine.search.clock import Limits
from engine.search.searcher import Searcher
from engine.uci.pipes import Transcript
from engine.uci.session import Session
from movegen import Position
from movegen.fen import START_FEN
from tests.engine.mcts.invariants import check_invariants, edges_below
from tests.engine.mcts.test_simulate import edges_by_move, minimax, proof
from tests.engine.report.searches import (
    BLACK,
    ENDGAME,
    KIWIPETE,
    LOST,
    MATE_IN_2,
    MIDDLEGAME,
    POSITIONS,
    new_searcher,
    report_of,
    save,
    searched,
)

pytestmark = pytest.mark.jit  # searches of thousands of visits

WIN, LOSS, DRAW = 3, 1, 2
QUEEN_BEFORE_ROOKS = "5rk1/pp4pp/4p3/2R3Q1/3n4/2q4r/P1P2PPP/5RK1 b - - 0 1"
MATE_SQUARES = ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "k7/2K5/8/8/8/8/8/1Q6 w - - 0 1")


def plain(rows):
    """What a saved tree knows of moves: without the choice of a search that has ended."""
    return [row._replace(flags=[]) for row in rows]


def arrays_of(file):
    with np.load(file) as saved:
        return {name: saved[name] for name in saved.files}


def all_moves(tree):
    """The numbers of the root, then those of all nodes with their moves, node by node."""
    found, todo = [tuple(int(field[0]) for field in (tree.visits, tree.wins, tree.draws, tree.proven))], [0]
    for slot in todo:
        below = edges_below(tree, slot)
        own = slice(below.start, below.stop)
        fields = (tree.visits, tree.wins, tree.draws, tree.move, tree.prior, tree.proven)
        found.append(tuple(tuple(field[own].tolist()) for field in fields))
        todo += [edge for edge in below if tree.link[edge]]
    return found


def without_unvisited(arrays):
    """The columns as files had them that left out unvisited moves of nodes with fewer than 64 visits."""
    children = arrays["children"].astype(np.int64)
    above = np.concatenate([[0], np.repeat(np.arange(children.size), children)])
    is_kept = (arrays["visits"] > 0) | (arrays["visits"][above] >= 64) | (above == 0)
    remaining = np.bincount(above[1:], weights=is_kept[1:], minlength=children.size)
    columns = {name: arrays[name][is_kept] for name in TREE_KINDS}
    return {**arrays, **columns, "children": remaining[is_kept].astype(np.uint8)}


def with_only_proven_replies(arrays):
    """The columns without those moves below the root's that are not proven, and what is below them."""
    children = arrays["children"].tolist()
    above = np.concatenate([[0], np.repeat(np.arange(len(children)), children)]).tolist()
    is_kept, remaining = [True], [0] * len(children)
    for place in range(1, len(children)):
        before = above[place]
        is_kept.append(is_kept[before] and (before == 0 or arrays["proven"][place] != 0))
        remaining[before] += is_kept[place]
    columns = {name: arrays[name][is_kept] for name in TREE_KINDS}
    return {**arrays, **columns, "children": np.array(remaining, dtype=np.uint16)[is_kept]}


def load_into(searcher, file):
    found = load(file)
    searcher.load(found.position, found.history, found.fill)
    return found


def go(searcher, nodes):
    searcher.go(Limits(nodes=nodes))
    searcher.wait()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tree.npz"


# What is saved is what is loaded


@pytest.mark.thorough
@pytest.mark.parametrize(("fen", "visits"), [(MIDDLEGAME, 3000), (MIDDLEGAME, 30), (MATE_IN_2, 3000)])
def test_a_search_is_the_same_after_saving_and_loading(file, fen, visits):
    searcher = searched(fen, visits)
    save(file, searcher, fen, ())
    before, after = searcher.report(), report_of(load(file))
    assert plain(after.rows()) == plain(before.rows())
    assert after.history() == before.history()
    ours, theirs = after.icicle(), before.icicle()
    assert ours == theirs
    for one in theirs["rectangles"][::4]:
        if one["path"]:
            assert plain(after.rows(one["path"])) == plain(before.rows(one["path"]))


@pytest.mark.parametrize("switch", ["true", "false"])
def test_a_file_says_how_values_were_looked_up(file, switch):
    """First looks of a loaded tree are those of its search."""
    searcher = searched(KIWIPETE, 200, Quiescence=switch, Transpositions=switch)
    save(file, searcher, KIWIPETE, ())
    found = load(file).options
    assert (found.quiescence, found.transpositions) == (switch == "true",) * 2
    before, after = (each.rows(shape=Shape(first_look=True)) for each in (searcher.report(), report_of(load(file))))
    assert [row.v for row in after] == [row.v for row in before]


def test_files_that_do_not_say_it_are_older(file):
    save(file, searched(MIDDLEGAME, 20), MIDDLEGAME, ())
    arrays = arrays_of(file)
    text(options={"PUCT C": "600"})(arrays)
    np.savez(file, **arrays)
    found = load(file).options
    assert (found.quiescence, found.transpositions, found.puct_c) == (False, False, 600)


@pytest.mark.thorough
@pytest.mark.parametrize("fen", POSITIONS)
def test_a_loaded_search_goes_on_as_if_it_had_never_been_saved(file, fen):
    """Without the means of transpositions: a loaded tree has none at first."""
    searcher, other = (searched(one, 2000, Transpositions="false") for one in (fen, KIWIPETE))
    save(file, searcher, fen, ())
    found = load_into(other, file)
    assert found.lost_proofs == 0
    assert all_moves(other.tree) == all_moves(searcher.tree)
    for each in (searcher, other):
        go(each, 3000)
    assert all_moves(other.tree) == all_moves(searcher.tree)
    assert other.report().summary()["fen"] == fen
    before, after = report_of(load(file)).history()["visits"], other.report().history()["visits"]
    assert after[: len(before)] == before
    assert after[-1] == other.tree.visits[0]


@pytest.mark.thorough
@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("fen", [MIDDLEGAME, MATE_IN_2, BLACK])
def test_a_loaded_tree_is_sound_and_can_be_filled_up(file, fen, old, used):
    save(file, searched(fen, 500, Hash=1), fen, ())
    if old:
        np.savez(file, **without_unvisited(arrays_of(file)))
    searcher = searched(KIWIPETE, 20_000, Hash=1) if used else new_searcher(KIWIPETE, Hash=1)
    load_into(searcher, file)
    assert check_invariants(searcher.tree) > 1
    for _ in range(3):
        go(searcher, 15_000)
        check_invariants(searcher.tree)
    if fen != MATE_IN_2:  # which is proven before
        assert searcher.tree.control[int(RECYCLED)] > 0


def test_a_report_of_the_tree_before_is_over_once_another_is_loaded(file):
    save(file, searched(MIDDLEGAME, 300), MIDDLEGAME, ())
    searcher = searched(KIWIPETE, 300)
    report = searcher.report()
    assert report.rows()
    load_into(searcher, file)
    assert not report.snapshot.is_current()
    with pytest.raises(NotInMemoryError):
        report.rows()
    assert searcher.report().snapshot.is_current()


def test_a_full_tree_is_saved_and_loaded_into_the_same_memory(file):
    searcher = searched(MIDDLEGAME, 30_000, Hash=1)
    assert searcher.tree.control[int(RECYCLED)] > 0
    save(file, searcher, MIDDLEGAME, ())
    load_into(searcher, file)
    check_invariants(searcher.tree)
    go(searcher, 30_000)
    check_invariants(searcher.tree)
    slots = load(file).columns["children"]
    assert load(file, room=slots.size + np.count_nonzero(slots))


def test_a_tree_that_fills_its_memory_to_the_last_slot_goes_on(file):
    searcher = searched(MIDDLEGAME, 3000, Hash=8)
    save(file, searcher, MIDDLEGAME, ())
    found, used = load(file), int(searcher.tree.control[int(IN_USE)]) + 1
    small = new_searcher(MIDDLEGAME, Hash=8)
    tree = small.prepare()
    cut = tree._replace(**{name: getattr(tree, name)[:used] for name in tree._fields[:8]})
    found.fill(cut)
    check_invariants(cut)
    small.tree = cut
    small.prepare = lambda: cut
    go(small, 20_000)
    check_invariants(cut)
    assert small.tree.visits[0] == 23_000


@pytest.mark.parametrize("visits", [0, 1, 2, 3])
def test_a_search_that_has_just_begun_is_kept(file, visits):
    searcher = searched(MIDDLEGAME, visits) if visits else new_searcher(MIDDLEGAME)
    save(file, searcher, MIDDLEGAME, ())
    other = searched(KIWIPETE, 100)
    load_into(other, file)
    assert all_moves(other.tree) == all_moves(searcher.tree)
    check_invariants(other.tree)
    assert other.report().history() == searcher.report().history()
    go(other, 100)
    assert other.tree.visits[0] == 100 + searcher.tree.visits[0]


def test_restricted_roots_and_games_with_moves_are_kept(file):
    searcher = new_searcher()
    game = Position().play_all("e4 e5 Nf3")
    searcher.set_position(game, None)
    chosen = tuple(game.code(move) for move in ("Nc6", "a6"))
    searcher.go(Limits(nodes=500), search_moves=chosen)
    searcher.wait()
    save(file, searcher, START_FEN, ("e2e4", "e7e5", "g1f3"))
    other = new_searcher()
    found = load_into(other, file)
    assert found.position.past_keys == game.past_keys
    assert found.position.fen() == game.fen()
    assert all_moves(other.tree) == all_moves(searcher.tree)
    np.savez(file, **without_unvisited(arrays_of(file)))
    load_into(other, file)  # nodes that lack moves are cut off, the root is not
    assert all_moves(other.tree)[:2] == all_moves(searcher.tree)[:2]
    assert len(all_moves(other.tree)) < len(all_moves(searcher.tree))
    go(other, 500)
    assert len(edges_below(other.tree, 0)) == len(game.move_codes)
    check_invariants(other.tree)


# Proofs


def assert_proofs_are_true(tree, position, plies=3):
    board, checked = chess.Board(position.fen()), 0
    for move, slot in edges_by_move(tree, position).items():
        proven = proof(tree, slot)
        if proven and proven[1] <= plies + 1:
            board.push_uci(move)
            assert minimax(board, plies) == {"win": -1, "draw": 0, "loss": 1}[proven[0]]
            board.pop()
            checked += 1
    return checked


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("fen", MATE_SQUARES)
def test_proofs_after_loading_agree_with_exhaustive_search(file, fen, old):
    checked = 0
    for visits in (20, 60, 200, 1000):
        save(file, searched(fen, visits, Formula="UCB1", Evaluator="Playout"), fen, ())
        if old:
            np.savez(file, **without_unvisited(arrays_of(file)))
        searcher = new_searcher(fen, Formula="UCB1", Evaluator="Playout")
        load_into(searcher, file)
        checked += assert_proofs_are_true(searcher.tree, Position(fen))
        go(searcher, 3000)
        checked += assert_proofs_are_true(searcher.tree, Position(fen))
    assert checked


@pytest.mark.parametrize("old", [False, True])
def test_moves_that_a_file_left_out_are_not_forgotten(file, old):
    """1... Qe3 just loses the queen; it looked like a mate where 2.fxe3 was missing."""
    save(file, searched(QUEEN_BEFORE_ROOKS, 1500, Hash=64), QUEEN_BEFORE_ROOKS, ())
    if old:
        np.savez(file, **without_unvisited(arrays_of(file)))
    searcher = new_searcher(Hash=64)
    load_into(searcher, file)
    go(searcher, 20_000)
    edges = edges_by_move(searcher.tree, Position(QUEEN_BEFORE_ROOKS))
    assert proof(searcher.tree, edges["c3e3"]) is None
    assert proof(searcher.tree, 0) is None
    position = Position(QUEEN_BEFORE_ROOKS).play("Qe3")
    after = {position.uci(int(searcher.tree.move[slot])) for slot in edges_below(searcher.tree, edges["c3e3"])}
    assert after == set(position.legal_moves)


def test_replies_that_all_lose_prove_nothing_where_others_are_missing(file):
    fen = QUEEN_BEFORE_ROOKS
    searcher = searched(fen, 300)
    save(file, searcher, fen, ())
    arrays = arrays_of(file)
    fewer, root = with_only_proven_replies(arrays), slice(1, 1 + int(arrays["children"][0]))
    lacks_moves = (fewer["children"][root] > 0) & (fewer["children"][root] < arrays["children"][root])
    assert (lacks_moves & (arrays["proven"][root] == 0)).any()
    np.savez(file, **fewer)
    other = new_searcher()
    load_into(other, file)
    check_invariants(other.tree)
    before, after = edges_by_move(searcher.tree, Position(fen)), edges_by_move(other.tree, Position(fen))
    assert {move: proof(other.tree, slot) for move, slot in after.items()} == {
        move: proof(searcher.tree, slot) for move, slot in before.items()
    }


def test_what_older_files_left_out_is_left_out_only_to_look_at(file):
    searcher = searched(MIDDLEGAME, 3000)
    save(file, searcher, MIDDLEGAME, ())
    np.savez(file, **without_unvisited(arrays_of(file)))
    before, after = searcher.report(), report_of(load(file))
    assert plain(after.rows()) == plain(before.rows())
    assert after.icicle() == before.icicle()


def test_claims_that_do_not_follow_from_the_rules_are_left_out(file):
    searcher = searched(MIDDLEGAME, 2000)
    save(file, searcher, MIDDLEGAME, ())
    arrays = arrays_of(file)
    arrays["proven"] = np.where(arrays["visits"] > 0, WIN << 14 | 706, 0).astype(np.uint16)
    np.savez(file, **arrays)
    other = new_searcher()
    assert load_into(other, file).lost_proofs > 1000
    assert all_moves(other.tree) == all_moves(searcher.tree)


@pytest.mark.parametrize("fen", [MATE_IN_2, LOST, *MATE_SQUARES])
def test_proofs_are_found_again_from_the_ends_of_games(file, fen):
    searcher = searched(fen, 3000)
    save(file, searcher, fen, ())
    expected, arrays = all_moves(searcher.tree), arrays_of(file)
    assert arrays["proven"].any()
    np.savez(file, **{**arrays, "proven": np.zeros_like(arrays["proven"])})
    other = new_searcher()
    load_into(other, file)
    assert all_moves(other.tree) == expected


def test_draws_by_the_game_before_the_root_are_found_again(file):
    """The third occurrence, and the 50-move rule."""
    shuffled = ("a1b1", "a2a3", "b1b2", "a3a4", "b2b1", "a4a3")
    for start, moves in (("7k/8/8/8/8/8/r7/K7 w - - 0 1", shuffled), ("7k/8/8/3K4/8/8/8/R7 w - - 97 100", ())):
        searcher = new_searcher(Formula="UCB1", Evaluator="Playout")
        searcher.set_position(Position(start).play_all(moves), None)
        go(searcher, 700)
        save(file, searcher, start, moves)
        arrays = arrays_of(file)
        assert (arrays["proven"] >> 14 == DRAW).any()
        np.savez(file, **{**arrays, "proven": np.zeros_like(arrays["proven"])})
        other = new_searcher()
        load_into(other, file)
        assert all_moves(other.tree) == all_moves(searcher.tree)


# Files that are no saved trees


FOREIGN = {
    "text": b"My notes of today",
    "empty": b"",
    "zip": b"PK\x05\x06" + bytes(18),
    "pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07builtins.",
    "numpy": b"\x93NUMPY\x01\x00",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_file_is_refused_in_plain_words(file, kind):
    file.write_bytes(FOREIGN[kind])
    with pytest.raises(ValueError, match=r"tree\.npz: not a saved tree") as error:
        load(file)
    assert "pickle" not in str(error.value)
    assert not is_saved_tree(file)


def test_what_cannot_be_read_is_refused(file, tmp_path):
    with pytest.raises(ValueError, match="No such file"):
        load(file)
    with pytest.raises(ValueError, match="not a file"):
        load(tmp_path)
    np.savez(file, a=np.arange(3))
    with pytest.raises(ValueError, match="not a saved tree"):
        load(file)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The arrays of a file that can be loaded."""
    file = tmp_path_factory.mktemp("good") / "tree.npz"
    save(file, searched(MIDDLEGAME, 1300), MIDDLEGAME, ())
    return arrays_of(file)


def changed(name, change):
    def damage(arrays):
        column = arrays[name].copy()
        result = change(column, arrays)
        arrays[name] = column if result is None else result

    return damage


def put(place, value):
    def change(column, _arrays):
        column[place] = value

    return change


def first_node(arrays):
    """The place of a move with moves below it."""
    return 1 + int(np.flatnonzero(arrays["children"][1:])[0])


def double_a_move(column, _arrays):
    column[2] = column[1]


def leaf_scores(wins, draws):
    """Give a move with one visit scores that no game has."""

    def damage(arrays):
        leaf = int(np.flatnonzero(arrays["visits"] == 1)[0])
        for name, share in (("wins", wins), ("draws", draws)):
            arrays[name] = arrays[name].copy()
            arrays[name][leaf] = int(share * SCORE_UNIT)

    return damage


def unvisit_a_node(column, arrays):
    column[first_node(arrays)] = 0


def text(**changes):
    import json

    description = {"schema": TREE_SCHEMA, "start": MIDDLEGAME, "moves": [], "chess960": False, "options": {}, **changes}
    return changed(TEXT, lambda _column, _arrays: np.frombuffer(json.dumps(description).encode(), dtype=np.uint8))


def too_many_moves(arrays):
    arrays.update({name: np.resize(arrays[name], 501) for name in TREE_KINDS})
    arrays["visits"] = np.array([1] + [0] * 500, dtype=np.uint32)
    arrays["wins"] = arrays["draws"] = np.zeros(501, dtype=np.int64)
    arrays["children"] = np.array([500] + [0] * 500, dtype=np.uint16)


DAMAGES = {
    "one child more": changed("children", lambda column, _: put(0, column[0] + 1)(column, _)),
    "no moves": changed("children", lambda column, _: column[:0]),
    "nodes before their moves": changed("children", lambda column, _: column[::-1].copy()),
    "more moves than any position has": too_many_moves,
    "moves of another position": changed("move", put(5, 0x7FFF)),
    "the same move twice": changed("move", double_a_move),
    "a header as a move": changed("move", put(3, 0xFFFE)),
    "floats": changed("wins", lambda column, _: column.astype(np.float64)),
    "huge floats": changed("wins", lambda column, _: np.full(column.size, 1e300)),
    "wide numbers": changed("visits", lambda column, _: column.astype(np.uint64)),
    "big endian": changed("visits", lambda column, _: column.astype(">u4")),
    "objects": changed("visits", lambda column, _: np.array([None] * column.size)),
    "two dimensions": changed("visits", lambda column, _: column[np.newaxis]),
    "negative wins": changed("wins", put(0, -1)),
    "too many wins": changed("wins", lambda column, arrays: column + int(arrays["visits"][0]) * SCORE_UNIT),
    "too many draws": changed("draws", lambda column, arrays: column + int(arrays["visits"][0]) * SCORE_UNIT),
    "all wins and all draws": changed("draws", lambda _, arrays: arrays["visits"].astype(np.int64) * SCORE_UNIT),
    "a draw that counts nothing": leaf_scores(0, 1),
    "a draw that counts as a win": leaf_scores(1, 1),
    "half a draw that counts nothing": leaf_scores(0.2, 0.5),
    "half a draw that counts as a win": leaf_scores(0.8, 0.5),
    "more visits below": changed("visits", put(1, 2**32 - 1)),
    "a node without visits": changed("visits", unvisit_a_node),
    "a shorter column": changed("draws", lambda column, _: column[:-1]),
    "samples of other moves": changed("codes", put(0, 0x7FFF)),
    "samples of a move twice": changed("codes", double_a_move),
    "samples that are no numbers": changed("seconds", put(-1, np.nan)),
    "samples backwards": changed("seconds", put(0, 1e9)),
    "samples for ever": changed("seconds", put(-1, np.inf)),
    "samples with negative visits": changed("sample_visits", put(0, -5)),
    "samples with fewer and fewer visits": changed("sample_visits", lambda column, _: column[::-1].copy()),
    "samples without new visits": changed("sample_visits", lambda column, _: put(1, column[0])(column, _)),
    "samples with negative sums": changed("sums", put((0, 0), -1)),
    "samples of another shape": changed("counts", lambda column, _: column.T.copy()),
    "another version": text(schema="teresa-tree/2"),
    "another position": text(start=KIWIPETE),
    "no position": text(start="nonsense"),
    "moves that are not legal": text(moves=["e2e5"]),
    "moves that are a number": text(moves=5),
    "options that are a list": text(options=[1]),
    "an option out of range": text(options={"Hash": "0"}),
    "a long text": text(moves=["x" * (1 << 19)]),
    "a deep text": changed(TEXT, lambda *_: np.frombuffer(b"[" * 100_000, dtype=np.uint8)),
    "no text": changed(TEXT, lambda *_: np.frombuffer(b"\xff\xfe", dtype=np.uint8)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(file, good, damage):
    arrays = dict(good)
    np.savez(file, **arrays)
    assert load(file)
    DAMAGES[damage](arrays)
    np.savez(file, **arrays)
    with pytest.raises(ValueError, match=r"tree\.npz: not a saved tree"):
        load(file)


def test_a_line_deeper_than_any_search_is_refused(file):
    """Kings and rooks go to and fro, one move a node."""
    moves = ["a1b1", "h8g8", "b1a1", "g8h8"] * (DEEPEST // 4 + 2)
    start = "r6k/p6p/8/8/8/8/P6P/K6R w - - 0 1"
    searcher = new_searcher(start)
    go(searcher, 50)
    save(file, searcher, start, ())
    arrays = arrays_of(file)
    for length in (len(moves), 60):
        position, codes = Position(start), []
        for move in moves[:length]:
            codes.append(position.code(move))
            position = position.play(move)
        count = length + 1
        visits = np.arange(count, 0, -1, dtype=np.uint32)
        half = visits.astype(np.int64) * SCORE_UNIT // 2
        chain = {"visits": visits, "wins": half, "draws": half, "move": np.array([0, *codes], dtype=np.uint16)}
        chain |= dict.fromkeys(("prior", "proven"), np.zeros(count, dtype=np.uint16))
        chain["children"] = np.array([1] * length + [0], dtype=np.uint8)
        np.savez(file, **{**arrays, **chain})
        if length > DEEPEST:
            with pytest.raises(ValueError, match="a line longer than any search makes"):
                load(file)
    load_into(searcher, file)  # the third occurrence ends the shorter one
    assert check_invariants(searcher.tree) <= 9
    go(searcher, 2000)
    check_invariants(searcher.tree)


def test_a_node_that_is_its_own_move_is_refused(file, good):
    chain = {name: good[name][:2] for name in TREE_KINDS}
    np.savez(file, **{**good, **chain, "children": np.array([0, 1], dtype=np.uint8)})
    with pytest.raises(ValueError, match="a node before its move"):
        load(file)


def test_promotions_from_empty_squares_are_refused(file, good):
    """Each would put another queen on the board, until there is no square for more pieces."""
    count = 60
    empty = 10 | 58 << 6 | 7 << 12
    visits = np.arange(count, 0, -1, dtype=np.uint32)
    half = visits.astype(np.int64) * SCORE_UNIT // 2
    chain = {"visits": visits, "wins": half, "draws": half, "move": np.full(count, empty, dtype=np.uint16)}
    chain |= dict.fromkeys(("prior", "proven"), np.zeros(count, dtype=np.uint16))
    chain["children"] = np.array([1] * (count - 1) + [0], dtype=np.uint8)
    np.savez(file, **{**good, **chain})
    with pytest.raises(ValueError, match="a move that is not legal"):
        load(file)


def assert_refused_or_sound(file):
    """-> was it accepted?"""
    try:
        found = load(file, room=1 << 15)
    except ValueError as error:
        assert str(error).startswith(f"{file}: ")
        return False
    searcher = new_searcher(Hash=1)
    searcher.load(found.position, found.history, found.fill)
    check_invariants(searcher.tree)
    report = report_of(found)
    report.summary()
    report.history()
    report.icicle()
    assert_proofs_are_true(searcher.tree, found.position, plies=1)
    go(searcher, 300)
    check_invariants(searcher.tree)
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_random_damage_of_arrays_is_refused_or_harmless(file, seed):
    rng = random.Random(seed)
    fen = [MIDDLEGAME, MATE_IN_2, ENDGAME, LOST][seed]
    save(file, searched(fen, 300), fen, ())
    good, accepted = arrays_of(file), 0
    for _ in range(40):
        arrays = dict(good)
        for _ in range(rng.choice((1, 1, 2, 5))):
            name = rng.choice([name for name in COLUMN_TYPES if name != TEXT and arrays[name].size])
            data = bytearray(arrays[name].tobytes())
            data[rng.randrange(len(data))] ^= rng.choice((1, 2, 4, 128, 255))
            arrays[name] = np.frombuffer(bytes(data), dtype=arrays[name].dtype).reshape(arrays[name].shape)
        np.savez(file, **arrays)
        accepted += assert_refused_or_sound(file)
    assert 0 < accepted < 40


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_random_damage_of_bytes_is_refused_or_harmless(file, seed):
    rng = random.Random(seed)
    save(file, searched(MATE_IN_2, 200), MATE_IN_2, ())
    content = file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        directory = archive.start_dir
    for _ in range(100):
        data = bytearray(content)
        for _ in range(rng.choice((1, 3))):
            place = rng.randrange(len(data)) if rng.random() < 0.5 else rng.randrange(directory, len(data))
            data[place] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        file.write_bytes(data)
        assert_refused_or_sound(file)


# Files that would take too much memory


def peak_of(call):
    """The most bytes that were taken meanwhile."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(file, match, **options):
    def call():
        with pytest.raises(ValueError, match=match):
            load(file, **options)

    return call


def test_a_bomb_is_refused_before_it_is_unpacked(file, good):
    arrays = {**good, "children": np.zeros(1 << 26, dtype=np.uint8)}
    np.savez_compressed(file, **arrays)
    assert file.stat().st_size < 1 << 20
    assert peak_of(refused(file, "more memory than such a file can be worth")) < 1 << 21


def test_many_small_bombs_are_refused_together(file):
    np.savez_compressed(file, **{name: np.zeros(1 << 22, dtype=np.uint8) for name in COLUMN_TYPES})
    assert peak_of(refused(file, "more memory than such a file can be worth")) < 1 << 21


@pytest.mark.parametrize("shape", ["(99999999999,)", "(3,)", "(-1,)", "(1, 2, 3, 4, 5, 6)", "(2**40,)", "()", "x"])
def test_a_column_that_lies_about_its_length_is_refused(file, good, shape):
    np.savez(file, **good)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    data = members["visits.npy"]
    length = int.from_bytes(data[8:10], "little")
    head = f"{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(length - 1) + b"\n"
    members["visits.npy"] = data[:10] + head + data[10 + length :]
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert peak_of(refused(file, "not a saved tree")) < 1 << 23


def test_a_tree_that_is_too_large_is_refused_before_its_columns_are_read(file):
    save(file, searched(MIDDLEGAME, 20_000), MIDDLEGAME, ())
    slots = load(file).columns["children"].size
    peak = peak_of(refused(file, "needs 1[0-9] MB: set Hash", room=(1 << 20) // 32))
    assert peak < slots * 8
    assert load(file, room=MOST_SLOTS)


# The commands


class ReadyLoader:
    """All is loaded."""

    is_ready, has_failed, seconds = True, False, 0.0

    def close(self):
        pass


class Talk:
    """A conversation without a process."""

    def __init__(self):
        self.said = []
        self.session = Session(self.said.append, Transcript().open, ReadyLoader())
        self.ask("setoption name Hash value 1", "setoption name Seed value 1")

    def ask(self, *lines):
        """-> what is said until each command, and its search, has ended."""
        before = len(self.said)
        for line in lines:
            self.session.queue.hear(line, 0.0)
            self.session.search.searcher.wait()
        return self.said[before:]

    @property
    def searcher(self) -> Searcher:
        return self.session.search.searcher


@pytest.fixture
def talk():
    conversation = Talk()
    yield conversation
    conversation.session.close()


def state_of(talk):
    searcher, game = talk.searcher, talk.session.search.game
    report, codes_and_samples = searcher.report(), searcher.history.read()
    return (
        game.fen,
        game.texts,
        searcher.position.fen(),
        searcher.generation,
        searcher.run,
        all_moves(searcher.tree),
        searcher.tree.control.tolist(),
        codes_and_samples[0],
        [sample.visits for sample in codes_and_samples[1]],
        [row.uci for row in report.rows()],
        talk.ask("d"),
    )


def test_a_refused_file_changes_nothing(talk, file, good):
    talk.ask("position startpos moves e2e4 e7e5", "go nodes 500")
    before = state_of(talk)
    report = talk.searcher.report()
    save(file, searched(MIDDLEGAME, 5000), MIDDLEGAME, ())
    assert talk.ask(f"loadtree {file}")[-1].endswith("MB: set Hash; ignored")
    assert state_of(talk) == before
    found = load(file)
    with pytest.raises(ValueError, match="set Hash"):
        talk.searcher.load(found.position, found.history, found.fill)
    assert state_of(talk) == before
    for damage in DAMAGES.values():
        arrays = dict(good)
        damage(arrays)
        np.savez(file, **arrays)
        assert "not a saved tree" in talk.ask(f"loadtree {file}")[-1]
    assert state_of(talk) == before
    assert report.rows()  # and readers are not disturbed
    talk.ask("go nodes 500")
    assert talk.searcher.tree.visits[0] == 1000


def test_trees_are_saved_and_loaded_by_commands(talk, tmp_path):
    file = tmp_path / "two  blanks   three.npz"
    assert talk.ask("savetree")[-1].endswith("the name of a file must follow; ignored")
    assert talk.ask(f"savetree {file}")[-1].endswith("nothing was searched yet; ignored")
    assert talk.ask("position startpos moves d2d4", "go nodes 300", f"savetree {file}\r\n")[-1].endswith(f" in {file}")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert talk.ask("ucinewgame", "position startpos", f"nonsense  loadtree   {file} \n")[-1].startswith(
        "info string 300 visits of rnbqkbnr/pppppppp/8/8/3P4/"
    )
    talk.ask("go nodes 100")
    assert talk.searcher.tree.visits[0] == 400
    assert talk.ask("loadtree")[-1].endswith("the name of a file must follow; ignored")


def test_the_moves_of_a_loaded_game_are_known(talk, tmp_path):
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    talk.ask("position startpos moves d2d4 d7d5", "go nodes 500", f"savetree {first}", "position startpos")
    talk.ask(f"loadtree {first}", f"savetree {second}")
    assert load(second).game.moves == ("d2d4", "d7d5")
    assert load(second).position.fen() == load(first).position.fen()
    for start in ("startpos", f"fen {START_FEN}"):
        talk.ask(f"loadtree {first}", f"position {start} moves d2d4 d7d5")
        assert talk.searcher.tree.visits[0] == 500
        talk.ask(f"position {start} moves d2d4 d7d5 c2c4")
        assert 0 < talk.searcher.tree.visits[0] < 500
        assert talk.searcher.position.turn == "black"
    talk.ask("position startpos moves d2d4 g8f6")
    assert talk.searcher.tree.visits[0] == 0


def test_a_tree_of_other_values_is_named(talk, tmp_path):
    file = tmp_path / "tree.npz"
    talk.ask("position startpos", "go nodes 200", f"savetree {file}")
    assert talk.ask(f"loadtree {file}")[-1].startswith("info string 200 visits of ")
    talk.ask("setoption name Quiescence value false")
    assert "searched with other values or priors" in talk.ask(f"loadtree {file}")[-1]


def test_a_tree_of_a_weak_player_or_of_another_formula_is_named(talk, tmp_path):
    weak, other = tmp_path / "weak.npz", tmp_path / "other.npz"
    talk.ask("setoption name UCI_LimitStrength value true", "position startpos", "go nodes 200", f"savetree {weak}")
    talk.ask("setoption name UCI_LimitStrength value false")
    assert "searched with other values or priors" in talk.ask(f"loadtree {weak}")[-1]
    talk.ask("setoption name Formula value UCB1", "position startpos", "go nodes 200", f"savetree {other}")
    assert talk.ask(f"loadtree {other}")[-1].startswith("info string 200 visits of ")
    talk.ask("setoption name Formula value PUCT")
    assert "searched with Formula UCB1" in talk.ask(f"loadtree {other}")[-1]


def test_option_values_keep_their_blanks(talk, tmp_path):
    file = tmp_path / "two  blanks.log"
    talk.ask(f"setoption name LogFile value {file} \r\n")
    assert file.exists()
    assert talk.session.options.log_file == str(file)
    talk.ask("setoption name LogFile value <empty>", "setoption name  Move   Overhead  value  77 ")
    assert talk.session.options.log_file == ""
    assert talk.session.options.move_overhead == 77


def test_only_saved_trees_are_overwritten(talk, tmp_path):
    notes, old = tmp_path / "notes.txt", tmp_path / "old.npz"
    talk.ask("position startpos", "go nodes 300")
    notes.write_bytes(b"My notes")
    assert "exists and is not a saved tree; " in talk.ask(f"savetree {notes}")[-1]
    np.savez(old, a=np.arange(3))
    content = old.read_bytes()
    assert "exists and is not a saved tree; " in talk.ask(f"savetree {old}")[-1]
    assert (notes.read_bytes(), old.read_bytes()) == (b"My notes", content)
    for _ in range(2):
        assert talk.ask(f"savetree --force  {notes}")[-1].endswith(f"moves saved in {notes}")
        assert talk.ask(f"savetree {notes}")[-1].endswith(f"moves saved in {notes}")
    assert is_saved_tree(notes)
    np.savez(notes, **without_unvisited(arrays_of(notes)))
    assert talk.ask(f"savetree {notes}")[-1].endswith(f"moves saved in {notes}")
    assert "there is no folder" in talk.ask(f"savetree {tmp_path / 'missing' / 'x.npz'}")[-1]


def test_a_full_disk_leaves_nothing_behind(talk, tmp_path, monkeypatch):
    talk.ask("position startpos", "go nodes 300")

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    file = tmp_path / "tree.npz"
    assert talk.ask(f"savetree {file}")[-1].endswith("No space left on device; ignored")
    assert list(tmp_path.iterdir()) == []
    file.write_bytes(b"")
    assert talk.ask(f"savetree {file}")[-1].endswith("No space left on device; ignored")
    assert [path.name for path in tmp_path.iterdir()] == ["tree.npz"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a device that is always full")
def test_a_full_device_is_reported(talk):
    talk.ask("position startpos", "go nodes 300")
    assert talk.ask("savetree /dev/full")[-1].endswith("No space left on device; ignored")


def test_lost_proofs_are_reported(talk, file):
    save(file, searched(MIDDLEGAME, 300), MIDDLEGAME, ())
    arrays = arrays_of(file)
    arrays["proven"][1:4] = WIN << 14 | 9
    np.savez(file, **arrays)
    assert talk.ask(f"loadtree {file}")[-1].startswith("info string 3 proofs are left out")


def test_the_history_of_a_file_can_go_on(file):
    """Up to the first sample's 0 visits, which earlier searches noted."""
    searcher = searched(MIDDLEGAME, 500)
    codes, samples = searcher.history.read()
    empty = Sample(0.0, 0, np.zeros_like(samples[0].counts), np.zeros_like(samples[0].wins))
    history = History()
    history.restore((codes, [empty, *samples]))
    searcher.history = history
    save(file, searcher, MIDDLEGAME, ())
    other = new_searcher()
    load_into(other, file)
    assert other.report().history()["visits"][0] == 0
    go(other, 500)
    assert other.report().history()["visits"][-1] == 1000


# While others read


def test_a_report_reads_the_tree_once():
    """A change of Hash takes the tree away at any moment."""
    searcher = searched(MIDDLEGAME, 300)
    tree = searcher.tree

    class Vanishing(Searcher):
        reads = 0

        @property
        def tree(self):
            self.reads += 1
            return tree if self.reads <= self.lasting else None

        @tree.setter
        def tree(self, _tree):
            pass

    for lasting in range(4):
        vanishing = Vanishing(searcher.options, searcher.listener)
        vanishing.lasting, vanishing.reads = lasting, 0
        vanishing.prepare = lambda: tree
        assert vanishing.report().snapshot.tree is tree


def test_two_saved_searches_side_by_side(tmp_path):
    for name, fen in (("a", MIDDLEGAME), ("b", MIDDLEGAME), ("c", KIWIPETE)):
        save(tmp_path / f"{name}.npz", searched(fen, nodes=500), fen, ())
    show = loaded(str(tmp_path / "a.npz"), str(tmp_path / "b.npz"))
    assert show.about()["searches"] == ["a", "b"]
    assert show.frame("c3d5")[1]["summary"]["visits"] == 500
    with pytest.raises(ValueError, match="different positions"):
        loaded(str(tmp_path / "a.npz"), str(tmp_path / "c.npz"))
