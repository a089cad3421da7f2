"""What all tests share."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from hypothesis import settings

# In the background of a shell Ctrl-C is ignored, and children inherit that: tests which send it would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # likewise under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
# Runs besides the one of all tests: they look for what depends on the compiler, not for rare cases.
IS_VARIANT = JIT_DISABLED or bool(numba.config.BOUNDSCHECK) or "TERESA_PORTABLE" in os.environ

# The same cases in every run, and no asserted times. `make soak` looks for new ones.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=30 if IS_VARIANT else 200)
settings.register_profile("searching", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure(config):
    """Without the JIT, words that wrap around are numpy's, which warns of it in every thread but the first."""
    if JIT_DISABLED:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What starts processes is slow. Without the JIT, leave out what needs compiled kernels."""
    for item in items:
        if {"environment", "browser"} & set(item.fixturenames):
            item.add_marker("slow")
    compiled = [item for item in items if item.get_closest_marker("jit")] if JIT_DISABLED else []
    if compiled:
        items[:] = [item for item in items if not item.get_closest_marker("jit")]
        config.hook.pytest_deselected(items=compiled)


@pytest.fixture(autouse=True, scope="session")
def reviews_of_tests(tmp_path_factory):
    """What tests judge is not kept with the user's own reviews."""
    os.environ["TERESA_REVIEW_DIR"] = str(tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="session")
def scaled():
    """A number of cases: as given where compiled, a fifth in other variants, `plain` or a twentieth in plain Python."""
    share = 20 if JIT_DISABLED else 5 if IS_VARIANT else 1

    def scale(count, plain=None):
        return plain if JIT_DISABLED and plain is not None else max(count // share, min(count, 20))

    return scale


@pytest.fixture(scope="session")
def environment():
    """The environment for child processes, without what a variant of the test run has set."""
    switches = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "TERESA_PORTABLE", "TERESA_CACHE_DIR")
    return {name: value for name, value in os.environ.items() if name not in switches}


@pytest.fixture(scope="session")
def warm(environment):
    """The kernels are in the cache of child processes: none of them says that it compiles."""
    command = [sys.executable, "-m", "engine", "warmup", "--search"]
    subprocess.run(command, env=environment, capture_output=True, timeout=600, check=True)


@pytest.fixture
def copied_kernels(tmp_path, environment, warm):  # noqa: ARG001  (`warm` fills the cache)
    """A copy of the cache for one test, and the environment for it: other test runs compile into the common one."""
    command = [sys.executable, "-c", "from engine.warmup import ready_file; print(ready_file().parents[2])"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    source, target = Path(done.stdout.strip()), tmp_path / "kernels"
    for file in source.rglob("*"):
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError, IsADirectoryError, PermissionError):  # gone meanwhile; a folder
            shutil.copyfile(file, copy)
    return target, {**environment, "TERESA_CACHE_DIR": str(target)}
