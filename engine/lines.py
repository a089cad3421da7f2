"""What the engine tells of a search, as lines of text."""

import math

from engine import report
from engine.mcts.selection import puct, ucb1
from engine.mcts.setup import UCB1, Settings
from engine.mcts.tree import PRIOR_UNIT
from engine.stats import MoveStats
from movegen.jit import plain

PROOFS = ("", "loss", "draw", "win")


def info_lines(info: report.Info, with_wdl: bool) -> list[str]:
    """One `info` line for each move shown."""
    milliseconds = int(info.seconds * 1000)
    speed = int(info.nodes / info.seconds) if info.seconds > 0 else 0
    work = f"nodes {info.nodes} nps {speed} hashfull {info.hashfull} tbhits {info.tbhits} time {milliseconds}"
    lines = []
    for number, (move, line) in enumerate(info.lines, 1):
        score = f"score {report.score_text(move, info.known_score)}"
        if with_wdl:
            score += " wdl {} {} {}".format(*report.wdl(move, info.known_score))
        depth = f"depth {info.depth} seldepth {info.deepest} multipv {number}"
        lines.append(f"info {depth} {score} {work} pv {' '.join(line)}")
    return lines


def exploration_bonus(settings: Settings, parent_visits: int, move: MoveStats) -> float:
    """U: what the formula adds to Q for the sake of exploration; infinite for what UCB1 has not visited."""
    if settings.formula != UCB1:
        scale = settings.exploration * float(parent_visits) ** 0.5
        return float(plain(puct)(0.0, round(move.prior * PRIOR_UNIT), move.visits, scale / PRIOR_UNIT))
    if move.visits == 0:
        return float("inf")
    return float(plain(ucb1)(0.0, move.visits, math.log(max(1, parent_visits)), settings.exploration))


def move_line(settings: Settings, parent_visits: int, move: MoveStats, line: list[str]) -> str:
    """One move of the table. All numbers are for the player who moves."""
    share = move.visits / max(1, parent_visits)
    bonus = exploration_bonus(settings, parent_visits, move)
    proven = f" proven {PROOFS[move.result]} in {move.distance} plies" if move.result else ""
    wins, draws, losses = report.wdl(move)
    return (
        f"{line[0]:5} N {move.visits} ({share:.1%}) P {move.prior:.1%} Q {move.score:.4f} U {bonus:.4f} "
        f"WDL {wins} {draws} {losses}{proven} pv {' '.join(line)}"
    )
