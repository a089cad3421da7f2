"""What surrounds the code agrees with itself: versions, lowest versions, workflows, templates."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.documents import PROJECT

PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PYPROJECT["project"]
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
YAML = [
    *(PROJECT / ".github").rglob("*.yml"),
    PROJECT / ".pre-commit-config.yaml",
    PROJECT / "CITATION.cff",
]
YAML_LINE = re.compile(r"""( {2})*(- )?([\w-]+: .+|[\w-]+:|"[^"]*"|[^\s\[{:"'].*|\{.*\}|\[.*\])(  # .*)?""")


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def lowest_versions() -> set[str]:
    """What Teresa needs at run time, each in the lowest version that is allowed."""
    needed = [*METADATA["dependencies"], *METADATA["optional-dependencies"]["explore"]]
    return {"==".join(re.match(r"([\w-]+)>=([\d.]+)", line).groups()) for line in needed}


def test_the_lowest_versions_are_those_of_the_project():
    lines = text_of(".github/lowest.txt").splitlines()
    assert {line for line in lines if not line.startswith("#")} == lowest_versions()


def test_all_files_have_one_version():
    version = METADATA["version"]
    assert re.search(rf"^version: {re.escape(version)}$", text_of("CITATION.cff"), re.MULTILINE)
    (date,) = re.findall(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert f"date-released: {date}\n" in text_of("CITATION.cff")
    assert f"license: {METADATA['license']}\n" in text_of("CITATION.cff")
    assert f'name: "{METADATA["authors"][0]["name"]}"' in text_of("CITATION.cff")


def test_the_changelog_has_sections_by_version_the_newest_first():
    headings = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    versions = [tuple(map(int, re.match(r"\[(\d+)\.(\d+)\.(\d+)\] - ", line).groups())) for line in headings[1:]]
    assert versions == sorted(versions, reverse=True)
    kinds = set(re.findall(r"^### (.+)$", text_of("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_python_that_is_promised_is_tested():
    (matrix,) = re.findall(r"^ +python: \[(.+)\]$", text_of(".github/workflows/tests.yml"), re.MULTILINE)
    tested = re.findall(r'"(3\.\d+)"', matrix)
    promised = [line.split(" :: ")[-1] for line in METADATA["classifiers"] if ":: Python :: 3." in line]
    assert tested == promised
    assert METADATA["requires-python"] == f">={promised[0]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_have_a_major_version(path):
    uses = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert uses
    assert [name for name in uses if not re.fullmatch(r"[\w.-]+/[\w.-]+@v\d+", name)] == []


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_is_plain(path):
    """No YAML parser is needed for the project: each line must be a key, an item or a text, at a depth that exists."""
    depths, is_text = [0], False
    for line in path.read_text(encoding="utf-8").splitlines():
        depth = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#") or (is_text and depth > depths[-1]):
            continue
        is_text = line.endswith("|")
        assert YAML_LINE.fullmatch(line), line
        while depths and depths[-1] > depth:
            depths.pop()
        if depths[-1] < depth:
            assert depth - depths[-1] == 2, line
            depths.append(depth)
        if line.lstrip().startswith("- ") and not is_text:
            depths.append(depth + 2)


def test_everything_that_hooks_and_workflows_run_exists():
    for path in [*WORKFLOWS, PROJECT / ".pre-commit-config.yaml", PROJECT / ".ci" / "run"]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\bmake ([a-z][a-z-]*)", text):
            assert re.search(rf"^{target}:", text_of("Makefile"), re.MULTILINE), target
        for name in re.findall(r"(?:tests|\.github|\.ci)/[\w./-]+", text):
            assert Path(PROJECT, name).exists(), name
