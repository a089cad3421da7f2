"""A UCI engine that answers at once: the first legal move by name, and a score made of the position."""

import signal
import sys
import zlib

for name in ("SIGINT", "SIGPIPE"):  # it ends without a word, as a program in C does, also while it loads
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)

from movegen import Position  # noqa: E402

position = Position(chess960=True)
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("uciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        end = words.index("moves") if "moves" in words else len(words)
        position = Position(" ".join(words[2:end]), chess960=True)
        for move in words[end + 1 :]:
            position = position.play(move)
    elif words[:1] == ["go"]:
        print("info depth 1 score cp 31000 lowerbound nodes 1")
        if position.legal_moves:
            digest = zlib.crc32(position.fen().encode())
            print(f"info depth 1 score cp {digest % 2001 - 1000} nodes 1 pv x")
            print("bestmove", sorted(position.legal_moves)[digest % len(position.legal_moves)], flush=True)
        else:
            print("bestmove (none)", flush=True)
