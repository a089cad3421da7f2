"""Which schedulers may be connected to.

An open port of a scheduler lets everybody who reaches it run programs. So a scheduler on another machine must use TLS
with certificates (`tls://`), unless the user insists.
"""

import ipaddress
import json
import re
from contextlib import suppress
from pathlib import Path

from perft.runner.runner import RunError

ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::([0-9]{1,5}))?")
LARGEST_PORT = 65_535


def address_of(cluster: str) -> str:
    """The address of a scheduler, which a scheduler file may name."""
    if "://" in cluster:
        return cluster
    try:
        address = json.loads(Path(cluster).read_text(encoding="utf-8"))["address"]
    except OSError as error:
        raise RunError(
            f"--cluster {cluster}: neither 'local', nor an address (tls://host:8786), nor a file ({error.strerror})"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise RunError(f"--cluster {cluster}: the file is not written by a scheduler of Dask") from None
    return str(address)


def check_address(address: str, *, insecure: bool) -> None:
    """Refuse addresses that would be unsafe, or are none."""
    match = ADDRESS.fullmatch(address)
    if match is None or int(match[3] or 0) > LARGEST_PORT:
        raise RunError(f"--cluster {address}: not an address such as tls://host:8786")
    if match[1] == "tcp" and not insecure and not _is_this_machine(match[2].strip("[]")):
        raise RunError(
            f"--cluster {address}: everybody who reaches this port can run programs; use tls:// with certificates, "
            "or say --insecure"
        )


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False
