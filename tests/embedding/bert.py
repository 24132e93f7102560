"""A second, independent forward pass of MiniLM, in numpy at double precision: what the ONNX graph is held against."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Array = NDArray[np.float64]
Weights = Mapping[str, NDArray[Any]]

_HEADS = 12
_erf = np.vectorize(math.erf, otypes=[np.float64])


def hidden_states(weights: Weights, ids: list[int]) -> Array:
    """The last hidden state of one sequence without padding: (tokens, 384)."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)] + w["embeddings.token_type_embeddings.weight"][0]
    x = _normalised(w, "embeddings.LayerNorm", x)
    for number in range(6):
        layer = f"encoder.layer.{number}"
        query, key, value = (_linear(w, f"{layer}.attention.self.{part}", x) for part in ("query", "key", "value"))
        heads = []
        for part in np.split(np.arange(x.shape[1]), _HEADS):
            scores = query[:, part] @ key[:, part].T / math.sqrt(len(part))
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(shares / shares.sum(axis=1, keepdims=True) @ value[:, part])
        attended = _linear(w, f"{layer}.attention.output.dense", np.concatenate(heads, axis=1))
        x = _normalised(w, f"{layer}.attention.output.LayerNorm", attended + x)
        inner = _linear(w, f"{layer}.intermediate.dense", x)
        inner = inner * 0.5 * (1.0 + _erf(inner / math.sqrt(2.0)))
        x = _normalised(w, f"{layer}.output.LayerNorm", _linear(w, f"{layer}.output.dense", inner) + x)
    return x


def embedding(weights: Weights, tokenizer: Tokenizer, text: str, max_tokens: int = 256) -> Array:
    """The sentence vector: the mean over all tokens, of length 1."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    mean: Array = hidden_states(weights, tokenizer.encode(text).ids).mean(axis=0)
    return mean / float(np.linalg.norm(mean))


def _linear(w: Mapping[str, Array], name: str, x: Array) -> Array:
    result: Array = x @ w[f"{name}.weight"].T + w[f"{name}.bias"]
    return result


def _normalised(w: Mapping[str, Array], name: str, x: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    result: Array = centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]
    return result
