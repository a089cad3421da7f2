"""UCI commands as data: what `go`, `position` and `setoption` say, read strictly and explained when they are wrong."""

from dataclasses import dataclass, field, replace

from engine.search.clock import Limits

NUMBERS = {
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
FREE_TEXT_AFTER = {"setoption": "value", "savetree": "savetree", "loadtree": "loadtree"}  # by command
FLAGS = ("infinite", "ponder")
LARGEST_NUMBER = 10**15


@dataclass
class Go:
    """A `go` command, before it is known whose move it is."""

    numbers: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    wished: list[str] = field(default_factory=list)  # searchmoves
    complaints: list[str] = field(default_factory=list)

    def limits(self, white_to_move: bool) -> Limits:
        """What it means for the player to move."""
        side, other = ("white", "black") if white_to_move else ("black", "white")
        limits = Limits(
            time_left=self.numbers.get(f"{side}_time", self.numbers.get(f"{other}_time")),  # one clock is both clocks
            increment=self.numbers.get(f"{side}_increment", 0),
            moves_to_go=self.numbers.get("moves_to_go"),
            move_time=self.numbers.get("move_time"),
            nodes=positive(self.numbers.get("nodes")),
            depth=positive(self.numbers.get("depth")),
            mate=positive(self.numbers.get("mate")),
            infinite="infinite" in self.flags,
            ponder="ponder" in self.flags,
        )
        bounds = (limits.time_left, limits.move_time, limits.nodes, limits.depth, limits.mate)
        return limits if any(bound is not None for bound in bounds) else replace(limits, infinite=True)


def positive(number: int | None) -> int | None:
    """A limit of at least 1: GUIs send 0 too."""
    return None if number is None else max(1, number)


def read_go(words: list[str]) -> Go:
    """Read the words after `go`. What cannot be read is skipped and complained about."""
    go, rest = Go(), list(words)
    while rest:
        word = rest.pop(0)
        if word in FLAGS:
            go.flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in NUMBERS and rest[0] not in FLAGS:
                go.wished.append(rest.pop(0))
        elif word in NUMBERS:
            number = read_number(rest[0]) if rest else None
            if number is None:
                go.complaints.append(f"{word} needs a whole number, skipped")
            else:
                go.numbers[NUMBERS[word]] = number
            if rest and (number is not None or (rest[0] not in NUMBERS and rest[0] not in FLAGS)):
                rest.pop(0)
        else:
            go.complaints.append(f"{word[:40]!a} is not understood, skipped")
    return go


def read_number(text: str) -> int | None:
    """A whole number, kept within bounds, or None."""
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        return None
    number = int(digits[:16])
    return max(-LARGEST_NUMBER, -number) if text.startswith("-") else min(LARGEST_NUMBER, number)


def keep_blanks(words: list[str], line: str) -> None:
    """Make the free text of a command, a file's name for instance, one word with all its blanks.

    `words` are the last words of the line.
    """
    mark = FREE_TEXT_AFTER.get(words[0])
    if mark in words[:-1]:
        begin = words.index(mark) + 1
        before = len(line.split()) - len(words) + begin
        words[begin:] = [line.split(maxsplit=before)[-1].rstrip()]


def read_option(words: list[str]) -> tuple[str, str]:
    """Read the words after `setoption`: -> name, value."""
    if not words or words[0] != "name":
        raise ValueError("'name' must follow")
    end = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:end])
    if not name:
        raise ValueError("the name is missing")
    return name, " ".join(words[end + 1 :])


def option_of(words: list[str]) -> str:
    """The option that a whole command sets, in small letters; empty if it sets none."""
    try:
        return read_option(words[1:])[0].lower() if words[0] == "setoption" else ""
    except ValueError:
        return ""


def read_position(words: list[str]) -> tuple[str | None, list[str]]:
    """Read the words after `position`: -> FEN (None: the start position), moves."""
    end = words.index("moves") if "moves" in words else len(words)
    moves = words[end + 1 :]
    if words[:1] == ["startpos"]:
        if end > 1:
            raise ValueError(f"{words[1][:40]!a} after startpos is not understood")
        return None, moves
    if words[:1] == ["fen"]:
        return " ".join(words[1:end]), moves
    raise ValueError("'startpos' or 'fen' must follow")


@dataclass(frozen=True)
class Question:
    """A `why` command."""

    move: str | None  # None: the best one
    visits: int | None  # that the move shall be given first


def read_question(words: list[str]) -> Question:
    """Read the words after `why`: nothing, a move, or `not` and a move; after a move a number of visits."""
    is_not = words[:1] == ["not"]
    rest = words[1:] if is_not else words
    if is_not and not rest:
        raise ValueError("a move must follow")
    if len(rest) > 2:
        raise ValueError(f"{rest[2][:40]!a} is not understood: a move and a number of visits may follow")
    visits = read_number(rest[1]) if len(rest) > 1 else None
    if len(rest) > 1 and (visits is None or visits < 1):
        raise ValueError(f"visits must be a whole number from 1 on, not {rest[1][:40]!a}")
    return Question(rest[0] if rest else None, visits)
