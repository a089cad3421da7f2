"""A picture that changes while the search runs, where IPython can show one."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis import Analysis

SECONDS_BETWEEN_PICTURES = 0.5


def notebook() -> Any:
    """The shell of a notebook that this runs in; None elsewhere. There IPython is loaded already."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_number(shell: Any) -> int:
    """Of the cell that runs."""
    return int(shell.execution_count)


def watch(analysis: "Analysis") -> None:
    """Show an analysis until its search ends; interrupting the cell ends the search."""
    from IPython.display import HTML, display

    handle = display(HTML(analysis._repr_html_()), display_id=True)
    try:
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_PICTURES)
            handle.update(HTML(analysis._repr_html_()))
    except KeyboardInterrupt:
        analysis.stop()
    handle.update(HTML(analysis._repr_html_()))
