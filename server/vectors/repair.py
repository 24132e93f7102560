"""Compares the projection with the graph, mends it, makes it anew.

All of it goes page by page, so that a graph of any size takes the same memory. Repairing only queues: the projector
carries it out, with the same care as any other change.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.types import Row
from server.vectors.outbox import change
from server.vectors.store import PAGE, Held, VectorStore, point_id


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared, and where the two differ.

    `queued` records and deletions still wait for their projection, which is no fault. `missing` records have no point,
    `stale` ones have one of another revision, `orphaned` points have no record.
    """

    records: int = 0
    points: int = 0
    queued: int = 0
    missing: int = 0
    stale: int = 0
    orphaned: int = 0

    @property
    def consistent(self) -> bool:
        """Whether nothing has to be repaired."""
        return not (self.missing or self.stale or self.orphaned)

    def __add__(self, other: "Report") -> "Report":
        return Report(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class _Difference:
    """One page's findings, and what mends them: elements to queue, records to entomb, points to delete."""

    report: Report
    requeue: list[str] = field(default_factory=list)
    entomb: list[dict[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


async def verify(graph: Graph, vectors: VectorStore) -> Report:
    """Compares every record with its point and every point with its record; changes nothing."""
    report = Report()
    async for difference in _all(graph, vectors):
        report += difference.report
    return report


async def repair(graph: Graph, vectors: VectorStore) -> Report:
    """Compares likewise, queues what is missing or stale, and removes what is orphaned; reports what it found.

    `Projector.drain` (or a running service) then carries out what is queued.
    """
    report = Report()
    async for difference in _all(graph, vectors):
        report += difference.report
        await _mend(graph, vectors, difference)
    return report


async def requeue_missing(graph: Graph, vectors: VectorStore) -> Report:
    """The half of `repair` that only adds: queues what is missing or stale."""
    report = Report()
    async for difference in _records(graph, vectors):
        report += difference.report
        await _mend(graph, vectors, difference)
    return report


async def rebuild(graph: Graph, vectors: VectorStore, embedder: Embedder) -> int:
    """Drops every point, whatever model it was made with, queues every record, and returns how many there are.

    Cut off at any moment, it leaves a projection that refuses to start (another model) or fills itself (the same).
    """
    await vectors.clear(embedder.dimension, embedder.fingerprint)
    records = 0
    async for page in _stored(graph):
        records += len(page)
        await change(graph, "projection/requeue", elements=[row["element"] for row in page])
    await graph.run(
        "projection/remember_model",
        name=embedder.name,
        dimension=embedder.dimension,
        fingerprint=embedder.fingerprint,
    )
    return records


async def requeue(graph: Graph, namespace: str) -> int:
    """Queues every record of a namespace, whatever Qdrant holds of it, and returns how many there are."""
    records = 0
    async for page in _stored(graph, namespace):
        records += len(page)
        await change(graph, "projection/requeue", elements=[row["element"] for row in page])
    return records


async def _all(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for difference in _records(graph, vectors):
        yield difference
    async for difference in _points(graph, vectors):
        yield difference


async def _records(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for page in _stored(graph):
        settled = {row["point"]: row for row in page if not row["queued"]}
        held = await vectors.revisions(list(settled))
        missing = [row["element"] for point, row in settled.items() if point not in held]
        stale = [row["element"] for point, row in settled.items() if point in held and held[point] != row["revision"]]
        yield _Difference(
            Report(records=len(page), queued=len(page) - len(settled), missing=len(missing), stale=len(stale)),
            requeue=[*missing, *stale],
        )


async def _points(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for page in vectors.scan():
        rows = await graph.run("projection/existing", records=[_name(held) for held in page])
        exist = {point_id(row["namespace"], row["kind"], row["key"]) for row in rows}
        orphans = [held for held in page if held.id not in exist]
        ours = [held for held in orphans if held.id == point_id(held.namespace, held.kind, held.key)]
        yield _Difference(
            Report(points=len(page), orphaned=len(orphans)),
            entomb=[_name(held) for held in ours],
            foreign=sorted({held.id for held in orphans} - {held.id for held in ours}),
        )


async def _mend(graph: Graph, vectors: VectorStore, difference: _Difference) -> None:
    if difference.requeue:
        await change(graph, "projection/requeue", elements=difference.requeue)
    if difference.entomb:
        await change(graph, "projection/entomb", records=difference.entomb)
    if difference.foreign:
        await vectors.delete(difference.foreign)


async def _stored(graph: Graph, only: str | None = None) -> AsyncIterator[list[Row]]:
    """Every record, or those of one namespace, in pages, each row with the id of its point."""
    for scope in await graph.run("projection/scopes"):
        kind, namespace = scope["kind"], scope["namespace"]
        if only not in {None, namespace}:
            continue
        after = ""
        while page := await graph.run("projection/stored", kind=kind, namespace=namespace, after=after, limit=PAGE):
            yield [row | {"point": point_id(namespace, kind, row["key"])} for row in page]
            after = page[-1]["key"]


def _name(held: Held) -> dict[str, str]:
    return {"namespace": held.namespace, "kind": held.kind, "key": held.key}
