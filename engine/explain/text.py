"""An explanation as lines of text. No word goes beyond what the tree proves or counts."""

from collections.abc import Iterator
from typing import Any

from engine.explain.explain import Explanation, NotLegal
from engine.explain.verdict import THRESHOLDS
from engine.report.effort import effort_text, plies_text, plural
from engine.report.rows import Row, proof_of
from engine.report.stop_reason import MEANINGS, StopReason

SMALL_SHARE = 0.0995  # below it a share is told with a decimal
PLIES_TOLD = 8

# How more is asked for, where that can be done in words.
TYPED = "`why not {san} {visits}` searches more"
EXTRA = "`--extra {visits}` searches more"


def lines_of(told: Explanation | NotLegal, hint: str = "") -> list[str]:
    """All there is to say. `hint`: how a move gets more visits here."""
    if isinstance(told, NotLegal):
        return [f"verdict: {told.verdict}: {told.objection.text}"]
    parts = _why_this(told) if told.row.uci == told.best.uci else _why_not(told, hint)
    return [_situation(told), _verdict(told), _numbers(told), *parts]


def _situation(told: Explanation) -> str:
    turn = told.summary["turn"].capitalize()
    return f"{turn} to move, {effort_text(told.summary)}. Scores: {turn}'s, win 1, draw 1/2."


def _verdict(told: Explanation) -> str:
    row, text = told.row, f"verdict: {told.verdict}"
    if row.proven:
        return f"{text} ({proven_text(row.proven)})"
    if not told.added:
        return f"{text} ({plural(row.n, 'visit')})"
    before = told.stats.visits
    little = "hardly looked at: " if before < THRESHOLDS.few_visits and row.share < THRESHOLDS.small_share else ""
    prior = f"prior {percent(row.p)}, #{told.rank} of {len(told.root.priors)}"
    return f"{text} ({little}{plural(before, 'visit')}, {prior}; {told.added:,} added now)"


def proven_text(proven: dict[str, Any]) -> str:
    """`mate in 3 is proven`, `being mated in 2 is proven`, `a draw is proven, after 4 plies`."""
    result, plies = proven["result"], proven["plies"]
    if result == "win":
        return f"mate in {(plies + 1) // 2} is proven"
    if result == "loss":
        return f"being mated in {plies // 2} is proven"
    return f"a draw is proven, after {plies_text(plies)}"


def _numbers(told: Explanation) -> str:
    row = told.row
    share = "under 0.1 %" if row.n and not row.share else percent(row.share)
    score = f"score {score_text(row.q)}{_distance(row, told.best)}"
    shares = "(W {} D {} L {})".format(*(f"{part / 10:.0f}" for part in row.wdl)) if row.wdl else ""
    look = f"first look {score_text(row.v)}" if row.v is not None else ""
    parts = (f"{share} of visits", score, shares, f"prior {percent(row.p)} (#{told.rank})", look)
    return f"{row.san:6} " + "   ".join(part for part in parts if part)


def _distance(row: Row, best: Row) -> str:
    """`, .13 below Na5`: the difference of the scores as they are shown."""
    if row.uci == best.uci or row.q is None or best.q is None:
        return ""
    below = round(best.q, 2) - round(row.q, 2)
    if abs(below) < 0.005:
        return f", like {best.san}"
    return f", {score_text(abs(below))} {'below' if below > 0 else 'above'} {best.san}"


# Why the best move


def _why_this(told: Explanation) -> Iterator[str]:
    steps = " ".join(f"{100 * share:.0f}" for share in told.step_shares[:PLIES_TOLD])
    yield f"  line     {' '.join(told.row.line[:PLIES_TOLD])}   share of each step: {steps} %"
    yield f"  why      {'; '.join(_reasons(told))}"
    yield f"  settled  {'; '.join(_settled(told))}"


def _reasons(told: Explanation) -> Iterator[str]:
    row, rival, moves_by = told.row, told.rival, told.summary["moves_by"]
    if row.proven:
        yield proven_text(row.proven)
    elif moves_by == "book":
        yield "it is the opening book's move"
    elif len(told.root.moves) == 1:
        yield "it is the only move" + (" that the tablebases allow" if moves_by == "tablebase" else " to choose from")
    else:
        yield _rank_among_others(told)
    if moves_by == "tablebase" and len(told.root.moves) > 1:
        yield f"the tablebases allow {plural(len(told.root.moves), 'move')}"
    if told.steady and not row.proven:
        low, high, since = told.steady
        bounds = f"steady at {score_text(low)}" if round(low, 2) == round(high, 2) else ""
        yield (bounds or f"between {score_text(low)} and {score_text(high)}") + f" since {since:,} visits"
    if rival is not None:
        yield f"next is {rival.san} with {proven_text(rival.proven) if rival.proven else score_text(rival.q)}"


def _rank_among_others(told: Explanation) -> str:
    """Visits and score against those of the other moves that were looked at enough."""
    mine, root = told.stats, told.root
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
    return f"most visits; {name} has the better score, {score_text(better.score)}, {after}"


def _settled(told: Explanation) -> Iterator[str]:
    if told.best_since is not None:
        yield f"most visits since visit {told.best_since:,}"
    if told.missing is not None and told.rival is not None:
        yield f"{told.rival.san} ({told.rival.n:,}) needs at least {plural(told.missing, 'more visit')} to overtake"
    reason = StopReason(told.summary["state"])
    yield MEANINGS[reason] if reason is StopReason.SEARCHING else f"stopped because {MEANINGS[reason]}"


# Why not another one


def _why_not(told: Explanation, hint: str) -> Iterator[str]:
    row, best = told.row, told.best
    if told.replies and told.replies[0].n:
        yield f"  reply    {_replies(told)}"
    if told.below_since is not None and not row.proven:
        since = f"since visit {told.below_since:,}" if told.below_since else "from its first visit on"
        yield f"  turned   below {best.san} {since}"
    evidence = plural(row.n, "visit")
    if told.missing is not None:
        evidence += f", at least {told.missing:,} more to overtake {best.san}"
    if hint and not row.proven:
        evidence += f"; {hint.format(san=row.san, visits=10 * max(told.added, THRESHOLDS.extra_visits))}"
    yield f"  evidence {evidence}"


def _replies(told: Explanation) -> str:
    turn = told.summary["turn"].capitalize()
    first, *others = told.replies
    text = f"{first.san} ({percent(first.share)} of the replies)"
    if len(first.line) > 1:
        text += f", then {' '.join(first.line[1:PLIES_TOLD])}"
    for other in others:
        if other.n and other.q is not None:
            text += f"; next best reply {other.san} ({percent(other.share)}): {score_text(1 - other.q)} for {turn}"
    return text


# Numbers


def score_text(score: float | None) -> str:
    """A score in [0, 1] as `.49`."""
    return "-" if score is None else f"{score:.2f}".removeprefix("0")


def percent(share: float) -> str:
    """`71 %`, `0.3 %`."""
    return f"{100 * share:.{0 if share >= SMALL_SHARE or share == 0 else 1}f} %"
