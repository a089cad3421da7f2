"""A UCI engine as a player, in its own process."""

import asyncio
import logging
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import IO

import chess
import chess.engine

from engine.match.player import Choice, Clock, Forfeit, PlayerSpec, TimeControl, bounded_centipawns, mate_centipawns
from engine.pgn.positions import as_chess_board
from engine.system.files import printable
from movegen import Position
from perft.engine_process import leads_group

SECONDS_TO_START = 60.0  # and for every other answer that is not a move
SECONDS_TO_ANSWER = 10.0  # beyond the time that an engine has for its move
SLOWEST_VISITS = 1000.0  # a second; an engine with a fixed number of visits may take that long
SECONDS_TO_QUIT = 1.0
MOST_ERRORS = 300  # bytes of what a crashed engine has written to standard error
CHILD_OF_CLOSED_LOOP = "that handles pid"  # asyncio's warning; python-chess does not wait for the end of what it kills
NOT_READY = (chess.engine.EngineError, TimeoutError, RuntimeError)  # the last one: the engine's event loop is closed

logging.getLogger("asyncio").addFilter(lambda record: CHILD_OF_CLOSED_LOOP not in str(record.msg))


class _Watchdog:
    """Ends an engine that does not answer."""

    def __init__(self, engine: chess.engine.SimpleEngine) -> None:
        self._engine, self.has_come = engine, False

    def come(self) -> None:
        """Kill the engine: the time is over."""
        self.has_come = True
        self._engine.transport.kill()


class UciPlayer:
    """Any UCI engine. After a crash it is started again for the next game."""

    def __init__(self, spec: PlayerSpec, control: TimeControl) -> None:
        self._spec, self._control = spec, control
        self._engine: chess.engine.SimpleEngine | None = None
        self._errors: IO[bytes] | None = None  # what the engine writes to standard error
        self._board, self._game = chess.Board(), object()

    def start_game(self, position: Position, seed: int) -> None:  # noqa: ARG002  (UCI has no seed)
        """Start the engine, if it does not run, and make it ready; a `ValueError` if that cannot be done."""
        self._board, self._game = as_chess_board(position), object()
        try:
            self._get_ready()
        except NOT_READY:  # it ended between two games
            self.close()
            try:
                self._get_ready()
            except NOT_READY as error:
                self.close()
                raise ValueError(f"{self._spec.name} does not get ready: {error or 'no answer'}") from None

    def _get_ready(self) -> None:
        """Announce the new game to the engine, and wait. python-chess would do so at the first move, on the clock."""
        engine = self.running()
        engine.protocol.loop.call_soon_threadsafe(_begin_game, engine.protocol, self._game)
        engine.ping()

    def running(self) -> chess.engine.SimpleEngine:
        """The engine, with its options; it is started if it does not run."""
        if self._engine is None:
            self._engine = self._started()
            try:
                self._engine.configure(dict(self._spec.options))
            except (chess.engine.EngineError, TimeoutError) as error:
                self.close()
                raise ValueError(f"{self._spec.name}: {error}") from None
        return self._engine

    def _started(self) -> chess.engine.SimpleEngine:
        command = list(self._spec.command or [])
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (until `close`)
        try:
            # Not in the process group of a terminal: Ctrl-C lets games that are under way end.
            return chess.engine.SimpleEngine.popen_uci(
                command, timeout=SECONDS_TO_START, setpgrp=not leads_group(), stderr=self._errors
            )
        except (OSError, chess.engine.EngineError, TimeoutError) as error:
            reason = getattr(error, "strerror", None) or self._last_errors() or str(error) or "no answer"
            self.close()
            raise ValueError(f"{self._spec.name}: {command[0]} cannot be started as a UCI engine: {reason}") from None

    def choose(self, position: Position, new_moves: Sequence[int], clocks: Mapping[str, Clock]) -> Choice:  # noqa: ARG002
        """Let the engine think on its clock. python-chess checks that the move is legal."""
        engine, limit, patience = self.running(), self._limit(clocks), self._patience(clocks[position.turn].left)
        with self._given_up_after(engine, patience) as watchdog:
            try:
                thinking = _timed_play(engine.protocol, self._board, limit, self._game)
                future = asyncio.run_coroutine_threadsafe(thinking, engine.protocol.loop)
                result, seconds = future.result(patience + SECONDS_TO_ANSWER)  # the loop may just be ending
            except (chess.engine.EngineTerminatedError, TimeoutError, CancelledError):
                errors = self._last_errors()
                self.close()
                raise Forfeit("no answer" if watchdog.has_come else "crash", errors) from None
            except chess.engine.EngineError:
                self.close()
                raise Forfeit("illegal move") from None
            except RuntimeError:  # the loop has ended
                self.close()
                raise Forfeit("crash") from None
        if result.move is None:
            raise Forfeit("no move")
        score = result.info.get("score")
        return Choice(self._board.uci(result.move), None if score is None else _centipawns(score.relative), seconds)

    def _last_errors(self) -> str:
        """The end of what the engine has written to standard error."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - MOST_ERRORS))
        return printable(" ".join(self._errors.read().decode(errors="replace").split()))

    @contextmanager
    def _given_up_after(self, engine: chess.engine.SimpleEngine, seconds: float) -> Iterator[_Watchdog]:
        """Kill the engine if it does not answer in time."""
        watchdog = _Watchdog(engine)
        timer = threading.Timer(seconds, watchdog.come)
        timer.daemon = True
        timer.start()
        try:
            yield watchdog
        finally:
            timer.cancel()

    def watch(self, move: str) -> None:
        """A move was played, by either player."""
        self._board.push_uci(move)

    def _limit(self, clocks: Mapping[str, Clock]) -> chess.engine.Limit:
        control = self._control
        if control.visits is not None:
            return chess.engine.Limit(nodes=control.visits)
        if control.clock is None:
            return chess.engine.Limit(time=control.move_time)
        return chess.engine.Limit(
            white_clock=clocks["white"].left,
            black_clock=clocks["black"].left,
            white_inc=clocks["white"].increment,
            black_inc=clocks["black"].increment,
        )

    def _patience(self, left: float) -> float:
        """Seconds after which an engine that does not answer is given up."""
        control = self._control
        if control.visits is not None:
            return SECONDS_TO_START + control.visits / SLOWEST_VISITS
        return (left if control.move_time is None else control.move_time) + SECONDS_TO_ANSWER

    def close(self) -> None:
        """End the process."""
        if self._engine is not None:
            engine, self._engine = self._engine, None
            with suppress(Exception):
                engine.timeout = SECONDS_TO_QUIT
                engine.quit()
            with suppress(Exception):
                engine.transport.kill()
            with suppress(Exception):
                engine.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None


async def _timed_play(
    protocol: chess.engine.Protocol, board: chess.Board, limit: chess.engine.Limit, game: object
) -> tuple[chess.engine.PlayResult, float]:
    """A move, and its seconds, as the thread measures them that talks to the engine.

    On a busy machine the thread that waits for the move may continue later: that is not on the clock.
    """
    begin = time.perf_counter()
    result = await protocol.play(board, limit, info=chess.engine.INFO_SCORE, game=game)
    return result, time.perf_counter() - begin


def _begin_game(protocol: chess.engine.Protocol, game: object) -> None:
    """Send `ucinewgame`, so that python-chess does not send it again for this game."""
    protocol.send_line("ucinewgame")
    if isinstance(protocol, chess.engine.UciProtocol):
        protocol.first_game, protocol.game = False, game


def _centipawns(score: chess.engine.Score) -> int:
    mate = score.mate()
    return bounded_centipawns(score.score(mate_score=0)) if mate is None else mate_centipawns(mate)
