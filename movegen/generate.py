"""Legal moves, and only legal ones, by four rules instead of trying each move:

1. The king may not step onto a square the opponent attacks; sliders see through the moving king.
2. In double check only the king can move. In single check any other piece must capture the checker or
   step between it and the king.
3. A pinned piece may move only along the line between its king and the slider that pins it. So a piece
   pinned on a diagonal moves only diagonally and one pinned on a rank or file only straight, and a
   pinned knight not at all.
4. En passant takes two pawns off one rank at once, which may open it: this one is tried.

One walk over the pieces, `walk_moves`, serves to count, list and sample moves (see `movegen.moves`); the kernels at
the end do that.
"""

import numpy as np

from movegen.attacks import checks_and_pins, covered_by_opponent, leaper_checkers, slider_checkers
from movegen.bits import (
    ALL,
    ONE,
    TWO,
    U64,
    ZERO,
    Bitboard,
    Square,
    lowest_bit,
    lowest_square,
    multiply_high,
    nth_square,
    popcount,
    several,
    without_lowest,
)
from movegen.board import Board, diagonal_sliders, knights, occupied_squares, own_king, pawns, straight_sliders
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import Buffer, buffer_of, load_64
from movegen.geometry import (
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    RANK_3,
    RANK_8,
    TWO_NORTH,
    castling_must_be_empty,
    castling_must_be_safe,
    king_attacks,
    knight_attacks,
    north,
    north_east,
    north_west,
    pawn_attacks_south,
    south,
)
from movegen.moves import (
    BY_DISTANCE,
    CASTLING,
    COUNT,
    DOUBLE_PUSH,
    EN_PASSANT,
    KIND_MASK,
    LIST,
    NO_MOVE,
    NORMAL,
    SAMPLE,
    SQUARE_MASK,
    TARGET_SHIFT,
    Found,
    Move,
    add,
    add_by_distance,
    add_promotions,
    load_move,
    move_buffer,
    set_buffer,
)
from movegen.sliders import bishop_attacks, rook_attacks


@inlined
def add_castling(
    purpose: np.uint64, found: Found, buffer: Buffer, board: Board, king: Square, covered: Bitboard, pinned: Bitboard
) -> Found:
    """Castling, if not in check: no piece in the way, no attacked square on the king's path.

    In Chess960 the rook may shield its king from a slider on the first rank: then it is pinned there.
    """
    rooks = board.castling & board.own & ~pinned
    while rooks:
        rook = lowest_square(rooks)
        path = king << U64(3) | rook
        blocked = castling_must_be_empty(path) & occupied_squares(board) | castling_must_be_safe(path) & covered
        if blocked == ZERO:
            found = add(purpose, found, buffer, king, lowest_bit(rooks), CASTLING)
        rooks = without_lowest(rooks)
    return found


@inlined
def en_passant_is_safe(board: Board, king: Square, pawn: Bitboard) -> bool:
    """Try the capture: with both pawns gone from their rank, is the king attacked?"""
    captured = south(board.en_passant)
    occupied = occupied_squares(board)
    theirs = occupied & ~board.own & ~captured
    after = (occupied ^ pawn ^ captured) | board.en_passant
    return bool((slider_checkers(board, king, theirs, after) | leaper_checkers(board, king, theirs)) == ZERO)


@inlined
def pawns_beside_en_passant(board: Board) -> Bitboard:
    """The pawns, two at most, that attack the en-passant square."""
    return pawn_attacks_south(board.en_passant) & board.own & pawns(board)


@inlined
def can_capture_en_passant(board: Board) -> bool:
    """Is at least one capture en passant legal?"""
    king, capturers = own_king(board), pawns_beside_en_passant(board)
    while capturers:
        if en_passant_is_safe(board, king, lowest_bit(capturers)):
            return True
        capturers = without_lowest(capturers)
    return False


@inlined
def add_en_passant(purpose: np.uint64, found: Found, buffer: Buffer, board: Board, king: Square) -> Found:
    """Captures en passant, by one pawn or by two."""
    capturers = pawns_beside_en_passant(board)
    while capturers:
        if en_passant_is_safe(board, king, lowest_bit(capturers)):
            found = add(purpose, found, buffer, lowest_square(capturers), board.en_passant, EN_PASSANT)
        capturers = without_lowest(capturers)
    return found


@inlined
def add_pawns(
    purpose: np.uint64,
    found: Found,
    buffer: Buffer,
    board: Board,
    allowed: Bitboard,
    straight_pins: Bitboard,
    diagonal_pins: Bitboard,
) -> Found:
    """Pushes, double pushes and captures of all pawns at once; `allowed` bounds where they may end."""
    occupied = occupied_squares(board)
    own_pawns = board.own & pawns(board)
    pushers = own_pawns & ~diagonal_pins
    pushed = (north(pushers & ~straight_pins) | north(pushers & straight_pins) & straight_pins) & ~occupied
    pushed_twice = north(pushed & RANK_3) & ~occupied & allowed
    pushed &= allowed

    takers = own_pawns & ~straight_pins
    free, pinned = takers & ~diagonal_pins, takers & diagonal_pins
    victims = occupied & ~board.own & allowed
    taken_west = (north_west(free) | north_west(pinned) & diagonal_pins) & victims
    taken_east = (north_east(free) | north_east(pinned) & diagonal_pins) & victims

    if (pushed | taken_west | taken_east) & RANK_8:
        found = add_promotions(purpose, found, buffer, NORTH, pushed & RANK_8)
        found = add_promotions(purpose, found, buffer, NORTH_WEST, taken_west & RANK_8)
        found = add_promotions(purpose, found, buffer, NORTH_EAST, taken_east & RANK_8)
        pushed &= ~RANK_8
        taken_west &= ~RANK_8
        taken_east &= ~RANK_8
    found = add_by_distance(purpose, found, buffer, NORTH, pushed, NORMAL)
    found = add_by_distance(purpose, found, buffer, TWO_NORTH, pushed_twice, DOUBLE_PUSH)
    found = add_by_distance(purpose, found, buffer, NORTH_WEST, taken_west, NORMAL)
    return add_by_distance(purpose, found, buffer, NORTH_EAST, taken_east, NORMAL)


@inlined
def add_knights(purpose: np.uint64, found: Found, buffer: Buffer, pieces: Bitboard, allowed: Bitboard) -> Found:
    """Moves of knights to allowed squares."""
    while pieces:
        square = lowest_square(pieces)
        found = add(purpose, found, buffer, square, knight_attacks(square) & allowed, NORMAL)
        pieces = without_lowest(pieces)
    return found


@inlined
def add_diagonal(
    purpose: np.uint64, found: Found, buffer: Buffer, pieces: Bitboard, occupied: Bitboard, allowed: Bitboard
) -> Found:
    """Diagonal moves of bishops and queens to allowed squares."""
    while pieces:
        square = lowest_square(pieces)
        found = add(purpose, found, buffer, square, bishop_attacks(square, occupied) & allowed, NORMAL)
        pieces = without_lowest(pieces)
    return found


@inlined
def add_straight(
    purpose: np.uint64, found: Found, buffer: Buffer, pieces: Bitboard, occupied: Bitboard, allowed: Bitboard
) -> Found:
    """Straight moves of rooks and queens to allowed squares."""
    while pieces:
        square = lowest_square(pieces)
        found = add(purpose, found, buffer, square, rook_attacks(square, occupied) & allowed, NORMAL)
        pieces = without_lowest(pieces)
    return found


@inlined
def walk_moves(purpose: np.uint64, board: Board, buffer: Buffer) -> Found:
    """King; double check: stop; castling; knights; sliders; pawns; en passant."""
    occupied = occupied_squares(board)
    king = own_king(board)
    covered = covered_by_opponent(board, occupied ^ ONE << king)
    found = add(purpose, Found(ZERO, ZERO), buffer, king, king_attacks(king) & ~board.own & ~covered, NORMAL)

    checking, stops, straight_pins, diagonal_pins = checks_and_pins(board, king, occupied)
    allowed = ALL
    if checking:
        if several(checking):
            return found
        allowed = stops
    else:
        found = add_castling(purpose, found, buffer, board, king, covered, straight_pins)

    targets = allowed & ~board.own
    pins = straight_pins | diagonal_pins
    found = add_knights(purpose, found, buffer, board.own & knights(board) & ~pins, targets)
    diagonal, straight = board.own & diagonal_sliders(board), board.own & straight_sliders(board)
    found = add_diagonal(purpose, found, buffer, diagonal & ~pins, occupied, targets)
    found = add_straight(purpose, found, buffer, straight & ~pins, occupied, targets)
    if pins:
        found = add_diagonal(purpose, found, buffer, diagonal & diagonal_pins, occupied, targets & diagonal_pins)
        found = add_straight(purpose, found, buffer, straight & straight_pins, occupied, targets & straight_pins)
    found = add_pawns(purpose, found, buffer, board, allowed, straight_pins, diagonal_pins)
    if board.en_passant:
        found = add_en_passant(purpose, found, buffer, board, king)
    return found


# What the walk is for


@kernel
def count_moves(board: Board) -> np.uint64:
    """The number of legal moves, without making a list."""
    return walk_moves(COUNT, board, ZERO).moves


@kernel
def list_moves(board: Board, buffer: Buffer) -> np.uint64:
    """Write all legal moves into a buffer; -> how many."""
    return walk_moves(LIST, board, buffer).moves


@kernel
def fill_moves(board: Board, moves: np.ndarray) -> np.uint64:
    """Write all legal moves into a numpy array of MAX_MOVES 16-bit numbers; -> how many."""
    return list_moves(board, buffer_of(moves))


@kernel
def is_legal_move(board: Board, move: Move) -> bool:
    """Is this number one of the legal moves?"""
    moves = move_buffer()
    found = list_moves(board, moves)
    index = ZERO
    while index < found and load_move(moves, index) != move:
        index += ONE
    return bool(index < found)


@kernel
def random_move(board: Board, random: np.uint64) -> Move:
    """A legal move, each with the same probability, given 64 random bits; NO_MOVE if there is none."""
    sets = set_buffer()
    found = walk_moves(SAMPLE, board, sets)
    if found.moves == ZERO:
        return NO_MOVE
    skip, index = multiply_high(random, found.moves), ZERO
    while skip >= popcount(load_64(sets, index)):
        skip -= popcount(load_64(sets, index))
        index += TWO
    target = nth_square(load_64(sets, index), skip)
    source = load_64(sets, index + ONE)
    origin = source & SQUARE_MASK
    if source & BY_DISTANCE:
        origin = target - origin
    return origin | target << TARGET_SHIFT | source & KIND_MASK
