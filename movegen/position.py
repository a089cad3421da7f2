"""`Position`: the rules of chess for scripts and notebooks."""

from collections.abc import Iterable
from functools import cached_property
from typing import Literal

import numpy as np

from movegen import notation
from movegen.apply import legal_en_passant, step
from movegen.attacks import attackers_of, pinned_pieces
from movegen.bits import U64
from movegen.board import Board, as_words, board_from_setup, setup_from_board, to_squares
from movegen.fen import SQUARE_NAMES, START_FEN, read_fen, write_fen
from movegen.generate import fill_moves, is_legal_move
from movegen.moves import MAX_MOVES
from movegen.outcome import Ending, count_occurrences, ending, is_in_check, is_opponent_in_check
from movegen.zobrist import key_from_scratch

Side = Literal["white", "black"]
NUMBERS_OF_MOVES = 1 << 16
PICTURE_SIZE = 360  # pixels
BOARDS_KEPT = 7  # before a position: some networks look at eight boards


class Position:
    """A position of a game of chess, with as much of the previous game as the draw rules need.

    Positions do not change: `play` gives a new one. Moves are text, in UCI notation (`e2e4`,
    `e7e8q`) or SAN (`e4`, `e8=Q+`); both are accepted everywhere.

    >>> position = Position()
    >>> position = position.play("e4").play("c7c5")
    >>> position.fen()
    'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
    >>> len(position.legal_moves)
    30
    >>> position.play_all("Nf3 d6 Bb5+").in_check
    True

    Two positions are equal if they are the same for the repetition rule: pieces, side to move, castling
    rights and a legal en-passant capture. Counters and history do not matter.
    """

    board: Board
    key: int
    halfmove_clock: int
    fullmove_number: int
    chess960: bool
    repairs: tuple[str, ...]
    """What was repaired in the FEN of this position, a sentence each."""
    past_keys: tuple[int, ...]
    """The keys of the positions before this one, back to the last capture or pawn move."""
    recent: tuple[tuple[Board, int], ...]
    """The last boards before this one, the newest first, and how often each had occurred before."""

    def __init__(self, fen: str = START_FEN, *, chess960: bool = False) -> None:
        """Read a FEN; a `ValueError` says what is wrong with it.

        With `chess960`, castling rights may be those of any king and rook on their first rank (X-FEN
        and Shredder-FEN are read), and castling moves are written as king takes rook.
        """
        setup = read_fen(fen, chess960)
        self.chess960 = chess960
        self.board = as_words(legal_en_passant(board_from_setup(setup)))
        if is_opponent_in_check(self.board):
            waiting = "Black" if setup.white_to_move else "White"
            raise ValueError(f"side field: {waiting} is in check, but it is the opponent's move")
        if setup.en_passant is not None and not self.board.en_passant:
            setup.repairs.append("en-passant square dropped: no pawn can legally capture there")
        self.key = int(key_from_scratch(self.board, U64(not setup.white_to_move)))
        self.halfmove_clock = setup.halfmove_clock
        self.fullmove_number = setup.fullmove_number
        self.repairs = tuple(setup.repairs)
        self.past_keys = ()
        self.recent = ()

    @property
    def turn(self) -> Side:
        """Whose move it is."""
        return "black" if self.key & 1 else "white"

    def fen(self, *, shredder: bool = False) -> str:
        """The position as a FEN; with `shredder`, castling rights as files of rooks (HAha)."""
        setup = setup_from_board(self.board, self.turn == "white")
        setup.halfmove_clock, setup.fullmove_number = self.halfmove_clock, self.fullmove_number
        return write_fen(setup, shredder)

    def piece_at(self, square: str) -> str | None:
        """The piece on a square such as "e4": a letter, upper case for White; None where it is empty."""
        return setup_from_board(self.board, self.turn == "white").pieces.get(notation.square_number(square))

    # Moves

    @cached_property
    def move_codes(self) -> tuple[int, ...]:
        """All legal moves as the numbers that kernels use (see `movegen.moves`), seen by the mover."""
        moves = np.empty(MAX_MOVES, dtype=np.uint16)
        found = int(fill_moves(self.board, moves))
        return tuple(moves[:found].tolist())

    @cached_property
    def legal_moves(self) -> list[str]:
        """All legal moves in UCI notation."""
        return [notation.uci(self, code) for code in self.move_codes]

    def code(self, move: str) -> int:
        """The number of a legal move given as UCI or SAN; a `ValueError` gives the reason if it is not one."""
        return notation.parse(self, move)

    def is_legal(self, move: str) -> bool:
        """Is this text a legal move here?"""
        try:
            self.code(move)
        except ValueError:
            return False
        return True

    def uci(self, move: str | int) -> str:
        """A legal move (text, or a number from `move_codes`) in UCI notation."""
        return notation.uci(self, move if isinstance(move, int) else self.code(move))

    def san(self, move: str | int) -> str:
        """A legal move (text, or a number from `move_codes`) in SAN."""
        return notation.san(self, move if isinstance(move, int) else self.code(move))

    def play(self, move: str | int) -> "Position":
        """The position after a legal move (text, or a number from `move_codes`)."""
        code = move if isinstance(move, int) else self.code(move)
        if not 0 <= code < NUMBERS_OF_MOVES or not is_legal_move(self.board, U64(code)):
            raise ValueError(f"{code} is not the number of a legal move in {self.fen()}")
        return self._after(code)

    def play_all(self, moves: str | Iterable[str]) -> "Position":
        """The position after a sequence of moves: one text with blanks between them, or any iterable."""
        position = self
        for number, move in enumerate(moves.split() if isinstance(moves, str) else moves, 1):
            try:
                position = position.play(move)
            except ValueError as error:
                raise ValueError(f"move {number} of the sequence: {error}") from None
        return position

    def _after(self, code: int) -> "Position":
        after = Position.__new__(Position)
        board, key, clock = step(self.board, U64(self.key), U64(self.halfmove_clock), U64(code))
        after.board, after.key, after.halfmove_clock = as_words(board), int(key), int(clock)
        after.fullmove_number = self.fullmove_number + (self.turn == "black")
        after.chess960, after.repairs = self.chess960, ()
        after.past_keys = (*self.past_keys, self.key) if after.halfmove_clock else ()
        after.recent = ((self.board, self.past_keys.count(self.key)), *self.recent[: BOARDS_KEPT - 1])
        return after

    def _seen_by_mover(self, square: int) -> int:
        return square ^ 56 if self.turn == "black" else square

    def _names(self, word: int) -> list[str]:
        """The squares of a word of the mover's view, by name."""
        return sorted(SQUARE_NAMES[self._seen_by_mover(square)] for square in to_squares(word))

    # The state of the game

    @cached_property
    def in_check(self) -> bool:
        """Is the player to move in check?"""
        return bool(is_in_check(self.board))

    def attackers(self, square: str, side: Side) -> list[str]:
        """The squares of one side's pieces that attack a square such as "e4"."""
        word = attackers_of(self.board, U64(self._seen_by_mover(notation.square_number(square))))
        own = int(self.board.own)
        return self._names(int(word) & (own if side == self.turn else ~own))

    @property
    def pinned(self) -> list[str]:
        """The squares of the mover's pieces that may move only along the line to their king."""
        return self._names(int(pinned_pieces(self.board)))

    @cached_property
    def occurrences(self) -> int:
        """How often this position has occurred, now included."""
        past = np.array(self.past_keys, dtype=np.uint64)
        return int(count_occurrences(past, U64(len(past)), U64(self.key), U64(self.halfmove_clock)))

    def outcome(self, *, claim_draw: bool = False) -> Ending:
        """Why the game is over, `Ending.NONE` while it is not.

        A game ends by mate, stalemate, insufficient material, 75 moves or fivefold
        repetition; with `claim_draw` also by 50 moves or threefold repetition.
        """
        occurrences, clock = U64(self.occurrences), U64(self.halfmove_clock)
        return Ending(int(ending(self.board, clock, occurrences, claim_draw)))

    def is_game_over(self, *, claim_draw: bool = False) -> bool:
        """Is the game over?"""
        return self.outcome(claim_draw=claim_draw) is not Ending.NONE

    def score(self, *, claim_draw: bool = False) -> float | None:
        """The result for White: 1 won, ½ drawn, 0 lost; None while the game goes on."""
        outcome = self.outcome(claim_draw=claim_draw)
        if outcome is Ending.NONE:
            return None
        if outcome is Ending.CHECKMATE:
            return 0.0 if self.turn == "white" else 1.0
        return 0.5

    # For Python and notebooks

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.board == other.board and self.turn == other.turn

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        mode = ", chess960=True" if self.chess960 else ""
        return f"Position({self.fen()!r}{mode})"

    def __str__(self) -> str:
        """The board as text, White's first rank at the bottom."""
        pieces = setup_from_board(self.board, self.turn == "white").pieces
        rows = (" ".join(pieces.get(8 * rank + file, ".") for file in range(8)) for rank in range(7, -1, -1))
        return "\n".join(rows)

    def _repr_svg_(self) -> str:
        """A picture for notebooks, drawn by python-chess, from White's side, a king in check marked."""
        import chess.svg  # nothing else in this package needs it

        board = chess.Board(self.fen(), chess960=self.chess960)
        in_check = board.king(board.turn) if board.is_check() else None
        return str(chess.svg.board(board, check=in_check, size=PICTURE_SIZE))
