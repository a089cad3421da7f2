"""Why a search stopped."""

from enum import StrEnum


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
