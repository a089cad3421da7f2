import numpy as np
import pytest

from engine.training.data.dataset import move_targets, outcome_targets, pools
from engine.training.data.draw_model import DrawModel, chances, material_of
from engine.training.data.games import decode, first_copies, open_games, split
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from engine.training.data.visits import check_header, pack_file_header, pack_visits, sibling
from tests.engine.network.boards import board_words, code_to_move
from tests.engine.training.data.games import known_game, random_records
from tests.engine.training.data.unpack import unpack_visits
from tests.engine.training.fit.test_settings import games_of


@pytest.fixture(scope="module")
def records(scaled):
    return random_records(scaled(400), seed=6)


@pytest.fixture
def files(records, tmp_path):
    """The records in two files; the second breaks off within a record."""
    middle = len(records) // 3
    paths = [tmp_path / "one.vf", tmp_path / "two.vf"]
    paths[0].write_bytes(b"".join(record[0] for record in records[:middle]))
    paths[1].write_bytes(b"".join(record[0] for record in records[middle:]) + records[0][0][:-5])
    return paths


@pytest.mark.thorough
def test_decoding_agrees_with_python_chess(files, records):
    games = open_games(files)
    positions = decode(games).positions
    expected = [(*pair, record[2], record[3]) for record in records for pair in record[1]]
    assert games.positions == len(positions.scores) == len(expected)
    assert (positions.boards == board_words([board for board, *_ in expected])).all()
    for place, (board, move, score, result, extra) in enumerate(expected):
        assert code_to_move(positions.moves[place], board) == move
        assert positions.scores[place] == (score if board.turn else -score)
        assert positions.results[place] == (result if board.turn else 2 - result)
        assert positions.extras[place] == extra


@pytest.mark.thorough
def test_missing_and_empty_files(tmp_path):
    with pytest.raises(ValueError, match="there is no file"):
        open_games([tmp_path / "none.vf"])
    (tmp_path / "empty.vf").touch()
    with pytest.raises(ValueError, match=r"empty\.vf: there is no game in it"):
        open_games([tmp_path / "empty.vf"])


def test_value_only_games_have_no_moves(files, records):
    games = open_games(files)
    expected = sum(len(record[1]) for record in records if not record[3] & VALUE_ONLY)
    assert games.with_moves().positions == expected


def test_the_split_is_by_stretches_of_games(files):
    games = open_games(files)
    training, aside = split(games, 0.5, seed=1)
    assert training.positions + aside.positions == games.positions
    again = split(games, 0.5, seed=1)[1]
    assert (again.start == aside.start).all()


def contents_of(games):
    """The bytes of each game, as a set."""
    ends = games.start + 32 + 4 * (games.size + 1)
    columns = zip(games.file.tolist(), games.start.tolist(), ends.tolist(), strict=True)
    return {bytes(games.files[file][start:end]) for file, start, end in columns}


def test_copies_of_a_file_are_on_the_same_side_of_the_split(files, tmp_path):
    """Files are given several times to weight them; what is trained with cannot validate."""
    copy = tmp_path / "copy.vf"
    copy.write_bytes(files[1].read_bytes())
    paths = [files[1], files[0], files[1], copy, files[0], files[1]]
    games = open_games(paths)
    assert first_copies(games.files).tolist() == [0, 1, 0, 0, 1, 0]
    for seed in range(5):
        training, aside = split(games, 0.2, seed)
        assert training.size.size + aside.size.size == games.size.size
        assert aside.size.size
        assert not contents_of(training) & contents_of(aside)
        one = aside.where(aside.file == 0)
        for number in (2, 3, 5):
            other = aside.where(aside.file == number)
            assert (one.start.tolist(), one.size.tolist()) == (other.start.tolist(), other.size.tolist())


def test_distinct_files_are_split_by_their_places(files):
    """So a fit of them keeps its validation games: a slow reference."""
    games = open_games(files)
    length = max(1, games.size.size // 20)
    keys = [number // length + file * 1_000_003 for number, file in enumerate(games.file.tolist())]
    samples = dict(zip(sorted(set(keys)), np.random.default_rng(7).random(len(set(keys))).tolist(), strict=True))
    expected = [samples[key] < 0.3 for key in keys]
    aside = split(games, 0.3, 7)[1]
    assert (games.where(np.array(expected)).start == aside.start).all()
    assert 0 < aside.size.size < games.size.size


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_both_sides_of_the_split_have_games_however_few_there_are(tmp_path, share):
    path = tmp_path / "two.vf"
    path.write_bytes(known_game() * 2)
    games = open_games([path])
    for seed in range(20):
        assert [side.positions for side in split(games, share, seed)] == [3, 3]


def test_a_pass_sees_every_position_once(files):
    games = open_games(files)
    seen = []
    for pool in pools(games, (1, 0), pool=1000):
        assert sorted(pool.order.tolist()) == list(range(pool.order.size))
        seen += [row.tobytes() for row in pool.decoded.positions.boards]
    assert sorted(seen) == sorted(row.tobytes() for row in decode(games).positions.boards)


def test_passes_differ_and_can_be_taken_up_again(files):
    games = open_games(files)
    first, second = (list(pools(games, (1, number), pool=games.positions // 4)) for number in (0, 1))
    assert [pool.order.size for pool in first] != [pool.order.size for pool in second]
    (last,) = pools(games, (1, 0), skip=len(first) - 1, pool=games.positions // 4)
    assert (last.order == first[-1].order).all()
    assert (last.decoded.positions.boards == first[-1].decoded.positions.boards).all()


def test_chances():
    scores = np.array([0, 250, -250, 32000, -31990])
    assert chances(scores) == pytest.approx([0.5, 0.73106, 0.26894, 1, 0], abs=1e-5)
    assert chances(2.0 * scores)[1] == pytest.approx(0.88080, abs=1e-5)


VISITS = [[(796, 3), (1, 70000)], [(2267, 1)], [(2268, 5), (10, 0), (11, 2)]]


def test_visits_byte_by_byte():
    data = pack_file_header() + pack_visits(VISITS)
    assert data[:16].hex() == b"TERESAVC".hex() + "0100000000000000"
    assert data[16:30].hex() == "0200" + "1c0303000000" + "010070110100"
    assert unpack_visits(data) == VISITS
    assert unpack_visits(data[:-1]) == VISITS[:-1]


def test_foreign_files_of_visits_are_refused():
    with pytest.raises(ValueError, match="not a file of visits"):
        unpack_visits(b"something else entirely")
    with pytest.raises(ValueError, match="format 2"):
        unpack_visits(b"TERESAVC" + bytes([2, 0, 0, 0, 0, 0, 0, 0]))
    with pytest.raises(ValueError, match="without visits"):
        pack_visits([[]])


def test_visits_are_targets_where_they_are_known(tmp_path):
    path = tmp_path / "known.vf"
    path.write_bytes(known_game() * 2)
    moves = decode(open_games([path])).positions.moves[:3].tolist()
    lists = [[(moves[0], 30), (1 | 18 << 6, 10)], [(moves[1], 5)], [(moves[2], 0), (28 | 36 << 6, 4)]]
    sibling(path).write_bytes(pack_file_header() + pack_visits(lists))  # of the first game only
    decoded = decode(open_games([path]))
    legal = np.array([*moves[:1], 1 | 18 << 6, 7, *moves[2:3], 28 | 36 << 6, *moves[1:2]], dtype=np.uint16)
    shares = move_targets(decoded, np.array([0, 2, 4]), legal, np.array([0, 3, 5, 6]))
    assert shares == pytest.approx([0.75, 0.25, 0, 0, 1, 1])


def test_results_have_a_share_in_the_targets_of_self_play(tmp_path):
    path, noisy = tmp_path / "known.vf", bytearray(known_game())
    noisy[31] = NOISY
    path.write_bytes(known_game() + noisy + known_game())  # White wins
    visits = [[(move, 1)] for move in decode(open_games([path])).positions.moves[:6].tolist()]
    sibling(path).write_bytes(pack_file_header() + pack_visits(visits))  # of the first two games
    decoded, model = decode(open_games([path])), DrawModel()
    plain = outcome_targets(decoded, model, 1.0, result_share=0.0)
    assert plain == pytest.approx(model.outcomes(decoded.positions.scores, material_of(decoded.positions.boards)))
    targets = outcome_targets(decoded, model, 1.0, result_share=0.25)
    results = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0]])
    assert targets[:3] == pytest.approx(0.75 * plain[:3] + 0.25 * results)
    assert targets[3:] == pytest.approx(plain[3:])
    assert targets.sum(axis=1) == pytest.approx(1)


def test_files_with_and_without_visits_are_read_together(tmp_path):
    """The visits of each position are its own, whichever files and games are taken."""
    records = random_records(12, seed=5)
    paths = [tmp_path / f"{name}.vf" for name in "abc"]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(record[0] for record in records[4 * number : 4 * number + 4]))
    expected = {}
    for number in (0, 2):  # the file in the middle has none, and of the last one a game lacks them
        positions = decode(open_games([paths[number]])).positions
        sizes = open_games([paths[number]]).size
        known = int(sizes.sum()) if number == 0 else int(sizes[:3].sum())
        lists = [[(int(move), 1 + place)] for place, move in enumerate(positions.moves[:known].tolist())]
        sibling(paths[number]).write_bytes(pack_file_header() + pack_visits(lists))
        expected |= {(number, place): visits for place, visits in enumerate(lists)}
    games = open_games(paths)
    assert [visits is None for visits in games.visit_files] == [False, True, False]
    assert (games.visit_start < 0).tolist() == [False] * 4 + [True] * 4 + [False] * 3 + [True]
    rng = np.random.default_rng(1)
    first = np.concatenate([[0], np.cumsum(games.size)[:-1]])
    offset_in_file = first - first[games.file * 4]
    for chosen in [np.arange(12), np.array([11, 3, 6, 8]), *(rng.permutation(12)[:5] for _ in range(10))]:
        part = games.where(chosen)
        decoded, place = decode(part), 0
        for file in range(3):  # file by file, the games of each in the order that was asked for
            for game in chosen[games.file[chosen] == file].tolist():
                for ply in range(int(games.size[game])):
                    own = slice(decoded.visit_bounds[place], decoded.visit_bounds[place + 1])
                    found = list(
                        zip(decoded.visit_moves[own].tolist(), decoded.visit_counts[own].tolist(), strict=True)
                    )
                    assert found == expected.get((file, int(offset_in_file[game]) + ply), [])
                    place += 1
        assert place == part.positions == decoded.visit_bounds.size - 1
        assert decoded.visit_bounds[0] == 0


def test_kinds_of_games():
    games = games_of([0, VALUE_ONLY, NOISY, VALUE_ONLY | NOISY, 1, 2 | VALUE_ONLY])
    assert games.with_moves().start.tolist() == [0, 2, 4]
    assert games.value_only().start.tolist() == [1, 3, 5]
    assert (games.positions, games.with_moves().positions) == (30, 15)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not a file of visits: it does not start with TERESAVC"),
        (pack_file_header()[:15], "this is not a file of visits: it does not start with TERESAVC"),
        (b"x" + pack_file_header(), "this is not a file of visits: it does not start with TERESAVC"),
        (b"TERESAVC" + bytes(8), "a file of visits in format 0; this program reads format 1"),
    ],
)
def test_headers_of_visits(data, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_header(data)
    check_header(pack_file_header())


def test_files_are_refused_by_name(tmp_path):
    path = tmp_path / "a.vf"
    path.write_bytes(known_game())
    sibling(path).write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"a\.visits: this is not a file of visits"):
        open_games([path])
    path.write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match=r"a\.vf: not a file of labelled games \(viriformat\): byte 0 is not valid"):
        open_games([path])
    path.write_bytes(known_game() + b"x" * 100)
    with pytest.raises(ValueError, match=r"a\.vf: damaged: byte 48 is not valid chess data$"):
        open_games([path])
    path.write_bytes(known_game()[:32] + bytes(4))  # a game without moves
    with pytest.raises(ValueError, match=r"a\.vf: there is no game in it$"):
        open_games([path])
    path.write_bytes(known_game()[:32] + bytes(4) + known_game())
    sibling(path).unlink()
    assert open_games([path]).size.tolist() == [0, 3]


def test_a_file_that_cannot_be_mapped_is_named(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    path = tmp_path / "a.vf"
    path.write_bytes(known_game())
    monkeypatch.setattr(np, "memmap", fail)
    with pytest.raises(ValueError, match=r"a\.vf: Input/output error$"):
        open_games([path])
