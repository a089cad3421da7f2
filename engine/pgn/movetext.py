"""The text of one PGN game: headers and moves become a game of python-chess, and what cannot be played is named.

The reader of python-chess skips words that are no moves, misreads what follows an illegal move in a variation, and
drops comments after `;`. This one accounts for each word. The tree is built by the `GameBuilder` of python-chess.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import chess
import chess.pgn

from engine.pgn.headers import KNOWN_TAGS, is_ignored, split_text, variant_problem
from engine.system.files import printable

RESULT_OF_WORD = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "1/2": "1/2-1/2", "½-½": "1/2-1/2", "*": "*"}
AFTER_RESULT = "comes after the result"
NAG_OF_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}

TOKEN = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*|[()]|\$\d{1,3}(?!\d)|[^\s(){};]+", re.MULTILINE)
NUMBER = re.compile(r"(?:\d+\s*)?(?:\.+|…)|\d+$(?<!0000)")
MOVE = re.compile(
    r"(?P<san>O-O(?:-O)?|0-0(?:-0)?|--|Z0|0000|P?[NBRQK]?[a-h]?[1-8]?[x:-]?[a-h][1-8](?:=?[nbrqkNBRQK])?)"
    r"[+#=]*(?:e\.?p\.?)?(?P<glyphs>[!?]*)[+#=]*"
)


@dataclass
class ReadGame:
    """A game as far as it can be played."""

    game: chess.pgn.Game
    problem: str = ""  # why it cannot be played to its end
    can_start: bool = True  # False: by other rules, or from a position that is none
    rest: str = ""  # the moves that cannot be played, as they are written
    has_other_text: bool = False  # something that is neither a header, a move nor a comment
    has_other_moves: bool = False  # such a thing is among the moves


def is_game(text: str) -> bool:
    """Is it a game, and not some other text? Without headers every word must belong to a game."""
    headers, movetext = split_text(text)
    return not KNOWN_TAGS.isdisjoint(headers) or _is_clean(movetext)


def _is_clean(movetext: str) -> bool:
    """Are there moves, and nothing that does not belong to a game?"""
    first = ""
    for match in TOKEN.finditer(movetext):
        word = match[0]
        if word[0] in "{;()$%":
            continue
        kind, bare = _read_word(word)
        if kind == OTHER:
            return False
        if kind in (MOVE_WORD, WRONG) and not first:
            first = bare
            if kind == WRONG or not (movetext[: match.end()].strip()[0].isdigit() or _is_first_move(bare)):
                return False
    return bool(first)


def _is_first_move(word: str) -> bool:
    try:
        chess.Board().parse_san(_plain_san(word))
    except ValueError:
        return False
    return True


# Words

NOTHING, MOVE_WORD, WRONG, RESULT, GLYPHS, OTHER = "nothing", "move", "wrong", "result", "glyphs", "other"


def _read_word(word: str) -> tuple[str, str]:
    """What a word is, and the word without the number of its move."""
    if word in RESULT_OF_WORD:
        return RESULT, RESULT_OF_WORD[word]
    bare = NUMBER.sub("", word, count=1) if NUMBER.match(word) else word
    if not bare:
        return NOTHING, ""
    if bare in RESULT_OF_WORD:
        return RESULT, RESULT_OF_WORD[bare]
    if MOVE.fullmatch(bare):
        return MOVE_WORD, bare
    if set(bare) <= {"!", "?"}:
        return GLYPHS, bare
    if not any(letter.isalnum() for letter in bare):
        return NOTHING if set(bare) <= set("+-=/~.±∓⩲⩱∞#") else OTHER, bare
    is_attempt = len(bare) <= 10 and any(map(str.isdigit, bare)) and any(map(str.isalpha, bare))
    return WRONG if is_attempt else OTHER, bare


def _plain_san(word: str) -> str:
    """A move as python-chess reads it."""
    match = MOVE.fullmatch(word)
    san = match["san"] if match else word
    return san.removeprefix("P").replace(":", "x")


def _nags(glyphs: str) -> list[int]:
    return [NAG_OF_GLYPHS[glyph] for glyph in re.findall(r"[!?]{1,2}", glyphs)]


# Moves


class _Stop(NamedTuple):
    """Where the main line ends because it cannot be played."""

    offset: int  # in the movetext
    problem: str


@dataclass
class _Level:
    """The main line, or a variation, while it is read."""

    board: chess.Board
    has_moved: bool = False
    broken_at: int | None = None  # offset of the first move of a variation that is not legal
    is_over: bool = False  # the result was given


@dataclass
class Movetext:
    """Reads movetext into a builder."""

    text: str
    builder: chess.pgn.GameBuilder[chess.pgn.Game]
    levels: list[_Level] = field(default_factory=list)
    has_other_text: bool = False

    def read(self, board: chess.Board) -> _Stop | None:
        """Read all of it; return where the main line stops before its end."""
        self.levels = [_Level(board)]
        for match in TOKEN.finditer(self.text):
            stop = self._token(match[0], match.start())
            if stop is not None:
                return stop
        while len(self.levels) > 1:  # brackets that were never closed
            self._close(len(self.text))
        return None

    def _token(self, text: str, offset: int) -> _Stop | None:
        level = self.levels[-1]
        if text == "(":
            self._open(level)
        elif text == ")":
            self._close(offset)
        elif level.broken_at is not None:
            pass
        elif text[0] == "{":
            self.builder.visit_comment(_comment(text))
        elif text[0] == ";":
            self.builder.visit_comment(text[1:].strip().replace("}", ")").replace("{", "("))
        elif text[0] == "%":  # an escape, meant for other programs
            self.has_other_text = True
        elif text[0] == "$" and text[1:].isdigit():
            self.builder.visit_nag(int(text[1:]))
        else:
            return self._word(text, offset, level)
        return None

    def _open(self, level: _Level) -> None:
        if not level.has_moved or level.broken_at is not None:
            self.levels.append(level)  # nothing to vary: the brackets mean nothing
            return
        self.builder.begin_variation()
        board = level.board.copy(stack=1)
        board.pop()
        self.levels.append(_Level(board))

    def _close(self, offset: int) -> None:
        if len(self.levels) == 1:
            return
        level = self.levels.pop()
        if level is self.levels[-1]:
            return
        if level.broken_at is not None:
            self.builder.visit_comment(" ".join(re.sub(r"[{}]", " ", self.text[level.broken_at : offset]).split()))
        self.builder.end_variation()

    def _word(self, token: str, offset: int, level: _Level) -> _Stop | None:
        kind, word = _read_word(token)
        if kind == RESULT:
            if len(self.levels) == 1:
                self.builder.visit_result(word)
                level.is_over = True
        elif kind == GLYPHS:
            self._visit_glyphs(word)
        elif kind in (MOVE_WORD, WRONG):
            return self._move(word, offset, level)
        elif kind == OTHER:
            self.has_other_text = True
        return None

    def _move(self, word: str, offset: int, level: _Level) -> _Stop | None:
        is_main = level is self.levels[0]  # also in brackets that mean nothing
        try:
            move = level.board.parse_san(_plain_san(word))
            wrong = AFTER_RESULT if level.is_over else "is no move" if is_main and not move else ""
        except chess.AmbiguousMoveError:
            wrong = "is ambiguous"
        except ValueError:
            wrong = "is not a legal move" if MOVE.fullmatch(word) else "is no move"
        if not wrong:
            self.builder.visit_move(level.board, move)
            level.board.push(move)
            level.has_moved = True
            match = MOVE.fullmatch(word)
            self._visit_glyphs(match["glyphs"] if match else "")
            return None
        if is_main:
            return _Stop(offset, f"{_number(level.board)} {printable(word)} {wrong}")
        level.broken_at = offset
        return None

    def _visit_glyphs(self, glyphs: str) -> None:
        for nag in _nags(glyphs):
            self.builder.visit_nag(nag)


def _comment(token: str) -> str:
    """The text of a comment without its brackets, and without one space at each end."""
    return token.removeprefix("{").removesuffix("}").removeprefix(" ").removesuffix(" ")


def _number(board: chess.Board) -> str:
    return f"{board.fullmove_number}{'.' if board.turn else '...'}"


# Games


def read_game(text: str) -> ReadGame:
    """A game from its text; never fails: `problem` says what is wrong with it."""
    headers, movetext = split_text(text)
    builder: chess.pgn.GameBuilder[chess.pgn.Game] = chess.pgn.GameBuilder()
    builder.begin_game()
    builder.begin_headers()
    for name, value in headers.items():
        builder.visit_header(name, value)
    problem = variant_problem(headers)
    if problem:
        return ReadGame(builder.result(), problem, can_start=False, rest=movetext.strip())
    try:
        board = builder.game.board()
    except ValueError as error:
        problem = f"its FEN is wrong: {printable(str(error))}"
        return ReadGame(builder.result(), problem, can_start=False, rest=movetext.strip())
    before = text.removesuffix(movetext).split("\n")
    reader = Movetext(movetext, builder)
    stop = reader.read(board)
    last = builder.variation_stack[-1]
    last.comment = " ".join(filter(None, (last.comment, builder.starting_comment)))
    found = ReadGame(builder.result(), has_other_moves=reader.has_other_text)
    found.has_other_text = reader.has_other_text or any(map(is_ignored, before))
    if stop is not None:
        found.problem, found.rest = stop.problem, movetext[stop.offset :].strip()
    return found
