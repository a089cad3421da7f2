"""The prior that is shown is the network's own; the search's P, and every formula, follow from the numbers printed."""

import math
import re

import chess
import numpy as np
import pytest

from engine.explain.explain import explain
from engine.explain.text import lines_of, percent
from engine.network.architecture import PRIOR_UNIT
from engine.report.columns import EXPLAINED, lesson
from engine.report.formulas import FORMULAS, context_of
from engine.report.move_stats import moves_below
from engine.report.node import Shape
from engine.report.static_eval import evaluate_by_network, network_priors
from engine.search.clock import Limits
from engine.uci.other_commands import network_lines
from engine.uci.search_commands import move_line
from movegen import Position
from tests.engine.network import nets, reference
from tests.engine.report.searches import BLACK, KIWIPETE, LOST, MIDDLEGAME, new_searcher, searched

pytestmark = pytest.mark.jit  # searches of thousands of visits

TEMPERATURES = [{}, {"Root_Temperature": 1000, "Policy_Temperature": 1000}, {"Root_Temperature": 3000}]
IN_FULL = Shape(first_look=True)
ROUNDED = 0.005  # the network rounds its hidden layer to 7 bits, the reference does not


def softmax_of(network, fen, temperature=1.0):
    """The priors of a position, in floats, with python-chess and without Teresa's kernels."""
    board = chess.Board(fen)
    moves = list(board.legal_moves)
    rows = np.array([reference.rows(board, _king_takes_rook(board, move)) for move in moves])
    logits = nets.move_logits(nets.as_floats(network)[1], reference.inputs(board), rows)
    return dict(zip((move.uci() for move in moves), nets.softmax(logits / temperature), strict=True))


def _king_takes_rook(board, move):
    if not board.is_castling(move):
        return move
    rook = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(move.from_square))
    return chess.Move(move.from_square, rook)


@pytest.mark.parametrize("options", TEMPERATURES)
@pytest.mark.parametrize("fen", [None, KIWIPETE, BLACK, LOST])
def test_the_prior_is_the_softmax_of_the_network_at_the_root_and_below(fen, options):
    searcher = searched(fen, 2000, **options)
    report, network = searcher.report(), searcher.resources.network
    line = report.rows()[0].pv
    for end in range(min(3, len(line))):
        node = report.children("/".join(line[:end]), k=999)
        expected = softmax_of(network, node["fen"])
        assert {row["uci"] for row in node["rows"]} == set(expected)
        for row in node["rows"]:
            assert row["p"] == pytest.approx(expected[row["uci"]], abs=ROUNDED)


@pytest.mark.parametrize("options", TEMPERATURES)
def test_the_searchs_prior_is_that_of_the_tree_and_of_its_temperature(options):
    searcher = searched(MIDDLEGAME, 2000, **options)
    report, network = searcher.report(), searcher.resources.network
    for name, path in (("Root_Temperature", ""), ("Policy_Temperature", report.rows()[0].uci)):
        node = report.children(path, k=999)
        option = name.replace("_", " ")
        expected = softmax_of(network, node["fen"], searcher.options.value(option) / 1000)
        slot = report.snapshot.find(path)[1]
        position = Position(node["fen"])
        kept = {position.uci(move.code): move.prior for move in moves_below(searcher.tree, slot)}
        for row in node["rows"]:
            assert row["p_search"] == pytest.approx(kept[row["uci"]], abs=1e-6)
            assert row["p_search"] == pytest.approx(expected[row["uci"]], abs=ROUNDED)


def test_every_place_shows_the_same_prior_as_eval():
    searcher = searched(KIWIPETE, 3000)
    report = searcher.report()
    lines = network_lines(evaluate_by_network(Position(KIWIPETE), report.snapshot.network), "white")
    printed = dict(line.split(" prior ") for line in lines if "prior" in line)
    ranked = sorted(report.rows(), key=lambda row: -row.p)
    for row in report.rows():
        assert f"{row.p:.1%}" == printed[row.uci]
        assert f" P {printed[row.uci]} " in move_line(row)
        reason = explain(report, row.uci)
        assert f"prior {percent(row.p)} (#{reason.rank})" in "\n".join(lines_of(reason))
        assert ranked[reason.rank - 1].p == row.p


def test_the_prior_stays_where_the_root_moves_on_or_loses_moves():
    searcher = searched(MIDDLEGAME, 3000)
    code = searcher.position.code(searcher.report().rows()[0].uci)
    after = searcher.position.play(code)
    below = {row.uci: row.p for row in searcher.report().rows(searcher.report().rows()[0].uci)}
    searcher.set_position(after, (code,))
    assert {row.uci: row.p for row in searcher.report().rows()} == below
    assert sum(row.p_search for row in searcher.report().rows()) == pytest.approx(1, abs=0.01)
    few = new_searcher(MIDDLEGAME)
    chosen = tuple(few.position.code(move) for move in ("h3", "Nd5"))
    few.go(Limits(nodes=300), search_moves=chosen)
    few.wait()
    expected = softmax_of(few.resources.network, MIDDLEGAME)
    assert {row.uci: row.p for row in few.report().rows()} == {
        uci: pytest.approx(expected[uci], abs=ROUNDED) for uci in ("h2h3", "c3d5")
    }


def test_another_network_has_other_priors():
    """What is remembered of a node belongs to the network that judged it."""
    quantise = pytest.importorskip("engine.training.fit.quantise").quantise
    searcher = searched(MIDDLEGAME, 500)
    before = [row.p for row in searcher.report().rows()]
    searcher.resources._network = quantise(*nets.random_floats())
    after = {row.uci: row.p for row in searcher.report().rows()}
    assert list(after.values()) != before
    position = Position(MIDDLEGAME)
    wanted = network_priors(position, searcher.resources.network)
    assert after == {position.uci(code): round(prior, 6) for code, prior in wanted.items()}


def test_playouts_have_equal_priors():
    rows = searched(MIDDLEGAME, 300, Evaluator="Playout").report().rows()
    assert {row.p for row in rows} == {row.p_search for row in rows} == {round((PRIOR_UNIT // 46) / PRIOR_UNIT, 6)}


def result_of(text):
    """What the left side of `1 + 2 = 3` makes, and what is printed on the right."""
    left, right = text.split(" = ")[:2]
    right = right.split(",")[0] if "%" not in right else right
    left = left.replace(",", "").replace("^", "**").replace("ln(", "log(")
    value = eval(left, {"log": math.log, "sqrt": math.sqrt})  # noqa: S307  (our own text)
    found = re.match(r"[\d.,]+", right).group()
    return value, float(found.replace(",", "")) / (100 if "%" in right else 1)


@pytest.mark.parametrize(
    "options",
    [*TEMPERATURES, {"Formula": "UCB1", "Evaluator": "Playout"}, {"Evaluator": "Playout"}, {"PUCT_Growth": 0}],
)
def test_the_numbers_printed_give_the_result_printed(options):
    searcher = searched(MIDDLEGAME, 5000, **options)
    report, checked = searcher.report(), set()
    for path in ("", report.rows()[0].uci):
        context = context_of(report.snapshot, path)
        for row in report.rows(path, shape=IN_FULL):
            for column in EXPLAINED:
                worked = lesson(column, row, context, "White")[-1].split(maxsplit=1)[1]
                if column.key == "wdl" or " = " not in worked:
                    continue
                value, printed = result_of(worked)
                tolerance = 1e-3 if column.key == "share" else 2e-4
                assert value == pytest.approx(printed, abs=tolerance), worked
                shown = {"share": row.share, "q": row.q, "p": row.p, "v": row.v, "u": row.u, "s": row.s}.get(column.key)
                assert shown is None or printed == pytest.approx(shown, abs=1e-3 if column.key == "share" else 6e-5)
                checked.add(column.key)
    assert {"share", "q", "u", "s"} <= checked
    if options.get("Evaluator") != "Playout":
        assert {"p_search", "v"} <= checked


def test_the_temperature_stands_in_the_formula():
    report = searched(MIDDLEGAME, 500).report()
    assert "T = 5.8 (Root Temperature)" in FORMULAS["u"].text(context_of(report.snapshot, ""))
    below = context_of(report.snapshot, report.rows()[0].uci)
    assert "T = 2.4 (Policy Temperature)" in FORMULAS["p_search"].text(below)
    assert "temperature 1" in FORMULAS["p"].text(below)
