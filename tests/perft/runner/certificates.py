"""Certificates for tests: a separate authority for each name, and a certificate that it has signed."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificates:
    authority: Path
    certificate: Path
    key: Path

    @property
    def for_dask(self):
        """Options of `dask scheduler` and `dask worker`."""
        return ["--tls-ca-file", self.authority, "--tls-cert", self.certificate, "--tls-key", self.key]

    @property
    def for_client(self):
        return {"tls_ca_file": str(self.authority), "tls_cert": str(self.certificate), "tls_key": str(self.key)}


def openssl(*arguments):
    program = shutil.which("openssl") or "openssl"
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, timeout=60)


def new_certificates(folder, name):
    """An authority and a certificate, both new."""
    ca, ca_key, request = folder / f"{name}-ca.pem", folder / f"{name}-ca.key", folder / f"{name}.csr"
    made = Certificates(ca, folder / f"{name}.pem", folder / f"{name}.key")
    new_key = ("-newkey", "rsa:2048", "-nodes", "-keyout")
    openssl("req", "-x509", *new_key, ca_key, "-out", ca, "-days", 2, "-subj", f"/CN={name} authority")
    openssl("req", *new_key, made.key, "-out", request, "-subj", f"/CN={name}")
    signing = ("-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", 2)
    openssl("x509", "-req", "-in", request, *signing, "-out", made.certificate)
    return made
