"""Files with nets of others: lc0's weights (`.pb`, `.pb.gz`) and ONNX models, recognised by their content."""

import hashlib
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine.lc0 import net_format as nf
from engine.lc0.wire import Fields, read_message

Kind = Literal["lc0", "onnx"]

MAGIC = b"\x0d\xc0\x01\x00\x00"  # field 1, four bytes: 0x1c0
TEXT_FORMATS = (b"1\n", b"2\n")  # of 2018
NEWEST = (0, 33, 0)  # the version of lc0 whose format this is
TEST_VERSION = (97, 98, 99)  # stands for any version in files of the first trainings
MOST_BYTES = (1 << 31) - 1  # what an ONNX model may have
HEAD = 1 << 10
CHUNK = 1 << 20


@dataclass(frozen=True)
class NetFormat:
    """How a net sees positions, and how it is built. Numbers as in `engine.lc0.net_format`."""

    input: int = nf.INPUT_CLASSICAL
    network: int = nf.CLASSICAL_WITH_HEADS
    policy: int = nf.POLICY_DENSE
    value: int = nf.VALUE_SCALAR
    activation: str = "relu"
    smolgen_activation: str = "relu"
    ffn_activation: str = ""  # empty: left to the layer
    embedding: int = nf.EMBEDDING_NONE


@dataclass(frozen=True)
class WeightsFile:
    """The content of one of lc0's files: weights, or an ONNX model within."""

    format: NetFormat
    weights: Fields
    onnx: Fields
    digest: str


def kind_of_file(path: Path) -> Kind | None:
    """What kind of file this is; None: neither. `OSError` if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if is_gzip(head):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        except zlib.error:
            return None
    if head.startswith((MAGIC, *TEXT_FORMATS)):
        return "lc0"
    # An ONNX model starts with its version, below 128; then comes a text or a message.
    return "onnx" if len(head) > 2 and head[0] == 0x08 and head[1] < 0x80 and head[2] & 7 == 2 else None


def is_gzip(head: bytes) -> bool:
    """Is the file compressed?"""
    return head.startswith(b"\x1f\x8b")


def read_content(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The content of a file, decompressed."""
    too_large = f"larger than {most_bytes} bytes"
    if path.stat().st_size > most_bytes:
        raise ValueError(too_large)
    data = path.read_bytes()
    if not is_gzip(data):
        return data
    inflate, parts, size = zlib.decompressobj(wbits=31), [], 0
    try:
        while data and not inflate.eof:
            parts.append(inflate.decompress(data, CHUNK))
            data, size = inflate.unconsumed_tail, size + len(parts[-1])
            if size > most_bytes:
                raise ValueError(too_large)
        parts.append(inflate.flush())
    except zlib.error as error:
        raise ValueError("damaged: it cannot be decompressed") from error
    if not inflate.eof:
        raise ValueError("truncated")
    return b"".join(parts)


def parse_weights_file(content: bytes) -> WeightsFile:
    """The parts of one of lc0's files; a `ValueError` says what is wrong with it."""
    if content.startswith(TEXT_FORMATS):
        raise ValueError("a text file of 2018; lc0 and this program read files whose names end in .pb or .pb.gz")
    if not content.startswith(MAGIC):
        raise ValueError("this is not a weights file of lc0")
    try:
        net = read_message(memoryview(content), nf.NET)
    except ValueError as error:
        raise ValueError(f"damaged: {error}") from error
    check_version(net.get("min_version", {}))
    weights, onnx = net.get("weights", {}), net.get("onnx_model", {})
    if not weights and not onnx:
        raise ValueError("it has neither weights nor an ONNX model")
    network_format = normal_format(net.get("format", {}).get("network_format"), weights)
    return WeightsFile(network_format, weights, onnx, hashlib.sha256(content).hexdigest())


def check_version(version: Fields) -> None:
    """Refuse a file made for a newer lc0."""
    needed = tuple(version.get(part, 0) for part in ("major", "minor", "patch"))
    if needed > NEWEST and needed != TEST_VERSION:
        text = ".".join(map(str, needed))
        raise ValueError(f"made for lc0 {text} or newer; this program knows the format of {NEWEST[0]}.{NEWEST[1]}")


def normal_format(fields: Fields | None, weights: Fields) -> NetFormat:
    """The format with all that older files leave out, as lc0 completes it."""
    if fields is None:
        return NetFormat()
    network = fields.get("network", 0)
    policy, value = fields.get("policy", 0), fields.get("value", 0)
    smolgen, ffn = fields.get("smolgen_activation", 0), fields.get("ffn_activation", 0)
    embedding = fields.get("input_embedding")
    if network in {nf.CLASSICAL, nf.SQUEEZED}:
        network = nf.CLASSICAL_WITH_HEADS if network == nf.CLASSICAL else nf.SQUEEZED_WITH_HEADS
        policy, value = nf.POLICY_DENSE, nf.VALUE_SCALAR
    elif network == nf.SQUEEZED_WITH_HEADS and weights.get("encoder"):
        network = nf.ATTENTION_BODY
        if "smolgen_w" in weights:
            ffn, smolgen = nf.RELU_2, nf.SWISH
    elif network == nf.MANY_HEADS_BEFORE:
        network = nf.MANY_HEADS
    if network == nf.ATTENTION_BODY:
        if "policy_heads" in weights and "value_heads" in weights:
            network, embedding = nf.MANY_HEADS, nf.EMBEDDING_DENSE
        elif embedding is None:
            embedding = nf.EMBEDDING_MAP
    default = "mish" if fields.get("default_activation", 0) == nf.MISH else "relu"
    return checked(
        NetFormat(
            input=fields.get("input", 0),
            network=network,
            policy=policy,
            value=value,
            activation=default,
            smolgen_activation=activation_name(smolgen, default),
            ffn_activation=activation_name(ffn, ""),
            embedding=embedding or nf.EMBEDDING_NONE,
        )
    )


def activation_name(number: int, default: str) -> str:
    """The activation with this number."""
    if not 0 <= number < len(nf.ACTIVATIONS):
        raise ValueError(f"activation {number} is unknown: made for a newer lc0, or damaged")
    return nf.ACTIVATIONS[number] if number else default


def checked(net: NetFormat) -> NetFormat:
    """Refuse choices that this program does not know."""
    known = {
        "input": (net.input, nf.INPUTS),
        "network": (net.network, nf.STRUCTURES),
        "policy": (net.policy, {nf.POLICY_DENSE, nf.POLICY_CONVOLUTION, nf.POLICY_ATTENTION}),
        "value": (net.value, {nf.VALUE_SCALAR, nf.VALUE_WDL}),
        "input embedding": (net.embedding, {nf.EMBEDDING_NONE, nf.EMBEDDING_MAP, nf.EMBEDDING_DENSE}),
    }
    if net.network == nf.ONNX and net.policy == 0:
        return checked(replace(net, policy=nf.POLICY_DENSE))
    for name, (number, numbers) in known.items():
        if number not in numbers:
            raise ValueError(f"{name} format {number} is unknown: made for a newer lc0, or damaged")
    return net
