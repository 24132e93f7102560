"""Finding decisions: meaning and words propose, the graph tells, the policy ranks.

Source: decisions.md "Search & Ranking Policy"; design.md section 5, `search_decisions`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import hypot

from server.decisions.models import FoundDecision, Reason, SearchDecisions, SearchResponse
from server.embedding.embedder import Embedder
from server.errors import VectorsUnavailable
from server.graph.graph import Graph
from server.graph.words import any_of, within
from server.ranking.policy import Candidate, Predecessor, Ranked, rank
from server.types import Row
from server.vectors.store import Hit, Vector, VectorStore, point_id

_KINDS = ("decision", "proposal")
_PREVIEW = 200
_WIDER = 10
_EMBEDDED = 32
"""How many decisions that Qdrant does not hold yet are embedded for one search: half a second at most."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Candidates; whether a wider look may find more; how many could not be compared; whether Qdrant answered."""

    candidates: list[Candidate]
    rows: Mapping[str, Row]
    more: bool
    left_out: int
    by_meaning: bool


class DecisionSearch:
    """Answers one search in three steps: the query's vector, the nearest ones, and the graph with what shares words."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def run(self, request: SearchDecisions, namespace: str) -> SearchResponse:
        """Returns the best decisions of a namespace; raises `EmbeddingUnavailable`, `GraphUnavailable`.

        While Qdrant is down, words alone propose; scores are the same, and the message says so.
        """
        breadth = max(5 * request.limit, 50)
        vector = await self._embedder.embed_query(request.query)
        words = within(namespace, any_of(request.query)) or ""
        found = await self._find(namespace, vector, words, breadth)
        ranked = rank(found.candidates, request.mode, request.limit)
        if len(ranked) < request.limit and found.more:
            # Many versions of few targets, or much that is not in force, stand before the rest.
            found = await self._find(namespace, vector, words, breadth * _WIDER)
            ranked = rank(found.candidates, request.mode, request.limit)
        results = [_result(found.rows[hit.candidate.id], hit) for hit in ranked]
        return SearchResponse(status="success", message=_message(request, found, ranked), results=results)

    async def _find(self, namespace: str, vector: Vector, words: str, breadth: int) -> _Found:
        hits = await self._by_meaning(namespace, vector, breadth)
        proposed = {kind: [hit.key for hit in hits or () if hit.kind == kind] for kind in _KINDS}
        # Words ride along, though they could be looked up while the query is embedded: a round trip of their own costs
        # a fifth of what many callers at once can be answered.
        answer = await self._graph.one(
            "decisions/candidates",
            namespace=namespace,
            decisions=proposed["decision"],
            proposals=proposed["proposal"],
            query=words,
            limit=breadth,
            preview=_PREVIEW,
        )
        assert answer is not None
        rows: Mapping[str, Row] = {row["id"]: row for row in answer["candidates"]}
        similarity = await self._similarities(namespace, vector, rows, hits)
        return _Found(
            candidates=[_candidate(row, similarity) for id_, row in rows.items() if id_ in similarity],
            rows=rows,
            more=hits is not None and max(len(hits), answer["words"]) >= breadth,
            left_out=len(rows) - len(similarity),
            by_meaning=hits is not None,
        )

    async def _by_meaning(
        self, namespace: str, vector: Vector, limit: int, rows: Sequence[Row] | None = None
    ) -> list[Hit] | None:
        """None while Qdrant is down: words and the graph still answer."""
        ids = None if rows is None else [point_id(namespace, row["kind"], row["id"]) for row in rows]
        try:
            return await self._vectors.search(vector, limit, namespace=namespace, kinds=_KINDS, ids=ids)
        except VectorsUnavailable:
            return None

    async def _similarities(
        self,
        namespace: str,
        vector: Vector,
        rows: Mapping[str, Row],
        hits: Sequence[Hit] | None,
    ) -> dict[str, float]:
        """Exact similarity of every candidate, of the revision that the graph has, wherever its vector comes from.

        What words or succession proposed is looked up by id; what is not projected yet is embedded here, the successors
        first, so that an answer does not change when the projector comes round to it.
        """
        known = _current(hits or (), rows)
        order = sorted(rows.values(), key=lambda row: not row["replaced"])
        if hits is not None and (unknown := [row for row in order if row["id"] not in known]):
            known |= _current(await self._by_meaning(namespace, vector, len(unknown), unknown) or (), rows)
        if unprojected := [row for row in order if row["id"] not in known][:_EMBEDDED]:
            texts = await self._graph.run(
                "decisions/texts",
                namespace=namespace,
                decisions=[row["id"] for row in unprojected if row["kind"] == "decision"],
                proposals=[row["id"] for row in unprojected if row["kind"] == "proposal"],
            )
            vectors = await self._embedder.embed_passages([row["text"] for row in texts], urgent=True)
            known |= {row["id"]: _cosine(vector, each) for row, each in zip(texts, vectors, strict=True)}
        return known


def _current(hits: Sequence[Hit], rows: Mapping[str, Row]) -> dict[str, float]:
    return {hit.key: hit.score for hit in hits if hit.key in rows and rows[hit.key]["revision"] == hit.revision}


def _cosine(one: Vector, other: Vector) -> float:
    lengths = hypot(*one) * hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


def _candidate(row: Row, similarity: Mapping[str, float]) -> Candidate:
    replaced = [Predecessor(id_, similarity[id_]) for id_ in row["replaced"] if id_ in similarity]
    return Candidate(
        id=row["id"],
        target=row["target"],
        status=row["status"],
        origin=row["origin"],
        created_at=datetime.fromisoformat(row["created_at"]),
        similarity=similarity[row["id"]],
        replaced=max(replaced, key=lambda each: (each.similarity, each.id), default=None),
    )


def _result(row: Row, hit: Ranked) -> FoundDecision:
    return FoundDecision(
        id=hit.candidate.id,
        kind=row["kind"],
        score=hit.score,
        status=hit.candidate.status,
        preview=f"{row['title']}: {row['rationale']}",
        title=row["title"],
        target=hit.candidate.target,
        origin=hit.candidate.origin,
        superseded_by=row["superseded_by"],
        created_at=hit.candidate.created_at,
        why=[Reason(part=each.part, amount=each.amount, because=each.because) for each in hit.why],
    )


def _message(request: SearchDecisions, found: _Found, ranked: Sequence[Ranked]) -> str:
    if count := len(ranked):
        told = "1 result." if count == 1 else f"{count} results, best first."
        if any(found.rows[hit.candidate.id]["kind"] == "proposal" for hit in ranked):
            told += " A proposal is not decided."
    elif request.mode == "strict":
        told = "No decision in force matches; mode audit also shows what is not in force."
    else:
        told = "No decision matches."
    if not found.by_meaning:
        told += " The index of meanings is unavailable, so only decisions that share a word were compared."
    if found.left_out:
        told += f" {found.left_out} more matching by words are not indexed by meaning yet and were left out."
    return told
