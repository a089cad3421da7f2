"""A game as the page gets it, with invented but plausible judgements: what the page shows needs no search."""

import io
import random
from typing import Any

import chess
import chess.pgn

Data = dict[str, Any]

GAME = """[Event "Hoogovens Group A"]
[Site "Wijk aan Zee NED"]
[Date "1999.01.20"]
[Round "4"]
[White "Kasparov, Garry"]
[Black "Topalov, Veselin"]
[Result "1-0"]
[WhiteElo "2812"]
[BlackElo "2700"]
[TimeControl "7200"]

{A famous game.} 1. e4 d6 2. d4 Nf6 3. Nc3 g6 4. Be3 Bg7 5. Qd2 c6 6. f3 b5 7. Nge2 Nbd7 8. Bh6 Bxh6 9. Qxh6
Bb7 10. a3 e5 11. O-O-O Qe7 12. Kb1 a6 {Safe, but slow.} (12... O-O-O $5 {more active} 13. Nc1 (13. g3 Kb8)
13... Kb8) 13. Nc1 O-O-O 14. Nb3 exd4 15. Rxd4 c5 16. Rd1 Nb6 17. g3 Kb8 18. Na5 Ba8 19. Bh3 d5 20. Qf4+ Ka7
21. Rhe1 d4 22. Nd5 Nbxd5 23. exd5 Qd6 24. Rxd4 $3 cxd4 25. Re7+ Kb6 26. Qxd4+ Kxa5 27. b4+ Ka4 28. Qc3 Qxd5
29. Ra7 Bb7 30. Rxb7 Qc4 31. Qxf6 Kxa3 32. Qxa6+ Kxb4 33. c3+ Kxc3 34. Qa1+ Kd2 35. Qb2+ Kd1 36. Bf1 Rd2 37.
Rd7 Rxd7 38. Bxc4 bxc4 39. Qxh8 Rd3 40. Qa8 c3 41. Qa4+ Ke1 42. f4 f5 43. Kc1 Rd2 44. Qa7 1-0
"""
MARKS = {
    10: ("inaccuracy", 0.06),
    23: ("inaccuracy", 0.07),
    30: ("mistake", 0.13),
    36: ("inaccuracy", 0.06),
    41: ("missed win", 0.16),
}
MARKS |= {
    47: ("brilliant", 0.0),
    48: ("blunder", 0.34),
    49: ("only move", 0.0),
    62: ("mistake", 0.12),
    70: ("blunder", 0.22),
}


def nodes_of(game: chess.pgn.Game) -> list[Data]:
    """The moves with variations as the page gets them."""
    nodes, clocks = [_node(0, None, game, 0)], {chess.WHITE: 7200.0, chess.BLACK: 7200.0}
    numbers: dict[Any, int] = {game: 0}
    waiting: list[chess.pgn.GameNode] = list(reversed(game.variations))
    rng = random.Random(5)
    while waiting:
        node = waiting.pop()
        number = len(nodes)
        numbers[node] = number
        assert node.parent is not None
        data = _node(number, numbers[node.parent], node, node.ply())
        if node.is_mainline():
            elapsed = float(rng.choice((8, 20, 45, 130, 400)))
            clocks[not node.turn()] -= elapsed
            data |= {"elapsed": elapsed, "clock": clocks[not node.turn()]}
        nodes.append(data)
        waiting += reversed(node.variations)
    return nodes


def _node(number: int, parent: int | None, node: chess.pgn.GameNode, ply: int) -> Data:
    board = node.board()
    is_start = parent is None
    move = None if is_start else node.move
    before = None if is_start else node.parent.board()  # type: ignore[union-attr]
    return {
        "id": number,
        "parent": parent,
        "ply": ply,
        "uci": move.uci() if move else None,
        "san": before.san(move) if move and before else None,
        "fen": board.fen(),
        "turn": "white" if board.turn else "black",
        "check": board.is_check(),
        "main": node.is_mainline(),
        "name": node.starting_comment,
        "comment": "" if is_start else node.comment,
        "nags": sorted(node.nags),
        "clock": None,
        "elapsed": None,
    }


def rows_of(board: chess.Board, best: chess.Move, score: float, seed: int) -> list[Data]:
    """Five moves of a position, the best one first. `score`: of the player to move."""
    rng = random.Random(seed)
    others = sorted((move for move in board.legal_moves if move != best), key=lambda _: rng.random())[:4]
    rows = []
    for index, move in enumerate([best, *others]):
        q = max(0.01, min(0.99, score - 0.03 * index * (1 + rng.random())))
        win = max(0, round(1000 * (q - 0.15)))
        draw = min(1000 - win, round(2000 * (q - win / 1000)))
        line = line_of(board, move, rng)
        rows.append(
            {
                "uci": move.uci(),
                "san": board.san(move),
                "n": (1300, 420, 160, 80, 40)[index],
                "share": (0.65, 0.21, 0.08, 0.04, 0.02)[index],
                "q": round(q, 3),
                "wdl": [win, draw, 1000 - win - draw],
                "pv": [one.uci() for one in line],
                "line": _names(board, line),
                "proven": None,
            }
        )
    return rows


def line_of(board: chess.Board, move: chess.Move, rng: random.Random) -> list[chess.Move]:
    """Some moves that can be played one after the other."""
    board, line = board.copy(), [move]
    board.push(move)
    while len(line) < 8 and not board.is_game_over():
        line.append(rng.choice(sorted(board.legal_moves, key=chess.Move.uci)))
        board.push(line[-1])
    return line


def _names(board: chess.Board, line: list[chess.Move]) -> list[str]:
    board, names = board.copy(), []
    for move in line:
        names.append(board.san(move))
        board.push(move)
    return names


def judged_of(game: chess.pgn.Game, nodes: list[Data]) -> Data:
    """A judgement of each move of the main line."""
    rng, score, found = random.Random(3), 0.53, {}
    numbers = {data["ply"]: data["id"] for data in nodes if data["main"]}
    for node in game.mainline():
        ply, board = node.ply(), node.parent.board()
        mark, loss = MARKS.get(ply, ("", 0.0))
        side = 1 if board.turn else -1
        before = score
        score = max(0.02, min(0.98, score + side * -loss + rng.uniform(-0.012, 0.015) + (0.02 if ply > 60 else 0)))
        others = [move for move in board.legal_moves if move != node.move]
        best = rng.choice(others) if loss and others else node.move
        mine = before if board.turn else 1 - before
        rows = rows_of(board, best, mine, ply)
        found[str(numbers[ply])] = {
            "score": round(score, 3),
            "eval": {"cp": round(400 * (score - 0.5) / (1.02 - score if score > 0.5 else score + 0.02))},
            "loss": loss,
            "mark": mark,
            "text": f"after it, {rows[0]['san']} is answered by a fork of queen and rook" if mark else "",
            "visits": 2000,
            "pass": "deep" if mark else "quick",
            "best": {key: rows[0][key] for key in ("uci", "san", "pv", "line", "proven")}
            | {"score": round(before, 3), "visits": 1300},
            "rows": rows,
        }
    return found


def player_of(name: str, seed: int) -> Data:
    """Numbers of a player."""
    rng = random.Random(seed)
    phases = {
        phase: {
            "moves": moves,
            "accuracy": round(rng.uniform(78, 99), 1),
            "average_centipawn_loss": rng.randrange(8, 60),
            "seconds": moves * rng.randrange(20, 190),
        }
        for phase, moves in (("opening", 10), ("middlegame", 22), ("endgame", 12))
    }
    marks = {
        mark: rng.randrange(4) for mark in ("inaccuracy", "mistake", "blunder", "missed_win", "only_move", "brilliant")
    }
    accuracy = {"name": name, "moves": 44, "accuracy": round(rng.uniform(80, 96), 1), "average_centipawn_loss": 23}
    return {**accuracy, "average_loss": 0.02, **marks, "by_phase": phases, "seconds": 5423}


def game_data(pgn: str = GAME, *, is_judged: bool = True) -> Data:
    """What `data/game` answers."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    nodes = nodes_of(game)
    judged = judged_of(game, nodes) if is_judged else {}
    plies = sum(1 for _ in game.mainline())
    board = game.board()
    return {
        "revision": 1,
        "cursor": 0,
        "number": 1,
        "headers": dict(game.headers),
        "note": game.comment,
        "start": {"fen": board.fen(), "turn": "white" if board.turn else "black", "chess960": board.chess960},
        "nodes": nodes,
        "current": 0,
        "changed": False,
        "opening": {"eco": "B07", "name": "Pirc Defense", "ply": 6},
        "phases": {"middlegame": 20 if plies > 20 else None, "endgame": 76 if plies > 76 else None},
        "players": {"white": player_of(game.headers["White"], 1), "black": player_of(game.headers["Black"], 2)}
        if is_judged
        else None,
        "judging": {
            "state": "done" if is_judged else "quick",
            "done": plies if is_judged else 0,
            "of": plies,
            "message": "",
        },
        "judged": judged,
    }


def saved_game(pgn: str = GAME) -> Data:
    """What a saved page of a game holds."""
    from engine.explorer.view import View

    about = {**View([]).about(), "searches": ["judged"], "interactive": False, "game": True, "file": None, "levels": []}
    return {"about": about, "game": game_data(pgn), "positions": {}, "searches": []}
