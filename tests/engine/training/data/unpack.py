"""Labelled games and visits read back, slowly and one at a time: the reverse of what `engine.training.data` packs."""

from collections.abc import Iterator

from engine.training.data.viriformat import (
    BLACK,
    BLACK_TO_MOVE_BIT,
    CASTLING_ROOK,
    END,
    GAME_HEADER,
    NO_SQUARE,
    PAIR,
    LabelledGame,
    pack_move,
)
from engine.training.data.visits import COUNT_FIELD, ENTRY_FIELDS, FILE_HEADER, check_header
from movegen import Position
from movegen.fen import Setup, write_fen


def unpack_position(header: bytes) -> tuple[Position, int, int]:
    """-> the position of a header, result, extra."""
    occupied, pieces, byte, clock, number, _, result, extra = GAME_HEADER.unpack(header)
    setup = Setup(white_to_move=byte < BLACK_TO_MOVE_BIT, halfmove_clock=clock, fullmove_number=max(1, number))
    squares = [square for square in range(64) if occupied >> square & 1]
    for place, square in enumerate(squares):
        code = pieces[place // 2] >> 4 * (place % 2) & 15
        letter = "r" if code & 7 == CASTLING_ROOK else "pnbrqk"[code & 7]
        setup.pieces[square] = letter if code & BLACK else letter.upper()
        if code & 7 == CASTLING_ROOK:
            setup.castling_rooks.add(square)
    square = byte & 127
    setup.en_passant = None if square == NO_SQUARE else square
    return Position(write_fen(setup, shredder=True), chess960=True), result, extra


def unpack_games(data: bytes) -> Iterator[LabelledGame]:
    """The games of a file; a `ValueError` names a move that is not legal. A record that breaks off is left out."""
    place = 0
    while (end := end_of_game(data, place)) is not None:
        start, result, extra = unpack_position(data[place : place + GAME_HEADER.size])
        game, position = LabelledGame(start, result=result, extra=extra), start
        for at in range(place + GAME_HEADER.size, end - len(END), PAIR.size):
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
    end = place + GAME_HEADER.size
    while end + len(END) <= len(data):
        if data[end : end + 2] == END[:2]:
            return end + len(END)
        end += PAIR.size
    return None


def unpack_visits(data: bytes) -> list[list[tuple[int, int]]]:
    """All whole positions of a file."""
    check_header(data)
    positions, place = [], FILE_HEADER.size
    while place + COUNT_FIELD.size <= len(data):
        (count,) = COUNT_FIELD.unpack_from(data, place)
        end = place + COUNT_FIELD.size + count * ENTRY_FIELDS.size
        if end > len(data):
            break
        positions.append(
            [ENTRY_FIELDS.unpack_from(data, at) for at in range(place + COUNT_FIELD.size, end, ENTRY_FIELDS.size)]
        )
        place = end
    return positions
