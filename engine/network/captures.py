"""The legal captures and promotions to a queen that win material, by the exchange on their target square."""

import numpy as np

from engine.network.features import KING, PAWN, AttackMaps, piece_at
from engine.network.see import WINS, effect_of, sign_of_exchange, worth
from movegen.attacks import attackers, leaper_checkers, slider_checkers
from movegen.bits import ONE, U64, ZERO, Bitboard, Square, lowest_square, without_lowest
from movegen.board import Board, occupied_squares, own_king, pawns
from movegen.compiler.jit import inlined
from movegen.compiler.memory import Buffer, load_64, stack_buffer, store_64
from movegen.geometry import NORTH, RANK_8, north, pawn_attacks_south
from movegen.moves import EN_PASSANT, NORMAL, PROMOTE_QUEEN, Move, encode, target_of

MOST_CAPTURES = 32  # that are kept; a position with more has been won long ago
GAIN_SHIFT, MOVE_MASK = U64(16), U64(0xFFFF)


@stack_buffer(np.uint64, MOST_CAPTURES)
def capture_buffer() -> Buffer:
    """Room for captures, until the calling kernel returns."""
    return np.zeros(MOST_CAPTURES, dtype=np.uint64)


@inlined
def load_capture(buffer: Buffer, index: np.uint64) -> Move:
    """A capture of the buffer."""
    return load_64(buffer, index) & MOVE_MASK


@inlined
def insert(buffer: Buffer, count: np.uint64, entry: np.uint64) -> np.uint64:
    """Insert an entry before the smaller ones; -> how many there are."""
    if count == U64(MOST_CAPTURES):
        return count
    hole = count
    while hole > ZERO and load_64(buffer, hole - ONE) < entry:
        store_64(buffer, hole, load_64(buffer, hole - ONE))
        hole -= ONE
    store_64(buffer, hole, entry)
    return count + ONE


@inlined
def leaves_king_safe(board: Board, maps: AttackMaps, target: Square, arriving: np.uint64, after: Bitboard) -> bool:
    """Is a capture legal? `after`: the occupied squares after it."""
    theirs = after & ~board.own & ~(ONE << target)
    if arriving == KING and maps.by_theirs >> target & ONE:
        return False
    king = target if arriving == KING else own_king(board)
    return bool((slider_checkers(board, king, theirs, after) | leaper_checkers(board, king, theirs)) == ZERO)


@inlined
def add_if_winning(board: Board, maps: AttackMaps, buffer: Buffer, count: np.uint64, move: Move) -> np.uint64:
    """Keep a capture or promotion, sorted by what it wins if the piece is then taken; -> how many are kept."""
    effect, target = effect_of(board, move), target_of(move)
    without_target = effect.after & ~(ONE << target)
    if sign_of_exchange(board, target, without_target, effect.arriving, effect.gain) != WINS:
        return count
    if not leaves_king_safe(board, maps, target, effect.arriving, effect.after):
        return count
    sure = effect.gain
    if maps.by_theirs >> target & ONE:
        sure = max(sure - worth(effect.arriving), np.int64(0))
    return insert(buffer, count, U64(sure) << GAIN_SHIFT | move)


@inlined
def add_captures_of(board: Board, maps: AttackMaps, buffer: Buffer, count: np.uint64, target: Square) -> np.uint64:
    """The winning captures on a square."""
    takers = attackers(board, target, occupied_squares(board)) & board.own
    is_last_rank = ONE << target & RANK_8 != ZERO
    while takers:
        origin = lowest_square(takers)
        promotes = is_last_rank and piece_at(board, origin) == PAWN
        move = encode(origin, target, PROMOTE_QUEEN if promotes else NORMAL)
        count = add_if_winning(board, maps, buffer, count, move)
        takers = without_lowest(takers)
    return count


@inlined
def add_promotions(board: Board, maps: AttackMaps, buffer: Buffer, count: np.uint64) -> np.uint64:
    """Pawns that become a queen without a capture."""
    targets = north(board.own & pawns(board)) & RANK_8 & ~occupied_squares(board)
    while targets:
        target = lowest_square(targets)
        count = add_if_winning(board, maps, buffer, count, encode(target - NORTH, target, PROMOTE_QUEEN))
        targets = without_lowest(targets)
    return count


@inlined
def add_en_passant(board: Board, maps: AttackMaps, buffer: Buffer, count: np.uint64) -> np.uint64:
    """Captures en passant, if there are any: then the board has the square."""
    takers = pawn_attacks_south(board.en_passant) & board.own & pawns(board)
    while takers:
        move = encode(lowest_square(takers), lowest_square(board.en_passant), EN_PASSANT)
        count = add_if_winning(board, maps, buffer, count, move)
        takers = without_lowest(takers)
    return count


@inlined
def winning_captures(board: Board, maps: AttackMaps, buffer: Buffer) -> np.uint64:
    """Write them into a buffer, the largest sure gain first; -> how many. Most positions have none."""
    count = ZERO
    victims = maps.by_own & occupied_squares(board) & ~board.own
    while victims:
        count = add_captures_of(board, maps, buffer, count, lowest_square(victims))
        victims = without_lowest(victims)
    count = add_promotions(board, maps, buffer, count)
    return add_en_passant(board, maps, buffer, count)
