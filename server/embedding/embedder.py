"""Text to vectors: the seam, and fastembed behind it."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread
from fastembed import TextEmbedding

from server.errors import EmbeddingUnavailable

T = TypeVar("T")
_BATCH = 8
"""Texts of one run: larger runs cost more per text, for padding and memory (700 MB at 32, 360 MB at 8)."""
_LONGEST = 20_000
"""Characters that are read of a text: many times what the model takes, so that a book costs no minute to cut up."""


class Embedder(Protocol):
    """One embedding model. Both methods raise `EmbeddingUnavailable`.

    `fingerprint` is the same exactly where the vectors are: it stands for weights, tokenizer, pooling and length.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    async def embed_query(self, text: str) -> list[float]:
        """The vector of what somebody asks; of length 1."""

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        """The vectors of what is stored, in the order of the texts; of length 1.

        `urgent`: somebody waits for the answer, so it must not stand behind what is embedded in bulk.
        """


class FastEmbedder:
    """An `Embedder` on this machine's processors, from a provisioned model folder (`server/embedding/provision.py`).

    A run takes one thread (several threads for one run cost more than twice the time of the processor), so there are
    several runs at once. What somebody waits for and what is bulk go through doors of their own: no query stands behind
    a bulk.
    """

    def __init__(self, model: TextEmbedding, *, name: str, dimension: int, fingerprint: str) -> None:
        self.name = name
        self.dimension = dimension
        self.fingerprint = fingerprint
        self._model = model
        processors = os.cpu_count() or 1
        self._urgent_door = CapacityLimiter(processors)
        self._bulk_door = CapacityLimiter(max(1, processors - 1))

    @classmethod
    async def load(cls, folder: Path) -> "FastEmbedder":
        """Reads the model of a provisioned folder into memory; raises `EmbeddingUnavailable` where there is none."""
        return await to_thread.run_sync(_translated, lambda: cls._load(folder))

    @classmethod
    def _load(cls, folder: Path) -> "FastEmbedder":
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        # An explicit path: fastembed then looks nowhere else, and needs no network.
        model = TextEmbedding(manifest["name"], specific_model_path=str(folder), threads=1)
        return cls(model, name=manifest["name"], dimension=manifest["dimension"], fingerprint=manifest["fingerprint"])

    async def embed_query(self, text: str) -> list[float]:
        [vector] = await to_thread.run_sync(self._embed, [text], limiter=self._urgent_door)
        return vector

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        door = self._urgent_door if urgent else self._bulk_door
        # Texts of one length share a run, so that little is padded.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        batches = iter([order[start : start + _BATCH] for start in range(0, len(order), _BATCH)])
        vectors: dict[int, list[float]] = {}

        async def work() -> None:
            # One run at a time from each caller's worker: in between, others have their turn at the door.
            for batch in batches:
                run = [texts[index] for index in batch]
                done = await to_thread.run_sync(self._embed, run, limiter=door)
                vectors.update(zip(batch, done, strict=True))

        await asyncio.gather(*(work() for _ in range(int(door.total_tokens))))
        return [vectors[index] for index in range(len(texts))]

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        # What JSON calls a string may hold half a character, which no tokenizer takes.
        whole = [text[:_LONGEST].encode("utf-8", "replace").decode("utf-8") for text in texts]
        return _translated(lambda: [vector.tolist() for vector in self._model.embed(whole, batch_size=len(whole))])


def _translated(work: Callable[[], T]) -> T:
    """The one place where fastembed's errors become ours: they are of any class."""
    try:
        return work()
    except Exception as error:
        raise EmbeddingUnavailable(
            "The embedding model cannot be used; `precedent setup` checks its files and fetches what is missing."
        ) from error
