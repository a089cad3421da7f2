"""The numbers of layers: decoded, batch normalisation folded in, and of the size that the net needs."""

from typing import NamedTuple

import numpy as np

from engine.lc0.net_format import BFLOAT16, FLOAT16, FLOAT32, LINEAR16
from engine.lc0.wire import Fields

EPSILON = np.float32(1e-5)  # of batch normalisation


class Convolution(NamedTuple):
    """A convolution."""

    kernel: np.ndarray  # float32 [outputs, inputs, size, size]
    bias: np.ndarray  # float32 [outputs]


class Part:
    """A message of weights, whose layers are looked up by name; errors name the layer."""

    def __init__(self, fields: Fields, name: str = "") -> None:
        self.fields = fields
        self.name = name

    def has(self, name: str) -> bool:
        """Is this layer or part there, and not empty?"""
        return bool(self.fields.get(name))

    def part(self, name: str) -> "Part":
        """A message within."""
        return Part(self.fields.get(name, {}), f"{self.name}{name}.")

    def parts(self, name: str) -> list["Part"]:
        """The messages of a repeated field."""
        return [Part(fields, f"{self.name}{name}[{index}].") for index, fields in enumerate(self.fields[name])]

    def count(self, name: str) -> int:
        """A positive number."""
        number = self.fields.get(name, 0)
        if number < 1:
            raise ValueError(f"{self.name}{name} is missing")
        return int(number)

    def vector(self, name: str, size: int | None = None) -> np.ndarray:
        """All numbers of a layer, float32."""
        layer = self.fields.get(name)
        if not layer:
            raise ValueError(f"layer {self.name}{name} is missing")
        try:
            numbers = decoded(layer)
        except ValueError as error:
            raise ValueError(f"layer {self.name}{name}: {error}") from None
        if size is not None and numbers.size != size:
            raise ValueError(f"layer {self.name}{name} has {numbers.size} numbers instead of {size}")
        return numbers

    def matrix(self, name: str, inputs: int, outputs: int) -> np.ndarray:
        """A matrix [inputs, outputs]; it is stored with a row for each output."""
        return self.vector(name, inputs * outputs).reshape(outputs, inputs).T.copy()

    def convolution(self, name: str, inputs: int, size: int) -> Convolution:
        """A convolution with its batch normalisation folded in."""
        part = self.part(name)
        weights = part.vector("weights")
        outputs, rest = divmod(weights.size, inputs * size * size)
        if rest or not outputs:
            raise ValueError(
                f"layer {part.name}weights has {weights.size} numbers, which {inputs} inputs do not divide"
            )
        bias = part.vector("biases", outputs) if part.has("biases") else np.zeros(outputs, np.float32)
        kernel = weights.reshape(outputs, inputs, size, size)
        if not part.has("bn_means"):
            return Convolution(kernel, bias)
        return part.normalised(Convolution(kernel, bias))

    def normalised(self, convolution: Convolution) -> Convolution:
        """A convolution times and plus what the batch normalisation of this part comes to."""
        outputs = len(convolution.bias)
        variances = self.vector("bn_stddivs", outputs)  # despite the name
        gammas = self.vector("bn_gammas", outputs) if self.has("bn_gammas") else np.float32(1)
        betas = self.vector("bn_betas", outputs) if self.has("bn_betas") else np.float32(0)
        with np.errstate(all="ignore"):
            scale = gammas / np.sqrt(variances + EPSILON)
            kernel = convolution.kernel * scale[:, None, None, None]
            bias = betas - scale * (self.vector("bn_means", outputs) - convolution.bias)
        if not (np.isfinite(kernel).all() and np.isfinite(bias).all()):
            raise ValueError(f"layer {self.name}weights: its batch normalisation is not finite: damaged")
        return Convolution(kernel, bias)


def decoded(layer: Fields) -> np.ndarray:
    """The numbers of a layer, float32."""
    encoding, data = layer.get("encoding", LINEAR16), layer.get("params", b"")
    if encoding not in {LINEAR16, FLOAT16, BFLOAT16, FLOAT32}:
        raise ValueError(f"encoding {encoding} is unknown: made for a newer lc0, or damaged")
    width = 4 if encoding == FLOAT32 else 2
    if not data or len(data) % width:
        raise ValueError(f"{len(data)} bytes are not whole numbers: damaged")
    if encoding == LINEAR16:
        share = np.frombuffer(data, "<u2").astype(np.float32) / np.float32(0xFFFF)
        low, high = (np.float32(layer.get(name, 0)) for name in ("min_val", "max_val"))
        with np.errstate(all="ignore"):
            numbers = low * (1 - share) + high * share
    elif encoding == BFLOAT16:
        numbers = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        numbers = np.frombuffer(data, "<f4" if encoding == FLOAT32 else "<f2").astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("numbers that are not finite: damaged")
    return numbers
