"""Models as folders, made of the real one: a small one, and one whose vectors have a large component in common."""

import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from server.core.home import Cache
from server.core.settings import Settings
from server.embedding.provision import model_folder
from server.embedding.sources import TOKENIZER, WEIGHTS

DIMENSION = 96
_LAYERS = 2
_OUTPUT = "last_hidden_state"


def make_small_model(folder: Path) -> Path:
    """Write a model of two layers, with vectors of 96 dimensions, as an export of transformers has its files."""
    model = _copy_default(folder)
    last = [node for node in model.graph.node if node.op_type == "LayerNormalization"][2 * _LAYERS].output[0]
    kept: list[onnx.NodeProto] = []
    needed = {last}
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            kept.insert(0, node)
            needed |= set(node.input)
    bounds = {"start": [0], "end": [DIMENSION], "axis": [2]}
    kept.append(helper.make_node("Slice", [last, *bounds], [_OUTPUT]))
    constants = [each for each in model.graph.initializer if each.name in needed]
    constants += [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in bounds.items()]
    output = helper.make_tensor_value_info(_OUTPUT, TensorProto.FLOAT, ["batch", "sequence", DIMENSION])
    graph = helper.make_graph(kept, "small", list(model.graph.input), [output], constants)
    onnx.save(
        helper.make_model(graph, opset_imports=list(model.opset_import), ir_version=model.ir_version), folder / WEIGHTS
    )
    return folder


def make_shifted_model(folder: Path) -> Path:
    """Write the real model with one vector added to the state of each token, so that all texts look alike to it."""
    model = _copy_default(folder)
    [last] = [node for node in model.graph.node if _OUTPUT in node.output]
    last.output[list(last.output).index(_OUTPUT)] = "unshifted"
    shift = np.random.default_rng(7).normal(0, 0.6, 384).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(shift, "shift"))
    model.graph.node.append(helper.make_node("Add", ["unshifted", "shift"], [_OUTPUT]))
    onnx.save(model, folder / WEIGHTS)
    return folder


def _copy_default(folder: Path) -> onnx.ModelProto:
    """Copy the real model's files into a new folder, without the weights; return these."""
    source = model_folder(Cache(Settings().cache), "float32")
    folder.mkdir(parents=True)
    for name in TOKENIZER:
        shutil.copy(source / name, folder / name)
    return onnx.load(source / WEIGHTS)
