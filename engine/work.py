"""What runs beside the conversation: the search, and other long work."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.conversation import Conversation
from engine.knowledge import Knowledge
from engine.startup import Loader

if TYPE_CHECKING:
    from engine.game import Game
    from engine.jobs import Job
    from engine.report.info import Info
    from engine.search import Searcher
    from engine.why.explain import Explanation

SECONDS_TO_END = 0.5


class Work(Conversation):
    """A conversation with a search beside it. It listens to the search (see engine.search.Listener)."""

    def __init__(self, say: Callable[[str], None], loader: Loader | None = None) -> None:
        """`say` writes a line."""
        super().__init__(say, loader)
        self.knowledge = Knowledge()
        self._searcher: Searcher | None = None
        self._job: Job | None = None
        self._aside: Job | None = None  # a search for `why`, which disturbs no other
        self._game: Game | None = None

    def on_loaded(self) -> None:
        """The kernels are there."""
        self._loaded_searcher().prepare()

    def close(self) -> None:
        """End everything."""
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait(SECONDS_TO_END)
        self.loader.close()

    def _loaded_searcher(self) -> "Searcher":
        """The searcher, made when it is first needed."""
        if self._searcher is None:
            from engine.search import Searcher

            self._searcher = Searcher(self.settings, self, self.knowledge)
        return self._searcher

    def _end_search(self) -> None:
        """End what is going on, and carry out what was kept for its end."""
        if self._search_ended:
            return
        if self._searcher is not None:
            self._searcher.stop()
            self._searcher.wait()
        if self._job is not None:
            self._job.stop()
            self._job.join()
        self._search_ended = True
        self._go_on()

    def _start(self, name: str, words: list[str]) -> None:
        """Do something long beside the conversation."""
        from engine.jobs import JOBS, Job

        work = JOBS[name](words, self._loaded_searcher().position, self.settings, self.knowledge)
        self._search_ended = False
        self._job = Job(work, self.say, self._on_job_end)

    def _look_closer(self, told: "Explanation", visits: int | None) -> None:
        """Search a move for itself, beside all else; one after the other."""
        from engine.jobs import Job, look_closer

        self._aside = Job(look_closer(told, visits, self._aside), self.say, lambda: None)

    def _on_job_end(self) -> None:
        self._search_ended = True
        self.wake()

    # What a search tells (see engine.search.Listener)

    def on_message(self, text: str) -> None:
        """Something that people may want to know."""
        self.say(f"info string {text}")

    def on_info(self, info: "Info") -> None:
        """How the search stands."""
        from engine.lines import info_lines

        for line in info_lines(info, self.settings.flag("UCI_ShowWDL")):
            self.say(line)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The search has ended."""
        if self.settings.flag("MoveStats") and best is not None:
            self._tell_moves()
        if best is None:
            in_check = self._loaded_searcher().position.in_check
            self.say(f"info depth 0 score {'mate 0' if in_check else 'cp 0'}")
        self._search_ended = True  # before the GUI can answer
        self.say(f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else ""))
        self.wake()

    def _tell_moves(self) -> None:
        """What the search thinks of each move."""
        from engine.lines import move_line
        from engine.report.node import LONG

        rows = self._loaded_searcher().report().rows(shape=LONG)
        if not rows:
            raise ValueError("nothing was searched yet")
        for row in rows:
            self.say(f"info string {move_line(row)}")
