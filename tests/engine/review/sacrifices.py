"""Winning sacrifices of real games, and how often Teresa condemns them.

    python -m tests.engine.review.sacrifices select GAMES.pgn ... --output FILE.epd   # needs stockfish
    python -m tests.engine.review.sacrifices blunders GAMES.pgn ... --output FILE.epd --count 30
    python -m tests.engine.review.sacrifices measure --positions FILE.epd --visits 100000
    python -m tests.engine.review.sacrifices plan --positions FILE.epd    # by the usual plan of `review`

A file of games is named after its player, as `Tal.pgn`. A sacrifice is a move of the winner that gives up at least two
pawns' worth: by static exchange on its square, or by what the board holds four and six plies later. It wins if a strong
engine gives it at least a pawn, and not much less than its own best move. Teresa condemns it if `review` calls it a
mistake or a blunder, or `why` says that it looks refuted. The other side of it are blunders of the losers: moves that
lose three pawns or more in a game that was open.
"""

import argparse
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from engine.analysis import Analysis
from engine.config.options import Options
from engine.explain.explain import answer
from engine.explain.verdict import Verdict
from engine.review.judge import Judge
from engine.review.judged import Judged
from engine.review.marks import Severity
from engine.review.plan import Plan
from engine.search.clock import Limits
from engine.search.resources import Resources
from engine.search.searcher import search_to_end as search
from movegen import Position
from tests.engine.network.reference import WORTH, exchange, seen_by_mover

POSITIONS = Path(__file__).with_name("sacrifices.epd")
BLUNDERS = Path(__file__).with_name("blunders.epd")
STOCKFISH = shutil.which("stockfish") or "/usr/games/stockfish"
FIRST_PLY = 16
GIVEN_UP, PLIES_LATER = 2, (4, 6)  # in pawns; both, so that no exchange is under way
LEAST, TOLERANCE = 100, 30  # centipawns: of the move, and below the best move
MATE = 10_000
QUICK_NODES, NODES = 50_000, 1_000_000
OPEN, LOST = range(-100, 401), 300  # centipawns: before a blunder, and what it loses
BLUNDER_PLIES, BLUNDER_NODES = range(12, 46), (15_000, 200_000)
VISITS = 100_000  # about what `review` makes in its second a position
MEGABYTES = 64


@dataclass(frozen=True)
class Sacrifice:
    """A move of a game."""

    fen: str
    uci: str
    name: str


def read(path: Path = POSITIONS) -> list[Sacrifice]:
    """The positions of a file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        board = chess.Board()
        operations = board.set_epd(line)
        found.append(Sacrifice(board.fen(), operations["bm"][0].uci(), str(operations["id"])))
    return found


# Selection


def candidates(path: Path, seed: int) -> Iterator[tuple[chess.Board, chess.Move, str]]:
    """The sacrifices of the winners in a file of one player's games, in random order."""
    for game in games_of(path, seed):
        winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(game.headers["Result"])
        names = [game.headers["White"].split(",")[0], game.headers["Black"].split(",")[0]]
        if winner is None or path.stem not in names[0 if winner else 1]:
            continue
        board, moves = game.board(), list(game.mainline_moves())
        boards = [board.copy(stack=False)]
        for move in moves:
            board.push(move)
            boards.append(board.copy(stack=False))
        for ply in range(FIRST_PLY, len(moves) - 1):
            before, later = boards[ply], [boards[min(ply + plies, len(moves))] for plies in PLIES_LATER]
            if before.turn == winner and gives_up(before, moves[ply], later):
                year = game.headers["Date"].split(".")[0]
                dots = "." if before.turn else "..."
                name = f"{names[0]} - {names[1]} {year}, {before.fullmove_number}{dots} {before.san(moves[ply])}"
                yield before, moves[ply], name.replace("?", "").replace('"', "")
                break  # one of each game


def games_of(path: Path, seed: int) -> Iterator[chess.pgn.Game]:
    """The whole games of a file in random order."""
    with path.open(encoding="latin-1") as file:
        offsets = []
        while True:
            offset = file.tell()
            if chess.pgn.read_headers(file) is None:
                break
            offsets.append(offset)
        random.Random(seed).shuffle(offsets)
        for offset in offsets:
            file.seek(offset)
            game = chess.pgn.read_game(file)
            if game is not None and not game.errors and "FEN" not in game.headers:
                yield game


def gives_up(board: chess.Board, move: chess.Move, later: list[chess.Board]) -> bool:
    """Does a move give up material, by static exchange or as the game went on?"""
    if len(list(board.legal_moves)) < 2:
        return False
    view = seen_by_mover(board)
    turned = move if board.turn else chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    if not board.is_castling(move) and exchange(view, turned) <= -GIVEN_UP:
        return True
    return max(balance(other, board.turn) for other in later) <= balance(board, board.turn) - GIVEN_UP


def balance(board: chess.Board, colour: chess.Color) -> int:
    """Material of a player less that of the other, in pawns."""
    return sum(WORTH[piece.piece_type] * (1 if piece.color == colour else -1) for piece in board.piece_map().values())


def score_of(engine: chess.engine.SimpleEngine, board: chess.Board, moves: list[chess.Move] | None, nodes: int) -> int:
    """Centipawns for the player to move, restricted to these moves; None: all."""
    info = engine.analyse(board, chess.engine.Limit(nodes=nodes), root_moves=moves, game=object())
    return int(info["score"].relative.score(mate_score=MATE))


def wins(engine: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, nodes: int) -> int | None:
    """Centipawns of a move that wins, None of others."""
    best, own = score_of(engine, board, None, nodes), score_of(engine, board, [move], nodes)
    is_winning = own >= LEAST and own >= best - TOLERANCE
    return own if is_winning or (own >= LEAST and own > MATE // 2) else None


def select(paths: list[Path], output: Path, count: int, seed: int) -> None:
    """Write the same number of sacrifices of each file, those that win."""
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH) as engine, output.open("w", encoding="utf-8") as file:
        engine.configure({"Hash": 64, "Threads": 1})
        for path in paths:
            found = 0
            for board, move, name in candidates(path, seed):
                if wins(engine, board, move, QUICK_NODES) is None:
                    continue
                score = wins(engine, board, move, NODES)
                if score is not None:
                    file.write(board.epd(bm=move, ce=score, id=name, fmvn=board.fullmove_number) + "\n")
                    file.flush()
                    found += 1
                if found == count // len(paths):
                    break


def loss_of(engine: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, nodes: int) -> int:
    """Centipawns that a move loses in a game that was open; 0 in others."""
    best = score_of(engine, board, None, nodes)
    return best - score_of(engine, board, [move], nodes) if best in OPEN else 0


def select_blunders(paths: list[Path], output: Path, count: int, seed: int) -> None:
    """Write the first blunder of a loser in each game, until there are enough."""
    found = 0
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH) as engine, output.open("w", encoding="utf-8") as file:
        for game in (game for path in paths for game in games_of(path, seed)):
            loser = {"1-0": chess.BLACK, "0-1": chess.WHITE}.get(game.headers["Result"])
            board = game.board()
            for ply, move in enumerate(game.mainline_moves()):
                is_looked_at = ply in BLUNDER_PLIES and board.turn == loser
                if is_looked_at and all(loss_of(engine, board, move, nodes) >= LOST for nodes in BLUNDER_NODES):
                    name = f"{game.headers['White']} - {game.headers['Black']}, ply {ply}".replace('"', "")
                    file.write(board.epd(bm=move, id=name, fmvn=board.fullmove_number) + "\n")
                    found += 1
                    break
                board.push(move)
            if found == count:
                return


# What Teresa says


class Judges:
    """`review` and `why`, each with a number of visits for a position; `review` also by another plan."""

    def __init__(self, visits: int, plan: Plan | None = None) -> None:
        self.visits, self.resources = visits, Resources()
        settings = Options()
        settings.set("Hash", str(MEGABYTES))
        settings.seed = 1
        self._judge = Judge(settings, plan or Plan.of(Limits(nodes=visits)), search)

    def review(self, one: Sacrifice) -> Severity:
        """By `teresa review`."""
        return self.passes(one)[-1].severity

    def passes(self, one: Sacrifice) -> list[Judged]:
        """The move after the quick pass, and each better version of it."""
        position = Position(one.fen)
        codes = [position.code(one.uci)]
        judged = list(self._judge.quick(position, codes))
        return [*judged, *self._judge.deepen(position, codes, judged)]

    def why(self, one: Sacrifice) -> Verdict:
        """The verdict of `why not`."""
        analysis = Analysis(one.fen, {"Hash": MEGABYTES, "Seed": 1}, resources=self.resources)
        analysis.start(visits=self.visits)
        analysis.wait()
        return answer(analysis.report, one.uci).verdict


def is_condemned(by_review: Severity, by_why: Verdict) -> bool:
    """Is a move called bad, in either place?"""
    is_mistake = by_review in (Severity.MISTAKE, Severity.BLUNDER)
    return is_mistake or by_why in (Verdict.REFUTED, Verdict.PROVEN_LOSS)


def measure(positions: list[Sacrifice], visits: int) -> float:
    """Print how often winning moves are condemned; -> their share."""
    judges = Judges(visits)
    by_review: Counter[str] = Counter()
    by_why: Counter[str] = Counter()
    count = 0
    for one in positions:
        words = (judges.review(one), judges.why(one))
        by_review[str(words[0]) or "nothing"] += 1
        by_why[str(words[1])] += 1
        if is_condemned(*words):
            count += 1
            print(f"{one.name}: {words[0] or 'nothing'} by review, {words[1]} by why")
    print(f"review {dict(by_review)}\nwhy {dict(by_why)}")
    print(f"condemned: {count} of {len(positions)}, {count / len(positions):.1%}, at {visits:,} visits")
    return count / len(positions)


def measure_plan(positions: list[Sacrifice]) -> float:
    """Print what `teresa review` calls winning moves as it usually searches; -> the share of mistakes and blunders."""
    judges = Judges(VISITS, Plan.default())
    quick: Counter[str] = Counter()
    final: Counter[str] = Counter()
    count = 0
    for one in positions:
        moves = judges.passes(one)
        quick[str(moves[0].mark) or "nothing"] += 1
        final[str(moves[-1].mark) or "nothing"] += 1
        count += moves[-1].severity in (Severity.MISTAKE, Severity.BLUNDER)
    print(f"quick {dict(quick)}\nat the end {dict(final)}")
    print(f"condemned: {count} of {len(positions)}, {count / len(positions):.1%}, by {Plan.default().text}")
    return count / len(positions)


def main() -> None:
    """The commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("select", "blunders", "measure", "plan"))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--output", type=Path, default=Path("sacrifices.epd"))
    parser.add_argument("--positions", type=Path, default=POSITIONS)
    parser.add_argument("--visits", type=int, default=VISITS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "select":
        select(options.files, options.output, options.count, options.seed)
    elif options.command == "blunders":
        select_blunders(options.files, options.output, options.count, options.seed)
    elif options.command == "plan":
        measure_plan(read(options.positions))
    else:
        measure(read(options.positions), options.visits)


if __name__ == "__main__":
    main()
