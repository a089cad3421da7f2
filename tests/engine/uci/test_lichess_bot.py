"""Games as lichess-bot plays them, with the configuration of docs/chess-programs.md: a process for each game.

`Wrapper` makes the calls of python-chess that the engine wrapper of lichess-bot makes, in their order; the network, the
books and the chat are left out.
"""

import random
import subprocess

import chess
import chess.engine
import pytest

from tests.documents import PROJECT, blocks_of
from tests.engine.uci.process import TERESA

pytestmark = pytest.mark.slow
DOCUMENT = PROJECT / "docs" / "chess-programs.md"
DRAWN = "8/2k5/8/1p1p1p1p/1P1P1P1P/8/2K5/8 w - - 0 60"  # no king can pass the pawns: no move loses
LOST = "6k1/5ppp/8/8/8/r7/q7/7K w - - 0 40"
SECONDS = 3.0  # on the clock


def read_settings(text):
    """The nested settings of a plain YAML text: names, numbers, words, true and false."""
    root = {}
    open_sections = [(-1, root)]
    for line in text.splitlines():
        indent, (name, _, value) = len(line) - len(line.lstrip()), line.strip().partition(":")
        while open_sections[-1][0] >= indent:
            open_sections.pop()
        section = open_sections[-1][1]
        section[name] = _value(value.strip()) if value.strip() else {}
        if not value.strip():
            open_sections.append((indent, section[name]))
    return root


def _value(text):
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text.strip('"')


@pytest.fixture(scope="module")
def settings():
    """The section `engine` of the configuration in the document."""
    (block,) = [block for block in blocks_of(DOCUMENT) if block.language == "yaml"]
    return read_settings(block.text)["engine"]


class Wrapper:
    """What lichess-bot does with an engine in one game."""

    def __init__(self, settings, environment):
        self.ponders, self.rules, self.scores, self.infos = settings["ponder"], settings["draw_or_resign"], [], []
        self.engine = chess.engine.SimpleEngine.popen_uci(
            TERESA, timeout=60, debug=False, setpgrp=True, stderr=subprocess.DEVNULL, env=environment
        )
        options = settings["uci_options"]
        self.engine.configure({name: value for name, value in options.items() if not _is_managed(name)})
        opponent = chess.engine.Opponent(name="Somebody", title=None, rating=1500, is_engine=False)
        self.engine.send_opponent_information(opponent=opponent, engine_rating=2000)
        self.engine.ping()

    def move(self, board, clocks):
        """-> result of a search, with a draw offered or resigned as the settings say."""
        is_first = len(board.move_stack) < 2
        limit = (
            chess.engine.Limit(time=0.3, clock_id="first move")
            if is_first
            else chess.engine.Limit(white_clock=clocks[0], black_clock=clocks[1], white_inc=0.05, black_inc=0.05)
        )
        result = self.engine.play(
            board,
            limit,
            info=chess.engine.INFO_ALL,
            ponder=self.ponders and not is_first,
            draw_offered=False,
            root_moves=None,
        )
        self.infos.append(result.info)
        self.scores.append(result.info["score"].relative.score(mate_score=40000))
        result.draw_offered, result.resigned = self._offers_draw(board), self._resigns()
        return result

    def _offers_draw(self, board):
        rules, last = self.rules, self.scores[-self.rules["offer_draw_moves"] :]
        has_few_pieces = chess.popcount(board.occupied) <= rules["offer_draw_pieces"]
        is_even = len(last) == rules["offer_draw_moves"] and max(map(abs, last)) <= rules["offer_draw_score"]
        return rules["offer_draw_enabled"] and has_few_pieces and is_even

    def _resigns(self):
        last = self.scores[-self.rules["resign_moves"] :]
        is_lost = len(last) == self.rules["resign_moves"] and max(last) <= self.rules["resign_score"]
        return self.rules["resign_enabled"] and is_lost

    def end(self, board, *outcome):
        self.engine.send_game_result(board, *outcome)
        self.engine.ping()
        self.engine.quit()
        self.engine.close()


def _is_managed(name):
    return chess.engine.Option(name, "", None, None, None, None).is_managed()


@pytest.fixture
def wrapper(settings, environment):
    wrapper = Wrapper(settings, environment)
    yield wrapper
    wrapper.engine.close()


def test_the_document_has_what_the_games_use(settings):
    assert settings["protocol"] == "uci"
    assert settings["ponder"] is True
    assert settings["uci_options"]
    rules = settings["draw_or_resign"]
    assert rules["resign_enabled"] is rules["offer_draw_enabled"] is True
    assert rules["offer_draw_score"] > 0  # a search by visits almost never says exactly 0


def test_a_whole_game_with_pondering(wrapper):
    """Against moves at random, and sometimes the expected reply, so that pondering hits and misses."""
    assert wrapper.engine.id["name"].startswith("Teresa")
    rng, board, hits, expected = random.Random(1), chess.Board(), 0, None
    while not board.is_game_over() and board.ply() < 200:
        if board.turn == chess.BLACK:
            hits += expected is not None
            board.push(expected or rng.choice(list(board.legal_moves)))
            continue
        result = wrapper.move(board, (SECONDS, SECONDS))
        assert not result.resigned
        info = wrapper.infos[-1]
        assert board.variation_san(info["pv"]).split()  # it is shown in the chat, with these
        assert {"score", "depth", "nodes", "nps", "time"} <= set(info)
        board.push(result.move)
        expected = result.ponder if hits < 4 else None
    assert (board.result(), hits) == ("1-0", 4)
    wrapper.end(board)


def test_an_even_endgame_is_offered_as_a_draw(wrapper):
    """As soon as so few visits as these clocks allow call it even for the moves in a row that the settings ask for."""
    board, is_offered = chess.Board(DRAWN), False
    while not is_offered and len(wrapper.scores) < 60:
        result = wrapper.move(board, (1.0, 1.0))
        is_offered = result.draw_offered
        board.push(result.move)
        board.push(result.ponder or next(iter(board.legal_moves)))
    assert is_offered, wrapper.scores
    assert len(wrapper.scores) >= wrapper.rules["offer_draw_moves"]
    wrapper.end(board, None, "Draw by agreement")


def test_a_lost_game_is_resigned(wrapper):
    board = chess.Board(LOST)
    moves = wrapper.rules["resign_moves"]
    for number in range(1, moves + 1):
        result = wrapper.move(board, (1.0, 1.0))
        assert result.resigned == (number == moves), wrapper.scores
        board.push(result.move)
        board.push(next(move for move in board.legal_moves if not _ends(board, move)))
    wrapper.end(board, chess.BLACK, "White resigned")


def _ends(board, move):
    after = board.copy()
    after.push(move)
    return after.is_game_over(claim_draw=True)
