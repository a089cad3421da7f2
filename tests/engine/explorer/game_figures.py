"""Figures of a game in the explorer, without a browser: `python -m tests.engine.explorer.game_figures`. Linux.

Nothing here passes or fails: the numbers are for people. The page's own figures are those of `figures`.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import chess
import chess.pgn

from tests.engine.explorer.figures import percentile, print_figure

GAMES, PLIES, DIFFERENT = 20_000, 120, 40
STEPS = 60


def random_game(rng: random.Random) -> chess.pgn.Game:
    """A game of `PLIES` half-moves."""
    while True:
        game = node = chess.pgn.Game()
        board = chess.Board()
        while len(board.move_stack) < PLIES and not board.is_game_over(claim_draw=True):
            board.push(rng.choice(list(board.legal_moves)))
            node = node.add_variation(board.peek())
        if len(board.move_stack) == PLIES:
            return game


def write_games(path: Path) -> None:
    """A file of many games with different headers."""
    rng = random.Random(1)
    games = [random_game(rng) for _ in range(DIFFERENT)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(GAMES):
            game = games[number % DIFFERENT]
            game.headers.update({"White": f"White {number % 997}", "Black": f"Black {number % 1013}"})
            file.write(f"{game}\n\n")


class Explorer:
    """The command, and requests to its server."""

    def __init__(self, file: Path, reviews: str) -> None:
        self.begin = time.perf_counter()
        command = [sys.executable, "-m", "engine", "explore", str(file), "--no-browser", "--hash", "16"]
        environment = {**os.environ, "TERESA_REVIEW_DIR": reviews}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        address = (self.process.stdout or sys.stdin).readline().strip()
        self.base, token = address.split("#")
        self.headers = {"Authorization": f"Bearer {token}", "Origin": self.base.rstrip("/")}

    def get(self, question: str) -> dict:
        """The answer to a question."""
        request = urllib.request.Request(f"{self.base}data/{question}", headers=self.headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def post(self, action: str, **asked: object) -> float:
        """Milliseconds of an action."""
        headers, begin = {**self.headers, "Content-Type": "application/json"}, time.perf_counter()
        body = json.dumps(asked).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.base}do/{action}", data=body, headers=headers)).close()
        return 1000 * (time.perf_counter() - begin)

    @property
    def since_start(self) -> float:
        """Seconds."""
        return time.perf_counter() - self.begin

    def cpu(self) -> float:
        """CPU seconds of the process since its start."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Resident, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1000


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.pgn"
        write_games(file)
        explorer = Explorer(file, f"{folder}/reviews")
        try:
            show_figures(explorer)
        finally:
            explorer.process.send_signal(2)
            explorer.process.wait()


def show_figures(explorer: Explorer) -> None:
    """Of a server that has just begun."""
    explorer.get("about")
    explorer.get("open?search=0&path=")
    explorer.get("game")
    print_figure("start to all that the first picture needs: s, CPU s", explorer.since_start, explorer.cpu())
    stream = urllib.request.urlopen(urllib.request.Request(f"{explorer.base}data/stream", headers=explorer.headers))
    stream.readline()
    before = explorer.memory()
    begin = time.perf_counter()
    while explorer.get("games?from=0&count=50")["state"] != "done":
        time.sleep(0.02)
    print_figure(f"list of {GAMES:,} games: s, MB more", time.perf_counter() - begin, explorer.memory() - before)
    opened = [explorer.post("open", number=number) for number in (15_000, 3, GAMES, 777, 12_345)]
    print_figure("a game opened, ms: median, most", sorted(opened)[2], max(opened))
    shown = []
    for step in range(STEPS):
        shown.append(explorer.post("show", revision=6, node=step))
        time.sleep(0.1)
    print_figure("a node shown, ms: median, 95 %", percentile(shown, 0.5), percentile(shown, 0.95))
    stream.close()


if __name__ == "__main__":
    main()
