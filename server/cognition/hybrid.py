"""Finding insights: weighted reciprocal rank fusion of meaning and words, and what the graph says of things named.

Source: cognitive.md "hybrid_search"; open-questions.md "cognitive.md"; docs/decisions/0011. Both lists are a hundred
passages deep and are cut after they are fused. The graph's evidence is added, and takes no better match's place: an
insight that describes or mentions a thing named in the query, or one related to it, says so where it was found anyway;
where neither list holds it, it follows after all that they hold.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from server.cognition.insights import narrowest
from server.cognition.models import FoundInsight, FoundInsights, HybridSearch, UsedWeights, Weights
from server.embedding.embedder import Embedder
from server.errors import InvalidArgument
from server.fields import milliseconds
from server.graph.graph import Graph
from server.ranking.reciprocal import Fused, by_meaning, by_words, fuse_ranks
from server.retrieval.mentions import links, longest, possible_names
from server.retrieval.scope import Narrow, token
from server.retrieval.search import CANDIDATES, UNLIKE, PassageSearch, Proposed
from server.types import Row
from server.vectors.store import Vector, VectorStore

_NAMED = 1_000
"""Characters of a query that are looked at for names of things."""
_DESCRIBING = 50
"""Insights of one thing, and things that are related to one, that count as evidence."""
_FIRST_YEAR, _LAST_YEAR = 1970, 9999
Why = Literal["meaning", "words", "graph"]


@dataclass(frozen=True, slots=True)
class _Found:
    """Confirmed insights, best first; the ids that each source proposed; whether meanings could be compared.

    `alike` are those of `meaning` that have something to do with the query, and are not merely the nearest there are.
    """

    ranked: list[Fused]
    rows: dict[int, Row]
    meaning: list[int]
    alike: set[int]
    words: list[int]
    described: list[int]
    compared: bool


class InsightSearch:
    """Answers one search: passages and the graph's evidence are proposed at once, fused, and told by the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: HybridSearch, namespace: str) -> FoundInsights:
        """Returns the best insights; while meanings cannot be compared, by words and the graph alone.

        Raises `InvalidArgument` for a vector of another dimension than the model's.
        """
        dimension, vector = self._embedder.dimension, request.query_embedding
        if vector is not None and len(vector) != dimension:
            raise InvalidArgument(
                f"query_embedding: has {len(vector)} numbers, and the embedding model makes {dimension}; give a vector "
                "of that model, or leave it out.",
                {"field": "query_embedding", "dimension": dimension},
            )
        narrow, most = Narrow(namespace, narrowest(namespace, None)), request.top_k
        found = await self._find(narrow, request.query_text, vector, request.weights, most)
        results = [_result(found, hit) for hit in found.ranked]
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

    async def ids(
        self, query: str, namespace: str, *, limit: int, fidelity_min: float | None, since: datetime, until: datetime
    ) -> list[int]:
        """Ids of the insights that a query finds within a time, of at least a fidelity; best first, default weights."""
        narrow = Narrow(
            namespace,
            narrowest(namespace, fidelity_min),
            milliseconds(since) if since.year > _FIRST_YEAR else None,
            milliseconds(until) if until.year < _LAST_YEAR else None,
        )
        found = await self._find(narrow, query, None, Weights(), None, fidelity_min or 0.0)
        return [hit.record for hit in found.ranked][:limit]

    async def _find(  # noqa: PLR0917 - its two callers are above, in one order
        self,
        narrow: Narrow,
        query: str,
        vector: Vector | None,
        weights: Weights,
        most: int | None,
        fidelity_min: float = 0.0,
    ) -> _Found:
        """The best `most`, whole; or all, without their content."""
        proposed, evidence = await asyncio.gather(
            self._passages.propose(narrow, query, vector, least=-1.0), self._described(narrow, query, fidelity_min)
        )
        while True:
            candidates = proposed.candidates()
            at = {each.record: each.at for each in candidates}
            meaning, words = by_meaning(candidates), by_words(candidates, CANDIDATES)
            lists = ((meaning, weights.semantic), (words, weights.keyword))
            ranked = fuse_ranks(lists, at, evidence)[:most]
            row = await self._told(narrow, ranked, proposed, whole=most is not None)
            if not row["gone"]:
                break
            proposed = proposed.without(row["gone"])
        rows = {each["id"]: each for each in row["found"] if each["fidelity_score"] >= fidelity_min}
        ranked = [hit for hit in ranked if hit.record in rows]
        alike = {each.record for each in candidates if each.cosine is not None and each.cosine >= UNLIKE}
        return _Found(ranked, rows, meaning, alike, words, evidence, proposed.near is not None)

    async def _described(self, narrow: Narrow, query: str, fidelity_min: float) -> list[int]:
        """The insights about what the query names, the nearest and newest first."""
        possible = possible_names(query[:_NAMED])
        linked = [name.lower() for name in links(query[:_NAMED])]
        rows = await self._graph.run(
            "cognition/describing",
            namespace=narrow.namespace,
            names=list({*possible, *linked}),
            limit=_DESCRIBING,
        )
        if not rows:
            return []
        known = {row["name"] for row in rows}
        named = {*longest({name: places for name, places in possible.items() if name in known}), *linked}
        since, until = narrow.times
        return list(
            dict.fromkeys(
                row["id"]
                for row in rows
                if row["name"] in named and since <= token(row["at"]) <= until and row["fidelity_score"] >= fidelity_min
            )
        )

    async def _told(self, narrow: Narrow, ranked: Sequence[Fused], proposed: Proposed, *, whole: bool) -> Row:
        """What the graph says of the ranked, and which passages of the others it does not confirm."""
        since, until = narrow.times
        row = await self._graph.one(
            "cognition/found_insights",
            namespace=narrow.namespace,
            ids=[hit.record for hit in ranked],
            whole=whole,
            others=proposed.unconfirmed,
            scope=narrow.scope,
            since=since,
            until=until,
        )
        assert row is not None
        return row


def _result(found: _Found, hit: Fused) -> FoundInsight:
    row = found.rows[hit.record]
    sources: list[tuple[Why, Collection[int]]] = [
        ("meaning", found.alike),
        ("words", found.words),
        ("graph", found.described),
    ]
    why: list[Why] = [source for source, proposed in sources if hit.record in proposed]
    return FoundInsight(
        id=row["id"],
        content=row["content"],
        source_ids=row["source_ids"],
        score=hit.score,
        # The nearest there are, however far.
        why=why or ["meaning"],
    )
