"""One layer of a transformer over the 64 squares: attention and a dense network, each added to what came in."""

import numpy as np

from engine.lc0 import net_format as nf
from engine.lc0.graph import Graph
from engine.lc0.layers import Part
from engine.lc0.weights_file import NetFormat

SMOLGEN_EPSILON = 1e-3


def norm_epsilon(net: NetFormat) -> float:
    """What layer normalisations of encoders add to the variance."""
    return 1e-3 if net.embedding == nf.EMBEDDING_DENSE else 1e-6


def encoder_layer(
    graph: Graph,
    layer: Part,
    net: NetFormat,
    flow: str,
    size: int,
    heads: int,
    *,
    activation: str,
    alpha: float = 1.0,
    smolgen: str = "",
) -> str:
    """Rows of squares [batch × 64, size] to such rows. `smolgen`: the constant shared by all layers.

    `activation`: of the dense network, unless the net's format names another.
    """
    for name in ("rpe_q", "rpe_k", "rpe_v"):
        if layer.part("mha").has(name):
            raise ValueError("relative position encodings: not supported, by lc0 0.33 neither")
    epsilon = norm_epsilon(net)
    out = attention(graph, layer.part("mha"), net, flow, size, heads, smolgen)
    flow = normed(graph, layer, "ln1", added(graph, flow, out, alpha), size, epsilon)
    out = feed_forward(graph, layer.part("ffn"), flow, size, net.ffn_activation or activation)
    return normed(graph, layer, "ln2", added(graph, flow, out, alpha), size, epsilon)


def added(graph: Graph, flow: str, out: str, alpha: float) -> str:
    """What came in, and `alpha` times what a layer made of it."""
    return graph.apply("Add", flow, out if alpha == 1 else graph.apply("Mul", out, graph.scalar(alpha)))


def normed(graph: Graph, part: Part, name: str, flow: str, size: int, epsilon: float) -> str:
    """A layer normalisation."""
    gammas, betas = part.vector(f"{name}_gammas", size), part.vector(f"{name}_betas", size)
    return graph.layer_norm(flow, gammas, betas, epsilon)


def feed_forward(graph: Graph, ffn: Part, flow: str, size: int, activation: str) -> str:
    """Two dense layers."""
    bias = ffn.vector("dense1_b")
    flow = graph.activation(graph.dense(flow, ffn.matrix("dense1_w", size, bias.size), bias), activation)
    return graph.dense(flow, ffn.matrix("dense2_w", bias.size, size), ffn.vector("dense2_b", size))


def attention(graph: Graph, mha: Part, net: NetFormat, flow: str, size: int, heads: int, smolgen: str) -> str:
    """Attention with several heads; smolgen adds to its scores what it makes of the whole board."""
    depth, rest = divmod(mha.vector("q_b").size, heads)
    if rest:
        raise ValueError(f"{mha.name}: {heads} heads do not divide {depth * heads + rest} numbers")
    width = depth * heads

    def projection(name: str, *order: int) -> str:
        out = graph.dense(flow, mha.matrix(f"{name}_w", size, width), mha.vector(f"{name}_b", width))
        return graph.transpose(graph.reshape(out, -1, 64, heads, depth), *order)

    queries, keys, values = projection("q", 0, 2, 1, 3), projection("k", 0, 2, 3, 1), projection("v", 0, 2, 1, 3)
    scores = graph.apply("MatMul", queries, keys)
    scores = graph.apply("Mul", scores, graph.scalar(1 / float(np.sqrt(np.float32(depth)))))
    if mha.has("smolgen"):
        if not smolgen:
            raise ValueError("layer smolgen_w is missing")
        scores = graph.apply("Add", scores, smolgen_scores(graph, mha.part("smolgen"), net, flow, size, heads, smolgen))
    out = graph.apply("MatMul", graph.apply("Softmax", scores, axis=-1), values)
    out = graph.reshape(graph.transpose(out, 0, 2, 1, 3), -1, width)
    return graph.dense(out, mha.matrix("dense_w", width, size), mha.vector("dense_b", size))


def smolgen_scores(graph: Graph, part: Part, net: NetFormat, flow: str, size: int, heads: int, shared: str) -> str:
    """Scores [batch, heads, 64, 64] from a compressed board."""
    compressed, rest = divmod(part.vector("compress").size, size)
    if rest:
        raise ValueError(f"layer {part.name}compress does not fit {size} numbers for each square")
    flow = graph.dense(flow, part.matrix("compress", size, compressed))
    flow, width = graph.reshape(flow, -1, 64 * compressed), 64 * compressed
    for name in ("1", "2"):
        bias = part.vector(f"dense{name}_b")
        flow = graph.dense(flow, part.matrix(f"dense{name}_w", width, bias.size), bias)
        flow, width = graph.activation(flow, net.smolgen_activation), bias.size
        flow = normed(graph, part, f"ln{name}", flow, width, SMOLGEN_EPSILON)
    if width % heads:
        raise ValueError(f"{part.name}: {heads} heads do not divide {width} numbers")
    flow = graph.apply("MatMul", graph.reshape(flow, -1, heads, width // heads), shared)
    return graph.reshape(flow, -1, heads, 64, 64)
