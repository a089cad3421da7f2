"""Convolutions: a tower of residual blocks with squeeze and excitation, and what heads need of them."""

from engine.lc0.graph import Graph
from engine.lc0.layers import Convolution, Part

INPUT_PLANES = 112


def residual_body(graph: Graph, weights: Part, activation: str, flow: str) -> tuple[str, int]:
    """The tower; its output [batch, filters, 8, 8], and how many filters."""
    first = weights.convolution("input", INPUT_PLANES, 3)
    filters = len(first.bias)
    flow = graph.activation(convolve(graph, flow, first), activation)
    for block in weights.parts("residual"):
        flow = residual_block(graph, block, filters, activation, flow)
    return flow, filters


def residual_block(graph: Graph, block: Part, filters: int, activation: str, flow: str) -> str:
    """Two convolutions, squeeze and excitation if the block has it, and what came in added."""
    convolutions = [same_width(block, name, filters) for name in ("conv1", "conv2")]
    out = graph.activation(convolve(graph, flow, convolutions[0]), activation)
    out = convolve(graph, out, convolutions[1])
    if block.has("se"):
        out = squeeze_and_excite(graph, block.part("se"), filters, activation, out)
    return graph.activation(graph.apply("Add", out, flow), activation)


def squeeze_and_excite(graph: Graph, unit: Part, filters: int, activation: str, flow: str) -> str:
    """Means of planes through two dense layers: a factor in 0 … 1 and a summand for each plane."""
    bias = unit.vector("b1")
    hidden = bias.size
    mean = graph.apply("GlobalAveragePool", flow)
    out = graph.reshape(mean, -1, filters)
    out = graph.activation(graph.dense(out, unit.matrix("w1", filters, hidden), bias), activation)
    out = graph.dense(out, unit.matrix("w2", hidden, 2 * filters), unit.vector("b2", 2 * filters))
    out = graph.reshape(out, -1, 2 * filters, 1, 1)
    factor, summand = graph.several("Split", [out], 2, axis=1)
    return graph.apply("Add", graph.apply("Mul", flow, graph.apply("Sigmoid", factor)), summand)


def same_width(part: Part, name: str, filters: int) -> Convolution:
    """A 3 × 3 convolution with as many outputs as inputs."""
    convolution = part.convolution(name, filters, 3)
    if len(convolution.bias) != filters:
        raise ValueError(f"{part.name}{name} has {len(convolution.bias)} outputs instead of {filters}")
    return convolution


def convolve(graph: Graph, flow: str, convolution: Convolution) -> str:
    """A convolution over the board, with zeros around it."""
    size = convolution.kernel.shape[-1]
    inputs = flow, graph.constant(convolution.kernel), graph.constant(convolution.bias)
    return graph.apply("Conv", *inputs, kernel_shape=[size, size], pads=[size // 2] * 4)


def by_square(graph: Graph, flow: str, width: int) -> str:
    """Planes [batch, width, 8, 8] as rows of squares [batch × 64, width]."""
    return graph.reshape(graph.transpose(flow, 0, 2, 3, 1), -1, width)
