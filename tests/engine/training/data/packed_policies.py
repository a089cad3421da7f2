"""Files of games with random visits, and their `.policy` files by the format's description, in plain Python."""

import hashlib
import math
import random

from engine.training.data.visits import pack_file_header, pack_visits, sibling
from movegen import Position
from tests.engine.network.boards import code_to_move
from tests.engine.training.data.games import random_records


def nearest_code(share):
    """0 … 10, or None for next to nothing; the smaller one if two are equally near."""
    code = math.ceil(-1.5 * math.log2(share) - 0.5) if share else 99
    return code if code <= 10 else None


def packed_position(legal, visits):
    """The half bytes of a position, as the format's description has it."""
    total, best = sum(visits.values()), max(visits.values())
    codes, skipped = [], 0
    for move in sorted(legal):
        count = visits.get(move, 0)
        code = nearest_code(count / total)
        if code is None and count == best:
            code = 10
        if code is None:
            skipped += 1
            continue
        for bits, moves in ((14, 8), (13, 4), (12, 2), (11, 1)):
            while skipped >= moves:
                codes.append(bits)
                skipped -= moves
        codes.append(code)
    return [*codes, 15]


def packed_games(data, games):
    """A whole file: `games` are lists of positions (legal moves, visits)."""
    body = b"TERESASP" + bytes([1, 0, 0, 0, 0, 0, 0, 0]) + hashlib.sha256(data).digest()
    for positions in games:
        halves = [half for legal, visits in positions for half in packed_position(legal, visits)]
        halves += [0] * (len(halves) % 2)
        body += bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2], strict=True))
    return body


def games_with_visits(path, count, seed):
    """Write games with random visits; -> [[(legal moves, visits by move)]] of each game."""
    rng, games = random.Random(seed), []
    records = random_records(count, seed)
    for _, pairs, *_ in records:
        positions = []
        for board, move, _ in pairs:
            legal = Position(board.shredder_fen(), chess960=True).move_codes
            (label,) = [code for code in legal if code_to_move(code, board) == move]
            kind = rng.random()
            others = rng.sample(legal, rng.randint(0, len(legal)))
            visits = {label: rng.randint(1, 2000)}
            for other in others:
                visits.setdefault(other, rng.randint(1, 2000) if kind < 0.5 else int(2000 ** rng.random()))
            positions.append((legal, visits))
        games.append(positions)
    path.write_bytes(b"".join(record[0] for record in records))
    listed = [list(visits.items()) for positions in games for _, visits in positions]
    sibling(path).write_bytes(pack_file_header() + pack_visits(listed))
    return games
