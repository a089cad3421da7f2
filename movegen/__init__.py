"""The rules of chess on bitboards: `Position` for people, kernels for engines."""

TYPE_CHECKING = False  # that of `typing`, which takes a while to import
if TYPE_CHECKING:
    from movegen.outcome import Ending
    from movegen.position import Position

__all__ = ["Ending", "Position"]


def __getattr__(name: str) -> object:
    """Import kernels only when they are asked for: `movegen.fen` does without them."""
    if name == "Ending":
        from movegen.outcome import Ending

        return Ending
    if name == "Position":
        from movegen.position import Position

        return Position
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
