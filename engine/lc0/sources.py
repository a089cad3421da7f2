"""From a file to a model that runs: what lc0's weights become, and ONNX models as they are."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from engine.lc0 import net_format as nf
from engine.lc0.moves import MOVES
from engine.lc0.onnx_model import onnx_model
from engine.lc0.session import Ports
from engine.lc0.weights_file import kind_of_file, parse_weights_file, read_content
from engine.lc0.wire import Fields

PORT_FIELDS = {"planes": "input_planes", "policy": "output_policy", "wdl": "output_wdl", "value": "output_value"}


class Source(NamedTuple):
    """What a file gives."""

    model: bytes  # ONNX
    ports: Ports
    places: list[int]  # of the 1858 moves in the policy
    input_format: int
    digest: str  # SHA-256 of the content, decompressed


def read_net(path: Path) -> Source:
    """The net in a file; `ValueError` if it is damaged, or none of those that this program reads."""
    kind = kind_of_file(path)
    if kind is None:
        raise ValueError("neither weights of lc0 nor an ONNX model")
    content = read_content(path)
    return from_lc0(content) if kind == "lc0" else from_onnx(content)


def from_lc0(content: bytes) -> Source:
    """Of one of lc0's files."""
    file = parse_weights_file(content)
    if file.onnx:
        model = bytes(file.onnx.get("model", b""))
        return Source(model, named_ports(file.onnx), list(range(MOVES)), file.format.input, file.digest)
    made = onnx_model(file)
    return Source(made.content, Ports(policy_width=made.policy_width), made.places, file.format.input, file.digest)


def named_ports(fields: Fields) -> Ports:
    """The names that lc0's file gives for inputs and outputs; lc0's own where it gives none."""
    names = {name: bytes(fields.get(field, b"")).decode("utf-8", "replace") for name, field in PORT_FIELDS.items()}
    return Ports(**{name: text for name, text in names.items() if text})  # type: ignore[arg-type]  # all are texts


def from_onnx(content: bytes) -> Source:
    """Of an ONNX file. It does not say how it sees positions: as lc0 assumes for such files, classical."""
    digest = hashlib.sha256(content).hexdigest()
    return Source(content, Ports(), list(range(MOVES)), nf.INPUT_CLASSICAL, digest)
