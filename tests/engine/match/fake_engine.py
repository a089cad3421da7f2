"""A small UCI engine that misbehaves as its arguments say: fake_engine.py WHAT [MOVE [FOLDER]].

WHAT happens at its MOVE-th move: crash, hang, illegal, nonsense, none, slow, or nothing. With FOLDER it does so in one
process only, whichever comes first: a file there says that it has happened. "score cp -70000" is reported as it is;
"slow to clear" is slow to get ready for each game, and ends if one game is announced twice.
"""

import os
import sys
import time
from pathlib import Path

import chess

WHAT = sys.argv[1]
WHEN = int(sys.argv[2]) if len(sys.argv) > 2 else 1
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else None
SECONDS = 0.6  # of a slow move


def say(line):
    print(line, flush=True)


def is_due(move):
    if move != WHEN:
        return False
    if FOLDER is None:
        return True
    try:
        (FOLDER / "happened").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def answer(board, move):
    best = min(legal.uci() for legal in board.legal_moves)
    what = WHAT if is_due(move) else "nothing"
    if what == "crash":
        print("Fake: out of\nmemory", file=sys.stderr, flush=True)
        os._exit(3)
    if what == "hang":
        time.sleep(1000)
    if what == "slow":
        time.sleep(SECONDS)
    say(f"info depth 1 {WHAT}" if WHAT.startswith("score") else "info depth 1 score cp 17")
    say("bestmove " + {"illegal": "a1a1", "nonsense": "xyzzy", "none": "(none)"}.get(what, best))


def set_position(words):
    chess960 = OPTIONS.get("UCI_Chess960") == "true"
    moves = words[words.index("moves") + 1 :] if "moves" in words else []
    fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:8])
    board = chess.Board(fen, chess960=chess960)
    for move in moves:
        board.push_uci(move)
    return board


OPTIONS = {}
board, moves, is_new, has_begun = chess.Board(), 0, False, False
for line in sys.stdin:
    words = line.split()
    match words[0] if words else "":
        case "uci":
            if WHAT == "mute":
                time.sleep(1000)
            say("id name Fake")
            say("option name Hash type spin default 16 min 1 max 1024")
            say("option name UCI_Chess960 type check default false")
            say("uciok")
        case "isready":
            if WHAT == "unready":
                os._exit(1)
            if WHAT == "slow to clear" and is_new:
                time.sleep(SECONDS)
            is_new = False
            say("readyok")
        case "setoption":
            name, _, value = line.strip().removeprefix("setoption name ").partition(" value ")
            OPTIONS[name] = value
        case "ucinewgame":
            if WHAT == "slow to clear" and moves == 0 and has_begun:
                os._exit(1)
            moves, is_new, has_begun = 0, True, True
        case "position":
            board = set_position(words)
        case "go":
            moves += 1
            answer(board, moves)
        case "quit":
            break
