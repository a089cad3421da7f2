"""The runner against workers that a test controls: losses, delays, wrong answers."""

import itertools
import random
import signal
from dataclasses import replace

import pytest

from perft.runner import runner as runner_module
from perft.runner.journal import Memory
from perft.runner.pool import UnitJob, UnitReport
from perft.runner.runner import RunError, Runner, Stopped, results_in_order
from perft.runner.units import Unit, UnitAnswer, compute
from tests.perft.runner.work import unit

UNITS = [unit(number) for number in range(40)]
RIGHT = {number: number * number for number in range(40)}


class FakePool:
    """Answers one job at a time, as `plan(job)` says: an answer, "lost", "foreign", or "later"."""

    def __init__(self, plan=None, workers=2, order=0):
        self.workers, self.lost, self.notes, self.plan = workers, 0, [], plan or (lambda _: "answer")
        self.jobs, self.sent, self.most_out = [], [], 0
        self.cancelled, self.begun = [], {}
        self.rng, self.is_shuffled = random.Random(order), order is not None

    def send(self, job):
        self.sent.append(job)
        self.jobs.append(job)
        self.begun[job] = runner_module.time.monotonic()
        self.most_out = max(self.most_out, len(self.jobs))

    def worker_of(self, job):
        names = [f"worker {number}" for number in range(self.workers)]
        return self.rng.choice([name for name in names if name != job.avoid] or names)

    def receive(self, _seconds):
        if self.is_shuffled:
            self.rng.shuffle(self.jobs)
        for job in list(self.jobs):
            what = self.plan(job)
            if what == "later":
                continue
            self.jobs.remove(job)
            if what in ("lost", "foreign"):
                return [UnitReport(job, None, is_refused=what == "foreign")]
            seconds = runner_module.time.monotonic() - self.begun[job]
            answer = compute(job.unit.function, job.unit.input, job.unit.identity, {})
            answer = replace(answer, worker=self.worker_of(job), seconds=seconds)
            return [UnitReport(job, replace(answer, value=what) if isinstance(what, int) else answer)]
        return []

    def recall(self):
        return []

    def cancel(self, jobs):
        self.cancelled += jobs

    def begun_at(self, job):
        return self.begun[job]

    def close(self):
        pass


def results(runner, units=UNITS):
    return {unit.input["number"]: result.value for unit, result in runner.run(units)}


@pytest.mark.parametrize("order", range(5))
def test_each_unit_is_done_once(order):
    pool = FakePool(order=order)
    runner = Runner(pool, Memory())
    found = list(runner.run(UNITS))
    assert sorted(unit.input["number"] for unit, _ in found) == list(range(40))
    assert {unit.input["number"]: result.value for unit, result in found} == RIGHT
    assert len(pool.sent) == 40
    assert pool.most_out == 6  # three for each worker
    assert (runner.stats.done, runner.stats.total, runner.stats.redone, runner.stats.verified) == (40, 40, 0, 0)


def test_the_same_unit_twice_is_done_once():
    pool = FakePool()
    assert len(list(Runner(pool, Memory()).run([UNITS[1], UNITS[2], unit(1)]))) == 2
    assert len(pool.sent) == 2


def test_what_is_recorded_is_not_done_again():
    journal = Memory()
    list(Runner(FakePool(), journal).run(UNITS[:30]))
    pool = FakePool()
    runner = Runner(pool, journal)
    assert results(runner) == RIGHT
    assert sorted(job.unit.input["number"] for job in pool.sent) == list(range(30, 40))
    assert (runner.stats.from_journal, runner.stats.done) == (30, 40)


@pytest.mark.parametrize("order", range(10))
def test_lost_units_are_sent_again(order):
    rng = random.Random(order)
    losses = itertools.count()

    def plan(_job):
        if rng.random() < 0.3:
            next(losses)
            return "lost"
        return "answer"

    pool = FakePool(plan, order=order)
    runner = Runner(pool, Memory(), verify=0.3)
    assert results(runner) == RIGHT
    assert runner.stats.redone == next(losses)
    assert len({(job.unit.identity, job.attempt) for job in pool.sent}) == len(pool.sent)


def test_a_unit_at_which_every_worker_dies_ends_the_run():
    pool = FakePool(lambda job: "lost" if job.unit is UNITS[7] else "answer")
    journal = Memory()
    with pytest.raises(RunError, match="30 workers died at one unit"):
        list(Runner(pool, journal).run(UNITS))
    assert sum(job.unit is UNITS[7] for job in pool.sent) == 31


def test_units_that_foreign_workers_refuse_are_sent_again():
    """However often: that is no sign of a unit that kills its workers."""
    left = itertools.count()
    pool = FakePool(lambda job: "foreign" if job.unit is UNITS[7] and next(left) < 50 else "answer")
    runner = Runner(pool, Memory())
    assert results(runner) == RIGHT
    assert runner.stats.redone == 50


def test_what_the_pool_notes_is_in_the_stats():
    pool = FakePool()
    runner = Runner(pool, Memory())
    for _ in runner.run(UNITS):
        pool.notes = ["a worker has other versions"]
    assert runner.stats.notes == ["a worker has other versions"]


def test_nothing_is_sent_before_there_are_workers():
    """The cluster would give it to the next worker, whatever that has."""
    pool = FakePool(workers=0)
    looks = itertools.count()

    def watch(_):
        if next(looks) == 3:
            assert not pool.sent
            pool.workers = 2

    assert results(Runner(pool, Memory(), watcher=watch)) == RIGHT


def test_a_failed_unit_ends_the_run_and_names_the_worker():
    with pytest.raises(RunError, match=r"a unit failed on worker [01]: no 5 today"):
        list(Runner(FakePool(), Memory()).run([*UNITS, unit(5, "fails")]))


class TestVerified:
    def test_all_units_twice_on_two_workers(self):
        pool, journal = FakePool(), Memory()
        runner = Runner(pool, journal, verify=1.0)
        assert results(runner) == RIGHT
        assert runner.stats.verified == 40
        assert len(pool.sent) == 80
        assert all(len(set(result.workers)) == 2 for result in journal.done.values())

    def test_lost_attempts_do_not_count_against_the_second_worker(self):
        """Three workers are lost, two answers come from the same worker, then one from another."""
        pool, journal = FakePool(lambda job: "lost" if job.attempt <= 3 else "answer"), Memory()
        pool.worker_of = lambda job: "worker 0" if job.attempt <= 5 else "worker 1"
        runner = Runner(pool, journal, verify=1.0)
        assert len(list(runner.run(UNITS[:1]))) == 1
        assert journal.done[UNITS[0].identity].workers == ("worker 0", "worker 1")
        assert (runner.stats.verified, runner.stats.unverified, runner.stats.redone) == (1, 0, 3)

    def test_a_share_of_the_units_the_same_in_every_run(self):
        chosen = []
        for order in range(2):
            journal = Memory()
            list(Runner(FakePool(order=order), journal, verify=0.25).run(UNITS))
            chosen.append({identity for identity, result in journal.done.items() if len(result.workers) == 2})
        assert chosen[0] == chosen[1]
        assert chosen[0] == {unit.identity for unit in UNITS if int(unit.identity[:8], 16) < 2**30}

    def test_a_wrong_answer_stops_the_run_and_names_both_workers(self):
        journal = Memory()
        pool = FakePool(lambda job: 7 if job.unit is UNITS[20] and job.attempt == 2 else "answer")
        with pytest.raises(RunError, match=r"worker [01] and worker [01] gave different results for unit") as error:
            list(Runner(pool, journal, verify=1.0).run(UNITS))
        assert UNITS[20].identity[:16] in str(error.value)
        assert UNITS[20].identity not in journal.done  # what is not sure is not recorded

    @pytest.mark.parametrize(("share", "runs"), [(1.0, 20), (0.1, 500)])
    def test_one_wrong_unit_in_a_hundred_is_found(self, share, runs):
        """5,000 units, 1 % of them answered wrongly by one of the workers: missed in 0.9^50 = 0.5 % of runs at 10 %."""
        units, found = [unit(number) for number in range(5000)], 0
        for seed in range(runs):
            wrong = random.Random(seed).sample(units, 50)
            is_found = answers_disagree(wrong, share)
            assert is_found == any(int(each.identity[:8], 16) < share * 2**32 for each in wrong)
            found += is_found
        assert found >= (1.0 if share == 1 else 0.99) * runs


def answers_disagree(units, share):
    """Does a run find that one of the workers answers these units wrongly? Those with right answers cannot disagree."""
    pool = FakePool(lambda job: -1 if job.attempt == 1 else "answer")
    try:
        list(Runner(pool, Memory(), verify=share).run(units))
    except RunError:
        return True
    return False


class TestStragglers:
    @pytest.fixture
    def clock(self, monkeypatch):
        class Clock:
            now = 0.0

            def monotonic(self):
                Clock.now += 0.1
                return Clock.now

        monkeypatch.setattr(runner_module, "time", Clock())
        return Clock

    @pytest.mark.usefixtures("clock")
    def test_a_unit_that_takes_long_is_sent_to_a_second_worker(self):
        pool = FakePool(lambda job: "later" if job.unit is UNITS[0] and job.attempt == 1 else "answer", order=None)
        runner = Runner(pool, Memory())
        for unit_, _ in runner.run(UNITS):
            if unit_ is UNITS[0]:
                pool.plan = lambda _: "answer"
        assert runner.stats.resent == 1
        assert runner.stats.redone == 0
        assert pool.cancelled == [UnitJob(UNITS[0], 1)]
        assert [job.attempt for job in pool.sent if job.unit is UNITS[0]] == [1, 2]

    @pytest.mark.usefixtures("clock")
    def test_an_answer_that_comes_second_must_agree(self):
        pool = FakePool(lambda job: "later" if job.unit is UNITS[0] and job.attempt == 1 else "answer", order=None)
        journal = Memory()

        def change_the_plan():
            for unit_, _ in Runner(pool, journal).run(UNITS):
                if unit_ is UNITS[0]:
                    pool.plan = lambda job: 3 if job.unit is UNITS[0] else "answer"

        with pytest.raises(RunError, match=r"gave different results .*; neither is recorded"):
            change_the_plan()
        assert UNITS[0].identity not in journal.done

    @pytest.mark.usefixtures("clock")
    def test_one_copy_at_a_time(self):
        """All attempts at a unit hang for long: two are out, however long it takes."""
        left = itertools.count()
        pool = FakePool(lambda job: "later" if job.unit is UNITS[0] and next(left) < 300 else "answer", order=None)
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent == 1
        assert [job.attempt for job in pool.sent if job.unit is UNITS[0]] == [1, 2]
        assert len(pool.cancelled) == 1

    @pytest.mark.usefixtures("clock")
    def test_two_copies_in_all(self):
        """The workers of the copies die, and those of the further attempts: a loss is no reason for one more copy."""
        slow, left = UNITS[0], itertools.count()

        def plan(job):
            if job.unit is slow and next(left) < 300:
                return "lost" if job.attempt > 1 else "later"
            return "answer"

        pool = FakePool(plan, order=None)
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent == runner_module.MOST_COPIES == 2
        assert sum(job.unit is slow for job in pool.sent) == 3

    @pytest.mark.usefixtures("clock")
    def test_a_unit_that_no_worker_has_begun_is_no_straggler(self):
        left = itertools.count()
        pool = FakePool(lambda job: "later" if job.unit is UNITS[0] and next(left) < 100 else "answer", order=None)
        pool.begun_at = lambda _: None
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent == 0

    @pytest.mark.usefixtures("clock")
    def test_the_age_is_that_since_the_begin(self):
        left = itertools.count()
        pool = FakePool(lambda job: "later" if job.unit is UNITS[0] and next(left) < 100 else "answer", order=None)
        pool.begun_at = lambda _: runner_module.time.monotonic()
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent == 0

    @pytest.mark.usefixtures("clock")
    def test_no_copy_where_a_clock_decides(self):
        """The faster of two answers would count: short games would be favoured."""
        by_clock = [Unit(each.function, each.input, is_repeatable=False) for each in UNITS]
        left = itertools.count()
        pool = FakePool(lambda job: "later" if job.unit is by_clock[0] and next(left) < 100 else "answer", order=None)
        runner = Runner(pool, Memory())
        assert results(runner, by_clock) == RIGHT
        assert runner.stats.resent == 0
        assert len(pool.sent) == 40

    @pytest.mark.usefixtures("clock")
    def test_a_copy_avoids_the_worker_of_the_first_answer(self):
        """A unit is to be verified, and the second worker hangs."""
        slow = UNITS[0]
        pool = FakePool(lambda job: "later" if job.unit is slow and job.attempt == 2 else "answer", order=None)
        journal = Memory()
        runner = Runner(pool, journal, verify=1.0)
        assert results(runner) == RIGHT
        first, second = journal.done[slow.identity].workers
        (copy,) = [job for job in pool.sent if job.unit is slow and job.attempt == 3]
        assert copy.avoid == first != second

    @pytest.mark.usefixtures("clock")
    def test_with_one_worker_there_is_no_second(self):
        left = itertools.count()
        pool = FakePool(
            lambda job: "later" if job.unit is UNITS[0] and next(left) < 100 else "answer", workers=1, order=None
        )
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent == 0


class TestStuckWorkers:
    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch):
        class Clock:
            now = 0.0

            def monotonic(self):
                Clock.now += 0.1
                return Clock.now

        monkeypatch.setattr(runner_module, "time", Clock())

    def test_the_end_does_not_wait_for_a_worker_that_hangs(self):
        stuck = UNITS[:3]  # all that one worker has
        pool = FakePool(lambda job: "later" if job.unit in stuck and job.attempt == 1 else "answer")
        runner = Runner(pool, Memory())
        assert results(runner) == RIGHT
        assert runner.stats.resent >= 3
        assert sum(job.unit in stuck and job.attempt == 1 for job in pool.jobs) == 3

    def test_its_jobs_take_no_room(self):
        pool = FakePool(lambda job: "later" if job.unit in UNITS[:3] and job.attempt == 1 else "answer")
        runner = Runner(pool, Memory())
        for each, _ in runner.run(UNITS):
            if each.input["number"] > 30:
                assert sum(job.unit not in UNITS[:3] for job in pool.jobs) <= 6
        assert pool.most_out >= 8


class TestRecordedBefore:
    """An earlier run has recorded units, most of them after one answer."""

    @pytest.fixture
    def journal(self):
        journal = Memory()
        list(Runner(FakePool(), journal).run(UNITS[:20]))
        list(Runner(FakePool(), journal, verify=1.0).run(UNITS[20:30]))
        return journal

    def test_those_without_verification_are_done_once_more_by_another_worker(self, journal):
        before, pool = dict(journal.done), FakePool()
        runner = Runner(pool, journal, verify=1.0)
        assert results(runner) == RIGHT
        assert (runner.stats.verified, runner.stats.from_journal, runner.stats.done) == (30, 10, 40)
        again = [job for job in pool.sent if job.unit in UNITS[:20]]
        assert sorted(job.unit.input["number"] for job in again) == list(range(20))
        assert all(job.avoid == before[job.unit.identity].workers[0] for job in again)
        assert all(len(set(result.workers)) == 2 for result in journal.done.values())

    def test_only_the_share_that_is_to_be_verified(self, journal):
        pool = FakePool()
        list(Runner(pool, journal, verify=0.5).run(UNITS[:30]))
        chosen = [each for each in UNITS[:20] if int(each.identity[:8], 16) < 2**31]
        assert 0 < len(chosen) < 20
        assert {job.unit for job in pool.sent} == set(chosen)

    def test_another_answer_ends_the_run_and_neither_is_kept(self, journal):
        pool = FakePool(lambda job: -1 if job.unit is UNITS[7] else "answer")
        with pytest.raises(RunError, match=r"gave different results .*; neither is recorded"):
            list(Runner(pool, journal, verify=1.0).run(UNITS))
        assert UNITS[7].identity not in journal.done
        assert UNITS[8].identity in journal.done
        assert results(Runner(FakePool(), journal)) == RIGHT

    def test_journals_that_do_not_say_who_has_done_a_unit(self, journal):
        for each in UNITS[:5]:
            journal.done[each.identity] = replace(journal.done[each.identity], workers=())
        runner = Runner(FakePool(), journal, verify=1.0)
        assert results(runner) == RIGHT
        assert (runner.stats.verified, runner.stats.recorded_unverified) == (25, 5)


class TestNoSecondWorker:
    def test_one_worker_cannot_verify(self):
        pool, journal = FakePool(workers=1), Memory()
        runner = Runner(pool, journal, verify=1.0)
        assert results(runner) == RIGHT
        assert (runner.stats.verified, runner.stats.unverified) == (0, 40)
        assert len(pool.sent) == 80
        assert all(len(result.workers) == 1 for result in journal.done.values())

    def test_a_pool_that_does_not_heed_whom_to_avoid_is_asked_again(self):
        pool = FakePool()
        pool.worker_of = lambda job: f"worker {job.attempt // 3}"  # the third attempt is the first by another one
        runner = Runner(pool, Memory(), verify=1.0)
        assert results(runner) == RIGHT
        assert (runner.stats.verified, runner.stats.unverified) == (40, 0)
        assert len(pool.sent) == 120

    def test_but_not_for_ever(self):
        pool = FakePool()
        pool.worker_of = lambda _: "worker 0"
        runner = Runner(pool, Memory(), verify=1.0)
        assert results(runner) == RIGHT
        assert runner.stats.unverified == 40
        assert len(pool.sent) == 160


def test_ctrl_c_takes_back_what_no_worker_has_begun():
    pool, done = FakePool(workers=1), []
    pool.recall = lambda: [pool.jobs.pop() for _ in range(len(pool.jobs) - 1)]

    def press_after_three():
        for unit_, _ in Runner(pool, Memory()).run(UNITS):
            done.append(unit_)
            if len(done) == 3:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped, match=r"4 of 40 units are done"):
        press_after_three()


def test_an_ignored_ctrl_c_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for number, _ in enumerate(Runner(FakePool(), Memory()).run(UNITS)):
            if number == 3:
                signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert number == 39


def test_ctrl_c_finishes_what_is_out():
    pool, journal = FakePool(), Memory()
    done = []

    def press_after_three():
        for unit_, _ in Runner(pool, journal).run(UNITS):
            done.append(unit_)
            if len(done) == 3:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped, match=r"\d+ of 40 units are done"):
        press_after_three()
    assert len(done) == len(pool.sent) == len(journal.done) < 40
    assert not pool.jobs
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_first_ctrl_c_is_announced_at_once():
    """Not when the unit under way is done: here it is interrupted."""
    seen = []

    def press(_job):
        if not seen:
            signal.raise_signal(signal.SIGINT)
            seen.append("done")
        return "answer"

    runner = Runner(FakePool(press), Memory(), watcher=lambda stats: stats.is_stopping and seen.append("stopping"))
    with pytest.raises(Stopped):
        list(runner.run(UNITS))
    assert seen[:2] == ["stopping", "done"]


def test_a_second_ctrl_c_ends_at_once():
    pool = FakePool()
    run = Runner(pool, Memory()).run(UNITS)
    next(run)
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    run.close()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("what", ["answer", "lost", "foreign"])
def test_a_late_copy_of_an_earlier_list_is_not_taken_for_a_unit_of_this_one(what):
    """The workers of a tuning go on with the match of its gate, whose check cannot read trials."""

    def check(each, _answer):
        if each.input["number"] < 10:
            pytest.fail("it checks a unit of the other list")

    pool, journal = FakePool(order=None), Memory()
    list(Runner(pool, journal).run(UNITS[:10]))
    runner = Runner(pool, journal, check=check)
    units = runner.run(UNITS[10:20])
    for _ in range(5):
        next(units)
    pool.jobs.insert(0, UnitJob(UNITS[0], 2))
    pool.begun[pool.jobs[0]] = runner_module.time.monotonic()
    pool.plan = lambda job: what if job.unit is UNITS[0] else "answer"
    assert len(list(units)) == 5
    assert (runner.stats.done, runner.stats.redone, runner.stats.total) == (10, 0, 10)
    assert UNITS[0] not in [job.unit for job in pool.sent[10:]]


def test_in_order():
    pool = FakePool(order=3)
    numbers = [each.input["number"] for each, _ in results_in_order(UNITS, Runner(pool, Memory()).run(UNITS))]
    assert numbers == list(range(40))


def test_in_order_yields_only_the_unbroken_prefix():
    answers = {number: UnitAnswer("w", 0.0, number) for number in range(5)}
    journal = Memory()
    arrived = [(UNITS[n], journal.record(UNITS[n], answers[n], ("w",))) for n in (1, 0, 3, 4)]
    assert [each.input["number"] for each, _ in results_in_order(UNITS, iter(arrived))] == [0, 1]


def test_the_watcher_sees_the_numbers():
    seen = []
    runner = Runner(FakePool(), Memory(), watcher=lambda stats: seen.append((stats.done, stats.workers)))
    list(runner.run(UNITS))
    assert seen[-1] == (40, 2)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_jobs_are_distinguished_by_their_attempt():
    assert UnitJob(UNITS[0], 1) == UnitJob(UNITS[0], 1)
    assert UnitJob(UNITS[0], 1) != UnitJob(UNITS[0], 2)
