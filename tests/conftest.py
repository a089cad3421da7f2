"""What all tests share."""

import os

import numba
import pytest

JIT_DISABLED = bool(numba.config.DISABLE_JIT)


@pytest.fixture(scope="session")
def scaled():
    """A number of cases: as given for compiled kernels, a hundredth where they run as plain Python."""
    return lambda count: max(count // 100, 20) if JIT_DISABLED else count


@pytest.fixture(scope="session")
def environment():
    """The environment for child processes, without what a variant of the test run has set."""
    switches = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "TERESA_PORTABLE", "TERESA_CACHE_DIR")
    return {name: value for name, value in os.environ.items() if name not in switches}
