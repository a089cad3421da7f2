"""Labelled games on disk, in viriformat: the game format of the engine Viridithas, which the trainer bullet reads too.

A file is a sequence of games. All numbers are little-endian; squares count from a1 = 0 to h8 = 63:

    offset  size
         0     8  occupied squares
         8    16  their pieces in the order of the squares, four bits each, the low ones first: 0 … 5 pawn … king,
                  6 a rook that may still castle; bit 3 is set for Black
        24     1  en-passant square, 64 for none; bit 7 is set if Black is to move
        25     1  half-moves since the last capture or pawn move
        26     2  number of the move
        28     2  zero
        30     1  result for White: 0 lost, 1 drawn, 2 won
        31     1  extra: bits 0 and 1 the start (0 standard, 1 Chess960, 2 endgame), bit 2 noisy, bit 3 value only
        32   4·n  the moves that were played, each with the label of the position before it:
                     2  origin | target << 6 | promotion (0 knight … 3 queen) << 12 | kind << 14
                        (0 normal, 1 en passant, 2 castling as king takes rook, 3 promotion)
                     2  score for White in centipawns, signed; mate in n moves is ±(32000 − n)
      32+4·n   4  zero

In value-only games the moves are not labels. `decode` reads games; `visits` describes a second file for them.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from movegen import Position
from movegen.board import setup_from_board
from movegen.fen import PIECE_LETTERS
from movegen.moves import BOTH_SQUARES_UPSIDE_DOWN, CASTLING, EN_PASSANT, PROMOTE_KNIGHT

# Sizes and offsets.
GAME_HEADER, PAIR = struct.Struct("<Q16sBBHHBB"), struct.Struct("<hh")
HEADER_SIZE, PAIR_SIZE = GAME_HEADER.size, PAIR.size
PIECES_AT, EN_PASSANT_AT, RESULT_AT, EXTRA_AT = 8, 24, 30, 31
END = bytes(PAIR_SIZE)

# Values.
CASTLING_ROOK, BLACK, NO_SQUARE, BLACK_TO_MOVE_BIT = 6, 8, 64, 128
LOST, DRAWN, WON = 0, 1, 2
STANDARD_START, CHESS960_START, ENDGAME_START, START_MASK = 0, 1, 2, 3  # starts, in `extra`
NOISY, VALUE_ONLY = 4, 8  # bits of `extra`
VIRI_NORMAL, VIRI_EN_PASSANT, VIRI_CASTLING, VIRI_PROMOTION = 0, 1, 2, 3  # kinds of moves
MATE_SCORE = 32000
LARGEST_SCORE = 29000  # except for mates

VIRI_KINDS = {int(EN_PASSANT): VIRI_EN_PASSANT, int(CASTLING): VIRI_CASTLING}
FIRST_PROMOTION = int(PROMOTE_KNIGHT)

Visits: TypeAlias = Sequence[tuple[int, int]]  # (move, visits) of one position


@dataclass
class LabelledGame:
    """A record: the first position, the moves, and the label of each position."""

    start: Position
    moves: list[int] = field(default_factory=list)  # as in `movegen.moves`, seen by their players
    scores: list[int] = field(default_factory=list)  # for the player to move
    visits: list[Visits] = field(default_factory=list)  # of a search, in the second file; empty if there was none
    result: int = DRAWN  # for White
    extra: int = 0


def pack_position(position: Position, result: int, extra: int) -> bytes:
    """The header of a game."""
    setup = setup_from_board(position.board, position.turn == "white")
    codes = []
    for square in sorted(setup.pieces):
        letter = setup.pieces[square]
        kind = CASTLING_ROOK if square in setup.castling_rooks else PIECE_LETTERS.index(letter.lower())
        codes.append(kind | (0 if letter.isupper() else BLACK))
    codes += [0] * (32 - len(codes))
    pieces = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    square = NO_SQUARE if setup.en_passant is None else setup.en_passant
    turn = 0 if setup.white_to_move else BLACK_TO_MOVE_BIT
    clock = min(position.halfmove_clock, 255)
    occupied = sum(1 << square for square in setup.pieces)
    return GAME_HEADER.pack(occupied, pieces, square | turn, clock, position.fullmove_number, 0, result, extra)


def pack_move(code: int, white: bool) -> int:
    """A move in the format's bits, as a signed number."""
    squares, kind = code & 0xFFF, code >> 12
    if not white:
        squares ^= BOTH_SQUARES_UPSIDE_DOWN
    if kind >= FIRST_PROMOTION:
        squares |= (kind - FIRST_PROMOTION) << 12
        kind = VIRI_PROMOTION
    else:
        kind = VIRI_KINDS.get(kind, VIRI_NORMAL)
    word = squares | kind << 14
    return word - 0x10000 if word >= 0x8000 else word


def pack_game(game: LabelledGame) -> bytes:
    """One record."""
    white = game.start.turn == "white"
    parts = [pack_position(game.start, game.result, game.extra)]
    for code, score in zip(game.moves, game.scores, strict=True):
        parts.append(PAIR.pack(pack_move(code, white), score if white else -score))
        white = not white
    return b"".join(parts) + END
