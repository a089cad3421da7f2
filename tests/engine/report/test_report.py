"""The numbers of a report against slow walks through the tree and against the search itself."""

import json
import math
import time

import pytest

from engine.config.search_params import search_params
from engine.mcts.params import new_worker, root_of
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import RECYCLED
from engine.report import REPORT_SCHEMA
from engine.report.lines import best_edges
from engine.report.move_stats import moves_below
from engine.report.node import LONG, Shape, shares_of
from engine.report.snapshot import NotInMemoryError
from engine.search.clock import Limits
from engine.uci.search_commands import move_line
from movegen import Position
from movegen.bits import U64
from tests.engine.report.searches import (
    BLACK,
    KIWIPETE,
    LOST,
    MATE_IN_1,
    MIDDLEGAME,
    POSITIONS,
    follow,
    new_searcher,
    searched,
    walk,
)

pytestmark = pytest.mark.jit  # searches of thousands of visits

SETTINGS = [
    {},
    {"Formula": "UCB1", "Evaluator": "Playout"},
    {"PUCT_Growth": 3000, "First_Play": 400},
    {"Evaluator": "Playout"},
]


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("fen", POSITIONS)
def test_shares_add_up_and_rows_agree_with_the_tree(fen, options):
    searcher = searched(fen, 1500, **options)
    report, position = searcher.report(), Position(fen)
    data = report.children()
    rows, known = data["rows"], {position.uci(move.code): move for move in moves_below(searcher.tree, 0)}
    assert sum(round(1000 * row["share"]) for row in rows) == 1000
    assert data["rest"] == {"moves": 0, "n": 0, "share": 0.0}
    assert {row["uci"] for row in rows} == set(known)
    for row in rows:
        move = known[row["uci"]]
        assert (row["n"], row["san"]) == (move.visits, position.san(row["uci"]))
        assert abs(row["share"] - move.visits / sum(other.visits for other in known.values())) < 0.001
        assert row["q"] == (pytest.approx(move.score, abs=1e-6) if move.visits or move.result else None)
        assert row["wdl"] is None or sum(row["wdl"]) == 1000
        assert row["pv"][0] == row["uci"]
        position.play_all(row["pv"])
        assert position.play_all(row["line"]) == position.play_all(row["pv"])
    assert json.loads(json.dumps(data)) == data


@pytest.mark.thorough
@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("fen", POSITIONS[:5])
def test_the_largest_s_is_what_the_search_takes_next(fen, options):
    """After each visit the row that was flagged has one visit more. Where UCB1 leaves it to chance, any of equals."""
    searcher = new_searcher(fen, **options)
    tree, position = searcher.prepare(), Position(fen)
    settings, worker = search_params(searcher.options), new_worker(1, searcher.resources.network)
    simulate_many(tree, root_of(position), searcher.resources.network, settings, worker, U64(2))
    for visits in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 500, 9000, 1, 1, 1, 1):
        simulate_many(tree, root_of(position), searcher.resources.network, settings, worker, U64(visits))
        if tree.proven[0]:
            break
        rows = {row.uci: row for row in searcher.report().rows()}
        simulate_many(tree, root_of(position), searcher.resources.network, settings, worker, U64(1))
        (taken,) = [row for row in searcher.report().rows() if row.n != rows[row.uci].n]
        flagged = next(row for row in rows.values() if "next" in row.flags)
        if flagged.s is None:
            assert "first" in rows[taken.uci].flags
        else:
            assert rows[taken.uci].s == max(row.s for row in rows.values() if row.s is not None) == flagged.s
            assert options.get("Formula") == "UCB1" or taken.uci == flagged.uci


def test_numbers_are_those_of_the_search_that_was_made():
    """Not of options that were set after it, and those of weaker play where it was weak."""
    searcher = searched(MIDDLEGAME, 2000)
    before = searcher.report().children()
    searcher.options.set("PUCT C", "5000")
    assert searcher.report().children() == before
    weak = new_searcher(MIDDLEGAME)
    weak.options.limit_strength = True
    weak.options.elo = 1950
    weak.go(Limits(nodes=1000))
    weak.wait()
    exploration = 0.8 * (1 + 3 * math.log((1000 + 8192) / 8192)) * math.sqrt(1000)
    for row in weak.report().rows():
        assert row.u == pytest.approx(exploration * row.p / (1 + row.n), rel=0.005, abs=1e-5)  # rounded


def test_lost_moves_are_never_taken_next():
    rows = searched(KIWIPETE, 20_000).report().rows()
    for row in rows:
        is_lost = row.proven is not None and row.proven["result"] == "loss"
        assert ("never" in row.flags) == is_lost
        assert (row.s is None) == is_lost


@pytest.mark.parametrize("fen", POSITIONS)
def test_lines_are_those_of_a_slow_walk(fen):
    searcher = searched(fen, 4000)
    tree, slots = searcher.tree, [0]
    while slots and len(slots) < 400:
        slot = slots.pop(0)
        assert best_edges(tree, slot) == follow(tree, slot)
        slots += [move.slot for move in moves_below(tree, slot)]


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("least", [0.0, 0.01])
def test_the_icicle_is_that_of_a_slow_walk(fen, least):
    searcher = searched(fen, 700 if least == 0 else 5000)
    data = searcher.report().icicle(depth=4 if least else 3, least_share=least)
    rectangles, position = data["rectangles"], Position(fen)
    expected = {path: (n, q) for path, n, q in walk(searcher.tree, position, 0, "", data["rectangles"][-1]["depth"])}
    found = {one["path"]: (one["n"], one["q"]) for one in rectangles[1:] if not one["merged"]}
    wanted = {path: pair for path, pair in expected.items() if pair[0] >= data["least"]}
    assert set(found) == {path for path in wanted if all(part in wanted for part in prefixes(path))}
    for path, (n, q) in found.items():
        assert (n, pytest.approx(q, abs=1e-6)) == expected[path]
    merged = {rectangles[one["parent"]]["path"]: one for one in rectangles if one["merged"]}
    for path, one in merged.items():
        small = [n for below, (n, _) in expected.items() if parent_of(below) == path and n < data["least"]]
        assert (one["merged"], one["n"]) == (len(small), sum(small))
    check_layout(rectangles)


def prefixes(path):
    words = path.split("/")
    return ["/".join(words[:end]) for end in range(1, len(words))]


def parent_of(path):
    return path.rpartition("/")[0]


def check_layout(rectangles):
    """Children stand side by side in their parent, the widest first, those that were merged last."""
    for index, parent in enumerate(rectangles):
        own = [one for one in rectangles if one["parent"] == index]
        places = [parent["x"] + sum(one["width"] for one in own[:number]) for number in range(len(own))]
        assert [one["x"] for one in own] == places
        assert sum(one["width"] for one in own) <= parent["width"]
        open_ones = [one["n"] for one in own if not one["merged"]]
        assert open_ones == sorted(open_ones, reverse=True)


def test_an_icicle_is_bounded():
    data = searched(KIWIPETE, 20_000).report().icicle(depth=6, least_share=0.0)
    assert 1000 < len(data["rectangles"]) <= 1500
    check_layout(data["rectangles"])


@pytest.mark.thorough
def test_an_icicle_below_a_node_has_whole_paths():
    searcher = searched(MIDDLEGAME, 5000)
    report = searcher.report()
    path = "/".join(report.rows()[0].pv[:3])
    data = report.icicle(path)
    assert data["rectangles"][0]["path"] == path
    for one in data["rectangles"][1:]:
        if one["path"]:
            node = report.children(one["path"])
            assert node["n"] == one["n"]
            assert one["san"] in (
                None,
                Position(MIDDLEGAME).play_all(parent_of(one["path"]).split("/")).san(one["uci"]),
            )


@pytest.mark.parametrize("fen", [MIDDLEGAME, BLACK])
def test_any_node_can_be_opened_by_its_path(fen):
    searcher = searched(fen, 5000)
    report, position = searcher.report(), Position(fen)
    line = report.rows()[0].pv
    for end in range(1, len(line)):
        data = report.children("/".join(line[:end]))
        place = position.play_all(line[:end])
        assert (data["fen"], data["turn"]) == (place.fen(), place.turn)
        assert data["rows"][0]["uci"] == line[end]
        shares = sum(round(1000 * row["share"]) for row in data["rows"]) + round(1000 * data["rest"]["share"])
        assert shares == 1000
        assert len(data["rows"]) + data["rest"]["moves"] == len(place.legal_moves)
    san = "/".join(report.rows()[0].line[:3])
    assert report.children(san) == report.children("/".join(line[:3]))


def test_what_is_not_in_the_tree_is_said():
    searcher = searched(MIDDLEGAME, 2000)
    report = searcher.report()
    with pytest.raises(NotInMemoryError, match="no longer in memory"):
        report.children("a3a4/h7h6/a4a5/h6h5/a5a6")
    with pytest.raises(ValueError, match="not a legal move"):
        report.children("a1a5")
    with pytest.raises(ValueError, match="more than 128"):
        report.children("/".join(["g1h1"] * 129))
    searcher.set_position(Position(BLACK), None)
    with pytest.raises(NotInMemoryError, match="has changed"):
        report.children()


def test_the_first_look_is_the_networks():
    searcher = searched(MIDDLEGAME, 300, Transpositions="false")  # else a first visit may take the mean of others
    rows = searcher.report().rows(shape=Shape(first_look=True))
    for row in rows:
        if row.n == 1:
            assert row.v == pytest.approx(row.q, abs=1e-5)
        assert 0 < row.v < 1
    assert any(row.n == 1 for row in rows)
    assert all(row.v is None for row in searcher.report().rows())
    playouts = searched(MIDDLEGAME, 300, Evaluator="Playout").report().rows(shape=Shape(first_look=True))
    assert all(row.v is None for row in playouts)
    mate = searched(MATE_IN_1, 50).report().rows(shape=Shape(first_look=True))
    assert (mate[0].uci, mate[0].v, mate[0].proven) == ("b1b8", 1.0, {"result": "win", "plies": 1})


def test_the_summary():
    searcher = searched(MIDDLEGAME, 3000)
    data = searcher.report().summary()
    best = searcher.report().rows()[0]
    assert data["schema"] == REPORT_SCHEMA
    assert (data["visits"], data["nodes"], data["state"]) == (3000, 3000, "nodes")
    assert (data["fen"], data["turn"], data["moves"]) == (MIDDLEGAME, "white", 46)
    assert (data["best"], data["q"], data["wdl"]) == (best.uci, best.q, best.wdl)
    assert (data["formula"], data["evaluator"]) == ("PUCT", "Network")
    assert data["seconds"] > 0
    assert 0 < data["depth"] <= data["deepest"]
    assert json.loads(json.dumps(data)) == data


def test_before_a_search_there_is_nothing():
    report = new_searcher(MIDDLEGAME).report()
    assert report.rows() == []
    assert report.summary()["best"] is None
    assert report.history()["visits"] == []
    assert len(report.icicle()["rectangles"]) == 1


def test_the_table_of_uci_shows_the_same_numbers():
    report = searched(KIWIPETE, 3000).report()
    for row in report.rows(shape=LONG):
        words = move_line(row).split()
        assert words[0] == row.uci
        assert words[words.index("N") + 1 : words.index("N") + 3] == [str(row.n), f"({row.share:.1%})"]
        for name, value in (("Q", row.q), ("U", row.u), ("S", row.s)):
            assert words[words.index(name) + 1] == ("-" if value is None else f"{value:.4f}")
        assert words[words.index("pv") + 1 :] == row.pv


@pytest.mark.parametrize("counts", [[1, 1, 1], [0, 0], [7], [1, 2, 3, 4, 5, 6, 7], [1] * 999, [10**9, 1, 1], []])
def test_shares_are_rounded_so_that_they_add_up(counts):
    shares = shares_of(counts)
    assert len(shares) == len(counts)
    if sum(counts):
        assert round(1000 * sum(shares), 6) == 1000
        assert all(abs(share - count / sum(counts)) < 0.001 for share, count in zip(shares, counts, strict=True))


@pytest.mark.slow
def test_reports_while_threads_recycle_the_tree():
    searcher = new_searcher(KIWIPETE, Hash=1, Threads=2, PUCT_C=300)
    searcher.go(Limits(infinite=True))
    begin, position, made = time.perf_counter(), Position(KIWIPETE), 0
    while time.perf_counter() < begin + (4 if made > 20 else 120):  # a busy machine needs longer
        try:
            report = searcher.report()
            for row in report.children(k=5)["rows"]:
                position.play_all(row["pv"])
            check_layout(report.icicle()["rectangles"])
            rows = report.rows()
            if rows:
                report.children("/".join(rows[0].pv[:6]))
            made += 1
        except NotInMemoryError:
            continue
    searcher.stop()
    searcher.wait()
    assert made > 20
    assert searcher.tree.control[int(RECYCLED)] > 0


def test_a_proven_loss_ends_the_search():
    searcher = searched(LOST, 100)
    assert searcher.report().summary()["state"] == "proven"
    assert searcher.report().rows()[0].proven == {"result": "loss", "plies": 2}


# Every number of a row against the words of the tree


@pytest.mark.parametrize("options", [{}, {"Evaluator": "Playout"}])
@pytest.mark.parametrize("fen", [KIWIPETE, MATE_IN_1, LOST, BLACK])
def test_results_and_proofs_are_those_of_the_tree_at_every_node(fen, options):
    """The shares of results and the proofs, read from the arrays without the engine's own readers."""
    searcher = searched(fen, 3000, **options)
    report, tree = searcher.report(), searcher.tree
    line, checked = report.rows()[0].pv, 0
    for end in range(min(4, len(line))):
        path = "/".join(line[:end])
        place, slot = report.snapshot.find(path)
        header = int(tree.link[slot])
        slots = range(header + 1, header + 1 + int(tree.visits[header]))
        rows = {place.position.code(row.uci): row for row in report.rows(path)}
        assert {int(tree.move[one]) for one in slots} == set(rows)
        for one in slots:
            row, visits = rows[int(tree.move[one])], int(tree.visits[one])
            result, plies = int(tree.proven[one]) >> 14, int(tree.proven[one]) & 0x3FFF
            assert row.n == visits
            assert row.proven == ({"result": ("", "loss", "draw", "win")[result], "plies": plies} if result else None)
            if result:
                assert row.q == (0, 0, 0.5, 1)[result]
                assert row.wdl == ([], [0, 0, 1000], [0, 1000, 0], [1000, 0, 0])[result]
            elif visits:
                score, draws = int(tree.wins[one]) / 2**20 / visits, int(tree.draws[one]) / 2**20 / visits
                assert row.q == pytest.approx(score, abs=1e-6)
                assert row.wdl[0] == pytest.approx(1000 * (score - draws / 2), abs=1)
                assert row.wdl[1] == pytest.approx(1000 * draws, abs=0.5)
            else:
                assert (row.q, row.wdl) == (None, None)
            checked += 1
    assert checked > 0


def test_the_rest_is_what_is_not_shown():
    searcher = searched(MIDDLEGAME, 3000)
    report = searcher.report()
    for path in ("", report.rows()[0].uci):
        whole, part = report.children(path, k=999), report.children(path, k=5)
        hidden = whole["rows"][5:]
        assert part["rows"][0]["uci"] == whole["rows"][0]["uci"]
        assert part["rest"]["moves"] == len(hidden)
        assert part["rest"]["n"] == sum(row["n"] for row in hidden)
        assert part["rest"]["share"] == pytest.approx(sum(row["share"] for row in hidden), abs=1e-6)
        assert whole["n"] == sum(row["n"] for row in whole["rows"]) + 1
    assert len(report.children(report.rows()[0].uci)["rows"]) == 12


def test_the_first_look_at_inner_nodes_is_for_the_player_who_moves():
    """A queen that can be taken is seen at once, by the player that takes it."""
    fen = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 3"
    report = searched(fen, 2000, Transpositions="false").report()
    path = "f8c5"
    looks = {row.uci: row.v for row in report.rows(path, shape=Shape(first_look=True))}
    assert looks["f3h4"] == max(looks.values()) > 0.9
    for row in report.rows(path, shape=Shape(first_look=True)):
        if row.n == 1:
            assert row.v == pytest.approx(row.q, abs=1e-5)


def test_the_summary_counts_what_this_search_did():
    searcher = searched(MIDDLEGAME, 2000)
    searcher.go(Limits(nodes=1000))
    searcher.wait()
    data = searcher.report().summary()
    assert (data["visits"], data["nodes"]) == (3000, 1000)
    assert data["speed"] == int(1000 / searcher.run.progress(searcher.tree).seconds)
    assert data["memory"] == pytest.approx(int(searcher.tree.control[2]) / searcher.tree.visits.size, abs=0.001)
    searcher.set_position(Position(BLACK), None)
    empty = searcher.report().summary()
    assert (empty["visits"], empty["nodes"], empty["seconds"], empty["speed"], empty["depth"]) == (0, 0, 0.0, 0, 0)


def test_the_history_ends_with_the_numbers_of_the_table():
    searcher = searched(MIDDLEGAME, 5000)
    report = searcher.report()
    history, rows = report.history(6), {row.uci: row for row in report.rows()}
    assert history["visits"] == sorted(history["visits"])
    assert history["seconds"] == sorted(history["seconds"])
    assert history["n"][-1] == sorted((row.n for row in rows.values()), reverse=True)[:6]
    for move, visits, score in zip(history["moves"], history["n"][-1], history["q"][-1], strict=True):
        assert (visits, score) == (rows[move].n, pytest.approx(rows[move].q, abs=1e-6))


def test_a_proof_of_one_ply_is_written_in_the_singular():
    lines = [move_line(row) for row in searched(MATE_IN_1, 50).report().rows()]
    assert "proven win in 1 ply pv b1b8" in lines[0]


def test_the_best_move_is_the_one_that_was_played():
    """Also where chance chose another one than the first of the table."""
    for seed in range(1, 40):
        report = searched(MIDDLEGAME, 200, Seed=seed, Temperature=10_000).report()
        (flagged,) = [row.uci for row in report.rows() if "best" in row.flags]
        assert flagged == report.summary()["best"]
        below = report.rows(report.rows()[0].uci)
        assert [row.uci for row in below if "best" in row.flags] == [below[0].uci]
        if flagged != report.rows()[0].uci:
            return
    pytest.fail("chance always chose the best move")


def test_lines_are_followed_for_as_many_rows_as_asked():
    report = searched(MIDDLEGAME, 5000).report()
    lengths = [len(row.pv) for row in report.rows(shape=Shape(lines=3, longest=5))]
    assert max(lengths) == 5
    assert all(length > 1 for length in lengths[:3])
    assert set(lengths[3:]) == {1}


def test_mates_in_first_looks_are_mates_and_stalemates_draws():
    report = searched("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 50).report()
    looks = {row.uci: row.v for row in report.rows(shape=Shape(first_look=True))}
    assert looks["g5g7"] == 1.0
    assert looks["g5g6"] == 0.5


def test_a_path_may_have_128_moves_and_no_more():
    report = searched(MIDDLEGAME, 500).report()
    there_and_back = ["g1h1", "g8h8", "h1g1", "h8g8"] * 33
    with pytest.raises(NotInMemoryError):
        report.children("/".join(there_and_back[:128]))
    with pytest.raises(ValueError, match="more than 128"):
        report.children("/".join(there_and_back[:129]))


def test_places_are_forgotten_when_there_are_too_many(monkeypatch):
    from engine.report import lines as places

    monkeypatch.setattr(places, "LARGEST_MEMORY", 50)
    report = searched(MIDDLEGAME, 3000).report()
    for row in report.rows():
        report.children(row.uci) if row.n > 10 else None
    kept, open_places = 0, [report.snapshot.positions.root]
    while open_places:
        place = open_places.pop()
        kept += 1
        open_places += place.after.values()
    assert kept <= 51 + 46
