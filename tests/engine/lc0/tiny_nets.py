"""Small random nets of all kinds: as nested dictionaries of arrays, and as the bytes of lc0's weights files."""

import struct
from typing import Any

import numpy as np

from engine.lc0 import net_format as nf
from engine.lc0.wire import Field, Kind, Schema

Tree = dict[str, Any]  # arrays, numbers, such dictionaries, and lists of them
FILTERS, EMBEDDING, HEADS, DEPTH = 8, 12, 2, 3


class Random:
    """Arrays of which lc0's 16-bit encoding keeps every bit that counts."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def matrix(self, inputs: int, outputs: int) -> np.ndarray:
        """A row for each output, as in the file."""
        return self.rng.normal(0, 1 / np.sqrt(inputs), (outputs, inputs)).astype(np.float32)

    def vector(self, size: int, centre: float = 0.0) -> np.ndarray:
        return (centre + self.rng.normal(0, 0.2, size)).astype(np.float32)

    def convolution(self, inputs: int, outputs: int, size: int, *, normalised: bool = True) -> Tree:
        weights = self.matrix(inputs * size * size, outputs).reshape(outputs, inputs, size, size)
        if not normalised:
            return {"weights": weights, "biases": self.vector(outputs)}
        return {
            "weights": weights,
            "bn_means": self.vector(outputs),
            "bn_stddivs": self.rng.uniform(0.5, 1.5, outputs).astype(np.float32),
            "bn_gammas": self.vector(outputs, 1),
            "bn_betas": self.vector(outputs),
        }

    def dense(self, name: str, inputs: int, outputs: int) -> Tree:
        return {f"{name}_w": self.matrix(inputs, outputs), f"{name}_b": self.vector(outputs)}

    def norm(self, name: str, size: int) -> Tree:
        return {f"{name}_gammas": self.vector(size, 1), f"{name}_betas": self.vector(size)}

    def residual(self, squeeze: int) -> Tree:
        block: Tree = {name: self.convolution(FILTERS, FILTERS, 3) for name in ("conv1", "conv2")}
        if squeeze:
            block["se"] = {
                "w1": self.matrix(FILTERS, squeeze),
                "b1": self.vector(squeeze),
                "w2": self.matrix(squeeze, 2 * FILTERS),
                "b2": self.vector(2 * FILTERS),
            }
        return block

    def encoder(self, size: int, *, smolgen: bool) -> Tree:
        width = HEADS * DEPTH
        mha = self.dense("q", size, width) | self.dense("k", size, width) | self.dense("v", size, width)
        mha |= self.dense("dense", width, size)
        if smolgen:
            mha["smolgen"] = (
                {"compress": self.matrix(size, 4)}
                | self.dense("dense1", 64 * 4, 10)
                | self.norm("ln1", 10)
                | self.dense("dense2", 10, HEADS * 5)
                | self.norm("ln2", HEADS * 5)
            )
        ffn = self.dense("dense1", size, 2 * size) | self.dense("dense2", 2 * size, size)
        return {"mha": mha, "ffn": ffn} | self.norm("ln1", size) | self.norm("ln2", size)

    def attention_policy(self, inputs: int, *, encoders: int = 0) -> Tree:
        head = self.dense("ip_pol", inputs, EMBEDDING)
        head |= self.dense("ip2_pol", EMBEDDING, 6) | self.dense("ip3_pol", EMBEDDING, 6)
        head["ip4_pol_w"] = self.matrix(6, 4)
        if encoders:
            head["pol_encoder"] = [self.encoder(EMBEDDING, smolgen=False) for _ in range(encoders)]
            head["pol_headcount"] = HEADS
        return head

    def value(self, inputs: int, outputs: int, *, embedded: bool = False) -> Tree:
        planes = 32  # lc0 takes no other number
        first = self.dense("ip_val", inputs, planes) if embedded else {"value": self.convolution(inputs, planes, 1)}
        return first | self.dense("ip1_val", 64 * planes, 128) | self.dense("ip2_val", 128, outputs)

    def tower(self, *, squeeze: int = 4, blocks: int = 2) -> Tree:
        return {
            "input": self.convolution(112, FILTERS, 3),
            "residual": [self.residual(squeeze) for _ in range(blocks)],
        }

    def embedding(self, inputs: int) -> Tree:
        gates = {"ip_mult_gate": self.rng.uniform(0.5, 1.5, (EMBEDDING, 64)).astype(np.float32)}
        gates["ip_add_gate"] = self.matrix(64, EMBEDDING)
        layers = [self.encoder(EMBEDDING, smolgen=True) for _ in range(2)]
        shared = {"smolgen_w": self.matrix(5, 64 * 64)}
        return self.dense("ip_emb", inputs, EMBEDDING) | gates | shared | {"encoder": layers, "headcount": HEADS}


def tiny_net(kind: str, seed: int = 1) -> Tree:
    """A net of one of KINDS."""
    return KINDS[kind](Random(seed))


def classical(rng: Random) -> Tree:
    weights = rng.tower(squeeze=0) | {"policy": rng.convolution(FILTERS, 3, 1)}
    weights |= rng.dense("ip_pol", 3 * 64, 1858) | rng.value(FILTERS, 1)
    return net({"input": nf.INPUT_CLASSICAL, "output": 1, "network": nf.CLASSICAL}, weights)


def squeezed(rng: Random) -> Tree:
    weights = rng.tower() | {"policy1": rng.convolution(FILTERS, FILTERS, 3, normalised=False)}
    weights |= {"policy": rng.convolution(FILTERS, 80, 3, normalised=False)} | rng.value(FILTERS, 3)
    return net(network_format(nf.SQUEEZED_WITH_HEADS, nf.POLICY_CONVOLUTION, nf.VALUE_WDL), weights)


def attention_policy(rng: Random) -> Tree:
    weights = rng.tower() | rng.attention_policy(FILTERS, encoders=1) | rng.value(FILTERS, 3)
    network = network_format(nf.SQUEEZED_WITH_HEADS, nf.POLICY_ATTENTION, nf.VALUE_WDL, nf.INPUT_HECTOPLIES)
    return net(network | {"default_activation": nf.MISH}, weights)


def attention_body(rng: Random) -> Tree:
    weights = rng.embedding(112 + 64) | rng.attention_policy(EMBEDDING) | rng.value(EMBEDDING, 3, embedded=True)
    network = network_format(nf.ATTENTION_BODY, nf.POLICY_ATTENTION, nf.VALUE_WDL, nf.INPUT_V2)
    activations = {"smolgen_activation": nf.SWISH, "ffn_activation": nf.RELU_2, "input_embedding": nf.EMBEDDING_MAP}
    return net(network | activations | {"default_activation": nf.MISH}, weights)


def many_heads(rng: Random) -> Tree:
    weights = rng.embedding(112 + 6) | rng.dense("ip_emb_preproc", 64 * 12, 64 * 6) | rng.norm("ip_emb_ln", EMBEDDING)
    ffn = rng.dense("dense1", EMBEDDING, 2 * EMBEDDING) | rng.dense("dense2", 2 * EMBEDDING, EMBEDDING)
    weights |= {"ip_emb_ffn": ffn} | rng.norm("ip_emb_ffn_ln", EMBEDDING)
    head = rng.attention_policy(EMBEDDING)
    shared = {name: head.pop(name) for name in ("ip_pol_w", "ip_pol_b")}
    weights["policy_heads"] = shared | {"vanilla": head}
    weights["value_heads"] = {"winner": rng.value(EMBEDDING, 3, embedded=True)}
    network = network_format(nf.MANY_HEADS, nf.POLICY_ATTENTION, nf.VALUE_WDL, nf.INPUT_CLASSICAL)
    activations = {"smolgen_activation": nf.SWISH, "input_embedding": nf.EMBEDDING_DENSE}
    return net(network | activations | {"default_activation": nf.MISH}, weights)


KINDS = {
    "classical": classical,
    "squeezed": squeezed,
    "attention policy": attention_policy,
    "attention body": attention_body,
    "many heads": many_heads,
}


def network_format(network: int, policy: int, value: int, inputs: int = nf.INPUT_CASTLING_PLANE) -> Tree:
    return {"input": inputs, "output": value, "network": network, "policy": policy, "value": value}


def net(network: Tree, weights: Tree) -> Tree:
    return {
        "magic": 0x1C0,
        "min_version": {"major": 0, "minor": 28, "patch": 0},
        "format": {"weights_encoding": 1, "network_format": network},
        "weights": weights,
    }


# To bytes


def written(tree: Tree, encoding: int = nf.FLOAT32) -> bytes:
    """The bytes of a weights file."""
    return message(tree, nf.NET, encoding)


def message(tree: Tree, schema: Schema, encoding: int) -> bytes:
    fields = {field.name: (number, field) for number, field in schema.items()}
    parts = []
    for name, content in tree.items():
        number, field = fields[name]
        items = content if field.repeated else [content]
        parts += [written_field(number, field, item, encoding) for item in items]
    return b"".join(parts)


def written_field(number: int, field: Field, item: Any, encoding: int) -> bytes:
    holds = field.holds
    if holds is Kind.INTEGER:
        return varint(number << 3) + varint(item)
    if holds is Kind.FIXED or holds is Kind.FLOAT:
        return varint(number << 3 | 5) + struct.pack("<I" if holds is Kind.FIXED else "<f", item)
    if isinstance(item, np.ndarray):
        item = layer(item, encoding)
    data = item if holds is Kind.DATA else message(item, holds, encoding)
    return varint(number << 3 | 2) + varint(len(data)) + data


def layer(array: np.ndarray, encoding: int) -> Tree:
    """An array in one of the four encodings."""
    if encoding == nf.LINEAR16:
        low, high = float(array.min()), float(array.max())
        steps = np.rint((array - low) / ((high - low) or 1) * 0xFFFF).astype("<u2")
        return {"min_val": low, "max_val": high, "params": steps.tobytes()}
    if encoding == nf.BFLOAT16:
        return {"params": (array.view(np.uint32) >> 16).astype("<u2").tobytes(), "encoding": encoding}
    return {"params": array.astype("<f4" if encoding == nf.FLOAT32 else "<f2").tobytes(), "encoding": encoding}


def varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])
