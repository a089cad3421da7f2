"""Phases against a plain version with python-chess, and the bounds that lichess's own tests set."""

import re

import chess
import pytest

from engine.review.phases import Division, divide
from movegen import Position

# Games of DividerTest in github.com/lichess-org/scalachess, cut, and where the parts may begin.
MIXED_UP = (
    "1. f3 g6 2. e4 Bg7 3. d4 d5 4. Qe2 Bxd4 5. c3 Bg7 6. Nd2 Nc6 7. exd5 Qxd5 8. Ne4 Nf6 9. Nxf6+ Bxf6 10. "
    "Be3 O-O 11. Rd1 Qxa2 12. Qd2 Rd8 13. Qc2 Rxd1+ 14. Kxd1 Bf5 15. Qc1 Rd8+ 16. Ke1 Ne5 17. Kf2 Bd3 18. Ne2 "
    "Ba6 19. Nd4 Bxf1 20. Kxf1 Nd3 21. Qc2 Qa1+ 22. Ke2 Qxh1 23. Qxd3 c5 24. Qb5 Qxg2+ 25. Kd3 Qf1+ 26. Kc2 "
    "Qxb5 27. Nxb5 a6"
)
QUEENS = (
    "1. c4 e5 2. Nc3 f5 3. d3 Nf6 4. g3 Bb4 5. Bd2 O-O 6. Bg2 c6 7. Nf3 d5 8. cxd5 Bxc3 9. Bxc3 e4 10. dxe4 "
    "Nxe4 11. dxc6 Nxc6 12. Qb3+ Kh8 13. Rd1 Qc7 14. O-O Nxc3 15. Qxc3 Be6 16. a3 Rac8 17. Nd4 Nxd4 18. Qxd4 "
    "b6 19. e4 fxe4 20. Bxe4 Rcd8 21. Qe3 Qe5 22. b4 Bc4 23. Rfe1 Qh5 24. Rxd8 Rxd8 25. Bf3 Qf5 26. Rd1 Rf8 "
    "27. Bg2 h6"
)
GAMBIT = (
    "1. e4 e5 2. f4 d6 3. Nf3 exf4 4. Bc4 h6 5. O-O Bg4 6. d4 Nc6 7. Bxf4 Nf6 8. Nc3 Be7 9. e5 dxe5 10. dxe5 "
    "Nh5 11. Be3 O-O 12. h3 Bxf3 13. Qxf3 Nxe5 14. Bxf7+ Rxf7 15. Qxh5 Qf8"
)
GAMES = ((MIXED_UP, (16, 34), (40, 47)), (QUEENS, (19, 26), (36, 48)), (GAMBIT, (19, 25), None))
# Points of a field of 2x2 squares with these numbers of white and black pieces, on ranks 1-2, 2-3 ... 7-8.
MIXED = {
    (0, 1): (2, 3, 4, 5, 6, 7, 8),
    (0, 2): (7, 6, 5, 4, 3, 0, 0),
    (0, 3): (9, 8, 7, 6, 5, 4, 0),
    (0, 4): (9, 8, 7, 6, 5, 4, 0),
    (1, 0): (8, 7, 6, 5, 4, 3, 2),
    (1, 1): (8, 7, 6, 5, 6, 7, 8),
    (1, 2): (10, 9, 8, 7, 6, 5, 4),
    (1, 3): (11, 10, 9, 8, 7, 6, 5),
    (2, 0): (0, 0, 3, 4, 5, 6, 7),
    (2, 1): (4, 5, 6, 7, 8, 9, 10),
    (2, 2): (7, 7, 7, 7, 7, 7, 7),
    (3, 0): (0, 4, 5, 6, 7, 8, 9),
    (3, 1): (5, 6, 7, 8, 9, 10, 11),
    (4, 0): (0, 4, 5, 6, 7, 8, 9),
}


def plain_division(boards):
    middlegame = endgame = None
    for ply, board in enumerate(boards):
        count = sum(piece.piece_type not in (chess.PAWN, chess.KING) for piece in board.piece_map().values())
        white = len(chess.SquareSet(chess.BB_RANK_1) & board.occupied_co[chess.WHITE])
        black = len(chess.SquareSet(chess.BB_RANK_8) & board.occupied_co[chess.BLACK])
        if middlegame is None and (count <= 10 or white < 4 or black < 4 or mixed(board) > 150):
            middlegame = ply
        if endgame is None and count <= 6:
            endgame = ply
    return middlegame if endgame is None or middlegame < endgame else None, endgame


def mixed(board):
    total = 0
    for rank in range(7):
        for file in range(7):
            squares = chess.SquareSet(chess.square(file + x, rank + y) for x in (0, 1) for y in (0, 1))
            counts = tuple(len(squares & board.occupied_co[side]) for side in (chess.WHITE, chess.BLACK))
            total += MIXED.get(counts, (0,) * 7)[rank]
    return total


@pytest.mark.parametrize(("moves", "middlegame", "endgame"), GAMES)
def test_games_are_divided_as_on_lichess(moves, middlegame, endgame):
    board, boards, positions = chess.Board(), [chess.Board()], [Position()]
    for san in re.sub(r"\d+\. ", "", moves).split():
        board.push_san(san)
        boards.append(board.copy(stack=False))
        positions.append(positions[-1].play(san))
    found = divide(positions)
    assert (found.middlegame, found.endgame) == plain_division(boards)
    assert middlegame[0] <= found.middlegame <= middlegame[1]
    assert (found.endgame is None) == (endgame is None)
    assert endgame is None or endgame[0] <= found.endgame <= endgame[1]


def test_parts_that_are_missing():
    assert divide([]) == Division(None, None)
    assert divide([Position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]) == Division(None, 0)
    division = Division(4, 9)
    assert [division.phase(ply) for ply in (0, 3, 4, 8, 9)] == ["opening"] * 2 + ["middlegame"] * 2 + ["endgame"]
    assert Division(None, 2).phase(1) == "opening"
