"""Steps of rounds that take no time: nets are texts on disk, a rule says who passes. They can be killed anywhere."""

from dataclasses import replace

from engine.cli.loop_arguments import DEFAULTS
from engine.training.loop.loop import Loop
from engine.training.loop.loop_journal import LoopJournal
from engine.training.loop.rounds import Step
from engine.training.loop.settings import RANDOM, settings_of
from perft.runner.units import checksum

SETTINGS = settings_of(
    {**DEFAULTS, "start": RANDOM, "value_hidden": 32, "policy_hidden": 32, "book": "", "book_sha256": ""}
)
TWO_GATES = replace(SETTINGS, clock=(1.0, 0.01))
FIRST = "0" * 16
WON, LOST = [0, 0, 2, 8, 2], [2, 8, 2, 0, 0]


class Killed(BaseException):
    """The process has ended."""


class FakeWork:
    """Its net is made of the games of a round and of the net before; what it writes can be cut off."""

    def __init__(self, folder, passes=lambda *_: True, killed_at=None):
        """`passes`: is a gate passed in a round? `killed_at`: the number of the moment to be killed at."""
        self.folder, self._passes, self._killed_at, self.moments, self.calls = folder, passes, killed_at, 0, []
        folder.mkdir(exist_ok=True)
        self.write(self.net_path(FIRST), "first")

    def moment(self):
        """A moment at which the process may end."""
        self.moments += 1
        if self.moments - 1 == self._killed_at:
            raise Killed

    def write(self, path, text):
        """Write a file in two parts."""
        path.parent.mkdir(exist_ok=True)
        self.moment()
        path.write_text(text[: len(text) // 2])
        self.moment()
        path.write_text(text)
        self.moment()

    def net_path(self, name):
        """A text of these steps, or a real net."""
        path = self.folder / "nets" / name
        return path.with_suffix(".net") if path.with_suffix(".net").exists() else path

    def begin(self):
        self.moment()
        games = self.folder / "games"
        return {"old": sorted(path.name for path in games.iterdir()) if games.is_dir() else []}

    def label(self, one, part):
        self.calls.append((one.number, "label", part))
        text = f"{one.number} {part} by {one.against}"
        path = self.folder / "games" / checksum(text.encode())[:8]
        if not path.is_file() or path.read_text() != text:
            self.write(path, text)
        return {"chunk": path.name, "games": 1, "positions": 10, "cpu_seconds": 100.0}

    def fit(self, one):
        self.calls.append((one.number, "fit", ""))
        text = f"{one.against} {one.chunks} {one.old}"
        name = checksum(text.encode())[:16]
        self.write(self.net_path(name), text)
        return {"net": name, "games": 2, "figures": {}, "cpu_seconds": 10.0}

    def gate(self, one, part):
        self.calls.append((one.number, "gate", part))
        assert self.net_path(one.against).read_bytes()
        self.moment()
        passed = self._passes(one.number, part)
        pairs = WON if passed else LOST
        return {"won": 1, "drawn": 2, "lost": 3, "pairs": pairs, "llr": 0.5, "decision": "x", "passed": passed}

    def has_net(self, one):
        path = self.net_path(one.net)
        return path.is_file() and checksum(path.read_bytes())[:16] == one.net

    def clean(self, _state):
        self.moment()


def begun(folder, settings=SETTINGS):
    """A new loop."""
    journal = LoopJournal(folder)
    with journal.held():
        journal.start(settings=settings.data(), net=FIRST)
    return journal


def run(folder, work, rounds, watcher=lambda *_: None):
    """What the command does; -> the state at the end."""
    journal = LoopJournal(folder)
    with journal.held():
        return Loop(journal, work, watcher).run(rounds)


def lines_of(folder):
    """What the journal says, without the time of day."""
    return [{key: value for key, value in entry.items() if key != "time"} for entry in LoopJournal(folder).entries]


def steps_of(folder):
    """The steps that are recorded."""
    return [Step(entry["kind"], entry.get("part", "")) for entry in lines_of(folder)]
