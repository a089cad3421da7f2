"""Moves that are known before any search, from files: opening books and Syzygy tablebases, read by python-chess."""

import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.polyglot
import chess.syzygy

from engine.pgn.positions import as_chess_board

if TYPE_CHECKING:
    from movegen import Position

# The numbers of the Syzygy format. Cursed and blessed: a draw by the 50-move rule.
TB_WIN, TB_CURSED_WIN, TB_DRAW, TB_BLESSED_LOSS, TB_LOSS = 2, 1, 0, -1, -2
LAST_SAFE_HALF_MOVE = 99


class Book:
    """An opening book in the polyglot format. `ValueError` if the file cannot be read."""

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise ValueError(f"there is no book {path[:200]!a}")
        try:
            self._reader = chess.polyglot.open_reader(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"the book {path[:200]!a} cannot be read ({error})") from None

    def choose(self, position: "Position", rng: random.Random) -> int | None:
        """A random move of the book, with the book's weights; None if it has none here.

        `ValueError` if the file is damaged: whatever error python-chess raises.
        """
        board = as_chess_board(position)
        try:
            entries = [entry for entry in self._reader.find_all(board) if entry.weight > 0]
        except Exception as error:  # noqa: BLE001  (a file may hold anything)
            raise ValueError(f"the book is damaged and not asked again ({error!r})") from None
        if not entries:
            return None
        entry = rng.choices(entries, [entry.weight for entry in entries])[0]
        return position.code(board.uci(entry.move))

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


@dataclass(frozen=True)
class ProbeResult:
    """The result of a position by the tables."""

    result: int  # TB_WIN … TB_LOSS for the player to move
    moves: tuple[int, ...]  # that keep it: the quickest wins to the next capture or pawn move, the slowest losses
    probes: int

    @property
    def score(self) -> float:
        """1, ½ or 0."""
        return {TB_WIN: 1.0, TB_LOSS: 0.0}.get(self.result, 0.5)


class Tablebases:
    """Syzygy tables of some folders: which moves keep the result and make progress. `ValueError` if there are none."""

    def __init__(self, folders: str) -> None:
        self._tables = chess.syzygy.Tablebase()
        for folder in folders.split(os.pathsep):
            if not Path(folder).is_dir():
                raise ValueError(f"there is no folder {folder[:200]!a}")
            self._tables.add_directory(folder)
        if not self._tables.wdl:
            raise ValueError(f"there are no tables in {folders[:200]!a}")
        self.most_pieces = max(len(name) - 1 for name in self._tables.wdl)  # names like KRPvKR
        self._damaged: set[str] = set()  # material whose tables are not read again

    def probe(self, position: "Position") -> ProbeResult | None:
        """The result and the moves that keep it; None if the position is not in the tables.

        `ValueError` if a table is damaged: once for each material, whatever error python-chess raises.
        """
        board = as_chess_board(position)
        if board.occupied.bit_count() > self.most_pieces or board.castling_rights:
            return None
        material = chess.syzygy.normalize_tablename(chess.syzygy.calc_key(board))
        if material in self._damaged:
            return None
        try:
            ranks = {move: self._rank(board, move) for move in board.legal_moves}
        except (chess.syzygy.MissingTableError, KeyError):
            return None
        except Exception as error:  # noqa: BLE001  (a file may hold anything)
            self._damaged.add(material)
            raise ValueError(f"a tablebase for {material} is damaged and not asked again ({error!r})") from None
        if not ranks:
            return None
        result = max(rank[0] for rank in ranks.values())
        best = max(ranks.values()) if result in (TB_WIN, TB_LOSS) else (result, None)
        kept = [move for move, rank in ranks.items() if rank == best or (best[1] is None and rank[0] == result)]
        return ProbeResult(result, tuple(position.code(board.uci(move)) for move in kept), len(ranks))

    def _rank(self, board: chess.Board, move: chess.Move) -> tuple[int, int]:
        """The result of a move, and its progress: high for quick wins and slow losses."""
        clock = board.halfmove_clock
        board.push(move)
        try:
            if board.is_checkmate():
                return TB_WIN, 1
            if board.is_stalemate() or board.is_insufficient_material():
                return TB_DRAW, 0
            result = -self._tables.probe_wdl(board)
            if board.halfmove_clock == 0:  # a capture or a pawn move: the count starts again
                return result, 0
            distance = abs(self._tables.probe_dtz(board)) + 1
        finally:
            board.pop()
        in_time = clock + distance <= LAST_SAFE_HALF_MOVE
        if result == TB_WIN:
            return (TB_WIN if in_time else TB_CURSED_WIN), -distance
        if result == TB_LOSS:
            return (TB_LOSS if in_time else TB_BLESSED_LOSS), distance
        return result, 0

    def close(self) -> None:
        """Close the files."""
        self._tables.close()
