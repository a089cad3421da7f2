"""Loops whose steps take no time, by the command line."""

from engine.cli import loop_run
from engine.cli.train import main
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.teachers import UciTeacher
from engine.training.loop.loop_journal import LoopJournal
from engine.training.loop.rounds import read_state
from tests.engine.training.loop.fake_work import FakeWork

SMALL = ["--start", "random", "--self-play", "--value-hidden", "32", "--policy-hidden", "32"]


def folder_of_fake_steps(tmp_path, monkeypatch):
    """The folder of a loop whose steps take no time; nothing is compiled, and no engine is started."""

    class Work(FakeWork):
        nets_of = staticmethod(loop_run.LoopWork.nets_of)

        def __init__(self, folder, open_run, open_fit_run):
            super().__init__(folder)
            self.runs.append((open_run, open_fit_run))

        runs = []  # noqa: RUF012

    monkeypatch.setattr(loop_run, "LoopWork", Work)
    monkeypatch.setattr(loop_run, "warm_up", lambda: None)
    monkeypatch.setattr(NetTeacher, "warm_up", lambda _: None)
    monkeypatch.setattr(UciTeacher, "check", lambda _: None)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "loop"


def loop(folder, *words):
    return main(["loop", str(folder), *map(str, words)])


def state_of(folder):
    return read_state(LoopJournal(folder).entries)


def settings_of(folder):
    return state_of(folder).settings
