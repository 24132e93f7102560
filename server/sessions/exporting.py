"""Exporting the memories and summaries of a namespace as lines, page by page: memory use does not grow with them.

Source: SES-38, SES-40, SES-42.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence

from server.core.errors import Conflict, VectorsUnavailable
from server.core.types import Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.retrieval.search import KIND
from server.sessions import memories, summaries
from server.sessions.collections import Collection
from server.sessions.memories import MEMORIES
from server.sessions.passages import build_passage_key
from server.sessions.records import BEGINNING, format_line, to_document
from server.sessions.summaries import SUMMARIES
from server.vectors.damage import find_dead
from server.vectors.store import Vector, VectorStore, point_id, unpack_vector

_PAGE = 64
"""Records: with vectors and texts of usual length, a megabyte or less."""
_FAMILIES: Mapping[Collection, str] = {MEMORIES: memories.FAMILY, SUMMARIES: summaries.FAMILY}


class Exporter:
    """Exports the collections that are live when it starts. Raises `GraphUnavailable`, `EmbeddingUnavailable`."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def stream_lines(self, namespace: str, include: Sequence[Collection]) -> AsyncIterator[bytes]:
        """Yield the lines in an order that is always the same, some at a time.

        Raises `Conflict` where the records were replaced meanwhile: the lines until then are an incomplete export.
        """
        for of in include:
            collections = await self._list_live(namespace, of)
            at, id_ = BEGINNING, ""
            while page := await self._load_page(namespace, of, collections, at, id_):
                at, id_ = page[-1]["at"], page[-1]["record"]["id"]
                lines = await self._format_page(namespace, of, page)
                # A slow reader leaves this generator here for long: it keeps no more than what is to be read.
                page.clear()
                yield lines
            if not set(collections) <= set(await self._list_live(namespace, of)):
                raise Conflict("CONFLICT: the exported records were replaced meanwhile; export again.")

    async def _list_live(self, namespace: str, of: Collection) -> list[str]:
        return [row["id"] for row in await self._graph.run("sessions/live_collections", namespace=namespace, of=of)]

    async def _load_page(
        self, namespace: str, of: Collection, collections: Sequence[str], at: int, id_: str
    ) -> list[Row]:
        return await self._graph.run(
            "sessions/export_page",
            namespace=namespace,
            collections=collections,
            family=_FAMILIES[of],
            at=at,
            id=id_,
            limit=_PAGE,
        )

    async def _format_page(self, namespace: str, of: Collection, page: Sequence[Row]) -> bytes:
        vectors = await self._load_vectors(namespace, of, page)
        model = self._embedder.fingerprint
        return b"".join(
            format_line(of, row["record"], row["at"], vector, model) for row, vector in zip(page, vectors, strict=True)
        )

    async def _load_vectors(self, namespace: str, of: Collection, page: Sequence[Row]) -> list[Vector]:
        """Return each record's vector: from the graph before its projection, else from Qdrant, else from the model."""
        keys = [build_passage_key(_FAMILIES[of], row["record"]["id"]) for row in page]
        points = [point_id(namespace, KIND, key) for key in keys]
        known: dict[str, Vector] = {
            point: unpack_vector(row["vector"])
            for point, row in zip(points, page, strict=True)
            if row["vector"] is not None
        }
        with contextlib.suppress(VectorsUnavailable):  # then the model computes them
            stored = await self._vectors.vectors([point for point in points if point not in known])
            dead = find_dead(stored)
            known |= {point: vector for point, vector in stored.items() if point not in dead}
        missing = [index for index, point in enumerate(points) if point not in known]
        texts = [to_document(of, page[index]["record"]) for index in missing]
        computed = await self._embedder.embed_passages(texts) if texts else []
        known |= {points[index]: vector for index, vector in zip(missing, computed, strict=True)}
        return [known[point] for point in points]
