"""Features of this CPU: may the fast bit-gathering instruction (PEXT) be used?"""

import os

import llvmlite.binding as llvm

PORTABLE_VARIABLE = "TERESA_PORTABLE"

# These AMD processors (before Zen 3) have PEXT, but it takes a hundred cycles or more.
SLOW_PEXT = frozenset({"bdver4", "znver1", "znver2"})


def portable_forced() -> bool:
    """Has the user asked for the portable path by TERESA_PORTABLE=1?"""
    return os.environ.get(PORTABLE_VARIABLE, "0") not in ("", "0")


def has_fast_pext() -> bool:
    """Does the CPU have PEXT and PDEP, and are they fast?"""
    features = llvm.get_host_cpu_features()
    return bool(features.get("bmi2")) and llvm.get_host_cpu_name() not in SLOW_PEXT


USE_PEXT = has_fast_pext() and not portable_forced()
