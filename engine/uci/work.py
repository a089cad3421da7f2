"""What runs beside the conversation: the search, and other long work."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.loader import Loader
from engine.search.resources import Resources
from engine.uci.queue import Conversation

if TYPE_CHECKING:
    from engine.explain.explain import Explanation
    from engine.report.info import Info
    from engine.search.clock import Limits
    from engine.search.searcher import Searcher
    from engine.uci.background import Job
    from engine.uci.game import Game

SECONDS_TO_END = 0.5


class Work(Conversation):
    """A conversation with a search beside it. It listens to the search (see engine.search.listener.Listener)."""

    def __init__(self, say: Callable[[str], None], loader: Loader | None = None) -> None:
        """`say` writes a line."""
        super().__init__(say, loader)
        self.resources = Resources()
        self._searcher: Searcher | None = None
        self._limits: Limits | None = None  # of the search that is going on: a `bestmove` is due
        self._job: Job | None = None  # the last one; never beside a search
        self._aside: list[Job] = []  # searches for `why`, which disturb no other, one after the other
        self._game: Game | None = None

    def on_loaded(self) -> None:
        """The kernels are there."""
        self._loaded_searcher().prepare()

    def close(self) -> None:
        """End everything."""
        self.loader.close()
        if self._searcher is not None:
            self._searcher.stop()
            with suppress(RuntimeError):  # its thread is just being started
                self._searcher.wait(SECONDS_TO_END)

    # What is going on

    @property
    def is_busy(self) -> bool:
        """Is there a search or a job?"""
        return self._limits is not None or not (self._job is None or self._job.has_ended)

    @property
    def is_idle(self) -> bool:
        """Does nothing run at all, and is all said?"""
        is_searching = self._searcher is not None and self._searcher.is_searching  # until `bestmove` is written
        return not (self.is_busy or is_searching) and all(job.has_ended for job in self._aside)

    @property
    def waits_for_stop(self) -> bool:
        """Will the search never answer by itself?"""
        limits = self._limits
        if limits is None:
            return False
        return limits.infinite or (limits.ponder and self._loaded_searcher().control.ponder_hit_at is None)

    @property
    def may_be_endless(self) -> bool:
        """Has the search no limit of time or visits?"""
        limits = self._limits
        if limits is None or self.waits_for_stop:
            return limits is not None
        return limits.nodes is None and limits.move_time is None and limits.time_left is None

    def stop_search(self) -> None:
        """Ask the search to end soon."""
        if self._searcher is not None:
            self._searcher.stop()

    def stop_all(self) -> None:
        """Ask search and jobs to end soon."""
        self.stop_search()
        for job in (self._job, *self._aside):
            if job is not None:
                job.stop()

    def _loaded_searcher(self) -> "Searcher":
        """The searcher, made when it is first needed."""
        if self._searcher is None:
            from engine.search.searcher import Searcher

            self._searcher = Searcher(self.options, self, self.resources)
        return self._searcher

    def _search(self, limits: "Limits", wished: tuple[int, ...], moment: float) -> None:
        """Start a search. A clock of the GUI runs since a moment; all other time counts from now."""
        searcher = self._loaded_searcher()
        self._limits = limits
        try:
            searcher.go(limits, search_moves=wished, started=moment if limits.has_clock else None)
        except BaseException:
            self._limits = None
            raise

    def _start(self, name: str, words: list[str]) -> None:
        """Do something long beside the conversation."""
        from engine.uci.background import JOBS, Job

        work = JOBS[name](words, self._loaded_searcher().position, self.options, self.resources)
        self._job = Job(work, self.say, self.wake)

    def _look_closer(self, told: "Explanation", visits: int | None) -> None:
        """Search a move for itself, beside all else; one after the other."""
        from engine.uci.background import Job, look_closer

        self._aside = [job for job in self._aside if not job.has_ended]
        before = self._aside[-1] if self._aside else None
        self._aside.append(Job(look_closer(told, visits, before), self.say, self.wake))

    # What a search tells (see engine.search.listener.Listener)

    def on_message(self, text: str) -> None:
        """Something that people may want to know."""
        self.say(f"info string {text}")

    def on_info(self, info: "Info") -> None:
        """How the search stands."""
        from engine.uci.format import info_lines

        for line in info_lines(info, self.options.show_wdl):
            self.say(line)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The search has ended."""
        if self.options.move_stats and best is not None:
            self._attempt("MoveStats", self._tell_moves)
        if best is None:
            in_check = self._loaded_searcher().position.in_check
            self.say(f"info depth 0 score {'mate 0' if in_check else 'cp 0'}")
        self._limits = None  # before the GUI can answer
        self.say(f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else ""))
        self.wake()

    def _tell_moves(self) -> None:
        """What the search thinks of each move."""
        from engine.report.node import LONG
        from engine.uci.format import move_line

        rows = self._loaded_searcher().report().rows(shape=LONG)
        if not rows:
            raise ValueError("nothing was searched yet")
        for row in rows:
            self.say(f"info string {move_line(row)}")
