"""Search of decisions: passages propose, relevance selects, the graph and the policy order.

Source: DEC-28, DEC-38, DEC-42. Decisions and proposals are found like all other records (`server/retrieval`). What the
query names exactly (a target, an id, a title, a number) is more relevant. The graph adds the status of each candidate
and the decision in force at the end of its supersession chain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import fsum, hypot
from typing import Any

from server.core.fields import to_milliseconds
from server.core.types import Row
from server.decisions.models import FoundDecision, Reason, SearchDecisions, SearchResponse
from server.decisions.passages import build_decision_tag
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.lucene import limit_to_namespace
from server.interface.times import Clock, Moment
from server.ranking.naming import compute_named_share, compute_numbered_share, find_numbers, list_phrases
from server.ranking.policy import Candidate, Predecessor, Ranked, rank
from server.ranking.relevance import WORDS, Evidence, compute_relevance
from server.ranking.terms import extract_terms, stem_terms
from server.retrieval.scope import SearchScope
from server.retrieval.search import Candidates, PassageSearch
from server.vectors.store import Vector, VectorStore

_PREVIEW = 200
_MOST_FILTERED = 200
"""Decisions of one target, or about one entity, that are candidates whatever their words."""
_MOST_TERMS = 100
"""Terms of a query for what was retracted."""
_MOST_EMBEDDED = 32
"""Decisions that Qdrant does not store yet and that one search embeds."""


@dataclass(frozen=True, slots=True)
class _Similarity:
    """How well a decision answers: meaning, words, and the share of the query that names it.

    `is_compared` is false where the meaning is the average of the others, or None where there is none.
    """

    meaning: float | None
    words: float
    named: float
    is_compared: bool

    @property
    def value(self) -> float:
        own = compute_relevance(self.meaning, self.words)
        return own + (1.0 - own) * self.named

    @property
    def explanation(self) -> str:
        meaning = f"{max(self.meaning, 0.0):.2f}" if self.is_compared and self.meaning is not None else "not compared"
        parts = f"meaning {meaning}, words {self.words:.2f} (weight {WORDS:g})"
        return f"{parts}, names it exactly {self.named:.2f}" if self.named else parts


class DecisionSearch:
    """The search of decisions and proposals."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, clock: Clock) -> None:
        self._graph = graph
        self._embedder = embedder
        self._clock = clock
        self._passages = PassageSearch(graph, vectors, embedder, all_words=True)

    async def run(self, request: SearchDecisions, namespace: str) -> SearchResponse:
        """Return the best decisions of a namespace; raise `EmbeddingUnavailable`, `GraphUnavailable`.

        While Qdrant is down, words alone propose, and the message says so.
        """
        vector = await self._embedder.embed_query(request.query)
        narrow = SearchScope(
            namespace,
            build_decision_tag(namespace),
            None if request.since is None else to_milliseconds(request.since),
            None if request.until is None else to_milliseconds(request.until),
        )
        query = " ".join([request.query, *find_numbers(request.query)])
        proposed = await self._passages.propose(narrow, query, vector)
        evidence = {each.record: each for each in proposed.build_evidence()}
        rows = await self._load_candidates(request, namespace, list(evidence))
        similarities = await self._compare(narrow, request.query, vector, rows, evidence, proposed)
        ranked = rank([_to_candidate(row, similarities) for row in rows.values()], request.mode)
        page = ranked[request.offset : request.offset + request.limit]
        end = request.offset + len(page)
        return SearchResponse(
            status="success",
            message=_format_message(
                request,
                rows,
                page,
                has_meanings=proposed.near is not None,
                left_out=sum(not each.is_compared for each in similarities.values()),
            ),
            results=[_to_result(rows[hit.candidate.id], hit) for hit in page],
            total=len(ranked),
            next_offset=end if end < len(ranked) else None,
        )

    async def _load_candidates(
        self, request: SearchDecisions, namespace: str, records: Sequence[int]
    ) -> dict[str, Row]:
        now, moment = self._clock(), request.moment
        if request.status == "retracted":
            moment = replace(moment or Moment(now, now), retracted=True)
        times: dict[str, Any] = {"now": now}
        if moment is not None:
            query = limit_to_namespace(namespace, " ".join(extract_terms(request.query)[:_MOST_TERMS]))
            times = {**moment.parameters, "retracted_query": query or ""}
        row = await self._graph.row(
            "decisions/candidates" if moment is None else "decisions/candidates_as_of",
            **times,
            namespace=namespace,
            records=records,
            keys=list_phrases(request.query),
            target_key=None if request.target is None else comparison_key(request.target),
            about_key=None if request.about is None else comparison_key(request.about),
            statuses=None if request.status is None else [request.status],
            since=request.since,
            until=request.until,
            limit=_MOST_FILTERED,
            preview=_PREVIEW,
        )
        return {each["id"]: each for each in row["candidates"]}

    async def _compare(  # noqa: PLR0917 - the query, and all that is known of its candidates
        self,
        narrow: SearchScope,
        query: str,
        vector: Vector,
        rows: Mapping[str, Row],
        evidence: Mapping[int, Evidence],
        proposed: Candidates,
    ) -> dict[str, _Similarity]:
        """Compute the similarity of each candidate, by its id.

        Candidates that the graph added are looked up in Qdrant. What is not projected yet is embedded here, so that the
        answer is the same before and after the projection.
        """
        # Of these, Qdrant may still store the vectors of an earlier text.
        stale = {row["record"] for row in rows.values() if row["unprojected"]}
        known = {record: each.meaning for record, each in evidence.items() if record not in stale}
        meanings = {record: meaning for record, meaning in known.items() if meaning is not None}
        lacking = [row["record"] for row in sorted(rows.values(), key=lambda row: not row["replaced"])]
        if proposed.near is not None:
            lacking = [record for record in lacking if record not in meanings]
            projected = [record for record in lacking if record not in stale]
            meanings |= await self._passages.load_cosines(narrow, vector, projected)
        retracted = _list_retracted_texts(rows.values())
        if unprojected := [record for record in lacking if record not in meanings][:_MOST_EMBEDDED]:
            meanings |= await self._embed(narrow.namespace, vector, unprojected, retracted)
        # A candidate that cannot be compared counts as the others do on average.
        average = fsum(meanings.values()) / len(meanings) if meanings else None
        words = proposed.compute_words()
        words |= {record: _compute_share_of_words(query, text) for record, text in retracted.items()}
        return {
            id_: _Similarity(
                meanings.get(row["record"], average),
                words.get(row["record"], 0.0),
                _compute_share_named(query, row),
                row["record"] in meanings,
            )
            for id_, row in rows.items()
        }

    async def _embed(
        self, namespace: str, vector: Vector, records: Sequence[int], retracted: Mapping[int, str]
    ) -> dict[int, float]:
        stored = await self._graph.run("decisions/texts", namespace=namespace, records=records)
        texts = {row["record"]: row["text"] for row in stored}
        texts |= {record: retracted[record] for record in records if record in retracted}
        vectors = await self._embedder.embed_passages(list(texts.values()), urgent=True)
        return {record: _compute_cosine(vector, each) for record, each in zip(texts, vectors, strict=True)}


def _list_retracted_texts(rows: Iterable[Row]) -> dict[int, str]:
    """Return the texts of retracted candidates, which have no passages, by their integer ids."""
    return {row["record"]: row["retracted_text"] for row in rows if row.get("retracted_text")}


def _compute_share_of_words(query: str, text: str) -> float:
    """Return the share of the query's terms that a text has."""
    asked = stem_terms(extract_terms(query))
    return len(asked & stem_terms(extract_terms(text))) / len(asked) if asked else 0.0


def _compute_share_named(query: str, row: Row) -> float:
    named = compute_named_share(query, (row["id"], row["target"], row["title"]))
    return max(
        named, compute_numbered_share(query, row["id"]), compute_numbered_share(query, _find_label(row["title"]))
    )


def _find_label(title: str) -> str:
    """Return the label before the colon of a title: "RFC 560" of "RFC 560: Messages"."""
    head, separator, _ = title.partition(":")
    return head if separator else ""


def _compute_cosine(one: Vector, other: Vector) -> float:
    lengths = hypot(*one) * hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


def _to_candidate(row: Row, similarities: Mapping[str, _Similarity]) -> Candidate:
    replaced = [Predecessor(id_, similarities[id_].value) for id_ in row["replaced"] if id_ in similarities]
    return Candidate(
        id=row["id"],
        target=row["target_key"],
        status=row["status"],
        origin=row["origin"],
        created_at=datetime.fromisoformat(row["created_at"]),
        similarity=similarities[row["id"]].value,
        because=similarities[row["id"]].explanation,
        meaning=similarities[row["id"]].meaning if similarities[row["id"]].is_compared else None,
        replaced=max(replaced, key=lambda each: (each.similarity, each.id), default=None),
        pending=row["pending"],
    )


def _to_result(row: Row, hit: Ranked) -> FoundDecision:
    return FoundDecision(
        id=hit.candidate.id,
        kind=row["kind"],
        score=hit.score,
        status=hit.candidate.status,
        preview=f"{row['title']}: {row['rationale']}",
        title=row["title"],
        target=row["target"],
        origin=hit.candidate.origin,
        superseded_by=row["superseded_by"],
        created_at=hit.candidate.created_at,
        effective_at=_parse(row["effective_at"]),
        valid_until=_parse(row["valid_until"]),
        why=[Reason(part=each.part, amount=each.amount, because=each.because) for each in hit.why],
    )


def _parse(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text.partition("[")[0])


def _format_message(
    request: SearchDecisions, rows: Mapping[str, Row], page: Sequence[Ranked], *, has_meanings: bool, left_out: int
) -> str:
    if count := len(page):
        message = "1 result." if count == 1 else f"{count} results, best first."
        if any(rows[hit.candidate.id]["kind"] == "proposal" for hit in page):
            message += " A proposal is not decided."
    elif request.mode == "strict":
        message = "No decision in force matches; mode audit also finds what is not in force."
    else:
        message = "No decision matches. Try other words, or list all that is in force with list_decisions."
    if not has_meanings:
        message += " The index of meanings is unavailable, so only decisions that share a word were compared."
    if left_out:
        message += f" {left_out} are not indexed by meaning yet and were compared by their words alone."
    return message
