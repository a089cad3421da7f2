import struct
import zlib

import numpy as np
import pytest

from engine.network.weights_file import HEADER, load_weights, weights_file
from engine.training.fit.quantise import quantise
from tests.engine.network.nets import random_floats

HASH = bytes(range(32))
NOTES = {"figures": {"positions": 12, "value_mse": 0.25}, "text": "ä"}


@pytest.fixture(scope="module")
def network():
    return quantise(*random_floats())


@pytest.fixture
def path(network, tmp_path):
    path = tmp_path / "some.net"
    path.write_bytes(weights_file(network, HASH, NOTES))
    return path


def test_what_is_saved_is_loaded(network, path):
    loaded = load_weights(path)
    assert loaded.settings_hash == HASH
    assert loaded.notes == NOTES
    for expected, actual in zip(network, loaded.network, strict=True):
        assert expected.dtype == actual.dtype
        assert (expected == actual).all()
        assert not actual.flags.writeable
        assert actual.ctypes.data % 64 == 0
    assert list(path.parent.iterdir()) == [path]


def test_the_header_is_as_documented(path):
    data = path.read_bytes()
    assert data[:8] == b"TERESANN"
    assert struct.unpack_from("<IIIIII", data, 8) == (1, 3072, 64, 32, 2064, len(data[128:].split(b"\0")[0]))
    assert data[32:64] == HASH
    assert struct.unpack_from("<I", data, 64) == (zlib.crc32(data[128:]),)
    assert data[68:128] == bytes(60)


def test_arrays_are_where_the_documentation_says(network, path):
    data = path.read_bytes()
    place = 128 + -(-struct.unpack_from("<I", data, 28)[0] // 64) * 64
    first = np.frombuffer(data, dtype="<i2", count=3072 * 64, offset=place)
    assert (first.reshape(3072, 64) == network.value_rows).all()


def check_refused(path, data, words):
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words) as error:
        load_weights(path)
    assert str(path) in str(error.value)


def test_foreign_files_are_refused(path):
    check_refused(path, b"", "not a weights file")
    check_refused(path, b"PK\3\4" + bytes(1000), "not a weights file")
    check_refused(path, b"TERESANN", "not a weights file")


def test_missing_files_and_folders_are_refused(tmp_path):
    for path in (tmp_path / "none.net", tmp_path):
        with pytest.raises(ValueError, match="cannot be read"):
            load_weights(path)


@pytest.mark.parametrize("kept", [200, 5000, -1])
def test_truncated_files_are_refused(path, kept):
    check_refused(path, path.read_bytes()[:kept], "truncated|not a weights")


def test_long_and_damaged_files_are_refused(path):
    data = path.read_bytes()
    check_refused(path, data + b"\0", "too long")
    for place in (130, 5000, len(data) - 70000):
        damaged = bytearray(data)
        damaged[place] ^= 4
        check_refused(path, bytes(damaged), "damaged")


def with_number(data, offset, number):
    return data[:offset] + struct.pack("<I", number) + data[offset + 4 :]


def test_other_formats_and_shapes_are_refused(path):
    data = path.read_bytes()
    check_refused(path, with_number(data, 8, 2), "format 2")
    check_refused(path, with_number(data, 12, 768), "768 inputs")
    check_refused(path, with_number(data, 16, 63), "63 hidden units")
    check_refused(path, with_number(data, 20, 1 << 30), "hidden units")
    check_refused(path, with_number(data, 28, 0xFFFFFFFF), "truncated")


def test_weights_that_could_overflow_are_refused(network):
    for name, number, words in (
        ("value_rows", 1001, "input weight"),
        ("policy_bias", -800, "bias of the hidden"),
        ("outcome_rows", 32767, "outcomes could"),
        ("outcome_bias", -(1 << 31) + 1, "outcomes could"),
        ("move_bias", (1 << 31) - 1, "moves could"),
        ("scales", 0, "scale"),
    ):
        array = getattr(network, name).copy()
        array.flat[7 % array.size] = number
        with pytest.raises(ValueError, match=words):
            weights_file(network._replace(**{name: array}), HASH, {})


def test_notes_must_be_json(network, path):
    data = bytearray(path.read_bytes())
    data[HEADER.size] = ord("x")
    data[64:68] = struct.pack("<I", zlib.crc32(bytes(data[128:])))
    check_refused(path, bytes(data), "not JSON")
    data = bytearray(weights_file(network, HASH, {"x": "[" * 100_000}))
    place = data.index(b'{"x"')
    data[place : place + 7] = b"[" * 7
    data[64:68] = struct.pack("<I", zlib.crc32(bytes(data[128:])))
    check_refused(path, bytes(data), "not JSON")
    check_refused(path, weights_file(network, HASH, [1]), "not a JSON object")
