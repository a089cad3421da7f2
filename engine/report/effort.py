"""How much was searched, and why the search ended: reasons, and short texts."""

from enum import StrEnum
from typing import Any


class StopReason(StrEnum):
    """Each has a sentence in `MEANINGS`, and a short text in `IN_SHORT`."""

    SEARCHING = "searching"
    TIME = "time"
    NODES = "nodes"
    DEPTH = "depth"
    SETTLED = "settled"
    PROVEN = "proven"
    STOP = "stop"
    STRENGTH = "strength"
    BOOK = "book"
    ONLY_MOVE = "only move"
    NO_MOVE = "no move"
    FAILED = "failed"


MEANINGS = {
    StopReason.SEARCHING: "it is still searching",
    StopReason.TIME: "its time was used up",
    StopReason.NODES: "it had made the visits asked for",
    StopReason.DEPTH: "it had reached the depth asked for",
    StopReason.SETTLED: "no other move could catch up in the time left",
    StopReason.PROVEN: "the result is proven",
    StopReason.STOP: "it was asked to",
    StopReason.STRENGTH: "its rating allows no more visits",
    StopReason.BOOK: "the move is from the opening book",
    StopReason.ONLY_MOVE: "there is only one legal move",
    StopReason.NO_MOVE: "there is no legal move",
    StopReason.FAILED: "of an error",
}

IN_SHORT: dict[str, str] = {
    StopReason.SEARCHING: "searching",
    StopReason.TIME: "stopped: time used up",
    StopReason.NODES: "stopped: visits reached",
    StopReason.DEPTH: "stopped: depth reached",
    StopReason.SETTLED: "stopped: no other move could catch up",
    StopReason.PROVEN: "stopped: the result is proven",
    StopReason.STOP: "stopped",
    StopReason.STRENGTH: "stopped: its rating allows no more visits",
    StopReason.BOOK: "stopped: a book move",
    StopReason.ONLY_MOVE: "stopped: only one legal move",
    StopReason.NO_MOVE: "stopped: no legal move",
    StopReason.FAILED: "stopped: an error",
}


def plural(count: int, word: str) -> str:
    """`1 move`, `2,000 moves`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def plies_text(count: int) -> str:
    """`1 ply`, `3 plies`."""
    return "1 ply" if count == 1 else f"{count} plies"


def effort_text(summary: dict[str, Any]) -> str:
    """`20,000 visits, 0.2 s`; where visits of earlier searches were kept, the part that belongs to the time."""
    visits, nodes, seconds = summary["visits"], summary["nodes"], summary["seconds"]
    if visits <= nodes:
        return f"{plural(visits, 'visit')}, {seconds:.1f} s"
    if nodes == 0:
        return f"{plural(visits, 'visit')} of earlier searches"
    return f"{plural(visits, 'visit')}, {nodes:,} of them now in {seconds:.1f} s"


def ending_text(summary: dict[str, Any]) -> str:
    """`searching`, `stopped: visits reached`."""
    state: str = summary["state"]
    return IN_SHORT.get(state, state)


def rest_text(rest: dict[str, Any]) -> str:
    """`1 more move, 0.2% of visits`; empty if nothing is left out."""
    return f"{plural(rest['moves'], 'more move')}, {rest['share']:.1%} of visits" if rest["moves"] else ""
