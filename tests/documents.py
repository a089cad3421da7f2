"""The documents of the project as data: their code blocks, links and paths."""

import re
from dataclasses import dataclass
from pathlib import Path

from engine.config.options import OPTIONS, Option

PROJECT = Path(__file__).parent.parent
DOCUMENTS = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").glob("*.md")])

FENCE = re.compile(r"^```(\w*)$")
COMMENT = re.compile(r"^<!-- (not run|slow|path): (.+) -->$")  # on the line above a block
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PROJECT_FILE = re.compile(r"(?:engine|movegen|perft|tests|docs|\.github|\.ci)/[\w./-]*|[A-Z]+\.(?:md|cff)|Makefile")
GENERATED = re.compile(r"(<!-- options: begin[^\n]*-->\n).*?(<!-- options: end -->)", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced code block."""

    document: Path
    line: int
    language: str
    text: str
    comments: dict[str, str]

    @property
    def name(self) -> str:
        """Where it is."""
        return f"{self.document.relative_to(PROJECT).as_posix()}:{self.line}"


def blocks_of(document: Path) -> list[Block]:
    """All fenced blocks of a document, with the comments above them."""
    found, comments, start, lines = [], {}, 0, document.read_text(encoding="utf-8").splitlines()
    language = ""
    for number, line in enumerate(lines, start=1):
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if start and line == "```":
            text = "\n".join(lines[start : number - 1]) + "\n"
            found.append(Block(document, start, language, text, comments))
            start, comments = 0, {}
        elif not start and fence:
            start, language = number, fence[1]
        elif not start and comment:
            comments = {**comments, comment[1]: comment[2]}
    return found


def commands_in(block: Block) -> list[str]:
    """The command lines of a console block."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def prose_of(document: Path) -> str:
    """The text without its code blocks."""
    return re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def links_of(document: Path) -> list[str]:
    """The targets of all links and pictures that are not on the web."""
    targets = LINK.findall(prose_of(document))
    return [target for target in targets if not target.startswith(("http://", "https://", "mailto:"))]


def anchors_of(document: Path) -> set[str]:
    """The names of all headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def project_files_of(document: Path) -> list[str]:
    """What looks like a file of the project, in backticks or in a drawing."""
    drawings = [block.text for block in blocks_of(document) if block.language in ("text", "mermaid")]
    texts = [*CODE.findall(prose_of(document)), *drawings]
    return [name.rstrip("./") for text in texts for name in PROJECT_FILE.findall(text)]


def with_options(text: str, table: str) -> str:
    """The text of a document with its table of options replaced."""
    return GENERATED.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text)


def markdown_table() -> str:
    """The table of options in the documents."""
    rows = [f"| `{option.name}` | {range_text(option)} | {option.meaning} |" for option in OPTIONS]
    return "\n".join(["| option | default (range) | meaning |", "| --- | --- | --- |", *rows])


def range_text(option: Option) -> str:
    """The default of an option, and what else it may be."""
    if option.kind == "button":
        return "button"
    bounds = f" ({option.lowest}–{option.highest})" if option.kind == "spin" else ""
    choices = f" ({', '.join(option.choices)})" if option.choices else ""
    return f"{option.default_text}{bounds}{choices}" if option.name != "UCI_EngineAbout" else "text"


BLOCKS_OF_CONSOLE = [block for document in DOCUMENTS for block in blocks_of(document) if block.language == "console"]
