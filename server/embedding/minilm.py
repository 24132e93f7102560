"""The weights of MiniLM-L6 (a BERT encoder of 6 layers) as an ONNX graph, built without a training framework.

Source: the model's own `config.json`: hidden size 384, 12 heads, intermediate size 1536, gelu by erf, layer
normalisation with epsilon 1e-12, absolute positions, at most 512 of them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

LAYERS = 6
HIDDEN = 384
HEADS = 12
EPSILON = 1e-12
_OPSET = 20  # the first with Gelu
_IR_VERSION = 9
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUT = "last_hidden_state"
_HIDDEN_BY_MASK = -10_000.0  # added to the scores of padding, which are then zero after softmax

Weights = Mapping[str, NDArray[Any]]


def to_onnx(weights: Weights) -> onnx.ModelProto:
    """Return the encoder as a float32 graph.

    `weights` are named as in the model's `model.safetensors`; a missing one is a KeyError. The inputs are int64
    of shape (batch, sequence), the output float32 of shape (batch, sequence, 384).
    """
    graph = _Graph(weights)
    state = graph.embed()
    mask = graph.additive_mask()
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        attended = graph.linear(
            graph.attention(state, mask, f"{layer}.attention.self"), f"{layer}.attention.output.dense"
        )
        state = graph.normalise(graph.op("Add", attended, state), f"{layer}.attention.output.LayerNorm")
        inner = graph.op("Gelu", graph.linear(state, f"{layer}.intermediate.dense"), approximate="none")
        outer = graph.linear(inner, f"{layer}.output.dense")
        state = graph.normalise(graph.op("Add", outer, state), f"{layer}.output.LayerNorm")
    return graph.model(state)


class _Graph:
    """Collects nodes and constants; each method adds nodes and returns the name of its result."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def embed(self) -> str:
        """Word, type and position embeddings, added and normalised."""
        length = self.op("Gather", self.op("Shape", "input_ids"), self._ints("second", 1), axis=0)
        positions = self.op(
            "Slice", self._weight("embeddings.position_embeddings.weight"), self._ints("first", 0), length
        )
        words = self.op("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        types = self.op("Gather", self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        return self.normalise(self.op("Add", self.op("Add", words, types), positions), "embeddings.LayerNorm")

    def additive_mask(self) -> str:
        """0 where there is a token, a large negative number where there is padding: (batch, 1, 1, sequence)."""
        mask = self.op("Unsqueeze", "attention_mask", self._ints("middle", 1, 2))
        padding = self.op("Sub", self._float("one", 1.0), self.op("Cast", mask, to=TensorProto.FLOAT))
        return self.op("Mul", padding, self._float("hidden_by_mask", _HIDDEN_BY_MASK))

    def attention(self, state: str, mask: str, name: str) -> str:
        """Every token looks at every token, in each head."""
        query, key, value = (
            self.op(
                "Reshape", self.linear(state, f"{name}.{part}"), self._ints("in_heads", 0, 0, HEADS, HIDDEN // HEADS)
            )
            for part in ("query", "key", "value")
        )
        query = self.op("Transpose", query, perm=[0, 2, 1, 3])
        key = self.op("Transpose", key, perm=[0, 2, 3, 1])
        value = self.op("Transpose", value, perm=[0, 2, 1, 3])
        scores = self.op("Div", self.op("MatMul", query, key), self._float("scale", float(np.sqrt(HIDDEN // HEADS))))
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        context = self.op("Transpose", self.op("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self.op("Reshape", context, self._ints("out_of_heads", 0, 0, HIDDEN))

    def linear(self, state: str, name: str) -> str:
        weight = self.constant(f"{name}.weight", self._weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", state, weight), self._weight(f"{name}.bias"))

    def normalise(self, state: str, name: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self.op("LayerNormalization", state, scale, shift, axis=-1, epsilon=EPSILON)

    def model(self, state: str) -> onnx.ModelProto:
        self._nodes.append(helper.make_node("Identity", [state], [_OUTPUT], name=_OUTPUT))
        shape = ["batch", "sequence"]
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in _INPUTS],
            [helper.make_tensor_value_info(_OUTPUT, TensorProto.FLOAT, [*shape, HIDDEN])],
            list(self._constants.values()),
        )
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="precedent")

    def _weight(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def _ints(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, np.int64))

    def _float(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, np.float32))
