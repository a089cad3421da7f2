"""`teresa train data`: what is printed, what is deleted and when, exit statuses; stores where files are taken."""

import json
from pathlib import Path

import pytest
from filelock import FileLock

from engine.cli import progress, train_data
from engine.cli.train import main
from engine.training.data import store as module
from engine.training.data.games import open_games
from engine.training.data.manifest import record
from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store
from engine.training.data.visits import sibling
from tests.engine.training.data.stores import add, games_file


@pytest.fixture(autouse=True)
def _without_progress(monkeypatch):
    """The lines that long work prints: on a busy machine, a test may be long."""
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", float("inf"))


@pytest.fixture
def files(tmp_path):
    return [
        games_file(tmp_path / "a.vf", 4, seed=1),
        games_file(tmp_path / "b.vf", 3, seed=2, with_visits=True),
        games_file(tmp_path / "c.vf", 5, seed=3),
    ]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def run(capsys):
    """Run the command; -> exit status, output, errors."""

    def data(*words):
        status = main(["data", *map(str, words)])
        return status, *capsys.readouterr()

    return data


@pytest.fixture
def as_json(run):
    """Run the command; -> exit status, its JSON."""

    def data(*words):
        status, output, errors = run(*words, "--json")
        assert errors == ""
        return status, json.loads(output)

    return data


def totals(files):
    """The last line of all that goes well."""
    paths = [path for file in files for path in (file, sibling(file)) if path.exists()]
    size = sum(path.stat().st_size for path in paths)
    games = open_games(files)
    return f"{len(files)} chunks, {games.size.size:,} games, {games.positions:,} positions, {size:,} bytes\n"


def test_files_are_added_and_listed(run, files, folder):
    status, output, errors = run(folder, "--add", *files)
    assert (status, errors) == (0, "")
    lines = output.splitlines(keepends=True)
    for path, line in zip(files, lines, strict=False):
        name, positions = inspect(path).chunk.name[:12], open_games([path]).positions
        assert line == f"{path}: added, {positions:,} positions (chunk {name})\n"
    assert lines[3:] == [f"{folder}: {totals(files)}"]
    status, output, _ = run(folder)
    assert status == 0
    header, _, *rows, last = output.splitlines(keepends=True)
    assert header.split() == ["chunk", "games", "positions", "with", "moves", "visits", "bytes", "from"]
    assert sorted(row.split()[-1] for row in rows) == ["a.vf", "b.vf", "c.vf"]
    assert [row.split()[0] for row in rows] == sorted(inspect(path).chunk.name[:12] for path in files)
    assert [row.split()[-1] for row in rows if "yes" in row] == ["b.vf"]
    assert last == f"{folder}: {totals(files)}"


def test_what_is_there_is_said(run, files, folder):
    run(folder, "--add", files[0])
    status, output, _ = run(folder, "--add", *files[:2])
    assert status == 0
    assert [line.split(": ")[1].split(",")[0] for line in output.splitlines()[:2]] == ["there already", "added"]


def test_the_list_as_json(as_json, files, folder):
    status, found = as_json(folder, "--add", *files)
    assert status == 0
    assert [(one["from"], one["outcome"]) for one in found["chunks_given"]] == [(str(path), "added") for path in files]
    status, found = as_json(folder)
    assert status == 0
    assert found["store"] == str(folder)
    assert [one["chunk"] for one in found["chunks"]] == sorted(inspect(path).chunk.name for path in files)
    for name in ("games", "positions"):
        assert found[name] == sum(one[name] for one in found["chunks"])
    assert found["positions"] == open_games(files).positions
    assert {one["source"]["name"] for one in found["chunks"]} == {"a.vf", "b.vf", "c.vf"}


def test_if_one_file_is_bad_none_is_added(run, files, folder):
    files[2].write_text("something else entirely, but long enough to be a game")
    status, output, errors = run(folder, "--add", *files)
    assert (status, output) == (2, "")
    assert errors.startswith(f"teresa train data: {files[2]}: not a file of labelled games (viriformat)")
    assert not folder.exists()


def test_a_check_finds_what_is_wrong(run, as_json, files, folder):
    add(folder, *files)
    assert run(folder, "--check") == (0, f"faults: none\n{folder}: {totals(files)}", "")
    assert as_json(folder, "--check")[1]["faults"] == []
    path = folder / "chunks" / f"{inspect(files[0]).chunk.name}.vf"
    path.write_bytes(path.read_bytes()[:-4])
    (folder / "notes.txt").write_text("mine")
    with (folder / "manifest.jsonl").open("ab") as manifest:
        manifest.write(b'{"chunk": "01')
    status, output, errors = run(folder, "--check")
    assert (status, errors) == (1, "")
    lines = output.splitlines()
    assert lines[0].startswith(f"{path}: torn: --add a.vf again")
    assert lines[1].startswith(f"{folder / 'notes.txt'}: foreign: ")
    assert lines[2:4] == ["lines of the manifest that are damaged: 1; they are skipped", "faults: 2"]
    status, found = as_json(folder, "--check")
    assert (status, found["damaged_lines"], found["doubled_games"]) == (1, 1, 0)
    assert [(fault["kind"], fault["place"]) for fault in found["faults"]] == [
        ("torn", str(path)),
        ("foreign", str(folder / "notes.txt")),
    ]


def test_doubled_games_are_counted(run, files, folder, tmp_path):
    both = tmp_path / "both.vf"
    both.write_bytes(files[0].read_bytes() + files[2].read_bytes())
    add(folder, files[0], both)
    status, output, _ = run(folder, "--check")
    assert status == 1
    assert "4 of 9 games are in other chunks too, 4 of them in" in output
    assert "games that are in several chunks: 8 of 13" in output


def test_stores_are_merged_except_for_damaged_chunks(run, as_json, files, folder, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    add(one, *files[:2])
    add(other, *files[1:])
    assert run(folder, "--merge", one, other)[0] == 0
    assert run(folder, "--check")[0] == 0
    assert len(Store(folder).chunks) == 3
    (other / "chunks" / f"{inspect(files[2]).chunk.name}.vf").write_bytes(b"")
    status, found = as_json(tmp_path / "third", "--merge", one, other)
    assert status == 1
    assert sorted(given["outcome"] for given in found["chunks_given"]) == ["added", "added", "there already", "torn"]
    status, output, _ = run(tmp_path / "third", "--merge", other)
    assert status == 1
    assert ".vf: torn: not taken in (chunk " in output


def test_nothing_is_deleted_without_force(run, as_json, files, folder):
    add(folder, *files)
    for words in (["--thin", "70%"], ["--remove", inspect(files[0]).chunk.name[:9]]):
        status, output, errors = run(folder, *words)
        assert (status, output) == (2, "")
        assert errors.startswith("teresa train data: this deletes ")
        assert errors.endswith("; if that is right, repeat it with --force\n")
        assert len(list((folder / "chunks").glob("*.vf"))) == len(Store(folder).chunks) == 3
    status, found = as_json(folder, "--remove", inspect(files[0]).chunk.name[:9], "--force")
    assert (status, found["removed"]) == (0, [inspect(files[0]).chunk.name])
    assert {chunk.source["name"] for chunk in Store(folder).chunks} == {"b.vf", "c.vf"}
    assert len(list((folder / "chunks").glob("*.vf"))) == 2


@pytest.mark.parametrize("keep", ["70%", None])
def test_thinning_keeps_about_so_many_positions(run, files, folder, keep):
    add(folder, *files)
    total = Store(folder).positions
    most = int(total * 0.7)
    status, output, errors = run(folder, "--thin", keep or most, "--force")
    assert (status, errors) == (0, "")
    left = Store(folder).positions
    kept, deleted, _ = output.splitlines()
    assert kept == f"kept: {left:,} positions ({100 * left / total:.1f} %)"
    assert deleted.endswith(f" chunks, {total - left:,} of {total:,} positions")
    assert 0 < left < total
    assert abs(left - most) <= max(open_games([path]).positions for path in files) / 2
    assert run(folder, "--check")[0] == 0
    before = Store(folder).positions
    assert run(folder, "--thin", total, "--force")[1].startswith("nothing to delete\n")
    assert Store(folder).positions == before


def test_an_interrupted_thinning_is_finished_by_the_same_command(run, as_json, files, folder, tmp_path, monkeypatch):
    """It takes the share of what there was, once. The next such command is a new request."""
    more = [games_file(tmp_path / f"{seed}.vf", 20, seed) for seed in range(10, 16)]
    add(folder, *files, *more)
    add(folder.with_name("whole"), *files, *more)
    run(folder.with_name("whole"), "--thin", "50%", "--force")
    expected = {chunk.name for chunk in Store(folder.with_name("whole")).chunks}
    unlink, count = Path.unlink, []

    def unlink_some(path, missing_ok=False):
        count.append(path)
        if len(count) > 2:
            raise KeyboardInterrupt
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink_some)
        assert run(folder, "--thin", "50%", "--force")[0] == 130
    gone = 9 - len(expected)
    assert {chunk.name for chunk in Store(folder).chunks} == expected
    assert run(folder, "--check")[0] == 1
    status, _, errors = run(folder, "--thin", "50%")
    assert status == 2
    assert f"this deletes {gone} chunks that an interrupted `--thin 50%` had taken out, and no others" in errors
    status, output, _ = run(folder, "--thin", "50.0%", "--force")
    assert status == 0
    assert output.startswith(f"deleted: {gone} chunks that an interrupted `--thin 50%` had taken out; the next")
    assert {chunk.name for chunk in Store(folder).chunks} == expected
    assert run(folder, "--check")[0] == 0
    status, found = as_json(folder, "--thin", "50%", "--force")
    assert status == 0
    assert found["removed"]
    assert found["kept_positions"] == found["positions"] == Store(folder).positions
    assert set(found["removed"]) < expected


def test_another_request_than_the_interrupted_one_is_done_too(run, files, folder):
    add(folder, *files)
    record(folder, {"removed": [inspect(files[0]).chunk.name], "request": "--thin 50%"})
    name = inspect(files[1]).chunk.name
    assert run(folder, "--remove", name, "--force")[0] == 0
    assert [chunk.source["name"] for chunk in Store(folder).chunks] == ["c.vf"]
    assert run(folder, "--check")[0] == 0


def test_a_damaged_line_of_the_manifest_is_not_passed_over(run, files, folder, capsys):
    """Its games are missing: who lists or evaluates them is warned, and a fit of fewer games is refused."""
    add(folder, *files)
    whole = (folder / "manifest.jsonl").read_bytes()
    (folder / "manifest.jsonl").write_bytes(whole.replace(b'"games"', b'"gamex"', 1))
    status, output, errors = run(folder)
    assert (status, errors.count("warning: ")) == (0, 2)
    assert "lines of manifest.jsonl that are damaged: 1;" in errors
    assert "2 chunks" in output
    found = json.loads(run(folder, "--json")[1])
    assert found["damaged_lines"] == len(found["not_recorded"]) == 1
    assert main(["evaluate", str(folder), "--json"]) == 0
    assert capsys.readouterr().err == errors
    assert main(["fit", str(folder), "--output", str(folder.with_name("run"))]) == 2
    captured = capsys.readouterr().err
    assert captured.startswith(errors)
    assert "has files of games that are not recorded: the warning says what to do" in captured
    assert not folder.with_name("run").exists()
    assert run(folder.with_name("merged"), "--merge", folder)[2] == errors
    assert run(folder, "--add", folder / "chunks" / found["not_recorded"][0])[0] == 0
    assert run(folder)[2].count("warning: ") == 1
    assert main(["evaluate", str(folder), "--json"]) == 0


@pytest.mark.parametrize("keep", ["0", "-5", "0%", "100%", "x", "x%", "nan%", "0.5", "1e3"])
def test_amounts_that_are_none(folder, capsys, keep):
    with pytest.raises(SystemExit) as ended:
        main(["data", str(folder), "--thin", keep])
    assert ended.value.code == 2
    assert "argument --thin" in capsys.readouterr().err


def test_what_is_wrong_is_said(run, files, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOCK_PATIENCE", 0.05)
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    newer = tmp_path / "newer"
    newer.mkdir()
    record(newer, {"store": 2})
    add(folder, files[0])
    for words, message in (
        ([tmp_path / "none"], "there is no store"),
        ([tmp_path / "none", "--check"], "there is no store"),
        ([tmp_path / "none", "--thin", "50%"], "there is no store"),
        ([tmp_path / "none", "--merge", other], "is no store of labelled games"),
        ([tmp_path / "none", "--add", tmp_path / "missing.vf"], "there is no file"),
        ([other], "is no store of labelled games: there is no manifest.jsonl"),
        ([other, "--add", files[0]], "is no store of labelled games, and not empty"),
        ([files[0]], "is no store of labelled games"),
        ([files[0], "--add", files[1]], "is a file, no store"),
        ([newer], "format 2, and not 1"),
        ([folder, "--remove", "zz"], "has no chunk zz"),
        ([folder, "--thin", "1"], "nothing would be left"),
        ([folder, "--force"], "--force is for --thin and --remove"),
        ([folder, "--check", "--force"], "--force is for --thin and --remove"),
    ):
        status, output, errors = run(*words)
        assert (status, output) == (2, ""), words
        assert errors.startswith("teresa train data: "), words
        assert message in errors, words
        assert errors.count("\n") == 1, words
    assert not (tmp_path / "none").exists()
    with FileLock(folder / "lock"):
        assert "is in use by another process" in run(folder, "--add", files[1])[2]
        assert run(folder)[0] == run(folder, "--check")[0] == 0


def test_long_work_says_how_far_it_is(run, files, folder, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    assert run(folder, "--add", *files)[2] == "checking: 1 of 3\nchecking: 2 of 3\nchecking: 3 of 3\n"
    assert run(folder, "--check")[2] == "checking: 1 of 3\nchecking: 2 of 3\nchecking: 3 of 3\n"
    assert run(folder.with_name("other"), "--merge", folder)[2].splitlines()[-1] == "merging: 3 of 3"


def test_an_interrupted_addition_says_so(files, folder, capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(train_data, "inspect", interrupt)
    assert main(["data", str(folder), "--add", str(files[0])]) == 130
    assert capsys.readouterr().err == "teresa train data: interrupted\n"


def test_names_of_files_cannot_control_the_terminal(run, files, folder, tmp_path):
    path = tmp_path / "a\x1b[2Jb.vf"
    try:
        path.write_bytes(files[0].read_bytes())
    except OSError:
        pytest.skip("no file can have such a name here")
    assert "\x1b" not in run(folder, "--add", path)[1]
    assert "\x1b" not in run(folder)[1]


def test_where_games_of_generate_came_from():
    teacher = {"command": "stockfish", "limit": "nodes 1000", "value_only": False, "seed": 3}
    text = train_data.source_text
    assert text({"plan": teacher}) == "generate: stockfish nodes 1000, seed 3"
    assert text({"plan": teacher | {"value_only": True}}) == "generate: stockfish nodes 1000, value only, seed 3"
    trees = {"trees_visits": 20000, "trees_weights": "teresa.net"}
    assert text({"plan": teacher | trees}) == "generate: stockfish nodes 1000, trees of 20000, seed 3"
    own = {"weights": "teresa.net", "visits": 800, "value_only": False, "seed": 4}
    assert text({"plan": own}) == "generate: self-play 800 visits, seed 4"
    net = {"net": "sf.nnue", "net_checksum": "a" * 64, "weights": "teresa.net", "visits": 2000, "seed": 4}
    assert text({"plan": net}) == "generate: sf.nnue 2000 visits, seed 4"
    assert text({}) == ""


# Stores where files are taken


def test_a_store_is_evaluated_as_its_files(files, folder, capsys):
    add(folder, *files)
    assert main(["evaluate", *map(str, Store(folder).files()), "--json"]) == 0
    expected = capsys.readouterr().out
    assert main(["evaluate", str(folder), "--json"]) == 0
    assert capsys.readouterr().out == expected
    path = Store(folder).files()[0]
    path.write_bytes(b"")
    assert main(["evaluate", str(folder), "--json"]) == 2
    assert f"{path} is torn" in capsys.readouterr().err


def test_an_export_takes_stores(files, folder, monkeypatch, tmp_path, capsys):
    from engine.training.fit import fit

    asked = []

    def export(*arguments, base_share, force):
        asked.append((*arguments, base_share, force))
        return {}

    monkeypatch.setattr(fit, "export", export)
    add(folder, *files)
    output = tmp_path / "x.net"
    output.write_bytes(b"")
    assert main(["export", "run", str(output), "--held-out", str(folder)]) == 0
    assert asked == [([Path("run")], output, Store(folder).files(), None, 0, False)]
    capsys.readouterr()
