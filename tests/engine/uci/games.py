"""Games between two engines through python-chess, with a clock that is watched."""

import contextlib
import random
import time

import chess
import chess.engine

from tests.engine.uci.waiting import Watched

LARGEST_OWN_SHARE = 0.5  # of the time that a player was given: if it used no more, it lost the game by waiting


def opening(seed, chess960):
    """A few random moves from a start position."""
    rng = random.Random(seed)
    while True:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(6):
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return chess.Board(board.fen(), chess960=chess960)


def play(white, black, *, seconds, increment, board=None, plies=160, starved=None):
    """Play a game; an illegal move is an error (python-chess checks the moves). -> the board.

    A loss on time is an error too, unless the player waited for a processor most of the time that it was given: then
    the game ends there, and what was waited is added to the list `starved`.
    """
    board, clocks = board or chess.Board(), {chess.WHITE: seconds, chess.BLACK: seconds}
    used, waited = {chess.WHITE: 0.0, chess.BLACK: 0.0}, {chess.WHITE: 0.0, chess.BLACK: 0.0}
    with contextlib.ExitStack() as stack:
        watched = {
            colour: stack.enter_context(Watched(engine.transport.get_pid()))
            for colour, engine in ((chess.WHITE, white), (chess.BLACK, black))
        }
        while not board.is_game_over(claim_draw=True) and len(board.move_stack) < plies:
            player = white if board.turn else black
            limit = chess.engine.Limit(
                white_clock=clocks[True], black_clock=clocks[False], white_inc=increment, black_inc=increment
            )
            watched[board.turn].begin()
            begin = time.perf_counter()
            result = player.play(board, limit, info=chess.engine.INFO_ALL)
            end = time.perf_counter()
            clocks[board.turn] -= end - begin
            used[board.turn] += end - begin
            waited[board.turn] += min(end - begin, watched[board.turn].waited(begin, end))
            if clocks[board.turn] <= 0:
                given, own = used[board.turn] + clocks[board.turn], used[board.turn] - waited[board.turn]
                found = f"{given:.2f} s given, {waited[board.turn]:.2f} s waited, {own:.2f} s used: {board.fen()}"
                assert own <= LARGEST_OWN_SHARE * given, f"lost on time: {found}"
                (starved if starved is not None else []).append(found)
                break
            clocks[board.turn] += increment
            assert result.info["pv"][0] == result.move
            assert "score" in result.info
            board.push(result.move)
    return board
