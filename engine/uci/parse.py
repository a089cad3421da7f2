"""UCI commands as data: which there are, a line of text, and what follows `go`, `position`, `setoption` and `why`.

Reading is strict: `ValueError` says what is wrong.
"""

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple

from engine.search.clock import Limits
from movegen.fen import START_FEN

GO_NUMBERS = {
    "wtime": "white_time",
    "btime": "black_time",
    "winc": "white_increment",
    "binc": "black_increment",
    "movestogo": "moves_to_go",
    "depth": "depth",
    "nodes": "nodes",
    "mate": "mate",
    "movetime": "move_time",
    "perft": "perft",
}
FREE_TEXT_AFTER = {"setoption": "value", "savetree": "savetree", "loadtree": "loadtree"}  # for each command, a token
GO_FLAGS = ("infinite", "ponder")
LARGEST_NUMBER = 10**15


class WaitsFor(Enum):
    """What a command waits for, besides the commands before it."""

    NOTHING = auto()
    KERNELS = auto()  # until they are loaded
    RESULT = auto()  # likewise, and for the end of a search that ends by itself
    END = auto()  # likewise, and for the end of whatever runs: it changes the tree, or needs the processors


class CommandKind(NamedTuple):
    """What is known of a command by its name."""

    waits_for: WaitsFor
    meaning: str = ""  # its line of help, if UCI does not define it
    is_long: bool = False  # a search or a job, which a `stop` ends
    is_for_fallback: bool = False  # the fallback player uses it, or answers it


UCI_COMMANDS = {
    "uci": CommandKind(WaitsFor.NOTHING),
    "debug": CommandKind(WaitsFor.NOTHING),
    "register": CommandKind(WaitsFor.NOTHING),
    "quit": CommandKind(WaitsFor.NOTHING),
    "isready": CommandKind(WaitsFor.KERNELS, is_for_fallback=True),
    "stop": CommandKind(WaitsFor.KERNELS, is_for_fallback=True),
    "ponderhit": CommandKind(WaitsFor.KERNELS, is_for_fallback=True),
    "setoption": CommandKind(WaitsFor.END, is_for_fallback=True),
    "ucinewgame": CommandKind(WaitsFor.END, is_for_fallback=True),
    "position": CommandKind(WaitsFor.END, is_for_fallback=True),
    "go": CommandKind(WaitsFor.END, is_long=True),
    "d": CommandKind(WaitsFor.KERNELS, "show the position"),
    "eval": CommandKind(WaitsFor.END, "evaluate the position without a search", is_long=True),
    "moves": CommandKind(WaitsFor.RESULT, "show what the search found for each move"),
    "why": CommandKind(
        WaitsFor.RESULT, "[not] [MOVE [VISITS]]: explain the best move, this move, or why not this move"
    ),
    "whynot": CommandKind(WaitsFor.RESULT, "MOVE [VISITS]: the same as 'why not'"),
    "savetree": CommandKind(WaitsFor.END, "[--force] FILE: write the search to a file (.npz); --force: over any file"),
    "loadtree": CommandKind(WaitsFor.END, "FILE: continue a saved search, with its position"),
    "bench": CommandKind(WaitsFor.END, "[VISITS]: search fixed positions, print signature and speed", is_long=True),
    "help": CommandKind(
        WaitsFor.NOTHING, "[options]: list the commands, or the options with default, range and meaning"
    ),
}


class Command(NamedTuple):
    """A line of a GUI."""

    name: str
    arguments: list[str]
    moment: float  # when it came, of `time.perf_counter`

    @property
    def kind(self) -> CommandKind:
        """What is known of it by its name."""
        return UCI_COMMANDS[self.name]


def read_command(line: str, moment: float) -> tuple[Command | None, list[str]]:
    """The command of a line, and the unknown tokens before it: UCI wants them to be skipped."""
    tokens = line.split()
    start = next((index for index, token in enumerate(tokens) if token in UCI_COMMANDS), len(tokens))
    if start == len(tokens):
        return None, tokens
    name, *arguments = keep_free_text(line, tokens, start)
    return Command(name, arguments, moment), tokens[:start]


def keep_free_text(line: str, tokens: list[str], start: int) -> list[str]:
    """The tokens from `start`, with free text, for instance the name of a file, as one token with all its blanks."""
    mark = FREE_TEXT_AFTER.get(tokens[start])
    if mark not in tokens[start:-1]:
        return tokens[start:]
    end = tokens.index(mark, start) + 1
    return [*tokens[start:end], line.split(maxsplit=end)[-1].rstrip()]


@dataclass
class Go:
    """What follows `go`, before it is known which side moves."""

    numbers: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    search_moves: list[str] = field(default_factory=list)  # searchmoves
    complaints: list[str] = field(default_factory=list)

    @property
    def perft(self) -> int | None:
        """The depth of `go perft`."""
        return self.numbers.get("perft")

    def limits(self, white_to_move: bool) -> Limits:
        """The limits for the player to move."""
        side, other = ("white", "black") if white_to_move else ("black", "white")
        limits = Limits(
            time_left=self.numbers.get(f"{side}_time", self.numbers.get(f"{other}_time")),  # one clock is both clocks
            increment=self.numbers.get(f"{side}_increment", 0),
            moves_to_go=self.numbers.get("moves_to_go"),
            move_time=self.numbers.get("move_time"),
            nodes=at_least_one(self.numbers.get("nodes")),
            depth=at_least_one(self.numbers.get("depth")),
            mate=at_least_one(self.numbers.get("mate")),
            infinite="infinite" in self.flags,
            ponder="ponder" in self.flags,
        )
        bounds = (limits.time_left, limits.move_time, limits.nodes, limits.depth, limits.mate)
        return limits if any(bound is not None for bound in bounds) else replace(limits, infinite=True)


def at_least_one(number: int | None) -> int | None:
    """A limit of at least 1: GUIs send 0 too."""
    return None if number is None else max(1, number)


def read_go(tokens: list[str]) -> Go:
    """Read the tokens after `go`. What cannot be read is skipped, with a complaint."""
    go, rest = Go(), list(tokens)
    while rest:
        word = rest.pop(0)
        if word in GO_FLAGS:
            go.flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in GO_NUMBERS and rest[0] not in GO_FLAGS:
                go.search_moves.append(rest.pop(0))
        elif word in GO_NUMBERS:
            number = read_number(rest[0]) if rest else None
            if number is None:
                go.complaints.append(f"{word} needs a whole number, skipped")
            else:
                go.numbers[GO_NUMBERS[word]] = number
            if rest and (number is not None or (rest[0] not in GO_NUMBERS and rest[0] not in GO_FLAGS)):
                rest.pop(0)
        else:
            go.complaints.append(f"{word[:40]!a} is not understood, skipped")
    return go


def is_search(command: Command) -> bool:
    """Whether a command is a `go` that asks for a move."""
    return command.name == "go" and read_go(command.arguments).perft is None


def read_number(text: str) -> int | None:
    """A whole number, kept within bounds, or None."""
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        return None
    number = int(digits[:16])
    return max(-LARGEST_NUMBER, -number) if text.startswith("-") else min(LARGEST_NUMBER, number)


def read_option(tokens: list[str]) -> tuple[str, str]:
    """Read the tokens after `setoption`: the name and the value."""
    if not tokens or tokens[0] != "name":
        raise ValueError("'name' must follow")
    end = tokens.index("value") if "value" in tokens else len(tokens)
    name = " ".join(tokens[1:end])
    if not name:
        raise ValueError("the name is missing")
    return name, " ".join(tokens[end + 1 :])


def option_of(command: Command) -> str:
    """The option that a command sets, in small letters; empty if it sets none."""
    try:
        return read_option(command.arguments)[0].lower() if command.name == "setoption" else ""
    except ValueError:
        return ""


def read_start_and_moves(tokens: list[str]) -> tuple[str, list[str]]:
    """Read the tokens after `position`: the FEN of the start and the moves."""
    end = tokens.index("moves") if "moves" in tokens else len(tokens)
    moves = tokens[end + 1 :]
    if tokens[:1] == ["startpos"]:
        if end > 1:
            raise ValueError(f"{tokens[1][:40]!a} after startpos is not understood")
        return START_FEN, moves
    if tokens[:1] == ["fen"]:
        return " ".join(tokens[1:end]), moves
    raise ValueError("'startpos' or 'fen' must follow")


@dataclass(frozen=True)
class WhyQuestion:
    """What follows `why`."""

    move: str | None  # None: the best one
    visits: int | None  # that the move gets first


def read_question(tokens: list[str]) -> WhyQuestion:
    """Read the tokens after `why`: nothing, a move, or `not` and a move; after a move a number of visits."""
    is_not = tokens[:1] == ["not"]
    rest = tokens[1:] if is_not else tokens
    if is_not and not rest:
        raise ValueError("a move must follow")
    if len(rest) > 2:
        raise ValueError(f"{rest[2][:40]!a} is not understood: a move and a number of visits may follow")
    visits = read_number(rest[1]) if len(rest) > 1 else None
    if len(rest) > 1 and (visits is None or visits < 1):
        raise ValueError(f"visits must be a whole number of at least 1, not {rest[1][:40]!a}")
    return WhyQuestion(rest[0] if rest else None, visits)
