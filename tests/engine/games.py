"""Games between two engines through python-chess, with a clock that is watched."""

import time

import chess
import chess.engine


def play(white, black, *, seconds, increment, board=None, plies=160):
    """Play a game; a loss on time or an illegal move is an error (python-chess checks the moves). -> the board."""
    board, clocks = board or chess.Board(), {chess.WHITE: seconds, chess.BLACK: seconds}
    while not board.is_game_over(claim_draw=True) and len(board.move_stack) < plies:
        player = white if board.turn else black
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
        )
        begin = time.perf_counter()
        result = player.play(board, limit, info=chess.engine.INFO_ALL)
        clocks[board.turn] -= time.perf_counter() - begin
        assert clocks[board.turn] > 0, f"lost on time: {board.fen()}"
        clocks[board.turn] += increment
        assert result.info["pv"][0] == result.move
        assert "score" in result.info
        board.push(result.move)
    return board
