"""Playing a position out against Teresa: the moves become a variation of the game."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.config.options import Options
from engine.explorer.asked import Data
from engine.explorer.open_game import OpenGame
from engine.explorer.opponent import Opponent, name_of
from engine.pgn.endings import ENDINGS
from engine.search.resources import Resources
from movegen import Position

SIDES = ("white", "black")
RESULT_OF_SCORE = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


class PlayOut:
    """One such game."""

    def __init__(self, game: OpenGame, node: int, opponent: Opponent, user: str, name: str) -> None:
        self.game, self.node, self.opponent, self.user, self.name = game, node, opponent, user, name

    @property
    def position(self) -> Position:
        """Where it is now, with the moves before."""
        return self.game.position_at(self.node)

    def add(self, move: str) -> Data:
        """Play a move for either side; -> its node."""
        node = self.game.add(self.node, move, self.name)
        self.node = node["id"]
        return node


class PlayOuts:
    """At most one at a time; the user and Teresa move in turn."""

    def __init__(self, options: Options, resources: Resources) -> None:
        self._options, self._resources = options, resources
        self._now: PlayOut | None = None
        self._thinking = threading.Lock()

    @property
    def is_on(self) -> bool:
        """Is a position being played out?"""
        return self._now is not None

    def begin(self, game: OpenGame, node: int, elo: int | None, user: str) -> Data:
        """Play on from a node. `user`: whose moves come from the page; if it is Teresa's turn, she moves."""
        if user not in SIDES:
            raise ValueError("user must be white or black")
        opponent = Opponent(self._options, elo, self._resources)
        with self._one_at_a_time():
            play_out = PlayOut(game, node, opponent, user, name_of(elo))
            if play_out.position.is_game_over(claim_draw=True):
                raise ValueError("the game is over there")
            self._now = play_out
            return self._answer(play_out, None)

    def move(self, game: OpenGame, move: str) -> Data:
        """The user's move, and Teresa's reply."""
        with self._one_at_a_time():
            play_out = self._now
            if play_out is None or play_out.game is not game:
                raise ValueError("no position is being played out")
            if play_out.position.is_game_over(claim_draw=True):
                raise ValueError("the game is over")
            if play_out.position.turn != play_out.user:
                raise ValueError("it is not your move")
            return self._answer(play_out, play_out.add(move))

    def end(self) -> Data:
        """Stop playing; the moves stay."""
        play_out, self._now = self._now, None
        if play_out is not None:
            play_out.opponent.stop()
        return {"playing": False}

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        if not self._thinking.acquire(blocking=False):
            raise ValueError("Teresa is thinking")
        try:
            yield
        finally:
            self._thinking.release()

    def _answer(self, play_out: PlayOut, node: Data | None) -> Data:
        """Teresa's reply, if it is her turn and the game is not over."""
        position, reply = play_out.position, None
        if position.turn != play_out.user and not position.is_game_over(claim_draw=True):
            code = play_out.opponent.choose(position)
            if code is not None and self._now is play_out:  # it was not ended meanwhile
                added = play_out.add(position.uci(code))
                reply = {"node": added, "uci": added["uci"], "san": added["san"]}
                position = position.play(code)
        return {"node": node, "reply": reply, **_ending(position)}


def _ending(position: Position) -> Data:
    """How the game has ended, in words, and its result; nothing while it goes on."""
    outcome, score = position.outcome(claim_draw=True), position.score(claim_draw=True)
    return {"over": ENDINGS.get(outcome), "result": None if score is None else RESULT_OF_SCORE[score]}
