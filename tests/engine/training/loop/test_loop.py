"""The loop with steps that take no time: what is done in which order, and that no interruption changes anything."""

from dataclasses import replace

import pytest

from engine.training.loop.loop_journal import JOURNAL, LoopJournal
from tests.engine.training.loop.fake_work import (
    FIRST,
    SETTINGS,
    TWO_GATES,
    FakeWork,
    Killed,
    begun,
    lines_of,
    run,
    steps_of,
)


def odd(number, _gate):
    return number % 2 == 1


def nets_of(folder):
    return {path.name: path.read_text() for path in (folder / "nets").iterdir()}


def whole_loop(folder, rounds=3, passes=odd, settings=SETTINGS):
    """A loop that nothing interrupts; -> its state."""
    begun(folder, settings)
    return run(folder, FakeWork(folder, passes), rounds)


def test_the_steps_of_a_round(tmp_path):
    state = whole_loop(tmp_path / "loop", rounds=1, settings=TWO_GATES)
    steps = ["loop", "begin", "labels games", "labels trees", "fit", "gate visits", "gate clock", "end"]
    assert [str(step) for step in steps_of(tmp_path / "loop")] == steps
    assert (state.ended, state.under_way) == (1, None)
    assert state.best == state.rounds[0].net != FIRST


def test_only_what_is_asked_for_is_labelled_and_played(tmp_path):
    settings = replace(SETTINGS, teacher="", tree_games=0)
    whole_loop(tmp_path / "loop", rounds=1, settings=settings)
    steps = ["loop", "begin", "labels games", "fit", "gate visits", "end"]
    assert [str(step) for step in steps_of(tmp_path / "loop")] == steps
    whole_loop(tmp_path / "trees", rounds=1, settings=replace(SETTINGS, games=0))
    assert [str(step) for step in steps_of(tmp_path / "trees")][2:4] == ["labels trees", "fit"]


def test_a_net_that_fails_the_first_gate_does_not_play_the_second(tmp_path):
    state = whole_loop(tmp_path / "loop", 1, lambda _, gate: gate == "clock", TWO_GATES)
    assert [str(step) for step in steps_of(tmp_path / "loop")][-2:] == ["gate visits", "end"]
    assert (state.best, state.rounds[0].kept) == (FIRST, False)


def test_a_net_that_fails_the_second_gate_is_dropped(tmp_path):
    state = whole_loop(tmp_path / "loop", 1, lambda _, gate: gate == "visits", TWO_GATES)
    assert (state.best, state.rounds[0].kept) == (FIRST, False)
    assert state.strength.elo == 0


def test_a_dropped_net_leaves_the_best_untouched_and_its_games_stay(tmp_path):
    state = whole_loop(tmp_path / "loop", rounds=4, passes=lambda number, _: number in (1, 4))
    first, second, third, fourth = state.rounds
    assert [one.kept for one in state.rounds] == [True, False, False, True]
    assert [one.against for one in state.rounds] == [FIRST, first.net, first.net, first.net]
    assert state.best == fourth.net
    assert first.chunks
    assert not first.old
    assert set(third.old) == {*first.chunks, *second.chunks}
    nets = nets_of(tmp_path / "loop")
    assert nets[first.net].startswith(FIRST)
    assert nets[fourth.net].startswith(first.net)


def test_a_loop_that_is_done_does_nothing_and_goes_on_when_asked(tmp_path):
    whole_loop(tmp_path / "loop", rounds=2)
    before = (tmp_path / "loop" / JOURNAL).read_bytes()
    work = FakeWork(tmp_path / "loop", odd)
    run(tmp_path / "loop", work, 2)
    assert work.calls == []
    assert (tmp_path / "loop" / JOURNAL).read_bytes() == before
    run(tmp_path / "loop", work, 3)
    assert {number for number, *_ in work.calls} == {3}


def test_the_time_is_looked_at_before_each_step(tmp_path):
    begun(tmp_path / "loop")
    journal, asked = LoopJournal(tmp_path / "loop"), []
    from engine.training.loop.loop import Loop

    with journal.held():
        loop = Loop(journal, FakeWork(tmp_path / "loop", odd))
        state = loop.run(None, lambda: asked.append(1) or len(asked) > 2)
    assert [str(step) for step in steps_of(tmp_path / "loop")] == ["loop", "begin", "labels games", "labels trees"]
    assert str(state.under_way.next_step) == "fit"


def test_who_watches_knows_each_step_before_it_is_done(tmp_path):
    begun(tmp_path / "loop")
    seen = []
    run(tmp_path / "loop", FakeWork(tmp_path / "loop"), 1, lambda state, step: seen.append((state.ended, step)))
    steps = ["labels games", "labels trees", "fit", "gate visits", "end"]
    assert [(ended, str(step)) for ended, step in seen] == [*((0, step) for step in steps), (1, "None")]


@pytest.mark.thorough
def test_a_loop_that_is_killed_at_any_moment_has_the_same_nets_and_lines(tmp_path):
    """Also twice in a row: every second process is killed a few moments after it went on."""
    settings = replace(TWO_GATES, seed=3)
    whole_loop(tmp_path / "whole", settings=settings)
    work = FakeWork(tmp_path / "count", odd)
    begun(tmp_path / "count", settings)
    run(tmp_path / "count", work, 3)
    for moment in range(3, work.moments):
        folder = tmp_path / f"{moment}"
        begun(folder, settings)
        for killed_at in (moment, 4 + moment % 5, None):
            try:
                run(folder, FakeWork(folder, odd, killed_at), 3)
            except Killed:
                continue
        assert lines_of(folder) == lines_of(tmp_path / "whole")
        assert nets_of(folder) == nets_of(tmp_path / "whole")
    assert work.moments > 40


@pytest.mark.thorough
@pytest.mark.parametrize("kept", [0, 1, 20, 0.5, 1.0])
def test_a_line_that_was_cut_off_is_written_again(tmp_path, monkeypatch, kept):
    """Any line, as a power cut or a full disk leaves it: some of its bytes, or all but the end of the line."""
    whole_loop(tmp_path / "whole")
    lines, add = (tmp_path / "whole" / JOURNAL).read_bytes().splitlines(), LoopJournal.add
    for count in range(1, len(lines)):

        def cut_off(journal, *arguments, count=count, **fields):
            if len(journal.entries) < count:
                return add(journal, *arguments, **fields)
            part = lines[count][: kept if isinstance(kept, int) else int(kept * len(lines[count]))]
            with journal.path.open("ab") as file:
                file.write(part[:-1] + b"?" if kept == 1.0 else part)
            raise Killed

        folder = tmp_path / f"{count}"
        begun(folder)
        with monkeypatch.context() as patch:
            patch.setattr(LoopJournal, "add", cut_off)
            with pytest.raises(Killed):
                run(folder, FakeWork(folder, odd), 3)
        run(folder, FakeWork(folder, odd), 3)
        assert lines_of(folder) == lines_of(tmp_path / "whole")
        assert nets_of(folder) == nets_of(tmp_path / "whole")


def test_a_net_that_is_damaged_before_it_is_judged_is_made_again(tmp_path):
    whole_loop(tmp_path / "whole")
    folder = tmp_path / "loop"
    begun(folder)
    work = FakeWork(folder, odd)

    def damage(state, step):
        if step is not None and step.kind == "gate" and state.rounds[-1].number == 2 and "damaged" not in seen:
            seen.append("damaged")
            work.net_path(state.rounds[-1].net).write_text("x")
            raise Killed

    seen = []
    with pytest.raises(Killed):
        run(folder, work, 3, damage)
    state = run(folder, work, 3)
    assert nets_of(folder) == nets_of(tmp_path / "whole")
    assert [one.net for one in state.rounds] == [one["net"] for one in lines_of(tmp_path / "whole") if "net" in one][1:]
    assert work.calls.count((2, "fit", "")) == 2


def test_other_settings_hold_from_the_next_round_on(tmp_path):
    folder = tmp_path / "loop"
    begun(folder)
    with pytest.raises(Killed):
        run(folder, FakeWork(folder, killed_at=12), 2)
    journal = LoopJournal(folder)
    with journal.held():
        journal.add("settings", settings=replace(SETTINGS, tree_games=0).data())
    run(folder, FakeWork(folder), 2)
    labelled = [(line["round"], line["part"]) for line in lines_of(folder) if line["kind"] == "labels"]
    assert labelled == [(1, "games"), (1, "trees"), (2, "games")]
