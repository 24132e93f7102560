"""Embeds everything with another model beside the one in use, then changes to it.

The graph names the model in use, so one statement is the change. Until then the service answers with the former
vectors, and a crash leaves a draft that the next run completes. Afterwards each process that uses the vectors takes the
draft over and compares it with the graph, because others wrote meanwhile. Why so: docs/decisions/0034.

Source: SVC-97, SVC-98.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from server.core.errors import ModelMismatch
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.vectors.projector import build_point
from server.vectors.repair import list_pages, remember_model
from server.vectors.store import PAGE, VectorStore

_FEW = 32
"""Records that may have changed since the last comparison: the projector embeds them within a second."""
_MOST_ROUNDS = 20


async def change_model(
    graph: Graph, vectors: VectorStore, embedder: Embedder, report: Callable[[int], None], batch: int
) -> int:
    """Embed all records into a draft beside these vectors, name its model in the graph, and return their number.

    `vectors` need not be open. `report` gets the number of records of each step, and `batch` is their greatest number.
    """
    async with _open_draft(vectors, embedder) as draft:
        for _ in range(_MOST_ROUNDS):
            embedded = await _embed_changed(graph, draft, embedder, report, batch)
            await _delete_orphans(graph, draft)
            if embedded <= _FEW:
                break
        records = await draft.count()
    # Vectors that an import brought are those of the former model.
    while (await graph.row("projection/drop_vectors", limit=PAGE))["dropped"]:
        pass
    await remember_model(graph, embedder, compare=True)
    return records


@asynccontextmanager
async def _open_draft(vectors: VectorStore, embedder: Embedder) -> AsyncIterator[VectorStore]:
    draft = vectors.draft(embedder.fingerprint)
    try:
        try:
            await draft.open(embedder.dimension, embedder.fingerprint)
        except ModelMismatch:  # that of a run with a third model, which was stopped
            await draft.clear(embedder.dimension, embedder.fingerprint)
        yield draft
    finally:
        await draft.close()


async def _embed_changed(
    graph: Graph, draft: VectorStore, embedder: Embedder, report: Callable[[int], None], batch: int
) -> int:
    """Embed the records that the draft does not have in their last revision; return their number."""
    total = 0
    async for page in list_pages(graph):
        stored = await draft.revisions([row["point"] for row in page])
        changed = [row["element"] for row in page if stored.get(row["point"]) != row["revision"]]
        for start in range(0, len(changed), batch):
            rows = await graph.run("projection/records", elements=changed[start : start + batch])
            embedded = await embedder.embed_passages([row["text"] for row in rows])
            await draft.upsert([build_point(row, vector) for row, vector in zip(rows, embedded, strict=True)])
            total += len(rows)
            report(len(rows))
    return total


async def _delete_orphans(graph: Graph, draft: VectorStore) -> None:
    """Delete the points of the draft whose records were deleted meanwhile."""
    async for page in draft.scan():
        keys = [{"namespace": point.namespace, "kind": point.kind, "key": point.key} for point in page]
        rows = await graph.run("projection/existing", records=keys)
        exist = {(row["namespace"], row["kind"], row["key"]) for row in rows}
        await draft.delete([point.id for point in page if (point.namespace, point.kind, point.key) not in exist])
