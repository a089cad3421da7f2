"""The headers of a PGN game: lines such as `[White "Anderssen"]`, and the rules that they ask for."""

import re

from engine.system.files import printable

STANDARD_NAMES = ("standard", "chess", "classical", "normal", "from position")
CHESS960_NAMES = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
KNOWN_TAGS = {"Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant", "ECO", "Opening"}

NAME = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*"
TAG_LINE = re.compile(rf'\s*\[\s*({NAME})\s+"([^\r\n]*)"\s*\]\s*')
TAG_AMONG_SEVERAL = re.compile(rf'\s*\[\s*({NAME})\s+"((?:[^"\\\r\n]|\\.)*)"\s*\]\s*')


def read_tags(line: str) -> list[tuple[str, str]]:
    """The headers in a line: one as a rule, several in some files, none if it is no line of headers."""
    if not line.lstrip().startswith("["):
        return []
    several = list(TAG_AMONG_SEVERAL.finditer(line))
    if several and "".join(match[0] for match in several) == line:
        return [(match[1], match[2]) for match in several]
    match = TAG_LINE.fullmatch(line)
    return [(match[1], match[2])] if match else []


def split_text(text: str) -> tuple[dict[str, str], str]:
    """Return headers and movetext. Lines that look like headers but are none belong to neither."""
    headers: dict[str, str] = {}
    lines = text.split("\n")
    for index, line in enumerate(lines):
        tags = read_tags(line)
        headers.update(tags)
        if not tags and line.strip() and line[0] not in "[%":
            return headers, "\n".join(lines[index:])
    return headers, ""


def is_ignored(line: str) -> bool:
    """Is it a line that belongs neither to headers nor to moves: an escape, or a malformed header?"""
    return line.startswith("%") or (line.startswith("[") and not read_tags(line))


def variant_problem(headers: dict[str, str]) -> str:
    """What is wrong with the rules of a game; empty if they are those of chess."""
    variant = headers.get("Variant", "standard").strip()
    is_played = variant.lower() in STANDARD_NAMES + CHESS960_NAMES
    return "" if is_played else f"{printable(variant)} is not played here"
