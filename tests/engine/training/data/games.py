"""Labelled games by python-chess, written down independently of the package."""

import random
import struct

from tests.positions import game_starts, sparse_board


def pack_board(board, result, extra):
    """A header, as the format's description has it."""
    unmoved = board.clean_castling_rights()
    codes = []
    for square in sorted(board.piece_map()):
        piece = board.piece_at(square)
        kind = 6 if unmoved >> square & 1 else piece.piece_type - 1
        codes.append(kind | (0 if piece.color else 8))
    codes += [0] * (32 - len(codes))
    pieces = bytes(codes[i] | codes[i + 1] << 4 for i in range(0, 32, 2))
    en_passant = board.ep_square if board.has_legal_en_passant() else 64
    turn = 0 if board.turn else 128
    numbers = (en_passant | turn, min(board.halfmove_clock, 255), board.fullmove_number, 0, result, extra)
    return struct.pack("<Q16sBBHhBB", board.occupied, pieces, *numbers)


def pack_move(board, move):
    kind = 3 if move.promotion else 1 if board.is_en_passant(move) else 2 if board.is_castling(move) else 0
    promotion = move.promotion - 2 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12 | kind << 14


def random_record(rng, plies=60):
    """-> the bytes of a random game, and what is in it: [(board before the move, move, score for White)]."""
    board = game_starts(rng) if rng.random() < 0.7 else sparse_board(rng)
    board.chess960 = True
    start, pairs = board.copy(stack=False), []
    for _ in range(rng.randint(1, plies)):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        pairs.append((board.copy(stack=False), move, rng.randint(-3000, 3000)))
        board.push(move)
    result, extra = rng.randrange(3), rng.choice((0, 1, 2, 4, 8))
    body = b"".join(struct.pack("<Hh", pack_move(before, move), score) for before, move, score in pairs)
    return pack_board(start, result, extra) + body + bytes(4), pairs, result, extra


def random_records(count, seed):
    rng = random.Random(seed)
    records = []
    while len(records) < count:
        record = random_record(rng)
        if record[1]:
            records.append(record)
    return records


def known_game():
    """1. e4 d5 2. exd5 with scores, byte by byte."""
    pieces = "61245216" + "0" * 8 + "8" * 8 + "e9acda9e"  # nibbles, square by square
    nibbles = [int(letter, 16) for letter in pieces]
    header = struct.pack("<Q", 0xFFFF_0000_0000_FFFF)
    header += bytes(nibbles[i] | nibbles[i + 1] << 4 for i in range(0, 32, 2))
    header += bytes([64, 0, 1, 0, 0, 0, 2, 0])
    pairs = ((12 | 28 << 6, 30), (51 | 35 << 6, -20), (28 | 35 << 6, 55))
    return header + b"".join(struct.pack("<Hh", *pair) for pair in pairs) + bytes(4)
