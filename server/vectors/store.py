"""The seam to Qdrant: the protocol of a vector store.

Neo4j is the authority; a store has one point for each projected record and only proposes candidates.
`server/vectors/edge.py` and `server/vectors/remote.py` pass the same contract tests.

Source: SVC-73.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Protocol
from uuid import UUID, uuid5

import numpy as np

from server.core.errors import ModelMismatch

Vector = Sequence[float]
_POINTS = UUID("5b5f3a52-0a3c-5c0e-9d5e-0d6a4f1c7e11")
PAGE = 1_000
"""The greatest number of points in a page of `scan`."""
HIT_FIELDS = (
    "namespace", "kind", "key", "revision", "at", "record", "whole", "parts", "session", "first_place", "last_place",
)  # fmt: skip
"""The fields of a point's payload that a hit has."""


def point_id(namespace: str, kind: str, key: str) -> str:
    """Return the id of a record's point, which never changes."""
    return str(uuid5(_POINTS, json.dumps([namespace, kind, key], ensure_ascii=False)))


def pack_vector(vector: Vector) -> bytes:
    """Return a vector as bytes, as an imported record stores it: 32-bit floats, little-endian."""
    return np.asarray(vector, dtype="<f4").tobytes()


def unpack_vector(stored: bytes) -> list[float]:
    """Return the vector of `pack_vector`, with its precision."""
    numbers: list[float] = np.frombuffer(stored, dtype="<f4").tolist()
    return numbers


@dataclass(frozen=True, slots=True)
class PassageOrigin:
    """The record of a passage by its integer id, and its position in a session, if it has one.

    `whole` marks the passage that stands for the record as a whole; `parts` is the number of passages of the record's
    text. `first_place` and `last_place` are positions in `session`, both included.
    """

    record: int
    whole: bool = False
    parts: int = 1
    session: str | None = None
    first_place: int | None = None
    last_place: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A passage in the store: its key, the embedded revision, and the fields that searches filter by.

    `scope` contains the tags of the passage's property `scope`; `at` is its time in epoch milliseconds.
    """

    id: str
    vector: Vector
    namespace: str
    kind: str
    key: str
    revision: int
    scope: Sequence[str] = ()
    at: int | None = None
    origin: PassageOrigin | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """The data stored with the vector: key, revision and filters, never a text."""
        key = {"namespace": self.namespace, "kind": self.kind, "key": self.key, "revision": self.revision}
        filters: dict[str, Any] = {"scope": list(self.scope), "at": self.at}
        if self.origin:
            # Qdrant Edge filters by numbers and keywords, not by booleans.
            filters |= asdict(self.origin) | {"whole": int(self.origin.whole)}
        return key | {name: value for name, value in filters.items() if value not in (None, [])}


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A point without its vector."""

    id: str
    namespace: str
    kind: str
    key: str
    revision: int

    @classmethod
    def of(cls, id: object, payload: Mapping[str, Any] | None) -> "StoredPoint":  # noqa: A002 - the store's name
        """Read a stored payload; a foreign payload gives the key of a record that does not exist."""
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
    """A candidate: a point and its cosine similarity, -1 to 1."""

    id: str
    score: float
    namespace: str
    kind: str
    key: str
    revision: int
    at: int | None = None
    origin: PassageOrigin | None = None

    @classmethod
    def of(cls, id: object, score: float, payload: Mapping[str, Any] | None) -> "Hit":  # noqa: A002 - the store's name
        """Read a stored point and its score."""
        point, found = StoredPoint.of(id, payload), payload or {}
        origin = None
        if "record" in found:
            values = {field.name: found[field.name] for field in fields(PassageOrigin) if field.name in found}
            origin = PassageOrigin(**{**values, "whole": bool(found.get("whole"))})
        return cls(point.id, score, point.namespace, point.kind, point.key, point.revision, found.get("at"), origin)


class VectorStore(Protocol):
    """The points of one embedding model. Every method raises `VectorsUnavailable` while the store cannot answer.

    A folder also raises `DiskFull`. A server also raises `SetupError` (a wrong key) and `InternalError` (a rejected
    request).
    """

    shared: ClassVar[bool]
    """Whether other processes may use the same points at the same time."""

    async def open(self, dimension: int, fingerprint: str) -> None:
        """Open the store, and create it where there is none; a second call has no effect.

        Raises `ModelMismatch`, without any change, where it has vectors of another model, and `HomeInUse` where another
        process uses it.
        """

    async def upsert(self, points: Sequence[Point]) -> None:
        """Store the points and replace those with the same ids; durable when it returns."""

    async def delete(self, ids: Sequence[str]) -> None:
        """Remove the points with these ids, if they exist; durable when it returns."""

    async def search(
        self,
        vector: Vector,
        limit: int,
        *,
        namespace: str,
        kinds: Sequence[str],
        ids: Sequence[str] | None = None,
        records: Sequence[int] | None = None,
        wholes: bool = False,
        scope: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> list[Hit]:
        """Return the points of this namespace and these kinds that are nearest to the vector, best first.

        `ids` and `records` limit the search to these points, or to the points of these records, with exact
        similarities. `wholes` limits it to points that stand for a whole record, `scope` to points with this tag,
        `since` and `until` to times from and to these, both included, in epoch milliseconds.

        A tag belongs to one namespace and one kind: a store may look at the tag alone.
        """

    async def revisions(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the stored revisions of these points, if they exist."""

    async def vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors, of length 1, of these points, if they exist."""

    def scan(self) -> AsyncIterator[list[StoredPoint]]:
        """Yield all points in pages, with or without those that are stored or removed meanwhile."""

    async def count(self) -> int:
        """Return the number of points."""

    async def clear(self, dimension: int, fingerprint: str) -> None:
        """Delete all points, of any model, and open an empty store for this model."""

    def draft(self, fingerprint: str) -> "VectorStore":
        """Return a store beside this one, for the points of another model while this one is in use.

        `reopen` with that model, or a later `open`, takes its points over once its process has closed it.
        """

    async def reopen(self, dimension: int, fingerprint: str) -> None:
        """Open the points of another model, which a draft has, and delete the former ones."""

    async def close(self) -> None:
        """Close the store; `open` opens it again."""


def refuse_other_model(
    *, stored_dimension: int, stored_fingerprint: str, dimension: int, fingerprint: str, where: str
) -> None:
    """Raise `ModelMismatch` unless the stored model is the one in use; `where` names what has the stored model."""
    if (stored_dimension, stored_fingerprint) != (dimension, fingerprint):
        raise ModelMismatch(
            f"{where} was made with another embedding model. Run `precedent rebuild` to embed everything with the "
            "model in use, or configure the earlier model again.",
            {
                "stored": {"dimension": stored_dimension, "fingerprint": stored_fingerprint},
                "in_use": {"dimension": dimension, "fingerprint": fingerprint},
            },
        )
