"""An ONNX model in onnxruntime: which of its inputs and outputs are which, where and how fast it runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnxruntime

from engine.lc0.moves import MOVES
from engine.lc0.planes import PLANES
from engine.network.leaves import Halt, InterruptedEvaluationError
from perft.processors import processors

CPU = "CPUExecutionProvider"
# Where a net runs, the best first. Providers that take minutes to start, or compute with few bits, are left out.
PROVIDERS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider", CPU)
TYPES: dict[str, np.dtype[Any]] = {"tensor(float)": np.dtype(np.float32), "tensor(float16)": np.dtype(np.float16)}
ERRORS_ONLY = 3

MEASURED_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LONGEST_BATCH = 0.05  # seconds: `stop` may have to wait for one
LONGEST_MEASUREMENT = 0.5  # seconds
SHORTEST_TIME = 1e-6  # seconds
GOOD_ENOUGH = 0.9  # of the largest number of evaluations per second: small batches search better


@dataclass(frozen=True)
class Ports:
    """The names of a model's input and outputs, where they are known; of value and wdl one is there."""

    planes: str = "/input/planes"  # these are the names that lc0 gives them
    policy: str = "/output/policy"
    wdl: str = "/output/wdl"
    value: str = "/output/value"
    policy_width: int = MOVES


@dataclass(frozen=True)
class Outputs:
    """What a net says of a batch."""

    policy: np.ndarray  # float32 [batch, width], logits
    wdl: np.ndarray | None  # float32 [batch, 3], probabilities
    value: np.ndarray | None  # float32 [batch, 1], −1 … 1


class Session:
    """A model that runs."""

    def __init__(self, model: bytes, ports: Ports, threads: int | None) -> None:
        threads = threads or processors()
        self._session = started(model, threads)
        self.ports = ports
        shape, self._dtype = checked_input(self._session, ports)
        self._fixed_batch = shape if isinstance(shape, int) else None
        self._outputs = checked_outputs(self._session, ports)
        self.provider: str = self._session.get_providers()[0]
        self._clock = clock_of(threads == 1 and self.provider == CPU)

    def run(self, planes: np.ndarray, halt: Halt | None = None) -> Outputs:
        """Evaluate planes, float32 [batch, 112, 64]. A halt ends it at the next operator."""
        size, options = self._fixed_batch or len(planes), onnxruntime.RunOptions()
        if halt is not None:
            halt.begin(partial(setattr, options, "terminate", True))
        runs = [self._run(planes[start : start + size], size, options) for start in range(0, len(planes), size)]
        joined = [np.concatenate(parts) if len(runs) > 1 else parts[0] for parts in zip(*runs, strict=True)]
        found = dict(zip(self._outputs, joined, strict=True))
        return Outputs(found[self.ports.policy], found.get(self.ports.wdl), found.get(self.ports.value))

    def _run(self, planes: np.ndarray, size: int, options: onnxruntime.RunOptions) -> list[np.ndarray]:
        count = len(planes)
        if count < size:  # of a model for one batch size only
            planes = np.concatenate([planes, np.zeros((size - count, *planes.shape[1:]), np.float32)])
        inputs = {self.ports.planes: planes.reshape(-1, PLANES, 8, 8).astype(self._dtype, copy=False)}
        try:
            results = self._session.run(list(self._outputs), inputs, options)
        except Exception as error:  # onnxruntime's own errors have no common class
            if options.terminate:
                raise InterruptedEvaluationError from error
            raise ValueError(f"onnxruntime cannot evaluate this net: {first_line(error)}") from error
        return [np.asarray(result, np.float32)[:count] for result in results]

    def best_batch(self) -> int:
        """The smallest batch size that is nearly as fast as the fastest one; measured within half a second."""
        if self._fixed_batch:
            return self._fixed_batch
        speeds: dict[int, float] = {}
        end = time.perf_counter() + LONGEST_MEASUREMENT
        for size in MEASURED_SIZES:
            planes = np.zeros((size, PLANES, 64), np.float32)
            self.run(planes)  # the first run of a size prepares it
            seconds = min(self._seconds(planes) for _ in range(2))
            if speeds and seconds > LONGEST_BATCH:
                break
            speeds[size] = size / seconds
            if time.perf_counter() + 6 * seconds > end:  # three runs of twice the size
                break
        return min(size for size, speed in speeds.items() if speed >= GOOD_ENOUGH * max(speeds.values()))

    def _seconds(self, planes: np.ndarray) -> float:
        start = self._clock()
        self.run(planes)
        return max(self._clock() - start, SHORTEST_TIME)


def clock_of(in_this_thread: bool) -> Callable[[], float]:
    """The time of what runs in this thread only, where the system has it exactly: other programs do not disturb it."""
    if in_this_thread and time.get_clock_info("thread_time").resolution < SHORTEST_TIME:
        return time.thread_time
    return time.perf_counter


def started(model: bytes, threads: int) -> onnxruntime.InferenceSession:
    """The session; a `ValueError` if the model is damaged, or has operators that onnxruntime does not know."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = ERRORS_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # no busy waiting between batches
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    available = onnxruntime.get_available_providers()
    providers = [name for name in PROVIDERS if name in available]
    try:
        return onnxruntime.InferenceSession(model, options, providers=providers)
    except Exception as error:  # onnxruntime's own errors have no common class
        raise ValueError(f"onnxruntime cannot use this model: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """The first line of a message."""
    return str(error).strip().partition("\n")[0]


def checked_input(session: onnxruntime.InferenceSession, ports: Ports) -> tuple[object, "np.dtype[Any]"]:
    """Batch size (a number if it is fixed) and type of the planes."""
    inputs = {node.name: node for node in session.get_inputs()}
    if list(inputs) != [ports.planes]:
        raise ValueError(f"its inputs are {', '.join(inputs)}; a model made by `lc0 leela2onnx` has {ports.planes}")
    node = inputs[ports.planes]
    if node.type not in TYPES:
        raise ValueError(f"its planes are of type {node.type}; 32-bit or 16-bit floats are needed")
    if list(node.shape[1:]) != [PLANES, 8, 8]:
        raise ValueError(f"its planes have the shape {node.shape} instead of [batch, {PLANES}, 8, 8]")
    return node.shape[0], TYPES[node.type]


def checked_outputs(session: onnxruntime.InferenceSession, ports: Ports) -> tuple[str, ...]:
    """The names of the outputs that are used: policy first."""
    shapes = {node.name: node.shape for node in session.get_outputs()}
    values = [name for name in (ports.wdl, ports.value) if name in shapes]
    if ports.policy not in shapes or not values:
        raise ValueError(
            f"its outputs are {', '.join(shapes)}; {ports.policy} and {ports.wdl} or {ports.value} are needed"
        )
    widths = {ports.policy: ports.policy_width, ports.wdl: 3, ports.value: 1}
    for name in (ports.policy, values[0]):
        if shapes[name][1:] != [widths[name]]:
            raise ValueError(f"output {name} has the shape {shapes[name]} instead of [batch, {widths[name]}]")
    return ports.policy, values[0]
