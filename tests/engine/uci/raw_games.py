"""Games on a fast clock between two processes of the engine, over bare pipes: `python -m tests.engine.uci.raw_games`.

One thread for each pair of engines and nothing between it and the pipes: on a busy machine every thread that takes part
waits for a processor, and the clock of the player to move runs meanwhile. Prints one line of JSON for each game.
"""

import argparse
import contextlib
import json
import os
import subprocess
import time
from pathlib import Path

from tests.engine.uci.games import opening
from tests.engine.uci.process import TERESA

PLIES = 160
OPTIONS = (("Hash value 16",), ("Hash value 1", "Threads value 2"))


def waits_of(pid):
    """Seconds that each thread of a process has waited for a processor, ever; empty where the system does not count."""
    waits = {}
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread has ended
            waits[file.parent.name] = int(file.read_bytes().split()[1]) / 1e9
    return waits


class Waits:
    """What the threads of two processes wait for a processor from now on."""

    def __init__(self, *pids):
        self._pids, self._before = pids, [waits_of(pid) for pid in pids]

    def seconds(self):
        """The sum; threads that have ended meanwhile are not counted."""
        now = map(waits_of, self._pids)
        return sum(
            wait - before.get(thread, 0.0)
            for before, after in zip(self._before, now, strict=True)
            for thread, wait in after.items()
        )


class Player:
    """One engine, and what its moves cost in the game."""

    def __init__(self, options):
        self.process = subprocess.Popen(TERESA, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("uci", until=b"uciok")
        self.ask(*(f"setoption name {option}" for option in options), "isready", until=b"readyok")

    def send(self, *commands):
        os.write(self.process.stdin.fileno(), "".join(command + "\n" for command in commands).encode())

    def ask(self, *commands, until):
        """Send commands; -> the lines up to the one that begins so."""
        self.send(*commands)
        lines = []
        while not lines or not lines[-1].startswith(until):
            line = self.process.stdout.readline()
            assert line, f"the engine ended: {lines}"
            lines.append(line)
        return lines

    def start(self, seconds, chess960):
        """A new game; the clock starts when the engine is ready."""
        self.clock = self.given = seconds
        self.waited = self.last_wait = self.last_clock = 0.0  # `last_`: of the last move
        value = "true" if chess960 else "false"
        self.ask(f"setoption name UCI_Chess960 value {value}", "ucinewgame", "isready", until=b"readyok")

    def move(self, position, go, increment):
        """Ask for a move; -> its text, None if the clock has run out. A wait of this process counts as one too."""
        waits = Waits(self.process.pid, "self")
        begin = time.perf_counter()
        lines = self.ask(position, go, until=b"bestmove")
        seconds = time.perf_counter() - begin
        self.last_wait = min(seconds, waits.seconds())
        self.waited += self.last_wait
        self.last_clock, self.clock = self.clock, self.clock - seconds
        if self.clock <= 0:
            return None
        self.clock, self.given = self.clock + increment, self.given + increment
        text = lines[-1].split()[1].decode()
        last = next(line.decode().split() for line in reversed(lines) if b" pv " in line)
        assert last[last.index("pv") + 1] == text
        assert "score" in last
        return text

    def quit(self):
        self.send("quit")
        assert self.process.wait(10) == 0


def play(players, seed, seconds, increment):
    """One game; -> what became of it. An illegal move is an error of python-chess."""
    board = opening(seed, chess960=seed % 5 == 0)
    start, moves = board.fen(), []
    for player in players:
        player.start(seconds, board.chess960)
    while not board.is_game_over(claim_draw=True) and len(moves) < PLIES:
        player = players[0 if board.turn else 1]
        clocks = [max(1, round(1000 * player.clock)) for player in players]
        go = "go wtime {} btime {} winc {} binc {}".format(*clocks, *[round(1000 * increment)] * 2)
        text = player.move(" ".join(["position fen", start, *(["moves"] if moves else []), *moves]), go, increment)
        if text is None:
            lost = {name: round(getattr(player, name), 3) for name in ("given", "waited", "last_clock", "last_wait")}
            return {"seed": seed, "plies": len(moves), "lost": lost}
        board.push(board.parse_uci(text))
        moves.append(text)
    return {"seed": seed, "plies": len(moves), "clocks": [round(player.clock, 3) for player in players]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--increment", type=float, default=0.01)
    asked = parser.parse_args()
    players = [Player(options) for options in OPTIONS]
    for seed in range(asked.first, asked.last):
        print(json.dumps(play(players, seed, asked.seconds, asked.increment)), flush=True)
    for player in players:
        player.quit()


if __name__ == "__main__":
    main()
