"""The body of attention nets: an embedding of the squares, and encoder layers."""

import numpy as np

from engine.lc0 import net_format as nf
from engine.lc0.encoder import added, encoder_layer, feed_forward, normed
from engine.lc0.graph import Graph
from engine.lc0.layers import Part
from engine.lc0.moves import can_reach
from engine.lc0.residual_body import by_square
from engine.lc0.weights_file import NetFormat

INPUT_PLANES = 112
PLANES_OF_A_BOARD = 12
EMBEDDING_EPSILON = 1e-3


def attention_body(graph: Graph, weights: Part, net: NetFormat, flow: str, width: int) -> tuple[str, int]:
    """Planes to rows of squares [batch × 64, size], and the size. `width`: the planes that come in."""
    is_dense = net.embedding == nf.EMBEDDING_DENSE
    has_tower = weights.has("residual")
    if has_tower:
        flow = by_square(graph, flow, width)
    elif is_dense:
        flow, width = with_board(graph, weights, flow)
    elif net.embedding == nf.EMBEDDING_MAP:
        flow, width = with_reach(graph, flow)
    else:
        raise ValueError("encoder layers without an input embedding")
    bias = weights.vector("ip_emb_b")
    size = bias.size
    flow = graph.activation(graph.dense(flow, weights.matrix("ip_emb_w", width, size), bias), net.activation)
    if is_dense:
        flow = normed(graph, weights, "ip_emb_ln", flow, size, EMBEDDING_EPSILON)
    flow = gated(graph, weights, flow, size)
    alpha = float(np.float32(2 * len(weights.fields["encoder"])) ** np.float32(-0.25))
    if is_dense:
        out = feed_forward(graph, weights.part("ip_emb_ffn"), flow, size, net.ffn_activation or net.activation)
        flow = normed(graph, weights, "ip_emb_ffn_ln", added(graph, flow, out, alpha), size, EMBEDDING_EPSILON)
    smolgen = shared_smolgen(graph, weights)
    for layer in weights.parts("encoder"):
        flow = encoder_layer(
            graph,
            layer,
            net,
            flow,
            size,
            weights.count("headcount"),
            activation=net.activation,
            alpha=alpha,
            smolgen=smolgen,
        )
    return flow, size


def shared_smolgen(graph: Graph, weights: Part) -> str:
    """The matrix [size, 64 × 64] that all layers share; empty if the net has none."""
    if not weights.has("smolgen_w"):
        return ""
    size, rest = divmod(weights.vector("smolgen_w").size, 64 * 64)
    if rest:
        raise ValueError("layer smolgen_w does not fit 64 × 64 scores")
    return graph.constant(weights.matrix("smolgen_w", size, 64 * 64))


def with_reach(graph: Graph, flow: str) -> tuple[str, int]:
    """Each square's planes, and which squares a queen or a knight reaches from there (−1 for itself)."""
    reach = np.array([[-1 if a == b else can_reach(a, b) for b in range(64)] for a in range(64)], np.float32)
    flow = by_square(graph, flow, INPUT_PLANES)
    rows = graph.reshape(flow, -1, 64, INPUT_PLANES)
    # Zeros of the right batch size, to which the constant is added.
    zeros = graph.apply("Mul", graph.slice(rows, [2], [0], [1]), graph.scalar(0))
    rows = graph.apply("Concat", rows, graph.apply("Add", zeros, graph.constant(reach)), axis=2)
    return graph.reshape(rows, -1, INPUT_PLANES + 64), INPUT_PLANES + 64


def with_board(graph: Graph, weights: Part, flow: str) -> tuple[str, int]:
    """Each square's planes, and what a dense layer makes of the whole present board."""
    bias = weights.vector("ip_emb_preproc_b")
    each, rest = divmod(bias.size, 64)
    if rest:
        raise ValueError("layer ip_emb_preproc_b does not fit 64 squares")
    rows = graph.reshape(graph.transpose(flow, 0, 2, 3, 1), -1, 64, INPUT_PLANES)
    inputs = 64 * PLANES_OF_A_BOARD
    board = graph.reshape(graph.slice(rows, [2], [0], [PLANES_OF_A_BOARD]), -1, inputs)
    board = graph.dense(board, weights.matrix("ip_emb_preproc_w", inputs, bias.size), bias)
    rows = graph.apply("Concat", rows, graph.reshape(board, -1, 64, each), axis=2)
    return graph.reshape(rows, -1, INPUT_PLANES + each), INPUT_PLANES + each


def gated(graph: Graph, weights: Part, flow: str, size: int) -> str:
    """Multiplied and added to, by square."""
    gates = [
        (name, operator) for name, operator in (("ip_mult_gate", "Mul"), ("ip_add_gate", "Add")) if weights.has(name)
    ]
    if not gates:
        return flow
    flow = graph.reshape(flow, -1, 64, size)
    for name, operator in gates:
        flow = graph.apply(operator, flow, graph.constant(weights.matrix(name, 64, size)))
    return graph.reshape(flow, -1, size)
