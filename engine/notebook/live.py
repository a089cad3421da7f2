"""A picture that changes while the search runs, where IPython can show one."""

import sys
from typing import Any, Protocol

SECONDS_BETWEEN_PICTURES = 0.5


class Watched(Protocol):
    """A search that can be shown."""

    @property
    def is_searching(self) -> bool:
        """Is it running?"""

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, at most that long."""

    def stop(self) -> None:
        """End it."""

    def _repr_html_(self) -> str:
        """The picture."""


def notebook() -> Any:
    """The shell of the notebook that this runs in; None elsewhere. In a notebook IPython is loaded already."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_number(shell: Any) -> int:
    """The number of the cell that runs."""
    return int(shell.execution_count)


def watch(search: Watched) -> None:
    """Show a search until it ends; interrupting the cell ends it."""
    from IPython.display import HTML, display

    handle = display(HTML(search._repr_html_()), display_id=True)
    try:
        while search.is_searching:
            search.wait(SECONDS_BETWEEN_PICTURES)
            handle.update(HTML(search._repr_html_()))
    except KeyboardInterrupt:
        search.stop()
    handle.update(HTML(search._repr_html_()))
