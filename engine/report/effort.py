"""How much was searched, and why the search ended, in short texts."""

from typing import Any

from engine.report.stop_reason import IN_SHORT


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
