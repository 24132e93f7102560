"""Finding entries: meaning and words propose passages, both judge all of them, their fusion orders the entries.

Source: entries.md "Tool: `search`"; issue "Entries and journal", "Retrieval that finds the evidence". Everything is
narrowed to namespace, project, type and time where passages are proposed, and confirmed by the graph.

What is found: the entries of the hundred passages nearest in meaning (unless they are unlike the query) and of the
passages that share a word with it, in themselves or in what is around them. The best hundred of each kind are fused and
come first; the rest follow by words alone. `total` counts what all pages together hold; past a thousand passages that
share a word it says that there are more.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from server.embedding.embedder import Embedder
from server.entries.models import Found, FoundEntry, Search, iso, milliseconds
from server.entries.scope import entry_of, narrowest, session_of
from server.entries.snippet import snippet
from server.errors import EmbeddingUnavailable, VectorsUnavailable
from server.graph.graph import Graph
from server.ranking.fusion import Candidate, fuse
from server.ranking.terms import stems, terms
from server.types import Row
from server.vectors.store import Hit, Vector, VectorStore, point_id

KIND = "passage"
_CANDIDATES = 100
_MOST = 1_000
"""Passages that share a word with the query, and are counted and paged through."""
_MOST_WORDS = 100
"""Words of a query: Lucene takes 1,024 clauses."""
_UNLIKE = 0.2
"""Cosine below which two texts have nothing to do with each other, as most of two unrelated conversations."""
_OWN_WORDS = 0.5
"""What a word in the passage itself counts on top of a word around it, which is in the passage or near to it."""
_LAST = "9" * 15


@dataclass(frozen=True, slots=True)
class _Narrow:
    """Where to look: the namespace, the one word that everything in the scope carries, from when and until when."""

    namespace: str
    scope: str
    since: int | None
    until: int | None

    def lucene(self) -> str:
        """The clauses that a full-text query starts with; they require, and add nothing to the score."""
        if self.since is None and self.until is None:
            return f"+scope:{self.scope}^0"
        first, last = (token(self.since or 0), _LAST if self.until is None else token(self.until))
        return f"+scope:{self.scope}^0 +at:[{first} TO {last}]^0"


class _Place(NamedTuple):
    """Where an entry stands: the passage that it is found by, and its score."""

    id: str
    score: float


class _ByWords(NamedTuple):
    """A passage that shares a word with the query: its id, the integer id of its entry, the full-text index's score."""

    id: str
    entry: int
    score: float


@dataclass(frozen=True, slots=True)
class _Words:
    """Passages by words, best first; and of the first of them, the words of their scope and when they are from."""

    hits: Sequence[_ByWords] = ()
    first: Sequence[tuple[str, str]] = ()


def token(at: int) -> str:
    """An instant in epoch milliseconds as a word that sorts as the instant does."""
    return f"{max(at, 0):015}"


class EntrySearch:
    """Answers one search in three steps: meaning and words at once, what words alone proposed compared, the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def run(self, request: Search, namespace: str) -> Found:
        """Returns one page of what was found; while meanings cannot be compared, by words alone."""
        narrow = _Narrow(
            namespace,
            narrowest(namespace, request.project, request.type),
            None if request.since is None else milliseconds(request.since),
            None if request.until is None else milliseconds(request.until),
        )
        (vector, near), words = await asyncio.gather(
            self._by_meaning(narrow, request.query), self._by_words(narrow, request.query)
        )
        cosines = await self._compared(narrow, vector, near, words)
        shared = {hit.id for hit in words.hits}
        alike = {hit.key for hit in near or ()}
        gone: set[str] = set()
        while True:
            places = _places(words, [hit for hit in near or () if hit.key not in gone], cosines)
            page = places[request.offset : request.offset + request.limit]
            # What words propose, the graph has just said itself.
            row = await self._told(narrow, page, alike - shared - gone)
            if not row["gone"]:
                break
            # Deleted, and Qdrant does not know yet: as if it had not been proposed.
            gone.update(row["gone"])
        return Found(
            items=_items(page, row["found"], request.query, alike),
            total=len(places),
            limit=request.limit,
            offset=request.offset,
            total_is_exact=len(words.hits) < _MOST,
            by_meaning=near is not None,
        )

    async def _by_meaning(self, narrow: _Narrow, query: str) -> tuple[Vector | None, list[Hit] | None]:
        """The query's vector and the passages nearest to it; None where there is no model or no Qdrant to ask."""
        try:
            vector = await self._embedder.embed_query(query)
        except EmbeddingUnavailable:
            return None, None
        hits = await self._nearest(narrow, vector)
        return vector, None if hits is None else [hit for hit in hits if hit.score >= _UNLIKE]

    async def _nearest(self, narrow: _Narrow, vector: Vector, ids: Sequence[str] | None = None) -> list[Hit] | None:
        """The passages nearest to a vector, or how near just these are; None while Qdrant is down."""
        try:
            return await self._vectors.search(
                vector,
                _CANDIDATES,
                namespace=narrow.namespace,
                kinds=[KIND],
                ids=None if ids is None else [point_id(narrow.namespace, KIND, id_) for id_ in ids],
                # The namespace is looked at in any case; twice costs a third of a search among many.
                scope=None if narrow.scope == narrowest(narrow.namespace, "", "") else narrow.scope,
                since=narrow.since,
                until=narrow.until,
            )
        except VectorsUnavailable:
            return None

    async def _by_words(self, narrow: _Narrow, query: str) -> _Words:
        asked = " ".join(list(dict.fromkeys(terms(query)))[:_MOST_WORDS])
        if not asked:
            return _Words()
        row = await self._graph.one(
            "entries/matching_passages",
            query=f"{narrow.lucene()} +(words:({asked})^{_OWN_WORDS} around:({asked}))",
            limit=_MOST,
            first=_CANDIDATES,
        )
        assert row is not None
        return _Words(list(map(_ByWords._make, row["hits"])), row["first"])

    async def _compared(
        self, narrow: _Narrow, vector: Vector | None, near: Sequence[Hit] | None, words: _Words
    ) -> dict[str, float]:
        """The similarity of every candidate that has a vector: of the nearest, and of what words propose."""
        cosines = {hit.key: hit.score for hit in near or ()}
        lacking = [hit.id for hit in words.hits[:_CANDIDATES] if hit.id not in cosines]
        if vector is None or not lacking:
            return cosines
        hits = await self._nearest(narrow, vector, lacking)
        return cosines | {hit.key: hit.score for hit in hits or ()}

    async def _told(self, narrow: _Narrow, page: Sequence[_Place], others: Iterable[str]) -> Row:
        """What the graph says of a page, and which of the others it does not confirm."""
        row = await self._graph.one(
            "entries/found_passages",
            namespace=narrow.namespace,
            ids=[place.id for place in page],
            others=list(others),
            scope=narrow.scope,
            since=token(narrow.since or 0),
            until=_LAST if narrow.until is None else token(narrow.until),
        )
        assert row is not None
        return row


def _places(words: _Words, near: Sequence[Hit], cosines: Mapping[str, float]) -> list[_Place]:
    """All that was found, each entry once: what is fused, then the rest by words alone, no higher than the last."""
    ranked = fuse(_candidates(words, near, cosines))
    places = {hit.candidate.entry: _Place(hit.candidate.id, hit.score) for hit in ranked}
    last = ranked[-1].score if ranked else 0.0
    for hit in words.hits:
        places.setdefault(hit.entry, _Place(hit.id, last))
    return list(places.values())


def _candidates(words: _Words, near: Sequence[Hit], cosines: Mapping[str, float]) -> list[Candidate]:
    """What words and meaning proposed, each with both scores."""
    proposed = {
        hit.id: Candidate(hit.id, hit.entry, session_of(carried.split()), at, hit.score, cosines.get(hit.id))
        for hit, (carried, at) in zip(words.hits, words.first, strict=False)
    }
    scores = {hit.id: hit.score for hit in words.hits}
    for hit in near:
        entry = entry_of(hit.scope)
        if entry is not None and hit.key not in proposed:
            session, shared = session_of(hit.scope), scores.get(hit.key, 0.0)
            proposed[hit.key] = Candidate(hit.key, entry, session, token(hit.at or 0), shared, hit.score)
    return list(proposed.values())


def _items(page: Sequence[_Place], rows: Sequence[Row], query: str, near: set[str]) -> list[FoundEntry]:
    found = {row["passage"]: row for row in rows}
    asked = stems(terms(query))
    return [_item(found[place.id], place.score, asked, meaning=place.id in near) for place in page if place.id in found]


def _item(row: Row, score: float, asked: set[str], *, meaning: bool) -> FoundEntry:
    own = stems(row["words"].split())
    nearby = stems(row["around"].split()) - own
    matched: list[Literal["meaning", "words", "neighbour"]] = []
    if meaning:
        matched.append("meaning")
    if asked & own:
        matched.append("words")
    if asked & nearby:
        matched.append("neighbour")
    told = {name: row[name] for name in ("id", "title", "entry_type", "project", "session_id", "section")}
    return FoundEntry(
        **told,
        created_at=iso(row["created_at"]),
        snippet=snippet(row["text"], asked),
        score=score,
        # The index stems a little otherwise than we do: what it found by words was found by words.
        matched=matched or ["words"],
    )
