"""The weights of a model in 8 bits: less processor time, for vectors that are nearly the same.

Each column of weights is cut into blocks with a scale of their own, and so are the values that it is multiplied with.
So the texts beside a text, and a processor without VNNI, change its vector very little. Why so, and what was tried:
docs/decisions/0034.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_BLOCK = 64
_ZERO = 128
"""The stored value of a weight of 0."""
_DOMAIN = "com.microsoft"  # ONNX Runtime's own operators
_PRODUCTS_OF_8_BITS = 4  # `accuracy_level`


def quantise(weights: Path) -> int:
    """Replace the weights of matrix products in an ONNX file with integers; return how many products; blocking."""
    model = onnx.load(weights)
    graph = model.graph
    constants = {each.name: each for each in graph.initializer}
    products = [node for node in graph.node if node.op_type == "MatMul" and _is_matrix(constants.get(node.input[1]))]
    for node in products:
        name = node.input[1]
        matrix = numpy_helper.to_array(constants[name]).astype(np.float32)
        packed, scales = _pack(matrix)
        for ending, value in (("packed", packed), ("scales", scales)):
            if f"{name}.{ending}" not in constants:  # two products may share a matrix
                constants[f"{name}.{ending}"] = numpy_helper.from_array(value, f"{name}.{ending}")
        node.CopyFrom(
            helper.make_node(
                "MatMulNBits",
                [node.input[0], f"{name}.packed", f"{name}.scales"],
                list(node.output),
                name=node.name,
                domain=_DOMAIN,
                K=matrix.shape[0],
                N=matrix.shape[1],
                bits=8,
                block_size=_BLOCK,
                accuracy_level=_PRODUCTS_OF_8_BITS,
            )
        )
    used = {name for node in graph.node for name in node.input} | {each.name for each in graph.output}
    del graph.initializer[:]
    graph.initializer.extend(each for name, each in constants.items() if name in used)
    if all(each.domain != _DOMAIN for each in model.opset_import):
        model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    draft = weights.with_suffix(".int8")
    onnx.save(model, draft)
    for data in weights.parent.glob(f"{weights.name}?*"):  # the weights of a large model, which are now in the file
        data.unlink()
    draft.replace(weights)
    return len(products)


def least_cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the least cosine between the rows of two matrices."""
    products = (one * other).sum(axis=1)
    return float((products / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))).min())


def _is_matrix(constant: onnx.TensorProto | None) -> bool:
    if constant is None or constant.data_type != onnx.TensorProto.FLOAT:
        return False
    return len(constant.dims) == len(("rows", "columns"))


def _pack(matrix: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return the blocks of a matrix of (rows, columns): (columns, blocks, block), and their scales in this order."""
    rows, columns = matrix.shape
    blocks = -(-rows // _BLOCK)
    padded = np.zeros((columns, blocks * _BLOCK), np.float32)
    padded[:, :rows] = matrix.T
    cut = padded.reshape(columns, blocks, _BLOCK)
    scales = np.abs(cut).max(axis=2) / 127
    scales[scales == 0] = 1
    packed = np.rint(cut / scales[:, :, None]) + _ZERO
    return packed.astype(np.uint8), scales.reshape(-1)
