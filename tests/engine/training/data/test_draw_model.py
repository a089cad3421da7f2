import numpy as np
import pytest

from engine.training.data.decode import new_positions
from engine.training.data.draw_model import DrawModel, calibration, chances, fit_draw_model, material_of
from engine.training.data.viriformat import NOISY
from movegen import Position

TRUE = DrawModel((1.5, -2.0, -0.8, 0.3, 0.1, 1.0))


@pytest.fixture(scope="module")
def positions():
    """Positions whose results follow a known model, and some whose results are nonsense."""
    rng = np.random.default_rng(4)
    count = 60_000
    found = new_positions(count)
    words = [
        Position(fen).board
        for fen in (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/3p4/8/8/4P3/R3K3 w Q - 0 1",
            "r3k3/ppp5/8/8/3N4/8/PPP5/4K2R w K - 0 1",
            "4k3/pp6/8/2q5/8/3Q4/PP6/4K3 w - - 0 1",
        )
    ]
    found.boards[:] = np.array(words, dtype=np.uint64)[rng.integers(0, len(words), count)]
    found.scores[:] = np.clip(rng.standard_normal(count) * 300, -2000, 2000)
    shares = TRUE.outcomes(found.scores, material_of(found.boards)).astype(np.float64)
    drawn = rng.random(count)
    found.results[:] = np.where(drawn < shares[:, 0], 2, np.where(drawn < shares[:, 0] + shares[:, 1], 1, 0))
    found.extras[:] = 0
    found.extras[:5000], found.results[:5000] = NOISY, 1
    return found


def test_material():
    words = np.array([Position().board, Position("4k3/8/8/3p4/8/8/4P3/R3K3 w - - 0 1").board], dtype=np.uint64)
    assert material_of(words).tolist() == [78, 7]


def test_shares_are_shares_and_keep_the_expected_result():
    scores = np.arange(-3000, 3000, 7)
    shares = TRUE.outcomes(scores, np.full(scores.size, 30.0))
    assert shares.min() >= 0
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-6
    assert np.abs(shares[:, 0] + shares[:, 1] / 2 - chances(scores)).max() < 1e-6


def test_the_fit_finds_the_model_behind_the_results(positions):
    sound = slice(5000, None)
    scores, material = positions.scores[sound], material_of(positions.boards[sound])
    expected = TRUE.outcomes(scores, material)[:, 1]
    fitted = fit_draw_model(positions).outcomes(scores, material)[:, 1]
    assert np.abs(fitted - expected).mean() < 0.02
    for row in calibration(fitted, positions.results[sound]):
        if row["positions"] > 1000:
            assert row["real"] == pytest.approx(row["expected"], abs=0.05)


def test_it_can_be_kept(tmp_path):
    TRUE.save(tmp_path / "draws.json")
    assert DrawModel.load(tmp_path / "draws.json") == TRUE
