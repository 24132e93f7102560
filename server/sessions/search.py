"""Finding memories and summaries: the retrieval room proposes and fuses, the graph confirms, distance orders.

Which records are found is decided as for entries, by meaning and by words together (docs/decisions/0010); how near each
is, which the specification orders by, is the cosine distance from the query to the nearest of its passages.

Source: memory-core-rest.md `POST /memories/query`, `POST /summaries/query`; open-questions.md, Memories.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.ranking.fusion import fuse
from server.retrieval.scope import Narrow
from server.retrieval.search import PassageSearch, Proposed
from server.types import QueryName, Row
from server.vectors.store import VectorStore

Matched = Literal["meaning", "words"]


@dataclass(frozen=True, slots=True)
class Found:
    """A record as its family's statement tells it, and how near it is: cosine distance, 0 to 2."""

    row: Row
    distance: float
    matched: list[Matched]

    @property
    def relevance(self) -> float:
        """1 - distance, within 0 and 1 (open-questions.md, Memories)."""
        return min(max(1.0 - self.distance, 0.0), 1.0)


class RecordSearch:
    """Searches the records of one kind; `told` is the statement that confirms them and tells what an answer needs.

    It takes `namespace`, `records` (integer ids), `others` and `scope`, and returns `found`, each with its `record`,
    and `gone`.
    """

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, told: QueryName) -> None:
        self._graph = graph
        self._embedder = embedder
        self._told = told
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, namespace: str, scope: str, query: str, most: int, text: Callable[[Row], str]) -> list[Found]:
        """The `most` records that answer best, nearest first; `text` is what a row is compared by without a vector.

        Raises `EmbeddingUnavailable`, `GraphUnavailable`."""
        proposed = await self._passages.propose(Narrow(namespace, scope), query)
        while True:
            places = fuse(proposed.candidates())[:most]
            row = await self._graph.one(
                self._told,
                namespace=namespace,
                records=[place.candidate.record for place in places],
                others=proposed.unconfirmed,
                scope=scope,
            )
            assert row is not None
            if not row["gone"]:
                break
            # Deleted or replaced, and Qdrant does not know yet: as if it had not been proposed.
            proposed = proposed.without(row["gone"])
        nearest = await self._nearest(proposed, query, row["found"], text)
        matches = _matches(proposed)
        found = [
            Found(each, round(1.0 - nearest[each["record"]], 6), matches.get(each["record"], []))
            for each in row["found"]
        ]
        # Sorts are stable: the last key decides first.
        found.sort(key=lambda hit: str(hit.row["id"]))
        found.sort(key=lambda hit: int(hit.row["at"]), reverse=True)
        found.sort(key=lambda hit: hit.distance)
        return found

    async def _nearest(
        self, proposed: Proposed, query: str, rows: Sequence[Row], text: Callable[[Row], str]
    ) -> Mapping[int, float]:
        """The cosine of each record's nearest passage; what has no vector yet is compared here."""
        nearest: dict[int, float] = {}
        for candidate in proposed.candidates():
            if candidate.cosine is not None:
                nearest[candidate.record] = max(candidate.cosine, nearest.get(candidate.record, -1.0))
        lacking = [row for row in rows if row["record"] not in nearest]
        if lacking:
            asked = np.asarray(await self._embedder.embed_query(query))
            vectors = np.asarray(await self._embedder.embed_passages([text(row) for row in lacking]))
            nearest |= dict(zip((row["record"] for row in lacking), (vectors @ asked).tolist(), strict=True))
        return nearest


def _matches(proposed: Proposed) -> dict[int, list[Matched]]:
    """By what each record was found."""
    alike = proposed.alike
    by_meaning = {candidate.record for candidate in proposed.candidates() if candidate.id in alike}
    by_words = {hit.record for hit in proposed.hits}
    both: tuple[tuple[Matched, set[int]], ...] = (("meaning", by_meaning), ("words", by_words))
    return {record: [how for how, found in both if record in found] for record in by_meaning | by_words}
