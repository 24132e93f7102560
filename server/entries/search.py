"""Finding entries: meaning and words propose passages, both judge all of them, their fusion orders the entries.

Source: entries.md "Tool: `search`"; issue "Entries and journal", "Retrieval that finds the evidence". Everything is
narrowed to namespace, project, type and time where passages are proposed, and confirmed by the graph.

What is found: the entries of the hundred passages nearest in meaning (unless they are unlike the query) and of the
passages that share a word with it, in themselves or in what is around them. The best hundred of each kind are fused and
come first; the rest follow by words alone. `total` counts what all pages together hold; past a thousand passages that
share a word it says that there are more.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.embedding.embedder import Embedder
from server.entries.models import Found, FoundEntry, Search, iso, milliseconds
from server.entries.scope import id_word, narrowest
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


@dataclass(frozen=True, slots=True)
class _Words:
    """Passages by words, best first; how many entries they are of; whether there are no more."""

    hits: list[Candidate]
    entries: int
    all_of_them: bool


def token(at: int) -> str:
    """An instant in epoch milliseconds as a word that sorts as the instant does."""
    return f"{max(at, 0):015}"


class EntrySearch:
    """Answers one search in four steps: vector and words at once, nearest vectors, what either lacks, the page."""

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
        asked = list(dict.fromkeys(terms(request.query)))[:_MOST_WORDS]
        vector, words = await asyncio.gather(self._embedded(request.query), self._by_words(narrow, asked, _CANDIDATES))
        near = None if vector is None else await self._by_meaning(narrow, vector)
        candidates = await self._candidates(narrow, asked, words, vector, near or ())
        ranked = fuse(candidates)
        shared = {hit.entry_id for hit in candidates if hit.words > 0}
        total = words.entries + len({hit.candidate.entry_id for hit in ranked} - shared)
        places = [(hit.candidate.id, hit.score) for hit in ranked]
        if request.offset < total and len(places) < min(request.offset + request.limit, total):
            places += await self._rest(narrow, asked, {hit.candidate.entry_id for hit in ranked}, places)
        page = places[request.offset : request.offset + request.limit]
        return Found(
            items=await self._told(request.query, namespace, page, {hit.key for hit in near or ()}),
            total=total,
            limit=request.limit,
            offset=request.offset,
            total_is_exact=words.all_of_them,
            by_meaning=near is not None,
        )

    async def _embedded(self, query: str) -> Vector | None:
        try:
            return await self._embedder.embed_query(query)
        except EmbeddingUnavailable:
            return None

    async def _by_words(self, narrow: _Narrow, asked: Sequence[str], first: int) -> _Words:
        if not asked:
            return _Words([], 0, all_of_them=True)
        return await self._matching(narrow, f"{narrow.lucene()} +({_either(asked)})", _MOST, first)

    async def _matching(
        self, narrow: _Narrow, query: str, limit: int, first: int, *, unmatched: bool = False
    ) -> _Words:
        row = await self._graph.one(
            "entries/matching_passages",
            namespace=narrow.namespace,
            query=query,
            unmatched=unmatched,
            limit=limit,
            first=first,
        )
        assert row is not None
        hits = [
            Candidate(id_, entry_id, session and f"{project}\0{session}", at, score, None)
            for id_, entry_id, session, project, at, score in row["hits"]
        ]
        return _Words(hits, row["entries"], all_of_them=row["passages"] < limit)

    async def _by_meaning(self, narrow: _Narrow, vector: Vector, keys: Sequence[str] | None = None) -> list[Hit] | None:
        """The nearest passages, or these ones; None while Qdrant is down."""
        try:
            hits = await self._vectors.search(
                vector,
                _CANDIDATES,
                namespace=narrow.namespace,
                kinds=[KIND],
                ids=None if keys is None else [point_id(narrow.namespace, KIND, key) for key in keys],
                scope=narrow.scope,
                since=narrow.since,
                until=narrow.until,
            )
        except VectorsUnavailable:
            return None
        return hits if keys is not None else [hit for hit in hits if hit.score >= _UNLIKE]

    async def _candidates(
        self, narrow: _Narrow, asked: Sequence[str], words: _Words, vector: Vector | None, near: Sequence[Hit]
    ) -> list[Candidate]:
        """What words and meaning proposed, each with both scores; what the graph does not confirm is left out."""
        cosines = {hit.key: hit.score for hit in near}
        proposed = {hit.id for hit in words.hits}
        lacking = [hit.id for hit in words.hits if hit.id not in cosines]
        new, compared = await asyncio.gather(
            self._confirmed(narrow, asked, [hit.key for hit in near if hit.key not in proposed]),
            self._by_meaning(narrow, vector, lacking) if vector is not None and lacking else _nothing(),
        )
        cosines |= {hit.key: hit.score for hit in compared or ()}
        return [
            Candidate(hit.id, hit.entry_id, hit.session, hit.at, hit.words, cosines.get(hit.id))
            for hit in [*words.hits, *new]
        ]

    async def _confirmed(self, narrow: _Narrow, asked: Sequence[str], ids: Sequence[str]) -> list[Candidate]:
        if not ids:
            return []
        only = f"{narrow.lucene()} +scope:({' '.join(map(id_word, ids))})^0"
        query = f"{only} {_either(asked)}" if asked else only
        return (await self._matching(narrow, query, len(ids), len(ids), unmatched=True)).hits

    async def _rest(
        self, narrow: _Narrow, asked: Sequence[str], ranked: set[str], places: Sequence[tuple[str, float]]
    ) -> list[tuple[str, float]]:
        """By words alone, what follows the fused ones; no higher than the last of them."""
        words = await self._by_words(narrow, asked, _MOST)
        best: dict[str, str] = {}
        for hit in words.hits:
            best.setdefault(hit.entry_id, hit.id)
        last = places[-1][1] if places else 0.0
        return [(id_, last) for entry_id, id_ in best.items() if entry_id not in ranked]

    async def _told(
        self, query: str, namespace: str, page: Sequence[tuple[str, float]], near: set[str]
    ) -> list[FoundEntry]:
        if not page:
            return []
        row = await self._graph.one("entries/found_passages", namespace=namespace, ids=[id_ for id_, _ in page])
        assert row is not None
        found = {each["passage"]: each for each in row["found"]}
        asked = stems(terms(query))
        return [_item(found[id_], score, asked, meaning=id_ in near) for id_, score in page if id_ in found]


async def _nothing() -> None:
    return None


def _either(asked: Sequence[str]) -> str:
    words = " ".join(asked)
    return f"words:({words})^{_OWN_WORDS} around:({words})"


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
