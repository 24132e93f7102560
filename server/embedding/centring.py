"""Centring: the mean of sample texts is subtracted from each vector, so that unrelated texts have a cosine near 0.

The vectors of many models have a large component in common: unrelated short texts have a cosine of 0.4 or 0.7. The
default model has none to speak of, and the thresholds of search were chosen with it. Passages and questions have a mean
each, because their prefixes differ. What was measured: docs/decisions/0034. Source: SVC-103.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[Any]
_FILE = "centres.npy"
_LEAST_REST = 1e-4
"""The least length of what centring leaves of a vector of length 1."""


class Centres(NamedTuple):
    """The mean vectors of the sample texts, as passages and as questions."""

    passages: Vector
    queries: Vector

    @classmethod
    def read(cls, folder: Path) -> "Centres":
        """Read the centres of a model's folder. Raises `OSError`, `ValueError`."""
        passages, queries = np.load(folder / _FILE, allow_pickle=False)
        return cls(passages, queries)

    def write(self, folder: Path) -> None:
        np.save(folder / _FILE, np.stack(self).astype(np.float32))


@lru_cache(1)
def list_samples() -> Sequence[str]:
    """Return the sample texts: sentences and questions about many subjects, with little in common but the language."""
    return resources.files("server.embedding").joinpath("samples.txt").read_text("utf-8").splitlines()


@lru_cache(1)
def identify_samples() -> str:
    """Return what identifies the sample texts: other ones have another mean."""
    return hashlib.sha256("\n".join(list_samples()).encode()).hexdigest()[:32]


def subtract(vector: Vector, centre: Vector) -> Vector:
    """Return a vector of length 1 without the centre, again of length 1; the centre itself has no direction left."""
    rest = vector - centre
    length = float(np.linalg.norm(rest))
    return rest / length if length > _LEAST_REST else vector
