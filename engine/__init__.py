"""Teresa, a UCI chess engine whose search is Monte Carlo tree search.

>>> import engine
>>> analysis = engine.analyse("FEN", seconds=5)  # doctest: +SKIP
>>> analysis.children()["rows"][0]["san"]  # doctest: +SKIP
"""

TYPE_CHECKING = False  # that of `typing`, which takes a while to import
if TYPE_CHECKING:
    from engine.analysis import Analysis, analyse

__all__ = ["Analysis", "analyse"]


def __getattr__(name: str) -> object:
    """Import the search only when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine import analysis

    return getattr(analysis, name)
