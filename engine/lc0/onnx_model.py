"""A net of lc0 as an ONNX model: planes in; logits of moves, and a value or win, draw and loss out."""

from typing import NamedTuple

from engine.lc0 import net_format as nf
from engine.lc0.attention_body import attention_body
from engine.lc0.graph import Graph
from engine.lc0.heads import policy_head, value_head
from engine.lc0.layers import Part
from engine.lc0.residual_body import residual_body
from engine.lc0.weights_file import NetFormat, WeightsFile

PLANES, POLICY, WDL, VALUE = "/input/planes", "/output/policy", "/output/wdl", "/output/value"  # as lc0 names them


class Model(NamedTuple):
    """An ONNX model of a net."""

    content: bytes
    policy_width: int
    places: list[int]  # of the 1858 moves among the logits


def onnx_model(file: WeightsFile) -> Model:
    """The model; `ValueError` if layers are missing, damaged, or of sizes that do not fit."""
    graph, weights, net = Graph(), Part(file.weights), file.format
    flow, width = PLANES, 112
    if weights.has("residual"):
        flow, width = residual_body(graph, weights, net.activation, flow)
    if weights.has("encoder"):
        flow, width = attention_body(graph, weights, net, flow, width)
    check_heads(weights, net)
    policy = policy_head(graph, weights, net, flow, width)
    graph.rename(policy.flow, POLICY)
    is_wdl = net.value == nf.VALUE_WDL
    graph.rename(value_head(graph, weights, net, flow, width), WDL if is_wdl else VALUE)
    outputs = {POLICY: policy.width, WDL: 3} if is_wdl else {POLICY: policy.width, VALUE: 1}
    return Model(graph.model(PLANES, outputs), policy.width, policy.places)


def check_heads(weights: Part, net: NetFormat) -> None:
    """Refuse nets without a body, and heads that do not go with theirs."""
    has_encoder = weights.has("encoder")
    if not has_encoder and not weights.has("residual"):
        raise ValueError("it has neither residual blocks nor encoder layers")
    if has_encoder and net.policy != nf.POLICY_ATTENTION:
        raise ValueError("encoder layers with a policy head that is not of attention: not supported, by lc0 neither")
