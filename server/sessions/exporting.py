"""The memories and summaries of a namespace as lines, page by page: any number of them in the same little memory.

Source: memory-core-rest.md `GET /db/export`; issue 6, REST.
"""

import contextlib
from collections.abc import AsyncIterator, Sequence

from server.embedding.embedder import Embedder
from server.errors import Conflict, VectorsUnavailable
from server.graph.graph import Graph
from server.retrieval.search import KIND
from server.sessions import memories, summaries
from server.sessions.collections import Of
from server.sessions.memories import MEMORIES
from server.sessions.passages import key_of
from server.sessions.records import BEGINNING, text, write
from server.types import Row
from server.vectors.store import Vector, VectorStore, point_id, unpacked

_PAGE = 200


class Exporter:
    """Reads what counts when it begins. Raises `GraphUnavailable`, `EmbeddingUnavailable`."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def lines(self, namespace: str, include: Sequence[Of]) -> AsyncIterator[bytes]:
        """The lines, some at a time, in an order that is always the same.

        Raises `Conflict` where an import replaced everything meanwhile: what was sent until then is no whole export.
        """
        for of in include:
            collections = await self._live(namespace, of)
            at, id_ = BEGINNING, ""
            while page := await self._page(namespace, of, collections, at, id_):
                yield await self._written(namespace, of, page)
                at, id_ = page[-1]["at"], page[-1]["record"]["id"]
            if not set(collections) <= set(await self._live(namespace, of)):
                raise Conflict("CONFLICT: what was exported was replaced meanwhile; export again.")

    async def _live(self, namespace: str, of: Of) -> list[str]:
        return [row["id"] for row in await self._graph.run("sessions/live_collections", namespace=namespace, of=of)]

    async def _page(self, namespace: str, of: Of, collections: Sequence[str], at: int, id_: str) -> list[Row]:
        return await self._graph.run(
            "sessions/export_page",
            namespace=namespace,
            collections=collections,
            kind=_family(of),
            at=at,
            id=id_,
            limit=_PAGE,
        )

    async def _written(self, namespace: str, of: Of, page: Sequence[Row]) -> bytes:
        vectors = await self._vectors_of(namespace, of, page)
        model = self._embedder.fingerprint
        return b"".join(
            write(of, row["record"], row["at"], vector, model) for row, vector in zip(page, vectors, strict=True)
        )

    async def _vectors_of(self, namespace: str, of: Of, page: Sequence[Row]) -> list[Vector]:
        """What the graph still keeps for Qdrant, else what Qdrant holds, else what the model makes of the document."""
        points = [point_id(namespace, KIND, key_of(_family(of), row["record"]["id"])) for row in page]
        kept: dict[str, Vector] = {
            point: unpacked(row["vector"]) for point, row in zip(points, page, strict=True) if row["vector"] is not None
        }
        with contextlib.suppress(VectorsUnavailable):  # then the model makes them
            kept = {**await self._vectors.vectors([point for point in points if point not in kept]), **kept}
        lacking = [place for place, point in enumerate(points) if point not in kept]
        texts = [text(of, page[place]["record"]) for place in lacking]
        made = await self._embedder.embed_passages(texts) if texts else []
        kept |= {points[place]: vector for place, vector in zip(lacking, made, strict=True)}
        return [kept[point] for point in points]


def _family(of: Of) -> str:
    return memories.FAMILY if of == MEMORIES else summaries.FAMILY
