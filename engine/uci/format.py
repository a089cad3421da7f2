"""What the engine tells of a search, as lines of text."""

from engine.report.effort import plies_text
from engine.report.info import Info
from engine.report.rows import Row
from engine.report.score import score_text, wdl


def info_lines(info: Info, with_wdl: bool) -> list[str]:
    """One `info` line for each move shown."""
    milliseconds = int(info.seconds * 1000)
    speed = int(info.nodes / info.seconds) if info.seconds > 0 else 0
    work = f"nodes {info.nodes} nps {speed} hashfull {info.hashfull} tbhits {info.tbhits} time {milliseconds}"
    lines = []
    for number, (move, line) in enumerate(info.lines, 1):
        score = f"score {score_text(move, info.known_score)}"
        if with_wdl:
            score += " wdl {} {} {}".format(*wdl(move, info.known_score))
        depth = f"depth {info.depth} seldepth {info.deepest} multipv {number}"
        lines.append(f"info {depth} {score} {work} pv {' '.join(line)}")
    return lines


def move_line(row: Row) -> str:
    """One move of the table. All numbers are for the player who moves."""
    proven = f" proven {row.proven['result']} in {plies_text(row.proven['plies'])}" if row.proven else ""
    shares = " ".join(map(str, row.wdl)) if row.wdl else "-"
    return (
        f"{row.uci:5} N {row.n} ({row.share:.1%}) P {row.p:.1%} Q {number(row.q)} U {number(row.u)} S {number(row.s)} "
        f"WDL {shares}{proven} pv {' '.join(row.pv)}"
    )


def number(value: float | None) -> str:
    """Four digits; nothing is known of what is None, or it is infinite."""
    return "-" if value is None else f"{value:.4f}"
