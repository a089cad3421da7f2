"""A search in one line, and an explanation as labelled lines, from which text and data for JSON are made.

No word goes beyond what the tree proves or counts.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.explain.explain import Explanation, NotLegal
from engine.explain.verdict import THRESHOLDS, Verdict
from engine.report import REPORT_SCHEMA
from engine.report.effort import MEANINGS, StopReason, effort_text, ending_text, plies_text, plural
from engine.report.move_stats import proof_of, short_score
from engine.report.node import Row

SMALL_SHARE = 0.0995  # smaller shares get a decimal
LONGEST_SHOWN = 8  # plies of a variation
GAP = "   "  # between the parts of a line on a terminal

# How to get more visits, where a command does that.
WHY_NOT_HINT = "`why not {san} {visits}` searches more"
EXTRA_HINT = "`--extra {visits}` searches more"

SITUATION, REASON, VERDICT, NUMBERS = "situation", "reason", "verdict", "numbers"  # labels that are not printed


def headline(summary: dict[str, Any], *, with_memory: bool) -> str:
    """Whose move it is, what was searched, and whether the search goes on."""
    parts = (
        f"{summary['turn'].capitalize()} to move",
        effort_text(summary),
        f"{summary['speed']:,} visits/s",
        f"depth {summary['depth']}, at most {summary['deepest']}",
        *((f"memory {summary['memory']:.0%}",) if with_memory else ()),
        ending_text(summary),
    )
    return ", ".join(parts)


class Line(NamedTuple):
    """What a line is about, and its parts; terminal and page separate these in different ways."""

    label: str
    parts: tuple[str, ...]


def labelled_lines(explanation: Explanation | NotLegal, hint: str = "") -> list[Line]:
    """All there is to say. `hint`: how a move gets more visits here."""
    if isinstance(explanation, NotLegal):
        return [Line(REASON, (explanation.objection.text,))]
    is_best = explanation.row.uci == explanation.best.uci
    reasons = _why_this(explanation) if is_best else _why_not(explanation, hint)
    return [
        Line(SITUATION, (_situation(explanation),)),
        Line(VERDICT, (_verdict_note(explanation),)),
        Line(NUMBERS, tuple(_numbers(explanation))),
        *reasons,
    ]


def lines_of(explanation: Explanation | NotLegal, hint: str = "") -> list[str]:
    """The same as text for terminals."""
    return [_terminal_text(explanation.verdict, line) for line in labelled_lines(explanation, hint)]


def _terminal_text(verdict: Verdict, line: Line) -> str:
    first, *others = line.parts
    if line.label == SITUATION:
        return first
    if line.label == REASON:
        return f"verdict: {verdict}: {first}"
    if line.label == VERDICT:
        return f"verdict: {verdict} ({first})"
    if line.label == NUMBERS:
        return f"{first:6} {GAP.join(others)}"
    return f"  {line.label:8} {GAP.join(line.parts)}"


def data_of(explanation: Explanation | NotLegal) -> dict[str, Any]:
    """For JSON; docs/search-report.md describes the fields."""
    fields = _fields(explanation) if isinstance(explanation, Explanation) else {"reason": explanation.objection.text}
    return {
        "schema": REPORT_SCHEMA,
        "asked": explanation.asked,
        "verdict": str(explanation.verdict),
        **fields,
        "lines": [{"label": line.label, "parts": list(line.parts)} for line in labelled_lines(explanation)],
        "text": lines_of(explanation),
    }


def _fields(explanation: Explanation) -> dict[str, Any]:
    return {
        "reason": None,
        "summary": explanation.summary,
        "move": explanation.row.data(),
        "best": explanation.best.data(),
        "prior_rank": explanation.rank,
        "replies": [row.data() for row in explanation.replies],
        "step_shares": list(explanation.step_shares),
        "below_since": explanation.below_since,
        "best_since": explanation.best_since,
        "steady": explanation.steady._asdict() if explanation.steady else None,
        "missing": explanation.missing,
        "added": explanation.added,
    }


# The first three lines


def _situation(explanation: Explanation) -> str:
    turn = explanation.summary["turn"].capitalize()
    return f"{turn} to move, {effort_text(explanation.summary)}. Scores: {turn}'s, win 1, draw 1/2."


def _verdict_note(explanation: Explanation) -> str:
    """What the verdict is based on: a proof or visits."""
    row = explanation.row
    if row.proven:
        return proven_text(row.proven)
    if not explanation.added:
        return plural(row.n, "visit")
    before = explanation.stats.visits
    only = "only " if before < THRESHOLDS.few_visits and row.share < THRESHOLDS.small_share else ""
    prior = f"prior {percent(row.p)}, #{explanation.rank} of {len(explanation.root.priors)}"
    return f"{only}{plural(before, 'visit')}, {prior}; {explanation.added:,} added now"


def proven_text(proven: dict[str, Any]) -> str:
    """`mate in 3 is proven`, `being mated in 2 is proven`, `a draw is proven, after 4 plies`."""
    result, plies = proven["result"], proven["plies"]
    if result == "win":
        return f"mate in {(plies + 1) // 2} is proven"
    if result == "loss":
        return f"being mated in {plies // 2} is proven"
    return f"a draw is proven, after {plies_text(plies)}"


def _numbers(explanation: Explanation) -> Iterator[str]:
    row = explanation.row
    yield row.san
    yield f"{'under 0.1 %' if row.n and not row.share else percent(row.share)} of visits"
    yield f"score {short_score(row.q)}{_distance(row, explanation.best)}"
    if row.wdl:
        yield "(W {} D {} L {})".format(*(f"{part / 10:.0f}" for part in row.wdl))
    yield f"prior {percent(row.p)} (#{explanation.rank})"
    if row.v is not None:
        yield f"first look {short_score(row.v)}"


def _distance(row: Row, best: Row) -> str:
    """`, .13 below Na5`: the difference of the scores as they are shown."""
    if row.uci == best.uci or row.q is None or best.q is None:
        return ""
    below = round(best.q, 2) - round(row.q, 2)
    if abs(below) < 0.005:
        return f", like {best.san}"
    return f", {short_score(abs(below))} {'below' if below > 0 else 'above'} {best.san}"


# Why the best move


def _why_this(explanation: Explanation) -> Iterator[Line]:
    steps = " ".join(f"{100 * share:.0f}" for share in explanation.step_shares[:LONGEST_SHOWN])
    yield Line("line", (" ".join(explanation.row.line[:LONGEST_SHOWN]), f"share of each step: {steps} %"))
    yield Line("why", ("; ".join(_reasons(explanation)),))
    yield Line("settled", ("; ".join(_settled(explanation)),))


def _reasons(explanation: Explanation) -> Iterator[str]:
    row, rival, moves_by = explanation.row, explanation.rival, explanation.summary["moves_by"]
    count = len(explanation.root.moves)
    if row.proven:
        yield proven_text(row.proven)
    elif moves_by == "book":
        yield "it is the opening book's move"
    elif count == 1:
        yield "it is the only move" + (" that the tablebases allow" if moves_by == "tablebase" else " to choose from")
    else:
        yield _rank_among_others(explanation)
    if moves_by == "tablebase" and count > 1:
        yield f"the tablebases allow {plural(count, 'move')}"
    if explanation.steady and not row.proven:
        low, high, since = explanation.steady
        bounds = f"steady at {short_score(low)}" if round(low, 2) == round(high, 2) else ""
        yield (bounds or f"between {short_score(low)} and {short_score(high)}") + f" since {since:,} visits"
    if rival is not None:
        yield f"next is {rival.san} with {proven_text(rival.proven) if rival.proven else short_score(rival.q)}"


def _rank_among_others(explanation: Explanation) -> str:
    """Visits and score compared with those of the other moves that have enough visits."""
    mine, root = explanation.stats, explanation.root
    seen = [
        move
        for move, share in zip(root.moves, root.shares, strict=True)
        if move is not mine and (move.visits >= THRESHOLDS.few_visits or share >= THRESHOLDS.small_share)
    ]
    most = max(seen, key=lambda move: move.visits, default=None)
    if most is not None and most.visits > mine.visits:
        proof = proof_of(most.result, most.distance)
        why = f"but {proven_text(proof)}" if proof else "but the choice was left to chance"
        return f"{root.position_after(most).san} has more visits ({most.visits:,}), {why}"
    better = max(seen, key=lambda move: move.score, default=None)
    if better is None or better.score <= mine.score:
        return "most visits and best score"
    name = root.position_after(better).san
    after = f"after {plural(better.visits, 'visit')}"
    return f"most visits; {name} has the better score, {short_score(better.score)}, {after}"


def _settled(explanation: Explanation) -> Iterator[str]:
    rival = explanation.rival
    if explanation.best_since is not None:
        yield f"most visits since visit {explanation.best_since:,}"
    if explanation.missing is not None and rival is not None:
        yield f"{rival.san} ({rival.n:,}) needs at least {plural(explanation.missing, 'more visit')} to overtake"
    reason = StopReason(explanation.summary["state"])
    yield MEANINGS[reason] if reason is StopReason.SEARCHING else f"stopped because {MEANINGS[reason]}"


# Why not another one


def _why_not(explanation: Explanation, hint: str) -> Iterator[Line]:
    row, best, below_since = explanation.row, explanation.best, explanation.below_since
    if explanation.replies and explanation.replies[0].n:
        yield Line("reply", (_replies(explanation),))
    if below_since is not None and not row.proven:
        since = f"since visit {below_since:,}" if below_since else "since its first visit"
        yield Line("turned", (f"below {best.san} {since}",))
    evidence = plural(row.n, "visit")
    if explanation.missing is not None:
        evidence += f", at least {explanation.missing:,} more to overtake {best.san}"
    if hint and not row.proven:
        evidence += f"; {hint.format(san=row.san, visits=10 * max(explanation.added, THRESHOLDS.extra_visits))}"
    yield Line("evidence", (evidence,))


def _replies(explanation: Explanation) -> str:
    turn = explanation.summary["turn"].capitalize()
    first, *others = explanation.replies
    text = f"{first.san} ({percent(first.share)} of the replies)"
    if len(first.line) > 1:
        text += f", then {' '.join(first.line[1:LONGEST_SHOWN])}"
    for other in others:
        if other.n and other.q is not None:
            text += f"; next best reply {other.san} ({percent(other.share)}): {short_score(1 - other.q)} for {turn}"
    return text


def percent(share: float) -> str:
    """`71 %`, `0.3 %`."""
    return f"{100 * share:.{0 if share >= SMALL_SHARE or share == 0 else 1}f} %"
