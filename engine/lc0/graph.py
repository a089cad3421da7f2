"""An ONNX graph, built one operator at a time. Each function returns the name of what it adds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

OPSET = 17  # the first with LayerNormalization
IR_VERSION = 8  # what onnxruntime of that time reads
MISH_IS_LINEAR = 20.0  # above, in 32-bit floats
MOST_BYTES = 2_000_000_000  # of constants; a model may have 2 GiB


class Graph:
    """The operators and constants so far."""

    def __init__(self) -> None:
        self._model = helper.make_model(
            onnx.GraphProto(name="net"), ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)]
        )
        self._names: dict[bytes, str] = {}
        self._count = 0
        self._bytes = 0

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def constant(self, array: np.ndarray) -> str:
        """A constant. Small ones are shared; large ones are written where they stay, since there may be a gigabyte."""
        key = array.tobytes() + repr((array.shape, array.dtype)).encode() if array.size < 64 else b""
        if key and key in self._names:
            return self._names[key]
        name = self._name("constant")
        self._bytes += array.nbytes
        if self._bytes > MOST_BYTES:
            raise ValueError("too large for an ONNX model (2 GB)")
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self._model.graph.initializer.add(name=name, dims=array.shape, data_type=kind, raw_data=little_endian(array))
        if key:
            self._names[key] = name
        return name

    def numbers(self, values: Sequence[int]) -> str:
        """Integers: a shape, axes, sizes."""
        return self.constant(np.array(values, np.int64))

    def scalar(self, value: float) -> str:
        """One float."""
        return self.constant(np.array(value, np.float32))

    def several(self, operator: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """An operator with several results."""
        names = [self._name(operator.lower()) for _ in range(outputs)]
        self._model.graph.node.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """An operator with one result."""
        return self.several(operator, inputs, 1, **attributes)[0]

    def rename(self, name: str, output: str) -> None:
        """Give an output of the graph its name."""
        self._model.graph.node.append(helper.make_node("Identity", [name], [output]))

    # What layers are made of

    def reshape(self, flow: str, *shape: int) -> str:
        """The same numbers in another shape; -1 is what remains."""
        return self.apply("Reshape", flow, self.numbers(shape))

    def transpose(self, flow: str, *order: int) -> str:
        """Axes in another order."""
        return self.apply("Transpose", flow, perm=list(order))

    def slice(self, flow: str, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> str:
        """A part of it."""
        return self.apply("Slice", flow, self.numbers(starts), self.numbers(ends), self.numbers(axes))

    def dense(self, flow: str, weights: np.ndarray, bias: np.ndarray | None = None) -> str:
        """Rows times a matrix [inputs, outputs], plus a row."""
        inputs = [flow, self.constant(weights)]
        return self.apply("Gemm", *inputs, *([] if bias is None else [self.constant(bias)]))

    def layer_norm(self, flow: str, gammas: np.ndarray, betas: np.ndarray, epsilon: float) -> str:
        """Each row with mean 0 and variance 1, scaled and shifted."""
        inputs = [flow, self.constant(gammas), self.constant(betas)]
        return self.apply("LayerNormalization", *inputs, axis=-1, epsilon=epsilon)

    def activation(self, flow: str, name: str) -> str:
        """One of lc0's activations."""
        match name:
            case "none":
                return flow
            case "relu" | "selu" | "tanh" | "sigmoid":
                return self.apply(name.capitalize(), flow)
            case "relu_2":
                flow = self.apply("Relu", flow)
                return self.apply("Mul", flow, flow)
            case "swish":
                return self.apply("Mul", flow, self.apply("Sigmoid", flow))
            case "mish":
                return self._mish(flow)
        raise ValueError(f"activation {name} is not possible here")

    def _mish(self, flow: str) -> str:
        """With e = exp(x), n = e (e + 2), x tanh(ln(1 + e)) is x n / (n + 2), which takes a twelfth of the time."""
        power = self.apply("Exp", self.apply("Clip", flow, "", self.scalar(MISH_IS_LINEAR)))
        n = self.apply("Mul", power, self.apply("Add", power, self.scalar(2)))
        return self.apply("Mul", flow, self.apply("Div", n, self.apply("Add", n, self.scalar(2))))

    def model(self, planes: str, outputs: dict[str, int]) -> bytes:
        """The model: from planes [batch, 112, 8, 8] to outputs [batch, width]."""
        graph = self._model.graph
        graph.input.append(helper.make_tensor_value_info(planes, TensorProto.FLOAT, ["batch", 112, 8, 8]))
        for name, width in outputs.items():
            graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width]))
        return bytes(self._model.SerializeToString())


def little_endian(array: np.ndarray) -> bytes:
    """The numbers of an array row by row, as ONNX wants them."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
