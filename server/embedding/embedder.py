"""The seam to embedding models: texts to vectors, with fastembed."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread

from server.core.errors import EmbeddingUnavailable
from server.embedding.loaded_model import LoadedModel

T = TypeVar("T")
_MOST_TEXTS, _RUN_LENGTH = 8, 400
"""The texts of one run, and their characters with padding: larger runs need more time per text, and more memory.

Eight texts of 120 words took a third more processor time in one run than one by one, and eight of 8 words a third less.
"""
_KEPT, _LONGEST_KEPT = 1_000, 1_000
"""How many queries' vectors are kept, and the characters of the longest of them: agents ask the same again."""


class Embedder(Protocol):
    """One embedding model. Both methods raise `EmbeddingUnavailable`.

    Two models with the same `fingerprint` give the same vectors: it stands for weights, tokenizer, pooling, length and
    centring.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    async def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query, of length 1."""

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        """Return the vectors of stored texts, of length 1, in the order of the texts.

        `urgent` texts, for which a caller waits, do not queue behind bulk embedding.
        """


class FastEmbedder:
    """An `Embedder` on this machine's processors, with a model folder of `server/embedding/provision.py`.

    Each run uses one thread, which is more efficient than several, and several runs happen at once. Urgent and bulk
    texts have limits of their own, so that no query waits for bulk embedding.
    """

    def __init__(self, model: LoadedModel, folder: Path) -> None:
        self.name = model.manifest.name
        self.dimension = model.manifest.dimension
        self.fingerprint = model.manifest.vector_fingerprint
        self.folder = folder
        self._model = model
        processors = os.cpu_count() or 1
        self._urgent_limit = CapacityLimiter(processors)
        self._bulk_limit = CapacityLimiter(max(1, processors - 1))
        self._kept_vector = lru_cache(_KEPT)(lambda text: tuple(self._embed_query(text)))

    @classmethod
    async def load(cls, folder: Path) -> "FastEmbedder":
        """Load the model of a folder; raise `EmbeddingUnavailable` where there is none."""
        return await to_thread.run_sync(_translate_errors, lambda: cls(LoadedModel.load(folder), folder))

    async def embed_query(self, text: str) -> list[float]:
        if len(text) <= _LONGEST_KEPT:
            return list(await to_thread.run_sync(self._kept_vector, text, limiter=self._urgent_limit))
        return await to_thread.run_sync(self._embed_query, text, limiter=self._urgent_limit)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        limiter = self._urgent_limit if urgent else self._bulk_limit
        runs = iter(plan_runs([len(text) for text in texts]))
        vectors: dict[int, list[float]] = {}

        async def work() -> None:
            # Each worker does one run at a time, so that other callers get their turn in between.
            for run in runs:
                done = await to_thread.run_sync(self._embed, [texts[index] for index in run], limiter=limiter)
                vectors.update(zip(run, done, strict=True))

        await asyncio.gather(*(work() for _ in range(int(limiter.total_tokens))))
        return [vectors[index] for index in range(len(texts))]

    def _embed_query(self, text: str) -> list[float]:
        return _translate_errors(lambda: self._model.embed_query(text))

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return _translate_errors(lambda: self._model.embed_passages(texts))


class CurrentEmbedder:
    """The `Embedder` of a running service, in whose place another model may come. Source: SVC-98."""

    def __init__(self, first: Embedder, load: Callable[[str], Awaitable[Embedder]]) -> None:
        """`load` returns the model with a fingerprint, or raises `EmbeddingUnavailable`."""
        self._current = first
        self.load = load

    @property
    def name(self) -> str:
        return self._current.name

    @property
    def dimension(self) -> int:
        return self._current.dimension

    @property
    def fingerprint(self) -> str:
        return self._current.fingerprint

    def use(self, model: Embedder) -> None:
        """Use this model from now on."""
        self._current = model

    async def embed_query(self, text: str) -> list[float]:
        return await self._current.embed_query(text)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        return await self._current.embed_passages(texts, urgent=urgent)


def plan_runs(lengths: Sequence[int]) -> list[list[int]]:
    """Return the indexes of the texts of each run, short texts first; `lengths` are those of the texts in characters.

    Texts of similar length share a run, so that little is padded.
    """
    runs: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if runs and len(runs[-1]) < _MOST_TEXTS and lengths[index] * (len(runs[-1]) + 1) <= _RUN_LENGTH:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _translate_errors(work: Callable[[], T]) -> T:
    """Translate fastembed's errors, which may be of any class."""
    try:
        return work()
    except Exception as error:
        raise EmbeddingUnavailable(
            "The embedding model cannot be used; `precedent setup` checks its files and downloads missing ones."
        ) from error
