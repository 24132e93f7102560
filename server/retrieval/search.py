"""What may answer a query, of one family's passages: proposed by meaning and by words, each with both scores.

Everything is narrowed where passages are proposed (`Narrow`). What Qdrant alone proposed has to be confirmed: it may
have been deleted, or be in another scope by now; what words propose the graph has said itself, projected or not. A
family fuses the candidates its own way, tells its page from the graph in one statement together with what of
`unconfirmed` is gone, and goes on with `without` what is gone:

    proposed = await search.propose(narrow, query)
    while True:
        page = fuse(proposed.candidates())...
        row = await graph.one("family/found", ids=page, others=proposed.unconfirmed, ...)
        if not row["gone"]: break
        proposed = proposed.without(row["gone"])

Source: docs/decisions/0010 and 0011.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from server.embedding.embedder import Embedder
from server.errors import EmbeddingUnavailable, VectorsUnavailable
from server.graph.graph import Graph
from server.ranking.fusion import Candidate
from server.ranking.terms import terms
from server.retrieval.scope import Narrow, place_of, record_of, session_of, token
from server.vectors.store import Hit, Vector, VectorStore, point_id

KIND = "passage"
CANDIDATES = 100
"""Passages by meaning, and as many by words, that are fused."""
MOST = 1_000
"""Passages that share a word with the query, and are counted."""
_MOST_WORDS = 100
"""Words of a query: Lucene takes 1,024 clauses."""
UNLIKE = 0.2
"""Cosine below which two texts have nothing to do with each other, as most of two unrelated conversations."""
_OWN_WORDS = 0.5
"""What a word in the passage itself counts on top of a word around it, which is in the passage or near to it."""


class ByWords(NamedTuple):
    """A passage that shares a word with the query: its id, its record's integer id, the full-text index's score."""

    id: str
    record: int
    score: float


@dataclass(frozen=True, slots=True)
class Proposed:
    """What meaning and words proposed.

    `hits` are the passages by words, best first; `carried` are, of the first of them, the words of their scope and when
    they are from. `near` are those by meaning, nearest first, and None where meanings could not be compared; `cosines`
    are the similarities of all candidates that have a vector.
    """

    hits: Sequence[ByWords] = ()
    carried: Sequence[tuple[str, str]] = ()
    near: Sequence[Hit] | None = None
    cosines: Mapping[str, float] = field(default_factory=dict)

    @property
    def alike(self) -> set[str]:
        """The passages that meaning proposed."""
        return {hit.key for hit in self.near or ()}

    @property
    def unconfirmed(self) -> list[str]:
        """The passages that meaning alone proposed."""
        return list(self.alike - {hit.id for hit in self.hits})

    def without(self, gone: Collection[str]) -> "Proposed":
        """The same as if meaning had not proposed these."""
        return replace(self, near=[hit for hit in self.near or () if hit.key not in gone])

    def candidates(self) -> list[Candidate]:
        """The best of each kind, each passage once and with both scores."""
        proposed = {
            hit.id: _candidate(hit.id, hit.record, carried.split(), at, hit.score, self.cosines.get(hit.id))
            for hit, (carried, at) in zip(self.hits, self.carried, strict=False)
        }
        scores = {hit.id: hit.score for hit in self.hits}
        for hit in self.near or ():
            record = record_of(hit.scope)
            if record is not None and hit.key not in proposed:
                at, shared = token(hit.at or 0), scores.get(hit.key, 0.0)
                proposed[hit.key] = _candidate(hit.key, record, hit.scope, at, shared, hit.score)
        return list(proposed.values())


def _candidate(  # noqa: PLR0917 - in the order of the fields
    id_: str, record: int, carried: Sequence[str], at: str, words: float, cosine: float | None
) -> Candidate:
    return Candidate(id_, record, session_of(carried), at, words, cosine, place_of(carried))


class PassageSearch:
    """Gathers candidates in two steps: meaning and words at once, then how alike is what words alone proposed."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def propose(
        self, narrow: Narrow, query: str, vector: Vector | None = None, *, least: float = UNLIKE
    ) -> Proposed:
        """The passages that may answer a query; `vector` stands for its meaning where the caller has it already.

        Meaning alone proposes nothing whose cosine is below `least`. While there is no model or no Qdrant, words alone
        propose.
        """
        (vector, near), found = await asyncio.gather(
            self._by_meaning(narrow, query, vector), self._by_words(narrow, query)
        )
        if near is not None:
            near = [hit for hit in near if hit.score >= least]
        return replace(found, near=near, cosines=await self._compared(narrow, vector, near, found.hits))

    async def _by_meaning(
        self, narrow: Narrow, query: str, vector: Vector | None
    ) -> tuple[Vector | None, list[Hit] | None]:
        """The query's vector and the passages nearest to it; None where there is no model or no Qdrant to ask."""
        if vector is None:
            try:
                vector = await self._embedder.embed_query(query)
            except EmbeddingUnavailable:
                return None, None
        return vector, await self._nearest(narrow, vector)

    async def _nearest(self, narrow: Narrow, vector: Vector, ids: Sequence[str] | None = None) -> list[Hit] | None:
        """The passages nearest to a vector, or how near just these are; None while Qdrant is down."""
        try:
            return await self._vectors.search(
                vector,
                CANDIDATES,
                namespace=narrow.namespace,
                kinds=[KIND],
                ids=None if ids is None else [point_id(narrow.namespace, KIND, id_) for id_ in ids],
                scope=narrow.scope,
                since=narrow.since,
                until=narrow.until,
            )
        except VectorsUnavailable:
            return None

    async def _by_words(self, narrow: Narrow, query: str) -> Proposed:
        asked = " ".join(list(dict.fromkeys(terms(query)))[:_MOST_WORDS])
        if not asked:
            return Proposed()
        row = await self._graph.one(
            "retrieval/matching_passages",
            query=f"{narrow.lucene()} +(words:({asked})^{_OWN_WORDS} around:({asked}))",
            limit=MOST,
            first=CANDIDATES,
        )
        assert row is not None
        return Proposed(list(map(ByWords._make, row["hits"])), row["first"])

    async def _compared(
        self, narrow: Narrow, vector: Vector | None, near: Sequence[Hit] | None, hits: Sequence[ByWords]
    ) -> dict[str, float]:
        """The similarity of every candidate that has a vector: of the nearest, and of what words propose."""
        cosines = {hit.key: hit.score for hit in near or ()}
        lacking = [hit.id for hit in hits[:CANDIDATES] if hit.id not in cosines]
        if vector is None or not lacking:
            return cosines
        compared = await self._nearest(narrow, vector, lacking)
        return cosines | {hit.key: hit.score for hit in compared or ()}
