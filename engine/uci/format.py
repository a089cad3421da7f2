"""What the engine prints of a search, an evaluation and a position, as lines of text."""

from typing import TYPE_CHECKING

from engine.report.effort import plies_text
from engine.report.info import Info
from engine.report.move_stats import LOSS, WIN, MoveStats
from engine.report.rows import Row
from engine.report.score import centipawns, wdl
from movegen import Position
from movegen.fen import SQUARE_NAMES, read_fen

if TYPE_CHECKING:
    from engine.report.static_eval import NetworkEval, PlayoutEval


def info_lines(info: Info, with_wdl: bool) -> list[str]:
    """One `info` line for each variation."""
    milliseconds = int(info.seconds * 1000)
    speed = int(info.nodes / info.seconds) if info.seconds > 0 else 0
    work = f"nodes {info.nodes} nps {speed} hashfull {info.hashfull} tbhits {info.tbhits} time {milliseconds}"
    lines = []
    for number, (move, pv) in enumerate(info.lines, 1):
        score = f"score {score_text(move, info.known_score)}"
        if with_wdl:
            score += " wdl {} {} {}".format(*wdl(move, info.known_score))
        depth = f"depth {info.depth} seldepth {info.deepest} multipv {number}"
        lines.append(f"info {depth} {score} {work} pv {' '.join(pv)}")
    return lines


def score_text(move: MoveStats, known_score: float | None = None) -> str:
    """`cp 35`, `mate 3` or `mate -2`: a proven mate in moves of the player, negative for the player who is mated.

    What tablebases know of the position replaces the score of the search.
    """
    if move.result == WIN:
        return f"mate {(move.distance + 1) // 2}"
    if move.result == LOSS:
        return f"mate {-(move.distance // 2)}"
    return f"cp {centipawns(move.score if known_score is None else known_score)}"


def best_move_line(best: str | None, reply: str | None) -> str:
    """The answer to `go`; None: there is no legal move, or no reply to think about."""
    return f"bestmove {best or '0000'}" + (f" ponder {reply}" if reply else "")


def no_move_line(in_check: bool) -> str:
    """The score of a position without a legal move."""
    return f"info depth 0 score {'mate 0' if in_check else 'cp 0'}"


def move_line(row: Row) -> str:
    """One move of the table. All numbers are for the player who moves."""
    proven = f" proven {row.proven['result']} in {plies_text(row.proven['plies'])}" if row.proven else ""
    shares = " ".join(map(str, row.wdl)) if row.wdl else "-"
    return (
        f"{row.uci:5} N {row.n} ({row.share:.1%}) P {row.p:.1%} Q {number(row.q)} U {number(row.u)} S {number(row.s)} "
        f"WDL {shares}{proven} pv {' '.join(row.pv)}"
    )


def number(value: float | None) -> str:
    """Four digits; None: unknown or infinite."""
    return "-" if value is None else f"{value:.4f}"


def playout_lines(found: "PlayoutEval", player: str) -> list[str]:
    """The results of random games."""
    return [
        f"{found.games} random games: {found.wins} won, {found.draws} drawn, {found.losses} lost by {player}",
        f"score {found.score:.3f} ± {found.error:.3f} for {player}, {centipawns(found.score)} centipawns",
    ]


def network_lines(found: "NetworkEval", player: str) -> list[str]:
    """The network's view: value, what each piece adds, priors."""
    score, shares = found.outcome.score, "win {:.1%} draw {:.1%} loss {:.1%}".format(*found.outcome)
    return [
        f"{player} to move: score {score:.3f}, {centipawns(score)} centipawns, {shares}",
        *(f"{piece} on {square}: {difference:+.3f} score" for square, piece, difference in found.pieces),
        *(f"{move} prior {prior:.1%}" for move, prior in found.priors),
    ]


def board_lines(position: Position) -> list[str]:
    """The board with its coordinates, the position as FEN and key, the player to move and what gives check."""
    ranks = [f"{8 - row}  {pieces}" for row, pieces in enumerate(str(position).split("\n"))]
    facts = [f"Fen: {position.fen()}", f"Key: {position.key:016X}", f"To move: {position.turn}"]
    return [*ranks, "", "   a b c d e f g h", "", *facts, f"Checkers: {' '.join(checkers(position)) or '-'}"]


def checkers(position: Position) -> list[str]:
    """The squares of the pieces that give check to the player to move."""
    is_white = position.turn == "white"
    king = read_fen(position.fen(), position.chess960).king_of(is_white)
    return position.attackers(SQUARE_NAMES[king], "black" if is_white else "white")
