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

In value-only games the moves are no labels. This is the slow way for one game at a time; `decode` is the quick one.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.training.data.visits import Visits
from movegen import Position
from movegen.convert import setup_from_board
from movegen.fen import Setup, write_fen

HEADER, PAIR = struct.Struct("<Q16sBBHHBB"), struct.Struct("<hh")
END = b"\0\0\0\0"
LETTERS = "pnbrqk"
CASTLING_ROOK, BLACK, NO_SQUARE, BLACK_TO_MOVE = 6, 8, 64, 128
STANDARD, CHESS960, ENDGAME = 0, 1, 2
NOISY, VALUE_ONLY = 4, 8
MATE = 32000
LARGEST_SCORE = 29000  # of those that are no mates

# Kinds of moves: Teresa's (see `movegen.moves`) and the format's.
DOUBLE_PUSH, EN_PASSANT, CASTLING, PROMOTION = 1, 2, 3, 4
VIRI_NORMAL, VIRI_EN_PASSANT, VIRI_CASTLING, VIRI_PROMOTION = 0, 1, 2, 3


@dataclass
class Game:
    """A record: where it starts, what was played, and the label of each position."""

    start: Position
    moves: list[int] = field(default_factory=list)  # as in `movegen.moves`, seen by their players
    scores: list[int] = field(default_factory=list)  # for the player to move
    visits: list[Visits] = field(default_factory=list)  # of a search; empty if there was none, not part of the format
    result: int = 1  # for White
    extra: int = 0


def pack_position(position: Position, result: int, extra: int) -> bytes:
    """The header of a game."""
    setup = setup_from_board(position.board, position.turn == "white")
    codes = []
    for square in sorted(setup.pieces):
        letter = setup.pieces[square]
        kind = CASTLING_ROOK if square in setup.castling_rooks else LETTERS.index(letter.lower())
        codes.append(kind | (0 if letter.isupper() else BLACK))
    codes += [0] * (32 - len(codes))
    pieces = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    square = NO_SQUARE if setup.en_passant is None else setup.en_passant
    turn = 0 if setup.white_to_move else BLACK_TO_MOVE
    clock = min(position.halfmove_clock, 255)
    occupied = sum(1 << square for square in setup.pieces)
    return HEADER.pack(occupied, pieces, square | turn, clock, position.fullmove_number, 0, result, extra)


def pack_move(code: int, white: bool) -> int:
    """A move in the format's bits, as a signed number."""
    squares, kind = code & 0xFFF, code >> 12
    if not white:
        squares ^= 56 << 6 | 56
    if kind >= PROMOTION:
        squares |= (kind - PROMOTION) << 12
        kind = VIRI_PROMOTION
    else:
        kind = {EN_PASSANT: VIRI_EN_PASSANT, CASTLING: VIRI_CASTLING}.get(kind, VIRI_NORMAL)
    word = squares | kind << 14
    return word - 0x10000 if word >= 0x8000 else word


def pack_game(game: Game) -> bytes:
    """One record."""
    white = game.start.turn == "white"
    parts = [pack_position(game.start, game.result, game.extra)]
    for code, score in zip(game.moves, game.scores, strict=True):
        parts.append(PAIR.pack(pack_move(code, white), score if white else -score))
        white = not white
    return b"".join(parts) + END


def unpack_position(header: bytes) -> tuple[Position, int, int]:
    """-> the position of a header, result, extra."""
    occupied, pieces, byte, clock, number, _, result, extra = HEADER.unpack(header)
    setup = Setup(white_to_move=byte < BLACK_TO_MOVE, halfmove_clock=clock, fullmove_number=max(1, number))
    squares = [square for square in range(64) if occupied >> square & 1]
    for place, square in enumerate(squares):
        code = pieces[place // 2] >> 4 * (place % 2) & 15
        letter = "r" if code & 7 == CASTLING_ROOK else LETTERS[code & 7]
        setup.pieces[square] = letter if code & BLACK else letter.upper()
        if code & 7 == CASTLING_ROOK:
            setup.castling_rooks.add(square)
    square = byte & 127
    setup.en_passant = None if square == NO_SQUARE else square
    return Position(write_fen(setup, shredder=True), chess960=True), result, extra


def unpack_games(data: bytes) -> Iterator[Game]:
    """The games of a file; a `ValueError` names a move that is not legal. A record that breaks off is left out."""
    place = 0
    while (end := end_of_game(data, place)) is not None:
        start, result, extra = unpack_position(data[place : place + HEADER.size])
        game, position = Game(start, result=result, extra=extra), start
        for at in range(place + HEADER.size, end - len(END), PAIR.size):
            move, score = PAIR.unpack_from(data, at)
            white = position.turn == "white"
            codes = [code for code in position.move_codes if pack_move(code, white) == move]
            if not codes:
                raise ValueError(f"byte {at}: no legal move in {position.fen()}")
            game.moves.append(codes[0])
            game.scores.append(score if white else -score)
            position = position.play(codes[0])
        yield game
        place = end


def end_of_game(data: bytes, place: int) -> int | None:
    """Where the game that starts at a place ends; None if it is not there as a whole."""
    end = place + HEADER.size
    while end + len(END) <= len(data):
        if data[end : end + 2] == END[:2]:
            return end + len(END)
        end += PAIR.size
    return None
