"""The heads: logits of moves in three forms, and the value in two."""

from typing import NamedTuple

import numpy as np

from engine.lc0 import net_format as nf
from engine.lc0.encoder import encoder_layer
from engine.lc0.graph import Graph
from engine.lc0.layers import Part
from engine.lc0.moves import MOVES, all_moves, planes_of_steps
from engine.lc0.residual_body import by_square, convolve, same_width
from engine.lc0.weights_file import NetFormat
from movegen.moves import PROMOTE_BISHOP, PROMOTE_QUEEN, PROMOTE_ROOK

CONVOLUTION_PIECES = (int(PROMOTE_ROOK), int(PROMOTE_BISHOP), int(PROMOTE_QUEEN))  # for each direction of a pawn
ATTENTION_PIECES = (int(PROMOTE_QUEEN), int(PROMOTE_ROOK), int(PROMOTE_BISHOP))  # for each target


class Logits(NamedTuple):
    """A policy: logits [batch, width], among which are those of the 1858 moves."""

    flow: str
    width: int
    places: list[int]  # of each move


def policy_head(graph: Graph, weights: Part, net: NetFormat, flow: str, width: int) -> Logits:
    """The policy. Moves are not gathered by the model: few of them are legal."""
    heads = weights.part("policy_heads")
    head = heads.part("vanilla") if weights.has("policy_heads") else weights
    if net.policy == nf.POLICY_ATTENTION:
        shared = next((part for part in (head, heads, weights) if part.has("ip_pol_w")), head)
        return attention_policy(graph, head, shared, net, flow, width)
    if net.policy == nf.POLICY_CONVOLUTION:
        return convolution_policy(graph, head, net.activation, flow, width)
    return dense_policy(graph, head, net.activation, flow, width)


def dense_policy(graph: Graph, head: Part, activation: str, flow: str, width: int) -> Logits:
    """A few planes, and a dense layer to all moves."""
    convolution = head.convolution("policy", width, 1)
    squares = 64 * len(convolution.bias)
    flow = graph.activation(convolve(graph, flow, convolution), activation)
    flow = graph.reshape(flow, -1, squares)
    flow = graph.dense(flow, head.matrix("ip_pol_w", squares, MOVES), head.vector("ip_pol_b", MOVES))
    return Logits(flow, MOVES, list(range(MOVES)))


def convolution_policy(graph: Graph, head: Part, activation: str, flow: str, width: int) -> Logits:
    """A plane of origins for each of 73 steps."""
    flow = graph.activation(convolve(graph, flow, same_width(head, "policy1", width)), activation)
    convolution = head.convolution("policy", width, 3)
    planes = len(convolution.bias)
    if planes < 73:
        raise ValueError(f"the policy head has {planes} planes; 73 are needed")
    flow = graph.reshape(convolve(graph, flow, convolution), -1, planes * 64)
    return Logits(flow, planes * 64, convolution_places())


def convolution_places() -> list[int]:
    """Where each move is among 73 planes of 64 origins."""
    plane_of = {step: plane for plane, step in enumerate(planes_of_steps())}
    places = []
    for origin, target, piece in all_moves():
        files = target % 8 - origin % 8
        plane = plane_of[files, target // 8 - origin // 8]
        if piece:
            plane = 64 + 3 * (files + 1) + CONVOLUTION_PIECES.index(piece)
        places.append(plane * 64 + origin)
    return places


def attention_policy(graph: Graph, head: Part, shared: Part, net: NetFormat, flow: str, width: int) -> Logits:
    """For each origin and target a product of a query and a key; promotions add something for target and piece."""
    from_encoder = net.network in {nf.ATTENTION_BODY, nf.MANY_HEADS}
    activation = net.activation if from_encoder else "selu"
    bias = shared.vector("ip_pol_b")
    size = bias.size
    if not head.fields.get("ip2_pol_b"):
        raise ValueError("the policy head is empty")
    flow = flow if from_encoder else by_square(graph, flow, width)
    flow = graph.activation(graph.dense(flow, shared.matrix("ip_pol_w", width, size), bias), activation)
    for layer in head.parts("pol_encoder"):
        flow = encoder_layer(graph, layer, net, flow, size, head.count("pol_headcount"), activation=activation)
    queries, keys = (projected(graph, head, name, flow, size) for name in ("ip2_pol", "ip3_pol"))
    depth = head.vector("ip2_pol_b").size
    scores = graph.apply("MatMul", queries, graph.transpose(keys, 0, 2, 1))
    scores = graph.apply("Mul", scores, graph.scalar(1 / float(np.sqrt(np.float32(depth)))))
    promotions = promotion_scores(graph, head.matrix("ip4_pol_w", depth, 4), keys, scores)
    both = graph.apply("Concat", graph.reshape(scores, -1, 64 * 64), promotions, axis=1)
    return Logits(both, 64 * 64 + 8 * 8 * 3, attention_places())


def projected(graph: Graph, head: Part, name: str, flow: str, size: int) -> str:
    """Queries or keys, [batch, 64, depth]."""
    bias = head.vector(f"{name}_b")
    return graph.reshape(graph.dense(flow, head.matrix(f"{name}_w", size, bias.size), bias), -1, 64, bias.size)


def promotion_scores(graph: Graph, weights: np.ndarray, keys: str, scores: str) -> str:
    """Scores [batch, 8 × 8 × 3] of promotions: by file of origin, file of target, piece."""
    last_rank = graph.slice(keys, [1], [56], [64])
    offsets = graph.apply("MatMul", last_rank, graph.constant(weights))  # [batch, 8, 4]: the last one is for all pieces
    pieces, common = (graph.slice(offsets, [2], [start], [end]) for start, end in ((0, 3), (3, 4)))
    offsets = graph.reshape(graph.apply("Add", pieces, common), -1, 1, 8, 3)
    pushes = graph.reshape(graph.slice(scores, [1, 2], [48, 56], [56, 64]), -1, 8, 8, 1)
    return graph.reshape(graph.apply("Add", pushes, offsets), -1, 8 * 8 * 3)


def attention_places() -> list[int]:
    """Where each move is among 64 × 64 scores and the promotions behind them."""
    return [
        origin * 64 + target
        if not piece
        else 64 * 64 + (origin % 8 * 8 + target % 8) * 3 + ATTENTION_PIECES.index(piece)
        for origin, target, piece in all_moves()
    ]


def value_head(graph: Graph, weights: Part, net: NetFormat, flow: str, width: int) -> str:
    """Win, draw and loss [batch, 3], or the value in −1 … 1 [batch, 1]."""
    head = weights.part("value_heads").part("winner") if weights.has("value_heads") else weights
    if weights.has("encoder"):
        bias = head.vector("ip_val_b")
        size = bias.size
        flow = graph.dense(flow, head.matrix("ip_val_w", width, size), bias)
    else:
        convolution = head.convolution("value", width, 1)
        size = len(convolution.bias)
        flow = convolve(graph, flow, convolution)
    flow = graph.reshape(graph.activation(flow, net.activation), -1, 64 * size)
    bias = head.vector("ip1_val_b")
    flow = graph.dense(flow, head.matrix("ip1_val_w", 64 * size, bias.size), bias)
    flow = graph.activation(flow, net.activation)
    outputs = 3 if net.value == nf.VALUE_WDL else 1
    flow = graph.dense(flow, head.matrix("ip2_val_w", bias.size, outputs), head.vector("ip2_val_b", outputs))
    return graph.apply("Softmax", flow, axis=-1) if outputs == 3 else graph.apply("Tanh", flow)
