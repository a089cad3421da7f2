"""README and docs are true: examples run, links lead somewhere, files exist, generated parts are up to date."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import JIT_DISABLED
from tests.documents import (
    DOCUMENTS,
    GENERATED,
    PROJECT,
    Block,
    anchors_of,
    blocks_of,
    links_of,
    markdown_table,
    project_files_of,
    prose_of,
    with_options,
)

LANGUAGES = {"python", "console", "uci", "text", "toml", "yaml", "mermaid"}  # toml: tests/engine/tune/test_plan.py
RUN = {"python", "console", "uci"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
GAME = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Qh4 3. Nxh4 d6 4. Nf3 1-0\n'
COMMANDS = Path(sys.executable).parent
TERESA = COMMANDS / ("teresa.exe" if sys.platform == "win32" else "teresa")
SECONDS = 300


def name_of(path):
    return path.relative_to(PROJECT).as_posix()


PRESENT = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]  # the past had other files
BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]


def examples():
    """All blocks that are run."""
    for block in BLOCKS:
        if block.language in RUN and "not run" not in block.comments:
            marks = [pytest.mark.slow] if "slow" in block.comments else []
            yield pytest.param(block, id=block.name, marks=marks)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the examples run: with a game, and nothing else."""
    (tmp_path / "game.pgn").write_text(GAME, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(JIT_DISABLED, reason="the examples are those of a user, with compiled kernels")
@pytest.mark.usefixtures("folder", "warm")
@pytest.mark.parametrize("block", list(examples()))
def test_examples_do_what_the_documents_say(block, environment):
    if "teresa explore" in block.text:
        pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")
    run = {"python": run_python, "console": run_console, "uci": run_uci}[block.language]
    run(block, {**environment, "PATH": f"{COMMANDS}{os.pathsep}{environment['PATH']}"})


def run_python(block: Block, _environment):
    """A doctest, or statements without output. `path` names the placeholder of the program."""
    text = block.text
    if "path" in block.comments:
        assert block.comments["path"] in text
        text = text.replace(block.comments["path"], TERESA.as_posix())
    test = doctest.DocTestParser().get_doctest(text, {}, block.name, str(block.document), block.line)
    assert test.examples, "no line starts with >>>"
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


def run_console(block: Block, environment):
    """Each command after `$ ` ends with status 0, and prints what follows it; `...` stands for anything."""
    if sys.platform == "win32":
        pytest.skip("the examples are written for a POSIX shell")
    for command, expected in commands_of(block):
        finished = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**environment, "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert finished.returncode == 0, f"{command}\n{finished.stderr}"
        if expected:
            matches = doctest.OutputChecker().check_output(expected, finished.stdout, FLAGS)
            assert matches, f"{command}\n{finished.stdout}\n{finished.stderr}"


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Commands, and the output that the document shows for each."""
    text = block.text.replace("\\\n", " ")
    assert text.startswith("$ "), "no command"
    pairs = (part.partition("\n") for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:])
    return [(command, expected) for command, _, expected in pairs]


def run_uci(block: Block, environment):
    """Each line is a command that the engine understands."""
    finished = subprocess.run(
        [TERESA], input=block.text, env=environment, capture_output=True, text=True, check=True, timeout=SECONDS
    )
    complaints = ("unknown command", "ignored", "failed", "cannot")
    assert not [line for line in finished.stdout.splitlines() if any(word in line for word in complaints)]
    assert finished.stdout.count("bestmove ") == len(re.findall(r"^go ", block.text, flags=re.MULTILINE))


def test_every_block_has_a_language_and_is_run_or_says_why_not():
    for block in BLOCKS:
        assert block.language in LANGUAGES, block.name
        if block.language not in RUN:
            assert not block.comments, block.name
    assert sum("not run" not in block.comments for block in BLOCKS if block.language in RUN) >= 12


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_code_is_fenced(document):
    """Indented blocks would not be run."""
    assert not re.findall(r"\n\n {4}\S.*", prose_of(document))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    for link in links_of(document):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@pytest.mark.parametrize("document", PRESENT, ids=name_of)
def test_named_files_exist(document):
    missing = {name for name in project_files_of(document) if not (PROJECT / name).exists()}
    assert not missing


def test_the_index_names_every_document():
    index = PROJECT / "docs" / "README.md"
    assert {path.name for path in (PROJECT / "docs").glob("*.md")} - {index.name} <= set(links_of(index))


def test_the_front_page_is_short():
    assert len((PROJECT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_the_table_of_options_is_that_of_the_engine():
    tables = [text for path in DOCUMENTS if GENERATED.search(text := path.read_text(encoding="utf-8"))]
    assert len(tables) == 1
    assert with_options(tables[0], markdown_table()) == tables[0], "run `make docs`"


def test_the_architecture_page_names_every_package():
    named = set(project_files_of(PROJECT / "docs" / "architecture.md"))
    packages = {path.parent.name for path in PROJECT.glob("engine/*/__init__.py")}
    assert packages
    assert {f"engine/{name}" for name in packages} <= named


def test_errors_in_documents_are_found(tmp_path):
    """The checks above notice what they look for."""
    document = tmp_path / "page.md"
    prose, example = "# A `b`, c\n[x](gone.md#d) `engine/gone.py`\n\n", "```console\n$ a \\\n b\nc\n```\n"
    document.write_text(f"{prose}<!-- not run: why -->\n{example}", encoding="utf-8")
    assert anchors_of(document) == {"a-b-c"}
    assert links_of(document) == ["gone.md#d"]
    assert project_files_of(document) == ["engine/gone.py"]
    (block,) = blocks_of(document)
    assert (block.language, block.line, block.comments) == ("console", 5, {"not run": "why"})
    assert commands_of(block) == [("a   b", "c\n")]
    assert with_options("<!-- options: begin x -->\nold\n<!-- options: end -->", "new").splitlines()[1] == "new"
