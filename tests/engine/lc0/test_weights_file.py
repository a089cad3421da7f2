"""Files that are damaged, foreign or too new: a `ValueError` in plain words, never anything else."""

import gzip
import random

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `lc0`")

from engine.lc0 import net_format as nf
from engine.lc0.net import kind_of_file
from engine.lc0.onnx_model import onnx_model
from engine.lc0.sources import read_net
from engine.lc0.weights_file import parse_weights_file, read_content
from engine.lc0.wire import read_message
from engine.network.weights_file import SHIPPED
from tests.engine.lc0.tiny_nets import tiny_net, varint, written


def saved(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    return path


def test_kinds_are_recognised_by_content(tmp_path):
    content = written(tiny_net("classical"))
    model = onnx_model(parse_weights_file(content)).content
    kinds = {content: "lc0", gzip.compress(content): "lc0", model: "onnx", b"2\n0 1 2\n": "lc0", b"": None}
    kinds |= {SHIPPED.read_bytes()[:1000]: None, b"\x1f\x8bno gzip": None, gzip.compress(b"text"): None}
    for data, kind in kinds.items():
        assert kind_of_file(saved(tmp_path, data)) == kind


def test_compressed_or_not_is_the_same(tmp_path):
    content = written(tiny_net("classical"))
    one = read_net(saved(tmp_path, content))
    assert one.digest == read_net(saved(tmp_path, gzip.compress(content))).digest


def test_what_expands_too_far_is_refused(tmp_path):
    path = saved(tmp_path, gzip.compress(bytes(3_000_000)))
    assert len(read_content(path, 3_000_000)) == 3_000_000
    with pytest.raises(ValueError, match="larger than"):
        read_content(path, 2_999_999)
    with pytest.raises(ValueError, match="larger than"):
        read_content(path, 100)


@pytest.mark.parametrize("compress", [False, True])
def test_truncated_files_are_refused(compress, tmp_path):
    content = written(tiny_net("squeezed"), nf.LINEAR16)
    content = gzip.compress(content) if compress else content
    rng = random.Random(1)
    for size in [5, 10, len(content) - 1, *(rng.randrange(20, len(content)) for _ in range(10))]:
        with pytest.raises(ValueError, match=r"\w"):
            read_net(saved(tmp_path, content[:size]))


def test_damaged_files_give_an_error_or_a_net():
    content = written(tiny_net("attention policy"), nf.LINEAR16)
    rng, refused = random.Random(2), 0
    for _ in range(150):
        data = bytearray(content)
        for _ in range(rng.choice((1, 1, 3))):
            data[rng.randrange(min(len(data), rng.choice((40, 400, len(data)))))] = rng.randrange(256)
        try:
            onnx_model(parse_weights_file(bytes(data)))
        except ValueError as error:
            assert str(error)
            refused += 1
    assert 20 < refused < 150


def test_random_bytes_are_no_message():
    rng = random.Random(3)
    for _ in range(300):
        data = bytes([*b"\x0d\xc0\x01\x00\x00", *rng.randbytes(rng.randrange(40))])
        try:
            assert isinstance(read_message(memoryview(data), nf.NET), dict)
        except ValueError:
            continue


def test_fields_of_newer_versions_are_skipped():
    content = written(tiny_net("classical"))
    unknown = varint(99 << 3) + varint(1 << 60) + varint(98 << 3 | 1) + bytes(8) + varint(97 << 3 | 2) + b"\x03abc"
    assert onnx_model(parse_weights_file(content + unknown)) == onnx_model(parse_weights_file(content))


def test_endless_fields_are_refused():
    with pytest.raises(ValueError, match="more than 10000 fields"):
        parse_weights_file(written(tiny_net("classical")) + (varint(99 << 3) + b"\0") * 20_000)


def changed(kind, **settings):
    tree = tiny_net(kind)
    tree["format"]["network_format"] |= settings
    return tree


def with_version(*numbers):
    return tiny_net("classical") | {"min_version": dict(zip(("major", "minor", "patch"), numbers, strict=True))}


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (with_version(0, 99, 0), "made for lc0 0.99.0 or newer"),
        (changed("squeezed", input=77), "input format 77 is unknown"),
        (changed("squeezed", network=9), "network format 9 is unknown"),
        (changed("squeezed", policy=9), "policy format 9 is unknown"),
        (changed("squeezed", value=3), "value format 3 is unknown"),
        (changed("attention body", ffn_activation=99), "activation 99 is unknown"),
        (changed("attention body", smolgen_activation=9), "activation softmax is not possible"),
        (changed("attention body", policy=nf.POLICY_DENSE), "not supported"),
        ({"magic": 0x1C0}, "neither weights nor"),
        (tiny_net("classical") | {"weights": {"headcount": 2}}, "neither residual blocks nor"),
    ],
)
def test_unknown_formats_are_refused(tree, message):
    with pytest.raises(ValueError, match=message):
        onnx_model(parse_weights_file(written(tree)))


def test_a_version_for_tests_is_accepted():
    onnx_model(parse_weights_file(written(with_version(97, 98, 99))))


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        (("ip_pol_b",), None, "layer ip_pol_b is missing"),
        (("ip_pol_b",), lambda array: array[:-1], "layer ip_pol_b has 1857 numbers instead of 1858"),
        (("residual", 1, "conv2", "weights"), lambda array: array[..., :2], r"residual\[1\].conv2.weights has"),
        (
            ("residual", 0, "conv1", "bn_stddivs"),
            lambda array: array * 0 - 1,
            "conv1.weights: its batch normalisation",
        ),
        (("value", "weights"), lambda array: array * np.float32("inf"), "not finite"),
        (("input", "weights"), lambda array: array[:0], "is missing|whole numbers"),
    ],
)
def test_layers_that_do_not_fit_are_named(path, change, message):
    tree = tiny_net("classical")
    part = tree["weights"]
    for name in path[:-1]:
        part = part[name]
    layer = part.pop(path[-1])
    if change:
        with np.errstate(invalid="ignore"):
            part[path[-1]] = change(layer)
    with pytest.raises(ValueError, match=message):
        onnx_model(parse_weights_file(written(tree)))


def test_text_files_of_2018_are_refused(tmp_path):
    with pytest.raises(ValueError, match="text file of 2018"):
        read_net(saved(tmp_path, b"2\n0.1 0.2\n"))
    with pytest.raises(ValueError, match="neither weights of lc0 nor"):
        read_net(SHIPPED)
