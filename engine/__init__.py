"""Teresa, a UCI chess engine whose search is Monte Carlo tree search.

>>> import engine
>>> analysis = engine.analyse("FEN", seconds=5)  # doctest: +SKIP
>>> analysis.children()["rows"][0]["san"]  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis import Analysis, analyse

__all__ = ["Analysis", "analyse"]


def __getattr__(name: str) -> Any:
    """Import the search only when somebody asks for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine import analysis

    return getattr(analysis, name)
