"""Ctrl-C while processes are started: it comes later, and does not reach them."""

import signal
import threading

import pytest

from perft.runner.interrupts import ignore_interrupts, interrupts_held_back, interrupts_noted

needs_masks = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no signal masks here")


def is_blocked():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def press_in_another_thread():
    """A signal may reach any thread of a process that does not block it; Python then calls the handler in this one."""
    thread = threading.Thread(target=lambda: signal.raise_signal(signal.SIGINT))
    if hasattr(signal, "pthread_sigmask"):
        before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # threads inherit the mask
        thread.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    else:
        thread.start()
    thread.join()


@needs_masks
@pytest.mark.parametrize("press", [lambda: signal.raise_signal(signal.SIGINT), press_in_another_thread])
def test_interrupts_are_held_back_and_come_later(press):
    reached = []

    def work():
        with interrupts_held_back():
            assert is_blocked()
            press()
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end"]
    assert not is_blocked()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@needs_masks
def test_errors_end_it_too():
    with pytest.raises(RuntimeError), interrupts_held_back():
        raise RuntimeError
    assert not is_blocked()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_was_held_back_counts_as_the_first_one():
    with interrupts_noted() as interrupts:
        with interrupts_held_back():
            press_in_another_thread()
        assert interrupts.has_come
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ignored_interrupts_stay_ignored():
    """As in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_noted() as interrupts, interrupts_held_back():
            signal.raise_signal(signal.SIGINT)
        assert not interrupts.has_come
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@needs_masks
def test_a_worker_ignores_interrupts():
    before = signal.getsignal(signal.SIGINT)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        ignore_interrupts()
        assert not is_blocked()
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
