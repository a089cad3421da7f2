"""The report page of a loop: one file, offline, light or dark as the reader has it."""

import time
from collections.abc import Iterator, Sequence
from html import escape

from engine.training.loop.chart import ChartPoint, strength_svg
from engine.training.loop.loop_journal import FIT, LABELS, Entry
from engine.training.loop.net_strength import Strength
from engine.training.loop.rounds import LoopState, Round, Step
from engine.training.loop.settings import GATES

SECONDS_OF_HOUR = 3600
NOTHING = "–"
HEADINGS = (
    "round", "positions", "value error", "policy", "visits: + = −", "LLR", "clock: + = −", "LLR", "gained", "net",
    "Elo", "core hours",
)  # fmt: skip
STYLE = """
:root{color-scheme:light dark}
body{font:15px system-ui,sans-serif;max-width:1240px;margin:2em auto;padding:0 1em;background:#fff;color:#222}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.25em .6em;text-align:right;white-space:nowrap;font-size:13px}
th{border-bottom:1px solid #9aa0a6;font-weight:600}tr.kept{background:#e3f1e5}.scroll{overflow-x:auto}
svg{width:100%;font:12px system-ui,sans-serif;fill:currentColor}dt{font-weight:600}dd{margin:0 0 .4em 1em}
.curve{fill:none;stroke:#1f5fa8;stroke-width:2}.grid{stroke:#c9ced3}.bounds{stroke:#1f5fa8;stroke-width:1.5}
.kept{fill:#1f5fa8}.dropped{stroke:#8a9097;stroke-width:1.5;fill:none}code{font-size:90%}
@media(prefers-color-scheme:dark){body{background:#16191d;color:#e6e6e6}tr.kept{background:#20382a}
.curve,.bounds{stroke:#7db4f0}.kept{fill:#7db4f0}.grid{stroke:#39414a}}
"""


def report_page(state: LoopState, step: Step | None, now: float) -> str:
    """The page; `step`: what is done now, `now`: the time."""
    rows = "\n".join(_rows(state))
    head = "".join(f"<th>{title}</th>" for title in HEADINGS)
    settings = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in state.settings.data().items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Teresa: a loop of training</title><style>{STYLE}</style></head><body>
<h1>A loop of training</h1>
<p>{escape(headline(state))}</p>
<p>{escape(_present(state, step, now))}</p>
{strength_svg(chart_points(state))}
<p>Elo above the first net: the last gates of the rounds whose nets were kept, added up, with 95 % bounds. A gate that
stops at a success shows a little too much: a match between two nets of the folder <code>nets</code> shows their real
distance. Crosses: nets that were dropped.</p>
<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table></div>
<h2>Settings</h2><dl>{settings}</dl>
</body></html>
"""


def headline(state: LoopState) -> str:
    """The loop in a line."""
    kept = sum(one.kept is True for one in state.rounds)
    hours = state.cpu_seconds / SECONDS_OF_HOUR
    counts = f"nets kept: {kept} of {state.ended}; core hours: {hours:.2f}"
    return f"{counts}; Elo: {strength_text(state.strength)}; the best net: nets/{state.best}.net"


def _present(state: LoopState, step: Step | None, now: float) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    if step is None:
        return f"{moment}: not under way."
    return f"{moment}: round {len(state.rounds)}, {step}."


def strength_text(strength: Strength) -> str:
    """An Elo with its bounds."""
    return f"{strength.elo:+.0f} ({strength.low:+.0f} … {strength.high:+.0f})"


def chart_points(state: LoopState) -> list[ChartPoint]:
    """The first net, and those of all rounds that have ended."""
    points, strength, seconds = [ChartPoint(0.0, Strength(), True, f"{state.first}: the first net")], Strength(), 0.0
    for one in state.rounds:
        seconds += one.cpu_seconds
        if one.kept is None:
            continue
        reached = strength.plus(one.gain)
        strength = reached if one.kept else strength
        title = f"round {one.number}, {one.net}: {strength_text(reached)}"
        points.append(ChartPoint(seconds / SECONDS_OF_HOUR, reached, one.kept, title))
    return points


def _rows(state: LoopState) -> Iterator[str]:
    strength, seconds = Strength(), 0.0
    for one in state.rounds:
        seconds += one.cpu_seconds
        strength = strength.plus(one.gain) if one.kept else strength
        cells = _cells(one, strength, seconds / SECONDS_OF_HOUR)
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f'<tr class="{"kept" if one.kept else "other"}">{row}</tr>'


def _cells(one: Round, strength: Strength, hours: float) -> Sequence[str]:
    fit = one.done.get(Step(FIT), {})
    labels = sum(entry["positions"] for step, entry in one.done.items() if step.kind == LABELS)
    gates = {entry["part"]: entry for entry in one.gates}
    end = {True: "kept", False: "dropped", None: "under way"}[one.kept]
    return (
        str(one.number), f"{labels:,}" if labels else NOTHING, *_figures(fit.get("figures", {})),
        *(cell for gate in GATES for cell in _gate(gates.get(gate))),
        strength_text(one.gain) if one.gates else NOTHING, f"{one.net or ''} {end}",
        f"{strength.elo:+.0f}", f"{hours:.2f}",
    )  # fmt: skip


def _figures(figures: dict[str, float]) -> tuple[str, str]:
    """Fields of the table: the value error (after captures if trained for them); figures of the policy."""
    if not figures:
        return NOTHING, NOTHING
    value = figures.get("value_quiet_mse", figures["value_mse"])
    return f"{value:.5f}", f"{figures['policy_ce']:.3f}, {figures['policy_top1']:.1%}".replace("%", " %")


def _gate(gate: Entry | None) -> tuple[str, str]:
    if gate is None:
        return NOTHING, NOTHING
    return f"{gate['won']} {gate['drawn']} {gate['lost']}", f"{gate['llr']:.2f}"
