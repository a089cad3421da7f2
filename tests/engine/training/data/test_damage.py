"""Files that are damaged or foreign: each is refused or read, and nothing is read or written out of bounds.

`NUMBA_BOUNDSCHECK=1` turns what would be out of bounds into an `IndexError`.
"""

import json
import random
import struct

import chess
import numpy as np
import pytest

from engine.cli.train import main
from engine.network.architecture import MAX_PIECES
from engine.network.batch import inputs_of
from engine.network.weights_file import load_weights
from engine.training.data.dataset import move_targets
from engine.training.data.games import decode, open_games
from engine.training.data.soundness import NO_FAULT, index_games
from engine.training.data.visits import pack_file_header, pack_visits, sibling
from engine.training.fit.figures import evaluate_network
from movegen import Position
from tests.conftest import JIT_DISABLED
from tests.engine.network.boards import code_to_move
from tests.engine.training.data.games import known_game, pack_board, pack_move, random_records

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")

HARMLESS = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK  # odd, but can be played


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.fixture(scope="module")
def records():
    return random_records(40, seed=12)


def bytes_of(records):
    return b"".join(record[0] for record in records)


def visits_of(records, rng):
    """For each position of the records its label, and some other legal moves."""
    visits = []
    for _, pairs, *_ in records:
        for board, move, _ in pairs:
            codes = Position(board.shredder_fen(), chess960=True).move_codes
            (label,) = [code for code in codes if code_to_move(code, board) == move]
            others = [code for code in codes if code != label]
            chosen = rng.sample(others, rng.randint(0, min(4, len(others))))
            visits.append([(code, rng.randint(1, 500)) for code in (label, *chosen)])
    return visits


def board_of(header):
    """The start of a record by python-chess; None where the bytes mean nothing."""
    occupied, codes = int.from_bytes(header[:8], "little"), [n for b in header[8:24] for n in (b & 15, b >> 4)]
    squares = [square for square in chess.SQUARES if occupied >> square & 1]
    byte, result = header[24], header[30]
    if len(squares) > 32 or any(codes[i] & 7 == 7 for i in range(len(squares))) or byte & 127 > 64 or result > 2:
        return None
    board = chess.Board(None, chess960=True)
    board.turn = byte < 128
    board.ep_square = byte & 127 if byte & 127 < 64 else None
    for square, code in zip(squares, codes, strict=False):
        kind = chess.ROOK if code & 7 == 6 else (code & 7) + 1
        board.set_piece_at(square, chess.Piece(kind, code < 8))
        board.castling_rights |= chess.BB_SQUARES[square] if code & 7 == 6 else 0
    return board


def is_chess(record):
    """Is the start of a record a position, and is each of its moves legal, by python-chess?"""
    board = board_of(record[:32])
    if board is None or board.status() & ~HARMLESS:
        return False
    for place in range(32, len(record) - 4, 4):
        (word,) = struct.unpack_from("<H", record, place)
        kind = word >> 14
        move = chess.Move(word & 63, word >> 6 & 63, (word >> 12 & 3) + 2 if kind == 3 else None)
        castles, captures = board.is_castling(move), board.is_en_passant(move)
        if move not in board.legal_moves or castles != (kind == 2) or captures != (kind == 1):
            return False
        board.push(move)
    return record[-4:] == bytes(4)


def index(data):
    """-> the number of games, the first byte that is no chess."""
    room = len(data) // 36
    starts, sizes = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    return index_games(np.frombuffer(data, dtype=np.uint8), starts, sizes)


def flipped(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_whole_files_have_no_fault(records):
    assert index(bytes_of(records)) == (len(records), NO_FAULT)
    assert all(is_chess(record[0]) for record in records)


@pytest.mark.thorough
def test_every_flipped_bit_of_a_header_is_judged_as_by_python_chess(records):
    judged = {True: 0, False: 0}
    for record, *_ in records:
        for bit in range(32 * 8):
            damaged = flipped(record, bit)
            sound = is_chess(damaged)
            assert (index(damaged)[1] == NO_FAULT) == sound, (damaged[:32].hex(), bit)
            judged[sound] += 1
    assert min(judged.values()) > 500


@pytest.mark.thorough
def test_every_flipped_bit_of_a_move_is_judged_as_by_python_chess(records):
    for record, pairs, *_ in records[:15]:
        for ply in range(len(pairs)):
            for bit in range(16):
                at = 32 + 4 * ply
                damaged = flipped(record, 8 * at + bit)
                if damaged[at : at + 2] == bytes(2):  # what ends a record is looked at below
                    continue
                assert (index(damaged)[1] == NO_FAULT) == is_chess(damaged), (damaged.hex(), ply, bit)


@pytest.mark.parametrize(
    ("fen", "is_sound"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", True),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", False),  # it cannot come from there
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", False),
        ("4k3/8/8/3nP3/8/8/8/4K3 w - d6 0 1", False),
        ("4k3/8/8/4P3/3p4/8/8/4K3 w - d5 0 1", False),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", True),
        ("4k3/8/8/8/3Pp3/8/3N4/4K3 b - d3 0 1", False),
        ("4k3/8/8/8/3Pp3/3N4/8/4K3 b - d3 0 1", False),
    ],
)
def test_an_en_passant_square_was_jumped_over(fen, is_sound):
    board = chess.Board(None)
    board.set_board_fen(fen.split()[0])
    board.turn = " w " in fen
    header = bytearray(pack_board(board, 1, 0))
    header[24] = chess.parse_square(fen.split()[3]) | (0 if board.turn else 128)
    move = next(move for move in board.legal_moves if move.from_square == board.king(board.turn))
    record = bytes(header) + struct.pack("<Hh", pack_move(board, move), 0) + bytes(4)
    assert (index(record)[1] == NO_FAULT) == is_chess(record) == is_sound


@pytest.mark.parametrize(
    ("place", "content", "fault"),
    [
        (0, b"\xff" * 8, 0),  # 64 pieces
        (8, bytes(16), 0),  # 32 white pawns, no kings
        (8, b"\x77" * 16, 0),  # no pieces that there are
        (24, b"\x41", 0),  # an en-passant square beyond the board
        (24, b"\x2c", 0),  # a pawn that did not jump there
        (30, b"\x03", 0),  # a result beyond 2
        (32, b"\x0c\x08", 32),  # e2e5
        (36, b"\x00\x00", 36),  # the end of the game, with a score
        (44, b"\x0c\x07", 44),  # the next record taken for moves
    ],
)
def test_what_is_no_chess_is_found_where_it_is(place, content, fault):
    data = bytearray(known_game() * 2)
    data[place : place + len(content)] = content
    assert index(bytes(data)) == (0, fault)


def read_all(path, network):
    """Use a file as `evaluate` and `fit` do; -> was it refused?"""
    try:
        games = open_games([path])
    except ValueError:
        return True
    figures = evaluate_network(network, games)
    assert figures.positions == games.positions
    decoded = decode(games)
    count = len(decoded.positions.scores)
    inputs, counts = np.zeros((count, MAX_PIECES), dtype=np.uint16), np.zeros(count, dtype=np.uint8)
    inputs_of(decoded.positions.boards, np.arange(count), inputs, counts)
    starts = np.arange(count + 1, dtype=np.int64)
    shares = move_targets(decoded, np.arange(count), decoded.positions.moves, starts)
    assert ((shares > 0) & (shares <= 1)).all()
    return False


@pytest.mark.thorough
def test_damaged_files_are_refused_or_read(records, network, tmp_path, scaled):
    rng, path, refused = random.Random(1), tmp_path / "some.vf", 0
    some = records[:6]
    games, visits = bytes_of(some), pack_file_header() + pack_visits(visits_of(some, rng))
    sibling(path).write_bytes(visits)
    rounds = scaled(600)
    for turn in range(rounds):
        damaged = [bytearray(games), bytearray(visits)]
        chosen = damaged[turn % 2]
        for _ in range(rng.choice((1, 1, 1, 5))):
            place = rng.randrange(len(chosen))
            chosen[place] = rng.randrange(256) if turn % 3 else chosen[place] ^ 1 << rng.randrange(8)
        cut = rng.randrange(len(chosen)) if turn % 7 == 0 else None
        for name, data in zip((path, sibling(path)), damaged, strict=True):
            name.write_bytes(bytes(data[:cut]) if data is chosen else bytes(data))
        refused += read_all(path, network)
    assert rounds / 4 < refused < rounds


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes_are_refused(seed, tmp_path):
    path = tmp_path / "random.vf"
    path.write_bytes(random.Random(seed).randbytes(3000))
    with pytest.raises(ValueError, match=r"not a file of labelled games|no game in it"):
        open_games([path])


def test_what_is_wrong_with_a_file_is_said(tmp_path, capsys):
    pgn, broken, damaged = tmp_path / "game.pgn", tmp_path / "broken.vf", tmp_path / "damaged.vf"
    pgn.write_text('[Event "Club match"]\n[Site "Vienna"]\n[Date "1922.11.01"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n')
    broken.write_bytes(known_game()[:-1])
    damaged.write_bytes(known_game() + flipped(known_game(), 3))
    for path, message in (
        (pgn, "not a file of labelled games (viriformat): byte 0 is not valid chess data"),
        (broken, "there is no game in it"),
        (damaged, f"damaged: byte {len(known_game())} is not valid chess data"),
        (tmp_path, "is no store of labelled games: there is no manifest.jsonl in it"),
        (tmp_path / "none.vf", "there is no file"),
    ):
        assert main(["evaluate", str(path), "--json"]) == 2
        output, errors = capsys.readouterr()
        assert output == ""
        assert errors.startswith("teresa train evaluate: ")
        assert str(path) in errors
        assert message in errors


def test_visits_of_other_positions_are_refused(records, tmp_path):
    path, visits = tmp_path / "some.vf", visits_of(records, random.Random(2))
    path.write_bytes(bytes_of(records))
    sibling(path).write_bytes(pack_file_header() + pack_visits(visits))
    decoded = decode(open_games([path]))
    found = np.split(decoded.visit_counts, decoded.visit_bounds[1:-1])
    assert [counts.tolist() for counts in found] == [[count for _, count in position] for position in visits]
    for lost in (0, len(visits) // 2, len(visits) - 2):
        sibling(path).write_bytes(pack_file_header() + pack_visits(visits[:lost] + visits[lost + 1 :]))
        with pytest.raises(ValueError, match=r"some\.visits: byte \d+: not the visits of the positions of some\.vf"):
            open_games([path])


@pytest.mark.parametrize("content", [b"", b"TERESAVC", b"something else entirely"])
def test_a_sibling_of_another_kind_is_named(content, tmp_path):
    path = tmp_path / "known.vf"
    path.write_bytes(known_game())
    sibling(path).write_bytes(content)
    with pytest.raises(ValueError, match=r"known\.visits: this is not a file of visits"):
        open_games([path])


def test_figures_of_value_only_games_are_json(tmp_path, capsys):
    """There is no policy to judge there, and NaN is no JSON."""
    path, record = tmp_path / "value.vf", bytearray(known_game())
    record[31] = 8
    path.write_bytes(record)
    assert main(["evaluate", str(path), "--json"]) == 0

    def refuse(name):
        raise AssertionError(name)

    figures = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert figures["positions"] == 3
    assert 0 <= figures["value_mse"] <= 1
    assert figures["policy_ce"] is figures["policy_top1"] is None
    assert main(["evaluate", str(path)]) == 0
    assert "nan" not in capsys.readouterr().out
