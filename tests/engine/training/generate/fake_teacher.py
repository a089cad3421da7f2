"""A UCI engine that answers at once: the first legal move by name, and a score made of the position."""

import signal
import sys
import zlib

for name in ("SIGINT", "SIGPIPE"):  # it ends without a word, as a program in C does, also while it loads
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)

from movegen import Position  # noqa: E402


def reached(words):
    """The position of a `position` command; the one before its last move was nearly always asked for before."""
    line = " ".join(words)
    if line not in seen:
        if "moves" in words[:-1]:
            seen[line] = reached(words[:-1]).play(words[-1])
        else:
            end = words.index("moves") if "moves" in words else len(words)
            seen[line] = Position(" ".join(words[2:end]), chess960=True)
    return seen[line]


seen = {}
position = Position(chess960=True)
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("uciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        position = reached(words)
    elif words[:1] == ["go"]:
        print("info depth 1 score cp 31000 lowerbound nodes 1")
        moves = sorted(position.legal_moves)
        if moves:
            digest = zlib.crc32(position.fen().encode())
            print(f"info depth 1 score cp {digest % 2001 - 1000} nodes 1 pv x")
            print("bestmove", moves[digest % len(moves)], flush=True)
        else:
            print("bestmove (none)", flush=True)
