"""Searching memories and summaries.

Relevance selects the records, by meaning and words together as for entries (docs/decisions/0010); the graph confirms
them. Cosine distance orders them: that of the query to the nearest passage of the record.

Source: SES-16, SES-17, SES-18.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from server.core.types import QueryName, Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.ranking.relevance import rank
from server.retrieval.scope import SearchScope
from server.retrieval.search import Candidates, PassageSearch, search_confirmed
from server.vectors.store import Vector, VectorStore

Matched = Literal["meaning", "words"]


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A row of the family's statement with its cosine distance, 0 to 2."""

    row: Row
    distance: float
    matched: list[Matched]

    @property
    def relevance(self) -> float:
        """1 - distance, limited to 0 to 1."""
        return round(min(max(1.0 - self.distance, 0.0), 1.0), 6)


class RecordSearch:
    """Searches the records of one kind; `statement` confirms them and loads the answer.

    The statement takes `namespace`, `records` (integer ids), `others` and `scope`, and returns `found`, each with its
    `record`, and `gone`.
    """

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, statement: QueryName) -> None:
        self._graph = graph
        self._embedder = embedder
        self._statement = statement
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, narrow: SearchScope, query: str, most: int, text: Callable[[Row], str]) -> list[FoundRecord]:
        """Return the `most` best records, nearest first; fewer only where there are no more.

        `text` returns the text of a row that has no vector yet. Raises `EmbeddingUnavailable`, `GraphUnavailable`.
        """
        vector = await self._embedder.embed_query(query)
        proposed = await self._passages.propose(narrow, query, vector)
        if len(proposed.build_evidence()) < most:
            proposed = proposed.add_hits(await self._passages.find_nearest_records(narrow, vector, most))

        async def load(records: Sequence[int], kept: Candidates) -> Row:
            row = await self._graph.one(
                self._statement,
                namespace=narrow.namespace,
                records=records,
                others=kept.unconfirmed,
                scope=narrow.scope,
            )
            assert row is not None
            return row

        _, row, proposed = await search_confirmed(proposed, lambda kept: _select_best(kept, most), load)
        nearest = await self._complete_cosines(proposed.collect_cosines(), vector, row["found"], text)
        by_words, by_meaning = {hit.record for hit in proposed.hits}, proposed.similar_records
        found = [
            FoundRecord(
                each, round(1.0 - nearest[each["record"]], 6), _list_matched(each["record"], by_meaning, by_words)
            )
            for each in row["found"]
        ]
        # Sorts are stable: the last key decides first.
        found.sort(key=lambda hit: str(hit.row["id"]))
        found.sort(key=lambda hit: int(hit.row["at"]), reverse=True)
        found.sort(key=lambda hit: hit.distance)
        return found

    async def _complete_cosines(
        self,
        known: Mapping[int, float],
        vector: Vector,
        rows: Sequence[Row],
        text: Callable[[Row], str],
    ) -> Mapping[int, float]:
        """Return the cosine of each record's nearest passage; embeds the text of records that have no vector yet."""
        nearest = dict(known)
        if missing := [row for row in rows if row["record"] not in nearest]:
            vectors = np.asarray(await self._embedder.embed_passages([text(row) for row in missing], urgent=True))
            cosines = (vectors @ np.asarray(vector)).tolist()
            nearest |= dict(zip((row["record"] for row in missing), cosines, strict=True))
        return nearest


def _select_best(proposed: Candidates, most: int) -> list[int]:
    return [hit.evidence.record for hit in rank(proposed.build_evidence())][:most]


def _list_matched(record: int, by_meaning: Collection[int], by_words: Collection[int]) -> list[Matched]:
    sources: tuple[tuple[Matched, Collection[int]], ...] = (("meaning", by_meaning), ("words", by_words))
    return [source for source, found in sources if record in found] or ["meaning"]
