"""A model in memory: texts to vectors of length 1, with fastembed, in the thread of the caller."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastembed import TextEmbedding
from numpy.typing import NDArray

from server.embedding.centring import Centres, subtract
from server.embedding.manifest import ModelManifest

_LONGEST = 20_000
"""Characters of a text that are tokenized: many times the limit of the model, and few enough to be fast."""
_TOLERANCE = 1e-4


class LoadedModel:
    """The model of a folder, with its prefixes and centres. It blocks, and raises errors of any class."""

    def __init__(self, model: TextEmbedding, manifest: ModelManifest, centres: Centres | None) -> None:
        self.manifest = manifest
        self._model = model
        self._centres = centres

    @classmethod
    def load(cls, folder: Path) -> "LoadedModel":
        manifest = ModelManifest.read(folder)
        return cls(manifest.open_model(folder), manifest, Centres.read(folder) if manifest.samples else None)

    def embed_query(self, text: str) -> list[float]:
        # fastembed knows models with a task of their own for queries.
        [vector] = self._model.query_embed(self.manifest.query_prefix + _make_valid(text))
        return _finish(vector, self._centres and self._centres.queries)

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts in one run of the model."""
        prefixed = [self.manifest.passage_prefix + _make_valid(text) for text in texts]
        vectors = self._model.embed(prefixed, batch_size=len(prefixed))
        return [_finish(vector, self._centres and self._centres.passages) for vector in vectors]


def _make_valid(text: str) -> str:
    # A JSON string may contain half a surrogate pair, which tokenizers reject.
    return text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")


def _finish(vector: NDArray[Any], centre: NDArray[Any] | None) -> list[float]:
    """Return a vector of length 1, centred where there is a centre."""
    # Models that fastembed knows need not return vectors of length 1.
    length = float(np.linalg.norm(vector))
    unit = vector / length if abs(length - 1) > _TOLERANCE and length else vector
    finished: list[float] = (unit if centre is None else subtract(unit, centre)).tolist()
    return finished
