"""Searching insights: weighted reciprocal rank fusion of meaning and words, with evidence from the graph.

Both lists are cut after fusion. Graph evidence never displaces a match: an insight that
describes or mentions an entity of the query, or a related entity, gets `graph` in its `why` where a list has it too;
otherwise it follows after all matches (docs/decisions/0011).

Source: COG-25, COG-28, COG-30.
"""

import asyncio
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from server.cognition.insights import build_scope_tag
from server.cognition.models import FoundInsight, FoundInsights, HybridSearch, UsedWeights, Weights
from server.core.errors import InvalidArgument
from server.core.fields import to_milliseconds
from server.core.types import Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.ranking.reciprocal import Fused, fuse_ranks, order_by_meaning, order_by_words
from server.ranking.terms import extract_terms, stem_terms
from server.retrieval.mentions import choose_longest, find_links, find_possible_names
from server.retrieval.scope import SearchScope, format_sortable_time
from server.retrieval.search import LEAST_COSINE, Candidates, PassageSearch, search_confirmed
from server.vectors.store import Vector, VectorStore

_NAME_RANGE = 1_000
"""Characters of a query that are searched for names of entities."""
_EVIDENCE_LIMIT = 50
"""Insights of one entity, and entities related to one, that count as evidence."""
_FIRST_YEAR, _LAST_YEAR = 1970, 9999
Why = Literal["meaning", "words", "neighbour", "graph"]


@dataclass(frozen=True, slots=True)
class _ConfirmedInsights:
    """Insights that the graph confirmed, best first, and the ids that each source proposed.

    `similar` are the ids in `meaning` above a least similarity: the others are merely the nearest that exist.
    `compared` is False where embeddings could not be compared.
    """

    ranked: list[Fused]
    rows: dict[int, Row]
    meaning: list[int]
    similar: set[int]
    words: list[int]
    described: list[int]
    compared: bool


@dataclass(frozen=True, slots=True)
class _FusedLists:
    """Fused records, best first, and the two lists they come from."""

    ranked: list[Fused]
    meaning: list[int]
    words: list[int]


class InsightSearch:
    """Searches insights: gathers passages and graph evidence at once, fuses them and loads them from the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: HybridSearch, namespace: str) -> FoundInsights:
        """Return the best insights; while embeddings cannot be compared, by words and the graph alone.

        Raises `InvalidArgument` for a vector of another dimension than the model's.
        """
        dimension, vector = self._embedder.dimension, request.query_embedding
        if vector is not None and len(vector) != dimension:
            raise InvalidArgument(
                f"query_embedding: has {len(vector)} numbers, but the embedding model uses {dimension}; give a vector "
                "of that model, or leave it out.",
                {"field": "query_embedding", "dimension": dimension},
            )
        narrow, most = SearchScope(namespace, build_scope_tag(namespace, None)), request.top_k
        found = await self._find(narrow, request.query_text, vector, request.weights, most)
        query_terms = stem_terms(extract_terms(request.query_text))
        results = [_to_result(found, hit, query_terms) for hit in found.ranked]
        return FoundInsights(
            results=results,
            query_embedding_dimension=dimension,
            semantic_results_count=min(most, len(found.meaning)),
            keyword_results_count=min(most, len(found.words)),
            graph_results_count=min(most, len(found.described)),
            final_results_count=len(results),
            weights=UsedWeights(**request.weights.model_dump()),
            by_meaning=found.compared,
        )

    async def find_ids(
        self, query: str, namespace: str, *, limit: int, fidelity_min: float | None, since: datetime, until: datetime
    ) -> list[int]:
        """Return the ids of the best insights of a period and a least fidelity, with the default weights."""
        narrow = SearchScope(
            namespace,
            build_scope_tag(namespace, fidelity_min),
            to_milliseconds(since) if since.year > _FIRST_YEAR else None,
            to_milliseconds(until) if until.year < _LAST_YEAR else None,
        )
        found = await self._find(narrow, query, None, Weights(), None, fidelity_min or 0.0)
        return [hit.record for hit in found.ranked][:limit]

    async def _find(  # noqa: PLR0917 - its only callers are the two methods above
        self,
        narrow: SearchScope,
        query: str,
        vector: Vector | None,
        weights: Weights,
        most: int | None,
        fidelity_min: float = 0.0,
    ) -> _ConfirmedInsights:
        """Return the best `most` insights with their content, or all of them without it."""
        proposed, evidence = await asyncio.gather(
            self._passages.propose(narrow, query, vector, least=-1.0), self._find_described(narrow, query, fidelity_min)
        )

        def fuse(kept: Candidates) -> _FusedLists:
            candidates = kept.build_evidence()
            words = order_by_words(candidates)
            meaning = order_by_meaning(candidates, words)
            fused = fuse_ranks(
                ((meaning, weights.semantic), (words, weights.keyword)),
                {each.record: each.at for each in candidates},
                evidence,
            )
            return _FusedLists(fused[:most], meaning, words)

        lists, row, proposed = await search_confirmed(
            proposed, fuse, lambda lists, kept: self._load(narrow, lists.ranked, kept, with_content=most is not None)
        )
        rows = {each["id"]: each for each in row["found"] if each["fidelity_score"] >= fidelity_min}
        ranked = [hit for hit in lists.ranked if hit.record in rows]
        cosines = proposed.collect_cosines()
        similar = {record for record in lists.meaning if cosines.get(record, -1.0) >= LEAST_COSINE}
        compared = proposed.near is not None
        return _ConfirmedInsights(ranked, rows, lists.meaning, similar, lists.words, evidence, compared)

    async def _find_described(self, narrow: SearchScope, query: str, fidelity_min: float) -> list[int]:
        """Return the ids of insights about entities that the query names, nearest and newest first."""
        possible = find_possible_names(query[:_NAME_RANGE])
        linked = list(map(comparison_key, find_links(query[:_NAME_RANGE])))
        rows = await self._graph.run(
            "cognition/describing",
            namespace=narrow.namespace,
            names=list({*possible, *linked}),
            limit=_EVIDENCE_LIMIT,
        )
        if not rows:
            return []
        known = {row["name"] for row in rows}
        named = {*choose_longest({name: places for name, places in possible.items() if name in known}), *linked}
        since, until = narrow.times
        return list(
            dict.fromkeys(
                row["id"]
                for row in rows
                if row["name"] in named
                and since <= format_sortable_time(row["at"]) <= until
                and row["fidelity_score"] >= fidelity_min
            )
        )

    async def _load(
        self, narrow: SearchScope, ranked: Sequence[Fused], proposed: Candidates, *, with_content: bool
    ) -> Row:
        """Load the ranked insights, and the passages of the others that the graph does not confirm."""
        since, until = narrow.times
        row = await self._graph.one(
            "cognition/found_insights",
            namespace=narrow.namespace,
            ids=[hit.record for hit in ranked],
            whole=with_content,
            others=proposed.unconfirmed,
            scope=narrow.scope,
            since=since,
            until=until,
        )
        assert row is not None
        return row


def _to_result(found: _ConfirmedInsights, hit: Fused, query_terms: Set[str]) -> FoundInsight:
    row = found.rows[hit.record]
    # The term may be only in the dialogues around the insight.
    shared: Why = "words" if query_terms & stem_terms(extract_terms(row["content"])) else "neighbour"
    sources: list[tuple[Why, Collection[int]]] = [
        ("meaning", found.similar),
        (shared, found.words),
        ("graph", found.described),
    ]
    why: list[Why] = [source for source, proposed in sources if hit.record in proposed]
    return FoundInsight(
        id=row["id"],
        content=row["content"],
        source_ids=row["source_ids"],
        score=hit.score,
        # Without another reason it is one of the nearest, however far.
        why=why or ["meaning"],
        corrected_by=row["corrected_by"],
    )
