"""Compares the projection with the graph, repairs it and recreates it.

Everything works page by page, with constant memory. A repair only queues changes, and the projector processes them like
any other change.

Source: SVC-70, SVC-71, SVC-72.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from server.core.types import Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.vectors.damage import find_dead
from server.vectors.outbox import change_queued
from server.vectors.store import PAGE, StoredPoint, VectorStore, point_id


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a comparison of records and points.

    `queued` records wait for their projection, which is normal. `missing` records have no point, `stale` records have a
    point of another revision, `dead` records have a point whose vector is lost, `orphaned` points have no record, and
    `stranded` passages have lost theirs.
    """

    records: int = 0
    points: int = 0
    queued: int = 0
    missing: int = 0
    stale: int = 0
    dead: int = 0
    orphaned: int = 0
    stranded: int = 0

    @property
    def consistent(self) -> bool:
        """Whether there is nothing to repair."""
        return not (self.missing or self.stale or self.dead or self.orphaned or self.stranded)

    def __add__(self, other: "Report") -> "Report":
        return Report(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class _Difference:
    """The report of one page, and its repair: elements to queue, records that need tombstones, points and passages to
    delete.
    """

    report: Report
    requeue: list[str] = field(default_factory=list)
    deleted: list[dict[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    stranded: list[str] = field(default_factory=list)


async def verify(graph: Graph, vectors: VectorStore) -> Report:
    """Compare every record with its point and every point with its record, without any change."""
    report = Report()
    async for difference in _all(graph, vectors):
        report += difference.report
    return report


async def repair(graph: Graph, vectors: VectorStore) -> Report:
    """Compare likewise, queue missing, stale and dead records, and remove what has no record; return the report.

    `Projector.drain` or a running service then processes the queue.
    """
    report = Report()
    async for difference in _all(graph, vectors):
        report += difference.report
        await _apply(graph, vectors, difference)
    return report


async def requeue_missing(graph: Graph, vectors: VectorStore, *, words_alone: bool = True) -> Report:
    """Queue missing, stale and dead records; remove nothing.

    With `words_alone`, searches use words alone until these are projected.
    """
    report = Report()
    async for difference in _records(graph, vectors):
        report += difference.report
        if difference.requeue and words_alone:
            # Before the first is queued: a crash in between leaves records that the next start finds.
            await graph.run("projection/set_recreating", recreating=True)
        await _apply(graph, vectors, replace(difference, stranded=[]))
    return report


async def has_dead_sample(vectors: VectorStore) -> bool:
    """Return whether one page of points has dead vectors. Ids are hashes: a page has points of every age."""
    async for page in vectors.scan():
        return bool(find_dead(await vectors.vectors([point.id for point in page])))
    return False


async def rebuild(graph: Graph, vectors: VectorStore, embedder: Embedder) -> int:
    """Delete all points, queue all records, and return the number of records.

    After an interruption, the projection either refuses to start (another model) or completes itself (the same model).
    """
    await graph.run("projection/set_recreating", recreating=True)
    await vectors.clear(embedder.dimension, embedder.fingerprint)
    records = 0
    async for page in list_pages(graph):
        records += len(page)
        await change_queued(graph, "projection/requeue", elements=[row["element"] for row in page])
    await remember_model(graph, embedder)
    return records


async def remember_model(graph: Graph, model: Embedder, *, compare: bool = False) -> None:
    """Store which model the graph's projection has; `compare` if its points were made while others wrote."""
    await graph.run(
        "projection/remember_model",
        name=model.name,
        dimension=model.dimension,
        fingerprint=model.fingerprint,
        compare=compare,
    )


async def requeue(graph: Graph, namespace: str) -> int:
    """Queue all records of a namespace and return their number."""
    records = 0
    async for page in list_pages(graph, namespace):
        records += len(page)
        await change_queued(graph, "projection/requeue", elements=[row["element"] for row in page])
    return records


async def queue_orphans(graph: Graph, vectors: VectorStore) -> AsyncIterator[int]:
    """Queue the removal of points without a record, page by page; yield the number of each page."""
    async for difference in _points(graph, vectors):
        await _apply(graph, vectors, difference)
        yield difference.report.orphaned


async def _all(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for difference in _records(graph, vectors):
        yield difference
    async for difference in _points(graph, vectors):
        yield difference


async def _records(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for page in list_pages(graph):
        stranded = [row["element"] for row in page if row["stranded"]]
        settled = {row["point"]: row for row in page if not row["queued"] and not row["stranded"]}
        stored = await vectors.revisions(list(settled))
        missing = [row["element"] for point, row in settled.items() if point not in stored]
        stale = [row["element"] for point, row in settled.items() if stored.get(point) not in {None, row["revision"]}]
        current = [point for point, row in settled.items() if stored.get(point) == row["revision"]]
        dead = [settled[point]["element"] for point in find_dead(await vectors.vectors(current))]
        yield _Difference(
            Report(
                records=len(page),
                queued=len(page) - len(settled) - len(stranded),
                missing=len(missing),
                stale=len(stale),
                dead=len(dead),
                stranded=len(stranded),
            ),
            requeue=[*missing, *stale, *dead],
            stranded=stranded,
        )


async def _points(graph: Graph, vectors: VectorStore) -> AsyncIterator[_Difference]:
    async for page in vectors.scan():
        rows = await graph.run("projection/existing", records=[_key_of(point) for point in page])
        exist = {point_id(row["namespace"], row["kind"], row["key"]) for row in rows}
        orphans = [point for point in page if point.id not in exist]
        own = [point for point in orphans if point.id == point_id(point.namespace, point.kind, point.key)]
        yield _Difference(
            Report(points=len(page), orphaned=len(orphans)),
            deleted=[_key_of(point) for point in own],
            foreign=sorted({point.id for point in orphans} - {point.id for point in own}),
        )


async def _apply(graph: Graph, vectors: VectorStore, difference: _Difference) -> None:
    if difference.requeue:
        await change_queued(graph, "projection/requeue", elements=difference.requeue)
    if difference.stranded:
        await change_queued(graph, "projection/drop_stranded", elements=difference.stranded)
    if difference.deleted:
        await change_queued(graph, "projection/add_tombstones", records=difference.deleted)
    if difference.foreign:
        await vectors.delete(difference.foreign)


async def list_pages(graph: Graph, only: str | None = None) -> AsyncIterator[list[Row]]:
    """Yield the records, or those of one namespace, in pages; each row has the id of its point."""
    for scope in await graph.run("projection/scopes"):
        kind, namespace = scope["kind"], scope["namespace"]
        if only not in {None, namespace}:
            continue
        after = ""
        while page := await graph.run("projection/stored", kind=kind, namespace=namespace, after=after, limit=PAGE):
            yield [row | {"point": point_id(namespace, kind, row["key"])} for row in page]
            after = page[-1]["key"]


def _key_of(point: StoredPoint) -> dict[str, str]:
    return {"namespace": point.namespace, "kind": point.kind, "key": point.key}
