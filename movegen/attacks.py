"""Attacks: the squares the opponent covers, the attackers of a square, checks and pins."""

from movegen.bits import ONE, U64, ZERO, Bitboard, Square, lowest_bit, lowest_square, several, without_lowest
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, own_king, pawns, straight_sliders
from movegen.compiler.jit import inlined, kernel
from movegen.geometry import (
    between_squares,
    diagonals_from,
    king_attacks,
    knight_attacks,
    knight_attacks_of_all,
    pawn_attacks_north,
    pawn_attacks_south,
    straights_from,
)
from movegen.sliders import bishop_attacks, rook_attacks


@inlined
def squares_between(a: Square, b: Square) -> Bitboard:
    """The squares strictly between two squares of one line, else none."""
    return between_squares(a << U64(6) | b)


@inlined
def covered_by_opponent(board: Board, occupied: Bitboard) -> Bitboard:
    """All squares the opponent attacks, those of the opponent's pieces included.

    The caller removes the king of the player to move from `occupied`: a king may not step back along the
    line of the slider that checks it, so sliders must see through it.
    """
    theirs = occupied_squares(board) & ~board.own
    covered = pawn_attacks_south(theirs & pawns(board))
    covered |= knight_attacks_of_all(theirs & knights(board))
    covered |= king_attacks(lowest_square(theirs & kings(board)))
    sliders = theirs & diagonal_sliders(board)
    while sliders:
        covered |= bishop_attacks(lowest_square(sliders), occupied)
        sliders = without_lowest(sliders)
    sliders = theirs & straight_sliders(board)
    while sliders:
        covered |= rook_attacks(lowest_square(sliders), occupied)
        sliders = without_lowest(sliders)
    return covered


@inlined
def leaper_checkers(board: Board, king: Square, theirs: Bitboard) -> Bitboard:
    """The enemy pawns and knights that attack a square (kings never check)."""
    return theirs & (pawn_attacks_north(ONE << king) & pawns(board) | knight_attacks(king) & knights(board))


@inlined
def slider_checkers(board: Board, king: Square, theirs: Bitboard, occupied: Bitboard) -> Bitboard:
    """The enemy bishops, rooks and queens that see a square over the given occupied squares."""
    return theirs & (
        bishop_attacks(king, occupied) & diagonal_sliders(board)
        | rook_attacks(king, occupied) & straight_sliders(board)
    )


@inlined
def checkers(board: Board) -> Bitboard:
    """The enemy pieces that give check."""
    occupied = occupied_squares(board)
    theirs = occupied & ~board.own
    king = own_king(board)
    return leaper_checkers(board, king, theirs) | slider_checkers(board, king, theirs, occupied)


@inlined
def attackers(board: Board, square: Square, occupied: Bitboard) -> Bitboard:
    """The pieces of both colours that attack a square, sliders over the given occupied squares."""
    target = ONE << square
    own_pawns = board.own & pawns(board)
    return (
        pawn_attacks_south(target) & own_pawns
        | pawn_attacks_north(target) & (pawns(board) & ~own_pawns)
        | knight_attacks(square) & knights(board)
        | king_attacks(square) & kings(board)
        | bishop_attacks(square, occupied) & diagonal_sliders(board)
        | rook_attacks(square, occupied) & straight_sliders(board)
    )


@inlined
def pins_on_lines(
    own: Bitboard, occupied: Bitboard, king: Square, snipers: Bitboard
) -> tuple[Bitboard, Bitboard, Bitboard]:
    """Look from the king along the lines to enemy sliders that could reach it on an empty board.

    -> the sliders that give check; the squares that would stop them (captures included); the lines on
    which a single own piece, the pinned one, is between slider and king (slider included).
    """
    checking, stops, pin_lines = ZERO, ZERO, ZERO
    while snipers:
        sniper = lowest_bit(snipers)
        line = squares_between(king, lowest_square(snipers))
        blockers = line & occupied
        if blockers == ZERO:
            checking |= sniper
            stops |= line | sniper
        elif not several(blockers) and (blockers & own) != ZERO:
            pin_lines |= line | sniper
        snipers ^= sniper
    return checking, stops, pin_lines


@inlined
def checks_and_pins(board: Board, king: Square, occupied: Bitboard) -> tuple[Bitboard, Bitboard, Bitboard, Bitboard]:
    """-> the pieces that give check; where a move stops a single check; lines of straight pins; of diagonal pins."""
    theirs = occupied & ~board.own
    leapers = leaper_checkers(board, king, theirs)
    snipers = diagonals_from(king) & theirs & diagonal_sliders(board)
    bishops, bishop_stops, diagonal_pins = pins_on_lines(board.own, occupied, king, snipers)
    snipers = straights_from(king) & theirs & straight_sliders(board)
    rooks, rook_stops, straight_pins = pins_on_lines(board.own, occupied, king, snipers)
    checking = leapers | bishops | rooks
    return checking, leapers | bishop_stops | rook_stops, straight_pins, diagonal_pins


@kernel
def attackers_of(board: Board, square: Square) -> Bitboard:
    """The pieces of both colours that attack a square."""
    return attackers(board, square, occupied_squares(board))


@kernel
def pinned_pieces(board: Board) -> Bitboard:
    """The pieces of the player to move that may move only along the line to their king."""
    _, _, straight_pins, diagonal_pins = checks_and_pins(board, own_king(board), occupied_squares(board))
    return (straight_pins | diagonal_pins) & board.own
