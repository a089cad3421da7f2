"""Random commands for the engine, and a model of what must come back.

The model knows one rule: whatever is sent, `position`, `loadtree` and `go` take effect in their order. So moves come in
the order of the `go`, and each is legal in the position then; what became of a file comes in the order of `loadtree`.
While the search is being loaded, a move that cannot wait may come before what became of an earlier file.
"""

import re
import time

import chess

FENS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "5rk1/pp4pp/4p3/2R3Q1/3n4/2q4r/P1P2PPP/5RK1 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",  # mate in one
    "7k/5K2/8/6Q1/8/8/8/8 b - - 0 1",  # one legal move
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",  # mate
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    "8/8/8/8/3k4/8/8/K7 w - - 99 80",  # drawn
    "4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1",  # repaired
)
CHESS960 = ("1rkr4/8/8/8/8/8/8/1RKR4 w DBdb - 0 1", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9")
WRONG = (
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position startpos moves e2e5",
    "position fen rubbish",
    "setoption name Hash value 0",
    "setoption name No Such value 1",
    "go nodes x perft",
    "why Ke9",
    "whynot",
    "dance \x00 7",
    "ponderhit",
    "stop stop",
    "setoption name Hash value explorer",
    "ucinewgame explorer",
    "loadtree explorer",
    "go explorer infinite",
    "",
)
OPTIONS = {
    "Hash": range(1, 9),
    "Threads": range(1, 5),
    "Batch": range(1, 17),
    "MultiPV": (1, 2, 5, 256),
    "MoveStats": ("true", "false"),
    "UCI_ShowWDL": ("true", "false"),
    "UCI_AnalyseMode": ("true", "false"),
    "UCI_LimitStrength": ("true", "false", "false"),
    "UCI_Elo": (1000, 2000),
    "Evaluator": ("Playout", "Network", "Network"),
    "Formula": ("UCB1", "PUCT", "PUCT"),
    "Seed": (0, 1),
    "Temperature": (0, 1000),
    "Move Overhead": (0, 30),
    "Root Temperature": (1000, 5800),
    "EvalFile": ("<empty>", "/no/such/file"),
    "Ponder": ("true",),
}
WEIGHTS = {
    "position": 20,
    "go": 30,
    "stop": 10,
    "ponderhit": 4,
    "isready": 4,
    "setoption": 10,
    "ucinewgame": 2,
    "moves": 3,
    "why": 4,
    "eval": 4,
    "bench": 2,
    "savetree": 3,
    "loadtree": 4,
    "d": 1,
    "debug": 1,
    "uci": 1,
    "wrong": 3,
}
LOADED = re.compile(r"info string [\d,]+ visits of (\S+ [wb] \S+ \S+ \d+ \d+)$")


class Fuzzer:
    """Makes commands up, and checks the answers."""

    def __init__(self, rng, folder, without=()):
        """`without`: commands and options to leave out."""
        self.rng, self.folder, self.without = rng, folder, without
        self.commands = []
        self._kinds = [kind for kind in WEIGHTS if kind not in without]
        self._board, self._is_chess960 = chess.Board(), False
        (folder / "foreign.npz").write_bytes(b"no tree")

    # Making commands up

    def next_commands(self):
        """Some commands to send at once."""
        kind = self.rng.choices(self._kinds, [WEIGHTS[kind] for kind in self._kinds])[0]
        made = getattr(self, f"_{kind}", lambda: [kind])()
        self.commands += made
        return made

    def first_commands(self):
        """Small trees, so that they fill up."""
        made = [self._set(name) for name in ("Hash", "Threads", "Batch") if name not in self.without]
        self.commands += made
        return made

    def _set(self, name):
        return f"setoption name {name} value {self.rng.choice(OPTIONS[name])}"

    def _setoption(self):
        if self.rng.random() < 0.1:
            return ["setoption name Clear Hash"]
        return [self._set(self.rng.choice([name for name in OPTIONS if name not in self.without]))]

    def _position(self):
        commands, rng = [], self.rng
        if rng.random() < 0.1 and "UCI_Chess960" not in self.without:
            self._is_chess960 = not self._is_chess960
            commands.append(f"setoption name UCI_Chess960 value {str(self._is_chess960).lower()}")
            self._board = None
        if self._board is not None and rng.random() < 0.5 and self._board.move_stack:
            board = self._board  # the game goes on
        else:
            board = chess.Board(rng.choice(CHESS960 if self._is_chess960 else FENS), chess960=self._is_chess960)
        for _ in range(rng.choice((0, 1, 2, 2, 3, 10, 40))):
            moves = list(board.legal_moves)
            if moves:
                board.push(rng.choice(moves))
        self._board = board
        moves = " ".join(board.uci(move) for move in board.move_stack)
        start = board.root().fen()
        name = "startpos" if start == chess.STARTING_FEN else f"fen {start}"
        return [*commands, f"position {name}" + (f" moves {moves}" if moves else "")]

    def _go(self):
        rng = self.rng
        clock = f"wtime {rng.randrange(2000)} btime {rng.randrange(2000)} winc {rng.randrange(30)} binc 0"
        limits = rng.choice(
            (
                f"nodes {rng.choice((1, 2, 3, 10, 300, 3000, 30000))}",
                f"movetime {rng.randrange(80)}",
                clock,
                f"{clock} movestogo {rng.randrange(1, 5)}",
                f"ponder {clock}",
                "infinite",
                "infinite",
                "ponder",
                "",
                f"depth {rng.randrange(1, 4)}",
                f"mate {rng.randrange(1, 3)}",
                f"perft {rng.randrange(1, 4)}",
            )
        )
        if rng.random() < 0.3 and self._board is not None and "searchmoves" not in self.without:
            moves = [self._board.uci(move) for move in self._board.legal_moves]
            limits += " searchmoves " + " ".join(rng.choices([*moves, "e2e5"], k=rng.randrange(1, 4)))
        return [f"go {limits}".strip()]

    def _bench(self):
        return [f"bench {self.rng.choice((1, 2, 20))}"]

    def _why(self):
        moves = [] if self._board is None else [self._board.uci(move) for move in self._board.legal_moves]
        move = self.rng.choice([*moves, "e4", "a1a1"])
        return [self.rng.choice(("why", f"why {move}", f"why not {move} 200", f"whynot {move} 300"))]

    def _savetree(self):
        return [f"savetree {self._file()}"]

    def _loadtree(self):
        return [f"loadtree {self.rng.choice((self._file(), self._file(), self.folder / 'foreign.npz'))}"]

    def _file(self):
        return self.folder / f"tree{self.rng.randrange(3)}.npz"

    def _debug(self):
        return [f"debug {self.rng.choice(('on', 'off'))}"]

    def _wrong(self):
        return [self.rng.choice(WRONG)]

    # What must come back

    @property
    def answers_due(self):
        """The number of commands that must be answered by a move, or by what has become of a file."""
        return sum(is_search(command) or command.split()[:1] == ["loadtree"] for command in self.commands)

    def check(self, lines):
        """Go through all commands and answers again."""
        failures = [line for line in lines if "failed (" in line]
        assert not failures, failures
        moves = iter([line for line in lines if line.startswith("bestmove")])
        files = iter([line for line in lines if is_answer(line) and not line.startswith("bestmove")])
        board = chess.Board()
        chess960, is_loaded = False, False
        for command in self.commands:
            words = command.split()
            if words[:1] == ["setoption"] and "UCI_Chess960" in words:
                board, chess960, is_loaded = chess.Board(), words[-1] == "true", False
            elif words[:1] == ["position"]:
                after = board_after(words[1:], chess960)
                board, is_loaded = (board, is_loaded) if after is None else (after, False)
            elif words[:1] == ["loadtree"]:
                found = LOADED.match(next(files))
                board, is_loaded = (chess.Board(found[1], chess960=True), True) if found else (board, is_loaded)
            elif is_search(command):
                check_move(next(moves), board, words, (False, True) if is_loaded else (chess960,))
        assert (next(moves, None), next(files, None)) == (None, None)


def is_search(command):
    """Is it a `go` that asks for a move?"""
    return command.split()[:1] == ["go"] and not re.search(r" perft \d", command)


def is_answer(line):
    """To `go` or to `loadtree`."""
    return line.startswith(("bestmove", "info string loadtree:")) or LOADED.match(line) is not None


def board_after(words, chess960):
    """The position that a command means, or None if it must be refused."""
    end = words.index("moves") if "moves" in words else len(words)
    try:
        fen = chess.STARTING_FEN if words[0] == "startpos" else " ".join(words[1:end])
        board = chess.Board(fen, chess960=chess960)
        for move in words[end + 1 :]:
            board.push_uci(move)
    except ValueError:
        return None
    return board if board.kings.bit_count() == 2 else None


def check_move(answer, board, words, notations):
    """The move is legal, and one of those wished for. A loaded tree brings its own notation of castling."""
    text = answer.split()[1]
    legal = {board.uci(move, chess960=chess960) for move in board.legal_moves for chess960 in notations}
    wished = legal & set(words[words.index("searchmoves") :]) if "searchmoves" in words else set()
    assert text in (wished or legal or {"0000"}), (answer, words, board.fen())


def play(fuzzer, send, lines, seconds):
    """Send commands for so long; `lines`: all that has come back. Then wait until all is answered, and check it."""
    end = time.perf_counter() + seconds
    send(*fuzzer.first_commands())
    while time.perf_counter() < end:
        send(*fuzzer.next_commands())
        pause = fuzzer.rng.random()
        if pause < 0.05:
            settle(fuzzer, send, lines)
        elif pause < 0.5:
            time.sleep(fuzzer.rng.random() ** 3 * 0.3)
    settle(fuzzer, send, lines)
    fuzzer.check(lines())


def settle(fuzzer, send, lines, seconds=120):
    """Stop, and wait until nothing is due any more."""
    fuzzer.commands += ["stop", "isready"]
    send("stop", "isready")
    ready = fuzzer.commands.count("isready")
    wait(lambda: count(lines(), "readyok") >= ready, seconds, "readyok")
    wait(lambda: sum(map(is_answer, lines())) >= fuzzer.answers_due, seconds, "a command")


def count(lines, beginning):
    """How many lines begin so."""
    return sum(line.startswith(beginning) for line in lines)


def wait(condition, seconds, what):
    """Wait for something; that long only hangs take."""
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end, f"{what} is not answered"
        time.sleep(0.01)
