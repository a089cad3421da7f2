"""Softmax in integers: the same result on every CPU.

e^−d is the product of two table entries, one for the whole sixteenths of d, one for the rest. The tables are computed
with decimal arithmetic, which rounds correctly everywhere.
"""

from decimal import Decimal

import numpy as np

from engine.network.architecture import LOGIT_BITS
from movegen.bits import U64
from movegen.compiler.jit import inlined, lookup

EXP_BITS = 30  # 1.0 is ONE_EXP
COARSE_STEPS = 512  # sixteenths: e^−32 and less counts as 0
FINE_BITS = LOGIT_BITS - 4
FINE_STEPS = 1 << FINE_BITS

ONE_EXP = 1 << EXP_BITS


def exponentials(count: int, steps_per_unit: int) -> np.ndarray:
    """e^−(i / steps per unit) for i = 0 … count − 1, in 1 / ONE_EXP."""
    powers = ((Decimal(-step) / steps_per_unit).exp() * ONE_EXP for step in range(count))
    return np.array([int(power.to_integral_value()) for power in powers], dtype=np.uint64)


_coarse = lookup("exp_coarse", exponentials(COARSE_STEPS, 16))
_fine = lookup("exp_fine", exponentials(FINE_STEPS, 1 << LOGIT_BITS))


@inlined
def exp_of_minus(distance: np.uint64) -> np.uint64:
    """e^−distance in 1 / ONE_EXP; the distance is in 1 / (1 << LOGIT_BITS)."""
    coarse = distance >> U64(FINE_BITS)
    if coarse >= U64(COARSE_STEPS):
        return U64(0)
    return _coarse(coarse) * _fine(distance & U64(FINE_STEPS - 1)) >> U64(EXP_BITS)
