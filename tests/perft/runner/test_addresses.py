"""Which clusters are refused, and how it is said."""

import json

import pytest

from perft.__main__ import main
from perft.runner.addresses import address_of, check_address
from perft.runner.runner import RunError


@pytest.mark.parametrize(
    "address",
    [
        "tls://host:8786",
        "tls://host",
        "tls://10.0.0.1:8786",
        "tls://[fe80::1]:8786",
        "tcp://127.0.0.1:8786",
        "tcp://127.1.2.3:1",
        "tcp://localhost:8786",
        "tcp://localhost",
        "tcp://[::1]:8786",
    ],
)
def test_safe_addresses(address):
    check_address(address, insecure=False)


@pytest.mark.parametrize(
    "address",
    ["tcp://10.0.0.1:8786", "tcp://host:8786", "tcp://localhost.example.org:1", "tcp://0.0.0.0:1", "tcp://[::2]:1"],
)
def test_plain_connections_to_other_machines_must_be_wanted(address):
    with pytest.raises(RunError, match="everybody who reaches this port can run programs; use tls://"):
        check_address(address, insecure=False)
    check_address(address, insecure=True)


@pytest.mark.parametrize(
    "address",
    [
        "http://host:80",
        "tls://",
        "tls://:8786",
        "tls://host:port",
        "tls://host:99999",
        "tcp://a b:1",
        "://",
        "tls://a/b",
    ],
)
@pytest.mark.parametrize("insecure", [False, True])
def test_rubbish(address, insecure):
    with pytest.raises(RunError, match="not an address such as tls://host:8786"):
        check_address(address, insecure=insecure)


def test_scheduler_files(tmp_path):
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": "tls://1.2.3.4:5", "id": "x"}))
    assert address_of(str(file)) == "tls://1.2.3.4:5"
    assert address_of("tls://host:1") == "tls://host:1"
    for text in ("", "x", "[]", "{}", "3", "\0"):
        file.write_text(text)
        with pytest.raises(RunError, match="is not written by a scheduler of Dask"):
            address_of(str(file))
    with pytest.raises(RunError, match=r"neither 'local', nor an address .*No such file"):
        address_of(str(tmp_path / "other"))


def errors_of(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


class TestCommandLine:
    def test_without_dask(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setattr("perft.runner.arguments.find_spec", lambda _: None)
        errors = errors_of(capsys, 3, "--cluster", "local", "--run", tmp_path / "run")
        assert errors == "python -m perft: --cluster needs Dask: pip install '.[cluster]' in the folder of Teresa\n"
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize("cluster", ["", "nonsense", "tcp://10.0.0.1:8786", "tls://nonsense:x"])
    def test_nothing_is_begun_on_a_cluster_that_is_refused(self, capsys, tmp_path, cluster):
        pytest.importorskip("distributed", reason="needs the extra `cluster`")
        errors = errors_of(capsys, 3, "--cluster", cluster, "--run", tmp_path / "run")
        assert errors.startswith(f"python -m perft: --cluster {cluster}: ")
        assert errors.count("\n") == 1
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize("where", [[], ["--cluster", "local"]], ids=["embedded", "cluster"])
    def test_no_second_worker(self, capsys, tmp_path, where):
        errors = errors_of(capsys, 3, "--verify", 1, "--threads", 1, "--run", tmp_path / "run", *where)
        assert "--verify needs a second worker: --threads 2" in errors
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["3", "--insecure"], "go with --cluster"),
            (["3", "--tls-cert", "x"], "go with --cluster"),
            (["--run", "a", "--resume", "b"], "give one of them"),
            (["3", "--resume", "b"], "leave out what it counts"),
            (["--resume", "b", "--hash", "3"], "leave out what it counts"),
            (["--resume", "b", "--suite", "standard"], "leave out what it counts"),
            (["3", "--unique", "--cluster", "local"], "--unique cannot run in units"),
            (["3", "--compare", "--verify", "1"], "--compare cannot run in units"),
            (["3", "--verify", "1.5"], "is not a number from 0 to 1"),
            (["3", "--verify", "x"], "is not a number from 0 to 1"),
            (["3", "--verify", "nan"], "is not a number from 0 to 1"),
            (["--run", "a"], "DEPTH is missing"),
        ],
    )
    def test_options_that_do_not_fit_together(self, capsys, arguments, reason):
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        assert exit_.value.code == 2
        assert reason in capsys.readouterr().err
