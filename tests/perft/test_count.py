"""Published counts, for every way of counting."""

import pytest

from movegen import Position
from movegen.bits import U64
from movegen.moves import MAX_MOVES
from perft.bench import COUNTED_POSITIONS, COUNTERS
from perft.count import DEEPEST_FOR_ONE_WORD
from perft.counter import Counter
from tests.conftest import JIT_DISABLED

# The six standard positions, as deep as a test allows (chessprogramming.org, "Perft Results").
DEEP = {
    fen: counts
    for (fen, _, _), counts in zip(
        COUNTED_POSITIONS,
        (
            (20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860),
            (48, 2_039, 97_862, 4_085_603, 193_690_690, 8_031_647_685),
            (14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661, 3_009_794_393),
            (6, 264, 9_467, 422_333, 15_833_292, 706_045_033),
            (44, 1_486, 62_379, 2_103_487, 89_941_194, 3_048_196_529),
            (46, 2_079, 89_890, 3_894_594, 164_075_551, 6_923_051_137),
        ),
        strict=True,
    )
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", COUNTERS)
@pytest.mark.parametrize("fen", DEEP)
def test_all_ways_of_counting_agree_with_the_published_counts(kind, fen):
    depths = range(1, 3 if JIT_DISABLED else 5)
    assert tuple(COUNTERS[kind](Position(fen), depth) for depth in depths) == DEEP[fen][: len(depths)]


@pytest.mark.slow
@pytest.mark.parametrize("fen", DEEP)
def test_deep_counts(fen):
    counts = DEEP[fen][:-1]
    assert Counter(threads=2).perft(Position(fen), len(counts)) == counts[-1]


@pytest.mark.soak
@pytest.mark.parametrize("fen", DEEP)
def test_deeper_counts(fen):
    counts = DEEP[fen]
    assert Counter(threads=2).perft(Position(fen), len(counts)) == counts[-1]


@pytest.mark.slow
@pytest.mark.parametrize("fen", DEEP)
def test_deep_counts_with_memory(fen):
    counts = DEEP[fen]
    assert Counter(threads=2, hash_megabytes=256).perft(Position(fen), len(counts)) == counts[-1]


@pytest.mark.soak
def test_the_deepest_published_counts():
    """OEIS A048987, and positions 2 and 6 one ply deeper."""
    counter = Counter(threads=2, hash_megabytes=1024)
    assert counter.perft(Position(), 8) == 84_998_978_956
    assert counter.perft(Position(), 9) == 2_439_530_234_167
    assert counter.perft(Position(COUNTED_POSITIONS[1][0]), 7) == 374_190_009_323
    assert counter.perft(Position(COUNTED_POSITIONS[5][0]), 7) == 287_188_994_746


def test_a_word_is_enough_for_the_depths_that_use_one():
    assert MAX_MOVES**DEEPEST_FOR_ONE_WORD < 2**64 < MAX_MOVES ** (DEEPEST_FOR_ONE_WORD + 1)
    assert U64(2**64 - 1) == 2**64 - 1
