"""A small model as a folder: two layers of the real one, with vectors of 96 dimensions."""

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


def make_small_model(folder: Path) -> Path:
    """Write the files of the model into a new folder, as an export of transformers has them."""
    source = model_folder(Cache(Settings().cache), "float32")
    folder.mkdir(parents=True)
    for name in TOKENIZER:
        shutil.copy(source / name, folder / name)
    model = onnx.load(source / WEIGHTS)
    last = [node for node in model.graph.node if node.op_type == "LayerNormalization"][2 * _LAYERS].output[0]
    kept: list[onnx.NodeProto] = []
    needed = {last}
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            kept.insert(0, node)
            needed |= set(node.input)
    bounds = {"start": [0], "end": [DIMENSION], "axis": [2]}
    kept.append(helper.make_node("Slice", [last, *bounds], ["last_hidden_state"]))
    constants = [each for each in model.graph.initializer if each.name in needed]
    constants += [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in bounds.items()]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", DIMENSION])
    graph = helper.make_graph(kept, "small", list(model.graph.input), [output], constants)
    onnx.save(
        helper.make_model(graph, opset_imports=list(model.opset_import), ir_version=model.ir_version), folder / WEIGHTS
    )
    return folder
