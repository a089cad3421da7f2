"""The cache of compiled kernels, in separate processes."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import movegen
from movegen.compiler import cache

PROJECT = Path(movegen.__file__).parent.parent
pytestmark = pytest.mark.slow

# Calls a kernel that is compiled in a moment.
PROGRAM = """
    import sys, numpy
    sys.path.insert(0, {tree!r})
    from movegen.outcome import count_occurrences
    from movegen.compiler.cache import PACKAGE, version_folder
    print(count_occurrences(numpy.full(20, 7, numpy.uint64), *map(numpy.uint64, (19, 7, 100))))
    print(*(sum(each.values()) for each in (count_occurrences.stats.cache_hits, count_occurrences.stats.cache_misses)))
    print(version_folder(PACKAGE))
"""
VALUE = 10  # of its call: the present position, and every other one of the 19 before it
EVERY_FOURTH = 5


def run(environment, folder=None, tree=PROJECT, user_cache=None):
    """Call a kernel in a new process; -> (value, hits, misses, folder)."""
    settings = dict(environment)
    if folder is not None:
        settings[cache.CACHE_VARIABLE] = str(folder)
    if user_cache is not None:
        settings["XDG_CACHE_HOME"] = str(user_cache)
    process = start(settings, tree)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    value, hits_and_misses, place = output.splitlines()
    hits, misses = hits_and_misses.split()
    return int(value), int(hits), int(misses), Path(place)


def start(settings, tree=PROJECT):
    program = textwrap.dedent(PROGRAM).format(tree=str(tree))
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=settings,
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def copy_of_sources(folder):
    shutil.copytree(PROJECT / "movegen", folder / "movegen", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_second_process_loads_what_the_first_compiled(tmp_path, environment):
    assert run(environment, tmp_path)[:3] == (VALUE, 0, 1)
    assert run(environment, tmp_path)[:3] == (VALUE, 1, 0)


def test_an_edit_in_an_imported_file_is_noticed(tmp_path, environment):
    """numba itself would go on with the old code: the number is only imported by what defines the kernel."""
    tree = copy_of_sources(tmp_path / "tree")
    assert run(environment, tmp_path / "cache", tree)[:3] == (VALUE, 0, 1)
    bits = tree / "movegen" / "bits.py"
    text = bits.read_text()
    bits.write_text(text.replace("FOUR = U64(0), U64(1), U64(2)", "FOUR = U64(0), U64(1), U64(4)"))  # TWO is 4
    assert bits.read_text() != text
    assert run(environment, tmp_path / "cache", tree)[:3] == (EVERY_FOURTH, 0, 1)
    bits.write_text(text)
    assert run(environment, tmp_path / "cache", tree)[:3] == (VALUE, 1, 0)


def test_several_processes_at_once_share_one_compilation(tmp_path, environment):
    settings = {**environment, cache.CACHE_VARIABLE: str(tmp_path)}
    processes = [start(settings) for _ in range(4)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [output.splitlines()[0] for output, _ in outputs] == [str(VALUE)] * 4, outputs
    assert sorted(output.splitlines()[1] for output, _ in outputs) == ["0 1", "1 0", "1 0", "1 0"]


def test_a_read_only_installation_uses_the_user_s_folder(tmp_path, environment):
    """A file in the place of the cache folder is as good as a read-only disk, for root too."""
    tree = copy_of_sources(tmp_path / "tree")
    pycache = tree / "movegen" / "__pycache__"
    pycache.mkdir()
    (pycache / "kernels").write_text("in the way")
    first = run({**environment, "PYTHONDONTWRITEBYTECODE": "1"}, tree=tree, user_cache=tmp_path / "home")
    assert first[:3] == (VALUE, 0, 1)
    assert tmp_path / "home" in first[3].parents
    again = run({**environment, "PYTHONDONTWRITEBYTECODE": "1"}, tree=tree, user_cache=tmp_path / "home")
    assert again[:3] == (VALUE, 1, 0)


def test_a_read_only_installation_that_was_warmed_up_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv(cache.CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    monkeypatch.setattr(cache, "is_writable", lambda _folder: False)
    version = Path("movegen") / "version"
    assert cache.choose_folder(version) != tmp_path / "__pycache__" / "kernels" / version
    (tmp_path / "__pycache__" / "kernels" / version).mkdir(parents=True)
    assert cache.choose_folder(version) == tmp_path / "__pycache__" / "kernels" / version


def test_the_cache_is_next_to_the_sources_by_default(tmp_path, environment):
    tree = copy_of_sources(tmp_path / "tree")
    assert tree in run(environment, tree=tree)[3].parents


def test_where_nothing_can_be_written_kernels_are_compiled_all_the_same(tmp_path, environment):
    blocked = tmp_path / "blocked"
    blocked.write_text("in the way")
    assert run(environment, blocked / "cache")[:3] == (VALUE, 0, 1)


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_damaged_file_counts_as_missing(tmp_path, environment, ending):
    assert run(environment, tmp_path)[:3] == (VALUE, 0, 1)
    for path in tmp_path.rglob(f"*{ending}"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert run(environment, tmp_path)[0] == VALUE
    assert run(environment, tmp_path)[:3] == (VALUE, 1, 0)


def test_old_versions_are_removed(tmp_path, environment):
    for age in range(1, 12):
        version = tmp_path / "movegen" / f"old{age}"
        version.mkdir(parents=True)
        version.with_suffix(".lock").touch()
        os.utime(version, (1_000_000 - age, 1_000_000 - age))
    run(environment, tmp_path)
    left = {path.name for path in (tmp_path / "movegen").iterdir() if path.is_dir()}
    assert len(left) == cache.KEPT_VERSIONS
    assert {f"old{age}" for age in range(1, cache.KEPT_VERSIONS)} < left
    assert not (tmp_path / "movegen" / "old11.lock").exists()


def test_switches_have_versions_of_their_own(tmp_path, environment):
    for switch in ({}, {"TERESA_PORTABLE": "1"}, {"NUMBA_BOUNDSCHECK": "1"}):
        assert run({**environment, **switch}, tmp_path)[:3] == (VALUE, 0, 1)
        assert run({**environment, **switch}, tmp_path)[:3] == (VALUE, 1, 0)


def test_kernels_depend_on_the_folders_they_import_from():
    rules = {PROJECT / "movegen", PROJECT / "movegen" / "compiler"}
    network, search = PROJECT / "engine" / "network", PROJECT / "engine" / "mcts"
    training = PROJECT / "engine" / "training"
    assert cache.folders_behind(PROJECT / "movegen") == rules
    assert cache.folders_behind(network) == {*rules, network}
    assert cache.folders_behind(search) == {*rules, network, search}
    assert cache.folders_behind(training / "fit") > {*rules, network, training / "data"}
    assert cache.folders_behind(training / "generate") > {*rules, network, search}
    assert cache.folders_behind(Path("/elsewhere")) == {*rules, Path("/elsewhere")}


def test_another_numba_is_reported(monkeypatch):
    cache.check_numba()
    monkeypatch.setitem(cache.NUMBA_NAMES, "FunctionCache", ("_another_name",))
    with pytest.raises(ImportError, match="FunctionCache is missing or has changed"):
        cache.check_numba()
    monkeypatch.delattr(cache.caching, "_CacheLocator")
    with pytest.raises(ImportError, match="_CacheLocator is missing or has changed"):
        cache.check_numba()
