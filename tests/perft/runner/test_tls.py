"""Real schedulers with and without TLS: strangers are refused."""

import shutil
import socket
import ssl

import pytest

pytest.importorskip("distributed", reason="needs the extra `cluster`")

from perft.runner import cluster
from perft.runner.cluster import ClusterOptions, open_cluster
from perft.runner.journal import Memory
from perft.runner.runner import RunError, Runner
from tests.perft.runner.certificates import new_certificates
from tests.perft.runner.programs import address_in, scheduler, until, workers
from tests.perft.runner.work import unit

pytestmark = [
    pytest.mark.jit,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make certificates"),
]


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return new_certificates(tmp_path_factory.mktemp("certificates"), "ours")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    return new_certificates(tmp_path_factory.mktemp("certificates"), "foreign")


@pytest.fixture(scope="module")
def address(tmp_path_factory, environment, ours):
    folder = tmp_path_factory.mktemp("tls")
    with (
        scheduler(folder, environment, *ours.for_dask, host="tls://127.0.0.1") as (_, file),
        workers(file, environment, *ours.for_dask, count=1),
    ):
        yield address_in(file)


def shake_hands(address, ours, certificates=None):
    """As a client that this program has nothing to do with."""
    context = ssl.create_default_context(cafile=ours.authority)
    context.check_hostname = False
    if certificates is not None:
        context.load_cert_chain(certificates.certificate, certificates.key)
    host, _, port = address.removeprefix("tls://").partition(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as plain,
        context.wrap_socket(plain) as connection,
    ):
        connection.recv(1)


def connect(address, **options):
    return open_cluster(ClusterOptions(address, 0, **options), lambda _: {})


def test_the_right_certificate(address, ours):
    assert address.startswith("tls://")
    pool = connect(address, **ours.for_client)
    try:
        until(lambda: pool.workers == 1, "the worker")
        ((_, result),) = Runner(pool, Memory()).run([unit(7)])
    finally:
        pool.close()
    assert result.value == 49
    assert result.workers[0].startswith("tls://127.0.0.1:")


def test_a_certificate_of_a_stranger(address, ours, foreign):
    """It is refused by the scheduler; and a scheduler that is a stranger to the client is refused by the client."""
    as_stranger = {**foreign.for_client, "tls_ca_file": str(ours.authority)}
    with pytest.raises(RunError, match="cannot be reached"):
        connect(address, **as_stranger)
    with pytest.raises(ssl.SSLError, match="unknown ca"):
        shake_hands(address, ours, foreign)
    with pytest.raises(RunError, match=r"cannot be reached: .*certificate verify failed"):
        connect(address, **foreign.for_client)


def test_no_certificate(address, ours):
    """Neither does this program try it, nor would the scheduler accept it."""
    with pytest.raises(RunError, match="say --tls-ca-file and --tls-cert"):
        connect(address, tls_ca_file=str(ours.authority))
    with pytest.raises(ssl.SSLError, match="certificate required"):
        shake_hands(address, ours)


def test_plain_tcp(address):
    with pytest.raises(RunError, match="cannot be reached"):
        connect(address.replace("tls://", "tcp://"))


def test_missing_files_and_schedulers(address, ours, tmp_path, monkeypatch):
    with pytest.raises(RunError, match=r"nothing\.pem: no such file"):
        connect(address, **{**ours.for_client, "tls_cert": str(tmp_path / "nothing.pem")})
    with pytest.raises(RunError, match="cannot be reached"):
        connect(address, **{**ours.for_client, "tls_key": str(ours.authority)})
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 3.0)
    with pytest.raises(RunError, match=r"the scheduler tls://127\.0\.0\.1:9 cannot be reached: .*(refused|Timed out)"):
        connect("tls://127.0.0.1:9", **ours.for_client)
