"""The rules of chess on bitboards: `Position` for scripts, kernels for engines."""

TYPE_CHECKING = False  # instead of importing `typing`, which takes a while
if TYPE_CHECKING:
    from movegen.outcome import Ending
    from movegen.position import Position

__all__ = ["Ending", "Position"]


def __getattr__(name: str) -> object:
    """Import kernels only when they are used: `movegen.fen` does not need them."""
    if name == "Ending":
        from movegen.outcome import Ending

        return Ending
    if name == "Position":
        from movegen.position import Position

        return Position
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
