"""Ctrl-C while a kernel is loaded: LLVM calls Python back meanwhile, and what is raised there is ignored."""

import ctypes
import signal
from types import SimpleNamespace

import pytest

from movegen.compiler.cache import KernelCache
from movegen.compiler.interrupts import interrupts_delayed
from perft.runner.interrupts import interrupts_noted

CONTEXT = SimpleNamespace(refresh=lambda: None)
press_in_a_callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))


class InterruptedCache(KernelCache):
    """Ctrl-C comes while it loads."""

    def __init__(self, *, needs_runtime):
        self._needs_runtime = needs_runtime

    def _load_overload(self, *_):
        press_in_a_callback()
        return "a kernel"


@pytest.mark.parametrize("needs_runtime", [True, False])
def test_it_is_not_lost(needs_runtime):
    with pytest.raises(KeyboardInterrupt):
        InterruptedCache(needs_runtime=needs_runtime)._load("a signature", CONTEXT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("needs_runtime", [True, False])
def test_the_kernel_is_not_lost_if_ctrl_c_is_only_noted(needs_runtime):
    with interrupts_noted() as interrupts:
        assert InterruptedCache(needs_runtime=needs_runtime)._load("a signature", CONTEXT) == "a kernel"
    assert interrupts.has_come


def test_the_work_is_done_first():
    done = []

    def work():
        with interrupts_delayed():
            signal.raise_signal(signal.SIGINT)
            done.append("work")
        done.append("more")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["work"]


def test_a_handler_that_is_not_python_s_stays(monkeypatch):
    """A program that embeds Python may have its own."""
    monkeypatch.setattr(signal, "getsignal", lambda _number: None)
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("it is replaced"))
    with interrupts_delayed():
        pass
