"""Books and tablebases: what may be played before any search. The oracle is python-chess."""

import os
import random
import struct
from pathlib import Path

import chess
import chess.polyglot
import chess.syzygy
import pytest

from engine.config.options import Options
from engine.network.weights_file import SHIPPED
from engine.search.known_moves import Book, ProbeResult, Tablebases
from engine.search.resources import Resources
from movegen import Position

TABLES = str(Path(__file__).parent / "syzygy")
KINGS_AND_QUEEN = "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"
FAR_MATE = "8/8/8/3k4/8/8/8/KR6 w - - 0 1"
STALEMATE_TRAP = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"
LAST_RANK_PAWN = "8/P7/8/8/8/8/7k/1K6 w - - 0 1"
DRAWN_PAWN = "8/8/8/4k3/4p3/4K3/8/8 w - - 0 1"


def write_book(path, entries):
    """A book of (board, move, weight), as polyglot writes it."""
    data = []
    for board, text, weight in entries:
        move = chess.Move.from_uci(text)
        promotion = (move.promotion - 1) << 12 if move.promotion else 0
        packed = promotion | move.from_square << 6 | move.to_square
        data.append((chess.polyglot.zobrist_hash(board), packed, weight, 0))
    path.write_bytes(b"".join(struct.pack(">QHHI", *entry) for entry in sorted(data)))
    return str(path)


@pytest.fixture
def book(tmp_path):
    start, castling = chess.Board(), chess.Board("4k2r/8/8/8/8/8/8/4K3 b k - 0 1")
    entries = [(start, "e2e4", 3), (start, "d2d4", 1), (start, "a2a3", 0), (castling, "e8h8", 1)]
    return write_book(tmp_path / "book.bin", entries)


@pytest.mark.thorough
def test_book_moves_are_drawn_by_weight(book):
    rng, position = random.Random(3), Position()
    drawn = [position.uci(Book(book).choose(position, rng)) for _ in range(400)]
    assert drawn.count("e2e4") == pytest.approx(300, abs=40)
    assert drawn.count("e2e4") + drawn.count("d2d4") == 400


def test_a_book_knows_castling_and_what_it_does_not_know(book):
    position = Position("4k2r/8/8/8/8/8/8/4K3 b k - 0 1")
    assert position.uci(Book(book).choose(position, random.Random(1))) == "e8g8"
    assert Book(book).choose(Position().play("h4"), random.Random(1)) is None


def test_a_book_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no book"):
        Book(str(tmp_path / "none.bin"))
    with pytest.raises(ValueError, match="there is no book"):
        Book(str(tmp_path))


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 160, 4000])
def test_books_of_any_bytes_do_no_harm(tmp_path, length):
    path = tmp_path / "odd.bin"
    for seed in range(20):
        path.write_bytes(random.Random(seed).randbytes(length))
        resources, options = Resources(), Options()
        options.own_book = True
        try:
            resources.set_book(str(path))
        except ValueError:
            continue
        root = resources.root_moves(Position(), (), options, in_game=True)
        assert set(root.codes) <= set(Position().move_codes)


def test_a_damaged_book_is_reported_once(book, monkeypatch):
    def fail(*_arguments):
        raise OSError("planted")

    resources, options = resources_of(book), Options()
    options.own_book = True
    monkeypatch.setattr(chess.polyglot.MemoryMappedReader, "find_all", fail)
    root = resources.root_moves(Position(), (), options, in_game=True)
    assert len(root.codes) == 20
    assert "planted" in root.notes[0]
    assert resources.root_moves(Position(), (), options, in_game=True).notes == ()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KQvK.rtbz", "KQvK.rtbw"])
@pytest.mark.parametrize("length", [0, 4, 40, 200, -100])
def test_a_damaged_table_is_reported_once_and_the_others_are_asked(tmp_path, name, length):
    for file in Path(TABLES).iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / name).write_bytes((Path(TABLES) / name).read_bytes()[:length])
    resources = resources_of(tables=str(tmp_path))
    queen, mirrored = Position(KINGS_AND_QUEEN), Position("8/8/8/8/3K4/8/8/kq6 b - - 0 1")
    first = resources.root_moves(queen, (), Options(), in_game=True)
    assert (first.source, first.codes) == ("", queen.move_codes)
    assert len(first.notes) == 1
    assert "KQvK" in first.notes[0]
    for position in (queen, mirrored):
        assert resources.root_moves(position, (), Options(), in_game=True).notes == ()
    other = resources.root_moves(Position(FAR_MATE), (), Options(), in_game=True)
    assert (other.source, other.notes) == ("tablebase", ())


def test_tablebases_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        Tablebases(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="there are no tables"):
        Tablebases(str(tmp_path))


@pytest.mark.parametrize("fen", [KINGS_AND_QUEEN, FAR_MATE, STALEMATE_TRAP, LAST_RANK_PAWN, DRAWN_PAWN])
def test_the_moves_kept_have_the_result_of_the_tables(fen):
    verdict = Tablebases(TABLES).probe(Position(fen))
    with chess.syzygy.open_tablebase(TABLES) as tables:
        board = chess.Board(fen)
        result = tables.probe_wdl(board)
        assert verdict.result == result
        assert verdict.probes == board.legal_moves.count()
        for code in verdict.moves:
            board.push_uci(Position(fen).uci(code))
            assert board.is_checkmate() or -tables.probe_wdl(board) == result
            board.pop()


@pytest.mark.thorough
@pytest.mark.parametrize("fen", [KINGS_AND_QUEEN, FAR_MATE, LAST_RANK_PAWN])
def test_following_the_moves_kept_wins_against_the_longest_defence(fen):
    tables, position = Tablebases(TABLES), Position(fen)
    for _ in range(100):
        if position.is_game_over(claim_draw=True):
            break
        position = position.play(tables.probe(position).moves[0])
    assert position.outcome().name == "CHECKMATE"


@pytest.mark.thorough
@pytest.mark.parametrize("fen", [KINGS_AND_QUEEN, FAR_MATE])
def test_wins_are_as_quick_and_losses_as_slow_as_the_tables_allow(fen):
    for turn, best in (("w", min), ("b", max)):
        board, distances = chess.Board(fen.replace(" w ", f" {turn} ")), {}
        with chess.syzygy.open_tablebase(TABLES) as tables:
            for move in board.legal_moves:
                board.push(move)
                if tables.probe_wdl(board) == (-2 if turn == "w" else 2):
                    distances[move.uci()] = abs(tables.probe_dtz(board))
                board.pop()
        position = Position(board.fen())
        verdict = Tablebases(TABLES).probe(position)
        expected = {move for move, distance in distances.items() if distance == best(distances.values())}
        assert {position.uci(code) for code in verdict.moves} == expected
        assert len(expected) < len(distances)


def test_a_win_that_comes_too_late_counts_as_a_draw():
    verdict = Tablebases(TABLES).probe(Position(FAR_MATE.replace("0 1", "95 100")))
    assert (verdict.result, verdict.score) == (1, 0.5)


@pytest.mark.thorough
@pytest.mark.parametrize("fen", [FAR_MATE, KINGS_AND_QUEEN, "8/8/8/3K4/8/8/8/kr6 b - - 0 1"])
def test_a_win_is_one_as_long_as_it_comes_before_the_hundredth_half_move(fen):
    """The tables may be off by one half-move, so the hundredth is not safe."""
    with chess.syzygy.open_tablebase(TABLES) as tables:
        board, distances = chess.Board(fen), []
        for move in board.legal_moves:
            board.push(move)
            if not board.is_insufficient_material() and tables.probe_wdl(board) == -2:
                distances.append(1 - tables.probe_dtz(board))
            board.pop()
    tables = Tablebases(TABLES)
    real, known = tables._tables.probe_dtz, {}  # it does not depend on the clock, and takes long

    def probe_dtz(board):
        key = board.epd()
        if key not in known:
            known[key] = real(board)
        return known[key]

    tables._tables.probe_dtz = probe_dtz
    for clock in range(100):
        verdict = tables.probe(Position(fen.replace("0 1", f"{clock} 100")))
        assert verdict.result == (2 if clock + min(distances) <= 99 else 1), clock
        assert verdict.score == (1.0 if verdict.result == 2 else 0.5)


@pytest.mark.parametrize(
    "fen", ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "8/8/8/8/3k4/8/8/KBB5 w - - 0 1", chess.STARTING_FEN]
)
def test_castling_rights_and_missing_tables_are_left_to_the_search(fen):
    assert Tablebases(TABLES).probe(Position(fen)) is None


def resources_of(book="", tables=""):
    resources = Resources()
    resources.set_book(book)
    resources.set_tablebases(tables)
    return resources


def test_the_book_has_a_say_only_in_games_and_if_asked_for(book):
    resources, options, position = resources_of(book), Options(), Position()
    assert len(resources.root_moves(position, (), options, in_game=True).codes) == 20
    options.own_book = True
    root = resources.root_moves(position, (), options, in_game=True)
    assert (len(root.codes), root.source) == (1, "book")
    assert len(resources.root_moves(position, (), options, in_game=False).codes) == 20
    chosen = (position.code("h4"),)
    assert resources.root_moves(position, chosen, options, in_game=True).codes == chosen


def test_the_book_varies_without_a_seed_and_repeats_itself_with_one(book):
    resources, options, position = resources_of(book), Options(), Position()
    options.set("OwnBook", "true")
    moves = {resources.root_moves(position, (), options, in_game=True).codes for _ in range(100)}
    assert {position.uci(code) for (code,) in moves} == {"e2e4", "d2d4"}
    options.set("Seed", "3")
    assert len({resources.root_moves(position, (), options, in_game=True).codes for _ in range(100)}) == 1


def test_tablebases_decide_but_not_against_the_users_wish():
    resources, position = resources_of(tables=TABLES), Position(STALEMATE_TRAP)
    root = resources.root_moves(position, (), Options(), in_game=False)
    assert (root.source, root.verdict.score) == ("tablebase", 1.0)
    stalemate = (position.code("g5g6"),)
    assert resources.root_moves(position, stalemate, Options(), in_game=False).codes == stalemate


def test_a_wrong_file_leaves_the_one_before(book, tmp_path):
    resources, options = resources_of(book), Options()
    options.own_book = True
    with pytest.raises(ValueError, match="there is no book"):
        resources.set_book(str(tmp_path / "none.bin"))
    assert resources.root_moves(Position(), (), options, in_game=True).source == "book"
    resources.set_book("")
    assert resources.root_moves(Position(), (), options, in_game=True).source == ""


class Files:
    """A book or tablebases that note whether they are closed."""

    def __init__(self, path):
        self.path, self.is_closed = path, False

    def close(self):
        self.is_closed = True


@pytest.mark.parametrize(
    ("place", "setter", "attribute"),
    [
        ("engine.search.known_moves.Book", "set_book", "_book"),
        ("engine.search.known_moves.Tablebases", "set_tablebases", "_tablebases"),
    ],
)
def test_files_are_closed_when_others_take_their_place(monkeypatch, place, setter, attribute):
    monkeypatch.setattr(place, Files)
    resources = Resources()
    take = getattr(resources, setter)
    take("")
    assert getattr(resources, attribute) is None
    take("first")
    first = getattr(resources, attribute)
    take("second")
    second = getattr(resources, attribute)
    assert (first.path, first.is_closed, second.path, second.is_closed) == ("first", True, "second", False)
    take("")
    assert second.is_closed
    assert getattr(resources, attribute) is None


def test_the_network_is_the_shipped_one_unless_another_is_named(tmp_path):
    resources = Resources()
    shipped = resources.network
    assert resources.network is shipped  # read once
    with pytest.raises(ValueError, match="cannot be read"):
        resources.set_network(str(tmp_path / "none.net"))
    assert resources.network is shipped
    resources.set_network(str(SHIPPED))
    assert resources.network is not shipped
    resources.set_network("")
    assert resources._network is None
    assert resources.network is not None


class Tables:
    """Tablebases with a verdict that the test gives."""

    def __init__(self, *moves):
        self.verdict = ProbeResult(2, moves, 7) if moves else None

    def probe(self, _position):
        return self.verdict


@pytest.mark.parametrize("own_book", [True, False])
@pytest.mark.parametrize("in_game", [True, False])
@pytest.mark.parametrize("chosen", [(), ("d4", "h4"), ("a3",)])
@pytest.mark.parametrize("kept", [(), ("d4", "c4")])
def test_which_of_book_and_tablebases_decides(book, own_book, in_game, chosen, kept):
    """Tablebases before the book, the user's wish before both."""
    position, options = Position(), Options()
    options.own_book, options.seed = own_book, 1
    codes = tuple(position.code(text) for text in chosen)
    resources = resources_of(book)
    resources._tablebases = Tables(*(position.code(text) for text in kept))
    root = resources.root_moves(position, codes, options, in_game=in_game)
    both = tuple(position.code(text) for text in (chosen or kept) if text in kept)
    if both:
        assert (root.source, set(root.codes), root.verdict.probes) == ("tablebase", set(both), 7)
    elif own_book and in_game and not chosen:
        assert (root.source, len(root.codes), root.verdict) == ("book", 1, None)
        assert position.uci(root.codes[0]) in ("e2e4", "d2d4")
    else:
        assert (root.source, root.codes, root.verdict) == ("", codes or position.move_codes, None)


def test_a_position_without_a_move_needs_no_book(book):
    mated, options = Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Options()
    options.own_book = True
    resources = resources_of(book)
    resources._tablebases = resources._book = None  # either would fail if it were asked
    assert resources.root_moves(mated, (), options, in_game=True).codes == ()


@pytest.mark.parametrize(("result", "score"), [(2, 1.0), (1, 0.5), (0, 0.5), (-1, 0.5), (-2, 0.0)])
def test_results_as_scores(result, score):
    assert ProbeResult(result, (), 1).score == score


def test_folders_are_named_one_after_the_other(tmp_path):
    (tmp_path / "empty").mkdir()
    tables = Tablebases(os.pathsep.join([str(tmp_path / "empty"), TABLES]))
    assert tables.most_pieces == max(len(path.stem) - 1 for path in Path(TABLES).glob("*.rtbw"))
    assert tables.probe(Position(KINGS_AND_QUEEN)).result == 2
    with pytest.raises(ValueError, match="there is no folder"):
        Tablebases(os.pathsep.join([TABLES, str(tmp_path / "none")]))


@pytest.mark.parametrize("clock", [0, 80, 85, 99])
def test_losses_count_as_draws_if_the_fifty_moves_come_first(clock):
    """The same rule as for wins, from the other side."""
    fen = f"8/8/8/3k4/8/8/8/KR6 b - - {clock} 100"
    with chess.syzygy.open_tablebase(TABLES) as tables:
        board, slowest = chess.Board(fen), 0
        for move in board.legal_moves:
            board.push(move)
            slowest = max(slowest, tables.probe_dtz(board) + 1)
            board.pop()
    verdict = Tablebases(TABLES).probe(Position(fen))
    assert verdict.result == (-2 if clock + slowest <= 99 else -1)


def test_a_mate_on_the_last_half_move_is_a_win():
    mate = Position("7k/8/6K1/8/8/8/8/1Q6 w - - 99 100")
    found = Tablebases(TABLES).probe(mate)
    assert found.result == 2
    assert {mate.uci(code) for code in found.moves} == {
        text for text in mate.legal_moves if mate.play(text).outcome() and mate.play(text).outcome().name == "CHECKMATE"
    }
