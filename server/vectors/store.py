"""The seam to Qdrant: what a vector store is asked for, and nothing more.

Neo4j is the authority; a store holds one point for each projected revision of a record and only proposes candidates
(design.md sections 1 and 4). `server/vectors/edge.py` and `server/vectors/remote.py` pass one contract test suite.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID, uuid5

import numpy as np

from server.errors import ModelMismatch

Vector = Sequence[float]
_POINTS = UUID("5b5f3a52-0a3c-5c0e-9d5e-0d6a4f1c7e11")
PAGE = 1_000
"""Points that one page of `scan` holds at most."""
TOLD = ("namespace", "kind", "key", "revision", "scope", "at")
"""What of a point's payload a hit tells."""


def point_id(namespace: str, kind: str, key: str) -> str:
    """The id of a record's point: the same everywhere and always."""
    return str(uuid5(_POINTS, json.dumps([namespace, kind, key], ensure_ascii=False)))


def packed(vector: Vector) -> bytes:
    """A vector as a record may bring it along to its projection: numbers of 32 bits, little end first."""
    return np.asarray(vector, dtype="<f4").tobytes()


def unpacked(stored: bytes) -> list[float]:
    """The vector that `packed` was given, in its precision."""
    numbers: list[float] = np.frombuffer(stored, dtype="<f4").tolist()
    return numbers


@dataclass(frozen=True, slots=True)
class Point:
    """A record as the store holds it: whose it is, what it is, and the revision that was embedded.

    `scope` are the words of the record's property `scope`, `at` is when it is from, in epoch milliseconds: what a
    search may be narrowed to.
    """

    id: str
    vector: Vector
    namespace: str
    kind: str
    key: str
    revision: int
    scope: Sequence[str] = ()
    at: int | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """What is stored beside the vector: names, the revision and what narrows a search, never a body."""
        named = {"namespace": self.namespace, "kind": self.kind, "key": self.key, "revision": self.revision}
        narrowing = {"scope": list(self.scope), "at": self.at}
        return named | {name: value for name, value in narrowing.items() if value not in (None, [])}


@dataclass(frozen=True, slots=True)
class Held:
    """A point without its vector, as `scan` finds it."""

    id: str
    namespace: str
    kind: str
    key: str
    revision: int

    @classmethod
    def of(cls, id: object, payload: Mapping[str, Any] | None) -> "Held":  # noqa: A002 - the store's word
        """Reads a stored payload; what somebody else put into the store reads as a record that the graph lacks."""
        found = payload or {}
        return cls(
            str(id),
            str(found.get("namespace", "")),
            str(found.get("kind", "")),
            str(found.get("key", "")),
            int(found.get("revision", -1)),
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate: a point and its cosine similarity, -1..1."""

    id: str
    score: float
    namespace: str
    kind: str
    key: str
    revision: int
    scope: tuple[str, ...] = ()
    at: int | None = None

    @classmethod
    def of(cls, id: object, score: float, payload: Mapping[str, Any] | None) -> "Hit":  # noqa: A002 - the store's word
        """Reads a stored point and its score."""
        held, found = Held.of(id, payload), payload or {}
        scope, at = tuple(found.get("scope", ())), found.get("at")
        return cls(held.id, score, held.namespace, held.kind, held.key, held.revision, scope, at)


class VectorStore(Protocol):
    """Points of one embedding model. Every method raises `VectorsUnavailable` while the store cannot answer.

    A folder raises `DiskFull` as well, a server `SetupError` (it refuses the key) or `InternalError` (the request).
    """

    async def open(self, dimension: int, fingerprint: str) -> None:
        """Makes the store ready, creating it where there is none; a second call does nothing more.

        Raises `ModelMismatch`, having changed nothing, where it holds another model's vectors, and `HomeInUse`
        where another process owns it.
        """

    async def upsert(self, points: Sequence[Point]) -> None:
        """Stores the points, replacing those of the same ids; durable when it returns."""

    async def delete(self, ids: Sequence[str]) -> None:
        """Removes the points of these ids; those that are not there are no error. Durable when it returns."""

    async def search(
        self,
        vector: Vector,
        limit: int,
        *,
        namespace: str,
        kinds: Sequence[str],
        ids: Sequence[str] | None = None,
        scope: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> list[Hit]:
        """The points of this namespace and these kinds nearest to the vector, best first.

        With `ids`, the exact similarity of just those of these points that are there. `scope` keeps to points with
        that word, `since` and `until` to those from between, both included, in epoch milliseconds.
        """

    async def revisions(self, ids: Sequence[str]) -> dict[str, int]:
        """The revision that the store holds, for those of these ids that are there."""

    async def vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        """The vectors, of length 1, of those of these ids that are there."""

    def scan(self) -> AsyncIterator[list[Held]]:
        """Every point, in pages; what is stored or removed meanwhile may or may not be seen."""

    async def count(self) -> int:
        """How many points there are."""

    async def clear(self, dimension: int, fingerprint: str) -> None:
        """Drops everything, whatever model it was of, and leaves an open, empty store of this model."""

    async def close(self) -> None:
        """Lets go of the store; `open` makes it ready again."""


def refuse_other_model(
    *, stored_dimension: int, stored_fingerprint: str, dimension: int, fingerprint: str, where: str
) -> None:
    """Raises `ModelMismatch` unless the stored model is the one in use; `where` says what holds the stored one."""
    if (stored_dimension, stored_fingerprint) != (dimension, fingerprint):
        raise ModelMismatch(
            f"{where} was made with another embedding model. `precedent rebuild` embeds everything anew with the "
            "model in use; to keep what is there, go back to the model that made it.",
            {
                "stored": {"dimension": stored_dimension, "fingerprint": stored_fingerprint},
                "in_use": {"dimension": dimension, "fingerprint": fingerprint},
            },
        )
