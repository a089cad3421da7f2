"""Nets of Stockfish: what is read is what is there, and whatever else is in a file is refused."""

import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest

from engine.network.weights_file import SHIPPED
from engine.training.teacher.nnue_file import (
    TeacherNet,
    layers_number,
    parse_teacher_net,
    read_teacher_net,
    rows_number,
    shape_number,
)
from tests.engine.training.teacher.made_up_nets import BUCKETS, INPUTS, KNOWN_NUMBERS, leb128, made_up_net, numbers

NET = made_up_net(seed=3)
PLAIN = NET.pack()
COMPRESSED_AT = 12 + len(b"made up") + 4


@pytest.fixture(scope="module")
def compressed():
    return NET.pack(compressed=True)


def parse(data):
    return parse_teacher_net(np.frombuffer(data, dtype=np.uint8))


def expected_arrays(net):
    layers = [np.stack([bucket[index].astype(int) for bucket in net.layers]) for index in range(6)]
    zero = np.zeros((1, net.width)), np.zeros((1, BUCKETS))
    rows, direct = np.vstack((net.rows, zero[0])), np.vstack((net.direct, zero[1]))
    return [net.bias, rows, direct, *layers[:4], layers[4].reshape(BUCKETS), layers[5]]


@pytest.mark.parametrize("width", KNOWN_NUMBERS)
def test_the_numbers_are_those_in_files_of_stockfish(width):
    shape, rows = KNOWN_NUMBERS[width]
    assert (shape_number(width), rows_number(width)) == (shape, rows)
    assert layers_number(width) == shape ^ rows
    assert numbers(width) == (shape, rows, shape ^ rows)


@pytest.mark.jit
@pytest.mark.parametrize(("width", "large"), [(32, False), (32, True), (96, False)])
def test_both_formats_give_what_is_in_them(width, large):
    made_up = made_up_net(width, seed=5, large=large)
    for data in (made_up.pack(), made_up.pack(compressed=True)):
        net = parse(data)
        for array, expected in zip(net[:-1], expected_arrays(made_up), strict=True):
            assert array.shape == expected.shape
            assert np.array_equal(array, expected)
            assert not array.flags.writeable
    assert net.rows.shape == (INPUTS + 1, width)


def test_a_description_may_be_empty_and_is_not_looked_at():
    for description in (b"", b"\xff" * 4096):
        assert np.array_equal(parse(NET.pack(description=description)).bias, NET.bias)


def changed(data, offset, new):
    return data[:offset] + new + data[offset + len(new) :]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a net of Stockfish"),
        (b"\x20", "not a net of Stockfish"),
        (PLAIN[:11], "not a net of Stockfish"),
        (SHIPPED.read_bytes()[:100_000], "not a net of Stockfish"),
        (b"text " * 1000, "not a net of Stockfish"),
        (changed(PLAIN, 0, b"\x21"), "not a net of Stockfish"),
        (changed(PLAIN, 4, struct.pack("<I", 0x12345678)), "of another shape: .* Stockfish 15 to 17.1"),
        (changed(PLAIN, 8, struct.pack("<I", 4097)), "the description is too long"),
        (changed(PLAIN, 8, struct.pack("<I", 2**32 - 1)), "the description is too long"),
        (changed(PLAIN, 8, struct.pack("<I", 8)), "a number that marks the begin of a layer"),
        (changed(PLAIN, COMPRESSED_AT - 4, b"\0"), "a number that marks the begin of a layer"),
        (PLAIN[:16], "truncated"),
        (PLAIN[: COMPRESSED_AT + 10], "truncated"),
        (PLAIN[:100_000], "truncated"),
        (PLAIN[:-1], "truncated"),
        (PLAIN + b"\0", "too long"),
        (changed(PLAIN, len(PLAIN) - 5000, b"\x55" * 5000), "a number that marks the begin of a layer"),
        (changed(PLAIN, COMPRESSED_AT, b"COMPRESSED_LEB128"), "damaged|truncated"),
    ],
)
def test_other_files_are_refused(data, reason):
    with pytest.raises(ValueError, match=reason):
        parse(data)


def test_compressed_parts_that_are_damaged_are_refused(compressed):
    size_at = COMPRESSED_AT + len(b"COMPRESSED_LEB128")
    size = int.from_bytes(compressed[size_at : size_at + 4], "little")
    body = size_at + 4
    longest = 2**32 - 1
    for data, reason in [
        (changed(compressed, size_at, struct.pack("<I", size - 1)), "other numbers than the net"),
        (changed(compressed, size_at, struct.pack("<I", size + 1)), "other numbers than the net"),
        (changed(compressed, size_at, struct.pack("<I", longest)), "truncated"),
        (changed(compressed, body, b"\xff" * size), "other numbers than the net"),
        (changed(compressed, body, b"\x80" * 3), "other numbers than the net"),
        (changed(compressed, body + size, b"X"), "a part that should be compressed is not"),
        (compressed[: body + size + 3], "truncated"),
        (compressed[:-1], "truncated"),
        (compressed + b"\0", "too long"),
    ]:
        with pytest.raises(ValueError, match=reason):
            parse(data)


def test_numbers_that_do_not_fit_are_refused():
    """32768 has three bytes, as −32768 has; only the latter has 16 bits."""
    for value, fits in ((-32768, True), (32767, True), (32768, False), (-32769, False)):
        made_up = made_up_net(seed=4)
        made_up.bias = made_up.bias.astype(np.int32)
        made_up.bias[0] = value
        assert len(leb128(value)) == 3
        data = made_up.pack(compressed=True)
        if fits:
            assert parse(data).bias[0] == value
        else:
            with pytest.raises(ValueError, match="other numbers than the net"):
                parse(data)


def test_any_bytes_give_a_net_or_a_reason():
    """Flipped bits of weights cannot be noticed; whatever is read has the shapes that kernels rely on."""
    rng, nets = np.random.default_rng(8), 0
    for _ in range(40):
        data = bytearray(PLAIN)
        for place in rng.integers(0, len(data) if rng.random() < 0.5 else 400, 3):
            data[place] ^= int(rng.integers(1, 256))
        try:
            net = parse(bytes(data))
        except ValueError:
            continue
        nets += 1
        assert isinstance(net, TeacherNet)
        assert [array.shape for array in net] == [array.shape for array in parse(PLAIN)]
    assert 0 < nets < 40


def test_files_are_named_in_messages(tmp_path):
    path = tmp_path / "some.nnue"
    with pytest.raises(ValueError, match=r"some\.nnue: cannot be read"):
        read_teacher_net(path)
    with pytest.raises(ValueError, match="cannot be read"):
        read_teacher_net(tmp_path)
    if Path("/dev/zero").exists():
        with pytest.raises(ValueError, match="/dev/zero: this is not a net of Stockfish"):
            read_teacher_net(Path("/dev/zero"))
    path.write_bytes(b"x")
    with pytest.raises(ValueError, match=r"some\.nnue: this is not a net of Stockfish"):
        read_teacher_net(path)
    path.write_bytes(PLAIN)
    assert np.array_equal(read_teacher_net(path).bias, NET.bias)


def test_a_net_under_the_name_that_stockfish_gives_it_is_checked(tmp_path):
    """That name has the begin of its SHA-256; a flipped weight is noticed by it alone."""
    flipped = changed(PLAIN, 100_000, bytes([PLAIN[100_000] ^ 1]))
    path = tmp_path / f"nn-{hashlib.sha256(PLAIN).hexdigest()[:12]}.nnue"
    path.write_bytes(PLAIN)
    assert np.array_equal(read_teacher_net(path).rows, parse(PLAIN).rows)
    path.write_bytes(flipped)
    with pytest.raises(ValueError, match=r"nn-[0-9a-f]{12}\.nnue: damaged: its SHA-256"):
        read_teacher_net(path)
    other = path.rename(tmp_path / "other.nnue")
    assert not np.array_equal(read_teacher_net(other).rows, parse(PLAIN).rows)
