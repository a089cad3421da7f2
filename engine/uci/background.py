"""Long work that people ask for in a conversation besides searches: `go perft`, `eval`, `bench`; each in a thread."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.config.options import Options
from engine.report.snapshot import NotInMemoryError
from engine.search.resources import Resources
from movegen import Position

if TYPE_CHECKING:
    from engine.explain.explain import Explanation

Say = Callable[[str], None]
Work = Callable[[Say, Callable[[], bool]], None]  # say a line; has somebody asked to stop?

DEEPEST_PERFT = 99


class Job(threading.Thread):
    """Some work in the background."""

    def __init__(self, work: Work, say: Say, on_end: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work, self._say, self._on_end = work, say, on_end
        self._stopped = False
        self.has_ended = False
        self.start()

    def stop(self) -> None:
        """Ask it to end soon."""
        self._stopped = True

    def run(self) -> None:
        """Do the work; an error is told."""
        try:
            self._work(self._say, lambda: self._stopped)
        except NotInMemoryError as error:  # the search has gone on
            self._say(f"info string {error}")
        except Exception as error:  # noqa: BLE001  (the conversation goes on)
            self._say(f"info string failed ({error!r})")
        self.has_ended = True
        self._on_end()


def perft(words: list[str], position: Position, options: Options, _knowledge: Resources) -> Work:
    """Count leaves, as `go perft` of other engines does."""
    depth = max(1, min(int(words[0]), DEEPEST_PERFT))

    def work(say: Say, is_stopped: Callable[[], bool]) -> None:
        from perft.run import Counter, Interrupted, Progress

        def watch(_progress: Progress) -> None:
            if is_stopped():
                raise KeyboardInterrupt

        counter, total = Counter(options.threads, watcher=watch), 0
        try:
            for move in sorted(position.legal_moves):
                leaves = counter.perft(position.play(move), depth - 1)
                total += leaves
                say(f"{move}: {leaves}")
        except Interrupted:
            say("info string perft: stopped")
            return
        say(f"\nNodes searched: {total}")

    return work


def evaluate(_words: list[str], position: Position, options: Options, knowledge: Resources) -> Work:
    """Judge a position without a search, by the evaluator in use."""

    def work(say: Say, _is_stopped: Callable[[], bool]) -> None:
        from engine.uci.static_eval import judge_by_network, judge_by_playouts

        if options.evaluator == "Network":
            lines = judge_by_network(position, knowledge.network)
        else:
            lines = judge_by_playouts(position, knowledge.network, options.seed)
        for line in lines:
            say(f"info string {line}")

    return work


def bench(words: list[str], _position: Position, _settings: Options, _knowledge: Resources) -> Work:
    """Search some positions; a number sets the visits of each."""
    from engine.bench import VISITS, search_all
    from engine.uci.parse import read_number

    visits = read_number(words[0]) if words else None

    def work(say: Say, is_stopped: Callable[[], bool]) -> None:
        for line in search_all(max(1, visits or VISITS), is_stopped):
            say(line)

    return work


def look_closer(told: "Explanation", visits: int | None, before: Job | None) -> Work:
    """Search a move for itself and explain it again; after another such job, so that answers come in order."""

    def work(say: Say, is_stopped: Callable[[], bool]) -> None:
        from engine.explain.explain import settle
        from engine.explain.text import WHY_NOT_HINT, lines_of

        if before is not None:
            before.join()
        for line in lines_of(settle(told, visits, is_stopped), WHY_NOT_HINT):
            say(f"info string {line}")

    return work


JOBS: dict[str, Callable[[list[str], Position, Options, Resources], Work]] = {
    "perft": perft,
    "eval": evaluate,
    "bench": bench,
}
