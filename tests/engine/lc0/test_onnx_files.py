"""ONNX files as `lc0 leela2onnx` writes them, here written by hand; and nets that need what is not there."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra `lc0`")

import onnx
from onnx import TensorProto, helper, numpy_helper

from engine.lc0.net import open_net
from engine.lc0.onnx_model import onnx_model
from engine.lc0.weights_file import parse_weights_file
from engine.system import environment
from tests.engine.lc0.games import batch_of, games
from tests.engine.lc0.tiny_nets import tiny_net, written


def leela_model(net_type=np.float32, batch="batch", policy="/output/policy"):
    """A model like those of lc0: 1858 logits, gathered from those of our own model of the same net."""
    made = onnx_model(parse_weights_file(written(tiny_net("squeezed"))))
    model = onnx.load_model_from_string(made.content)
    graph, name = model.graph, "/output/policy"
    for node in graph.node:
        node.output[:] = ["all" if output == name else output for output in node.output]
    graph.initializer.append(numpy_helper.from_array(np.array(made.places), "places"))
    graph.node.append(helper.make_node("Gather", ["all", "places"], [policy], axis=1))
    graph.output[0].CopyFrom(helper.make_tensor_value_info(policy, TensorProto.FLOAT, [batch, 1858]))
    graph.input[0].type.tensor_type.shape.dim[0].CopyFrom(
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch]).type.tensor_type.shape.dim[0]
    )
    return half(model) if net_type == np.float16 else model


def half(model):
    """The same with planes and outputs of 16 bits."""
    graph = model.graph
    for ports, casts in ((graph.input, TensorProto.FLOAT), (graph.output, TensorProto.FLOAT16)):
        for port in ports:
            port.type.tensor_type.elem_type = TensorProto.FLOAT16
            inside = f"{port.name} inside"
            for node in graph.node:
                names = node.input if casts == TensorProto.FLOAT else node.output
                names[:] = [inside if name == port.name else name for name in names]
            ends = [port.name, inside] if casts == TensorProto.FLOAT else [inside, port.name]
            node = helper.make_node("Cast", ends[:1], ends[1:], to=casts)
            graph.node.insert(0 if casts == TensorProto.FLOAT else len(graph.node), node)
    return model


def opened(tmp_path, content):
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    return open_net(path, threads=1)


@pytest.mark.parametrize(
    ("net_type", "batch", "error"), [(np.float32, "n", 1e-6), (np.float32, 3, 1e-6), (np.float16, "n", 2e-3)]
)
def test_models_of_lc0_say_what_its_weights_say(net_type, batch, error, tmp_path):
    tree = tiny_net("squeezed")
    tree["format"]["network_format"]["input"] = 1  # what is assumed for models
    expected, actual = batch_of(games(7, 1)), batch_of(games(7, 1))
    opened(tmp_path, written(tree)).evaluate(expected)
    net = opened(tmp_path, leela_model(net_type, batch).SerializeToString())
    net.evaluate(actual)
    np.testing.assert_allclose(actual.priors, expected.priors, atol=error)
    np.testing.assert_allclose(actual.values, expected.values, atol=error)
    assert net.batch == 3 if batch == 3 else net.batch >= 1


def test_models_within_files_of_lc0_name_their_outputs(tmp_path):
    model = leela_model(policy="moves").SerializeToString()
    tree = {
        "magic": 0x1C0,
        "format": {"network_format": {"input": 1, "output": 2, "network": 5, "policy": 1, "value": 2}},
        "onnx_model": {"model": model, "data_type": 1, "output_policy": b"moves"},
    }
    expected, actual = batch_of(games(5, 2)), batch_of(games(5, 2))
    opened(tmp_path, leela_model().SerializeToString()).evaluate(expected)
    opened(tmp_path, written(tree)).evaluate(actual)
    assert np.array_equal(actual.priors, expected.priors)


def test_other_models_are_refused(tmp_path):
    renamed = leela_model(policy="moves")
    with pytest.raises(ValueError, match="its outputs are moves, /output/wdl; /output/policy"):
        opened(tmp_path, renamed.SerializeToString())
    narrow = leela_model()
    del narrow.graph.initializer[-1]
    narrow.graph.initializer.append(numpy_helper.from_array(np.arange(9), "places"))
    narrow.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 9
    with pytest.raises(ValueError, match="instead of"):
        opened(tmp_path, narrow.SerializeToString())
    wrong = leela_model()
    next(node for node in wrong.graph.node if node.op_type == "Gather").input[1] = "elsewhere"
    wrong.graph.initializer.append(numpy_helper.from_array(np.full(1858, 10**6), "elsewhere"))
    with pytest.raises(ValueError, match="cannot evaluate this net"):
        opened(tmp_path, wrong.SerializeToString())
    content = leela_model().SerializeToString()
    for damaged in (content[: len(content) // 2], content[:40] + bytes(60) + content[100:]):
        with pytest.raises(ValueError, match="onnxruntime cannot use this model"):
            opened(tmp_path, damaged)


def test_without_onnxruntime_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "is_installed", lambda name: name != "onnxruntime")
    with pytest.raises(ValueError, match=r"onnxruntime is missing: pip install .*\[lc0\]"):
        opened(tmp_path, b"")


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.pb: cannot be read"):
        open_net(tmp_path / "none.pb")
