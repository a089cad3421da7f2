"""What a network outside the kernels has said, by all that it saw: the search comes to many positions again.

The table has a fixed size; a new entry replaces another one of its place. Such a network costs a millisecond where the
search costs microseconds, so an entry is locked while it is read or written; if another thread has the lock, the
position counts as unknown.
"""

from typing import NamedTuple

import numpy as np

from engine.network.leaves import LeafBatch
from movegen.bits import ONE, U64, ZERO, fold_product, multiply_high
from movegen.compiler.jit import inlined
from movegen.compiler.memory import exchange, publish

ENTRIES = 1 << 15
MOST_PRIORS = 128  # of an entry; positions with more moves are rare, and not kept
MIXER = U64(0x9E37_79B9_7F4A_7C15)


class EvaluationTable(NamedTuple):
    """The fields of all entries, each as an array."""

    locks: np.ndarray  # uint64 [ENTRIES], 1 while a thread has the entry
    digests: np.ndarray  # uint64 [ENTRIES], see `digest_of`; 0: empty
    counts: np.ndarray  # int64 [ENTRIES], moves
    outcomes: np.ndarray  # float32 [ENTRIES, 2], value and draws
    priors: np.ndarray  # float32 [ENTRIES, MOST_PRIORS], in the order of the generator


def new_table(entries: int = ENTRIES) -> EvaluationTable:
    """An empty table. Its memory is taken as it is filled."""
    return EvaluationTable(
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries, dtype=np.int64),
        np.zeros((entries, 2), dtype=np.float32),
        np.zeros((entries, MOST_PRIORS), dtype=np.float32),
    )


@inlined
def mixed(digest: np.uint64, word: np.uint64) -> np.uint64:
    """A digest and one more word."""
    return fold_product(digest ^ word ^ MIXER, MIXER) + MIXER


@inlined
def digest_of(leaves: LeafBatch, leaf: int) -> np.uint64:
    """A number, not 0, for all that a network sees of a leaf."""
    count = int(leaves.history_count[leaf])
    digest = mixed(U64(count), U64(leaves.side[leaf]) << U64(16) | U64(leaves.clock[leaf]))
    for age in range(count):
        digest = mixed(digest, U64(leaves.repetitions[leaf, age]))
        for word in range(6):
            digest = mixed(digest, leaves.history[leaf, age, word])
    return digest | ONE


@inlined
def recall(table: EvaluationTable, digest: np.uint64, leaves: LeafBatch, leaf: int) -> bool:
    """Write value, draws and priors of a leaf, if they are known; -> are they?"""
    entry = multiply_high(digest, U64(table.locks.size))
    count = int(leaves.move_count[leaf])
    if exchange(table.locks, entry, ONE) != ZERO:
        return False
    is_known = table.digests[entry] == digest and table.counts[entry] == count
    if is_known:
        leaves.values[leaf], leaves.draws[leaf] = table.outcomes[entry, 0], table.outcomes[entry, 1]
        for index in range(count):
            leaves.priors[leaf, index] = table.priors[entry, index]
    publish(table.locks, entry, ZERO)
    return bool(is_known)


@inlined
def remember(table: EvaluationTable, digest: np.uint64, leaves: LeafBatch, leaf: int) -> None:
    """Keep value, draws and priors of a leaf."""
    entry = multiply_high(digest, U64(table.locks.size))
    count = int(leaves.move_count[leaf])
    if count > MOST_PRIORS or exchange(table.locks, entry, ONE) != ZERO:
        return
    table.digests[entry], table.counts[entry] = digest, count
    table.outcomes[entry, 0], table.outcomes[entry, 1] = leaves.values[leaf], leaves.draws[leaf]
    for index in range(count):
        table.priors[entry, index] = leaves.priors[leaf, index]
    publish(table.locks, entry, ZERO)
