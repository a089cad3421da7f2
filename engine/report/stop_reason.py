"""Why a search stopped."""

from enum import StrEnum


class Reason(StrEnum):
    """Each with a sentence for people in `MEANINGS`, and in a few words in `IN_SHORT`."""

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
    Reason.SEARCHING: "it is still searching",
    Reason.TIME: "its time was used up",
    Reason.NODES: "it had made the visits asked for",
    Reason.DEPTH: "it had reached the depth asked for",
    Reason.SETTLED: "no other move could catch up in the time left",
    Reason.PROVEN: "the result is proven",
    Reason.STOP: "it was told to",
    Reason.STRENGTH: "its rating allows no more visits",
    Reason.BOOK: "the move is from the opening book",
    Reason.ONLY_MOVE: "there is only one legal move",
    Reason.NO_MOVE: "there is no legal move",
    Reason.FAILED: "of an error",
}

IN_SHORT: dict[str, str] = {
    Reason.SEARCHING: "searching",
    Reason.TIME: "stopped: time used up",
    Reason.NODES: "stopped: visits reached",
    Reason.DEPTH: "stopped: depth reached",
    Reason.SETTLED: "stopped: no other move could catch up",
    Reason.PROVEN: "stopped: the result is proven",
    Reason.STOP: "stopped",
    Reason.STRENGTH: "stopped: its rating allows no more visits",
    Reason.BOOK: "stopped: a book move",
    Reason.ONLY_MOVE: "stopped: only one legal move",
    Reason.NO_MOVE: "stopped: no legal move",
    Reason.FAILED: "stopped: an error",
}
