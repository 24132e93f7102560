"""Finding memories and summaries: the retrieval room proposes and fuses, the graph confirms, distance orders.

Which records are found is decided as for entries, by meaning and by words together (docs/decisions/0010); how near each
is, which the specification orders by, is the cosine distance from the query to the nearest of its passages.

Source: memory-core-rest.md `POST /memories/query`, `POST /summaries/query`; open-questions.md, Memories.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from server.embedding.embedder import Embedder
from server.errors import VectorsUnavailable
from server.graph.graph import Graph
from server.ranking.fusion import fuse
from server.retrieval.scope import Narrow, record_of
from server.retrieval.search import KIND, PassageSearch, Proposed
from server.types import QueryName, Row
from server.vectors.store import Hit, Vector, VectorStore

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
        return round(min(max(1.0 - self.distance, 0.0), 1.0), 6)


class RecordSearch:
    """Searches the records of one kind; `told` is the statement that confirms them and tells what an answer needs.

    It takes `namespace`, `records` (integer ids), `others` and `scope`, and returns `found`, each with its `record`,
    and `gone`.
    """

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, told: QueryName) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._told = told
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, narrow: Narrow, wholes: str, query: str, most: int, text: Callable[[Row], str]) -> list[Found]:
        """The `most` records that answer best, nearest first: fewer only where there are no more.

        `wholes` is the word of the passages that stand for records as wholes, where the rest is taken from; `text` is
        what a row is compared by without a vector. Raises `EmbeddingUnavailable`, `GraphUnavailable`.
        """
        vector = await self._embedder.embed_query(query)
        proposed = await self._passages.propose(narrow, query, vector)
        places = [place.candidate.record for place in fuse(proposed.candidates())]
        more = await self._more(narrow, wholes, vector, most) if len(places) < most else []
        gone: set[str] = set()
        while True:
            kept = proposed.without(gone)
            rest = [hit for hit in more if hit.key not in gone]
            places = [place.candidate.record for place in fuse(kept.candidates())]
            places += [record for hit in rest if (record := record_of(hit.scope)) is not None]
            row = await self._graph.one(
                self._told,
                namespace=narrow.namespace,
                records=list(dict.fromkeys(places))[:most],
                others=[*kept.unconfirmed, *(hit.key for hit in rest)],
                scope=narrow.scope,
            )
            assert row is not None
            if not row["gone"]:
                break
            # Deleted or replaced, and Qdrant does not know yet: as if it had not been proposed.
            gone.update(row["gone"])
        nearest = await self._nearest([*_cosines(kept), *_scores(rest)], vector, row["found"], text)
        matches = _matches(kept)
        found = [
            Found(each, round(1.0 - nearest[each["record"]], 6), matches.get(each["record"], ["meaning"]))
            for each in row["found"]
        ]
        # Sorts are stable: the last key decides first.
        found.sort(key=lambda hit: str(hit.row["id"]))
        found.sort(key=lambda hit: int(hit.row["at"]), reverse=True)
        found.sort(key=lambda hit: hit.distance)
        return found

    async def _more(self, narrow: Narrow, wholes: str, vector: Vector, most: int) -> list[Hit]:
        """The records nearest as wholes, however unlike; none while Qdrant is down."""
        try:
            return await self._vectors.search(vector, most, namespace=narrow.namespace, kinds=[KIND], scope=wholes)
        except VectorsUnavailable:
            return []

    async def _nearest(
        self,
        known: Iterable[tuple[int, float]],
        vector: Vector,
        rows: Sequence[Row],
        text: Callable[[Row], str],
    ) -> Mapping[int, float]:
        """The cosine of each record's nearest passage; what has no vector yet is compared here."""
        nearest: dict[int, float] = {}
        for record, cosine in known:
            nearest[record] = max(cosine, nearest.get(record, -1.0))
        if lacking := [row for row in rows if row["record"] not in nearest]:
            vectors = np.asarray(await self._embedder.embed_passages([text(row) for row in lacking], urgent=True))
            cosines = (vectors @ np.asarray(vector)).tolist()
            nearest |= dict(zip((row["record"] for row in lacking), cosines, strict=True))
        return nearest


def _cosines(proposed: Proposed) -> Iterator[tuple[int, float]]:
    for candidate in proposed.candidates():
        if candidate.cosine is not None:
            yield candidate.record, candidate.cosine


def _scores(hits: Iterable[Hit]) -> Iterator[tuple[int, float]]:
    for hit in hits:
        if (record := record_of(hit.scope)) is not None:
            yield record, hit.score


def _matches(proposed: Proposed) -> dict[int, list[Matched]]:
    """By what each record was found."""
    alike = proposed.alike
    by_meaning = {candidate.record for candidate in proposed.candidates() if candidate.id in alike}
    by_words = {hit.record for hit in proposed.hits}
    both: tuple[tuple[Matched, set[int]], ...] = (("meaning", by_meaning), ("words", by_words))
    return {record: [how for how, found in both if record in found] for record in by_meaning | by_words}
