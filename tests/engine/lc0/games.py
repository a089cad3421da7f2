"""Positions with their history, as leaves, and as python-chess knows them."""

import random
from collections import Counter

import chess
import numpy as np

from engine.network.leaves import MOST_BOARDS, LeafBatch, new_batch
from movegen import Position
from tests.positions import sparse_board


def played(board: chess.Board, plies: int, rng: random.Random) -> chess.Board:
    """Random moves from a position, often back and forth, as long as the game is not over."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        back = [chess.Move(m.to_square, m.from_square) for m in board.move_stack[-2:-1]]
        move = back[0] if back and back[0] in moves and rng.random() < 0.5 else rng.choice(moves)
        board.push(move)
        if not any(board.legal_moves):
            board.pop()
            break
    return board


def games(count: int, seed: int, *, chess960: bool = False) -> list[chess.Board]:
    """Boards with their moves: from the start, from given positions with and without a move before, sparse ones."""
    rng = random.Random(seed)
    boards: list[chess.Board] = []
    while len(boards) < count:
        kind = len(boards) % 4
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        if kind == 1:
            board = sparse_board(rng)
        elif kind == 2:
            board = chess.Board(played(board, rng.randrange(8, 80), rng).fen(en_passant="legal"), chess960=chess960)
        plies = rng.choice((0, 1, 2, 5, 9, 20, 60))
        if any(board.legal_moves):
            boards.append(played(board, plies, rng))
    return boards


def batch_of(boards: list[chess.Board]) -> LeafBatch:
    """The present positions of boards, with the history that their moves give, as leaves."""
    leaves = new_batch(len(boards))
    leaves.filled[0] = len(boards)
    for row, board in enumerate(boards):
        fill_leaf(leaves, row, board)
    return leaves


def fill_leaf(leaves: LeafBatch, row: int, board: chess.Board) -> None:
    positions = [Position(board.root().fen(en_passant="fen"), chess960=board.chess960)]
    for move in board.move_stack:
        positions.append(positions[-1].play(move.uci()))
    seen: Counter[int] = Counter()
    before = []
    for position in positions:
        before.append(seen[position.key])
        seen[position.key] += 1
    present = positions[-1]
    newest = list(zip(positions, before, strict=True))[::-1][:MOST_BOARDS]
    for age, (position, times) in enumerate(newest):
        leaves.history[row, age] = np.array(position.board, np.uint64)
        leaves.repetitions[row, age] = times
    leaves.history_count[row] = len(newest)
    leaves.side[row] = present.turn == "black"
    leaves.clock[row] = present.halfmove_clock
    codes = present.move_codes
    leaves.moves[row, : len(codes)] = codes
    leaves.move_count[row] = len(codes)
