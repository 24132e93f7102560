"""The candidates of a search in one family: records proposed by meaning and by words, with both scores of each.

The scope (`SearchScope`) restricts candidates where they are proposed. They are counted in records: the hundred nearest
as wholes, the records of the hundred nearest passages, and the records of the first passages that share a term. The
graph confirms what Qdrant alone proposed, because it may have been deleted or have left the scope; what words propose
comes from the graph. `search_confirmed` does this for every family: rank, load a page from the graph, and rank again
without the passages that the graph does not have.

Source: RET-7 to RET-14, RET-27; docs/decisions/0010, 0011, 0020 and 0031.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, log
from typing import Any, NamedTuple, TypeVar

from server.core.errors import EmbeddingUnavailable, VectorsUnavailable
from server.core.types import Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.ranking.relevance import WHOLE, Evidence, combine_meaning, combine_words
from server.ranking.terms import extract_terms
from server.ranking.utterances import compute_shares, parse_utterance
from server.retrieval.scope import SearchScope, format_sortable_time
from server.vectors.store import Hit, PassageOrigin, Vector, VectorStore

T = TypeVar("T")
KIND = "passage"
POOL_SIZE = 100
"""How many records by meaning, passages by meaning, and passages by words are candidates."""
_SCANNED = 250
"""How many passages one search by meaning returns: among so many are mostly the nearest hundred wholes as well."""
MAX_WORD_HITS = 1_000
"""How many passages that share a term with the query are counted."""
_READ = 500
"""Of how many passages that share a term it is read how they begin, to know who speaks."""
MOST_WORDS = 100
"""Terms of a query: Lucene allows 1,024 clauses."""
LEAST_COSINE = 0.2
"""Cosine below which meaning proposes nothing, as long as half of the best cosine is above it."""
_COUNTED = 10_000
"""Up to how many passages of a namespace are counted, to weigh a term that no passage has."""
_TYPICAL = 0.45
"""The part of its weight that a term reaches in a passage of average length (BM25, k1 = 1.2)."""
FIELDS = 2
"""The fields that a term is searched in: the passage's own words, and the words around it."""


class WordHit(NamedTuple):
    """A passage that shares a word with the query: its id, its record's integer id, whether it is the record as a
    whole, and the share of the query's weight that it holds, 0 to 1."""

    id: str
    record: int
    whole: bool
    share: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of one search.

    `hits` are the passages by words, best first; `origins` has the origin and the time of the first of them. `near` are
    the passages by meaning, nearest first; None if the embedding model or Qdrant is unavailable. `compared` are points
    that were looked up because words or a passage proposed their records. `vector` is the query's vector.
    `record_shares` is each record's share of the query's weight, for families whose records are indexed with all words.
    `openings` are the texts of short records, and how longer ones begin, of the first by words. `query` is the query.
    """

    hits: Sequence[WordHit] = ()
    origins: Mapping[str, tuple[PassageOrigin, str]] = field(default_factory=dict)
    near: Sequence[Hit] | None = None
    compared: Sequence[Hit] = ()
    vector: Vector | None = None
    record_shares: Mapping[int, float] = field(default_factory=dict)
    openings: Mapping[int, str] = field(default_factory=dict)
    query: str = ""

    @property
    def similar_records(self) -> set[int]:
        """The records that meaning proposed."""
        return {hit.origin.record for hit in self.near or () if hit.origin}

    @property
    def unconfirmed(self) -> list[str]:
        """The passages that meaning alone proposed."""
        return list({hit.key for hit in self.near or ()} - {hit.id for hit in self.hits})

    def remove_passages(self, gone: Collection[str]) -> "Candidates":
        """Return these candidates without some passages."""
        return replace(
            self,
            hits=[hit for hit in self.hits if hit.id not in gone],
            origins={id_: origin for id_, origin in self.origins.items() if id_ not in gone},
            near=None if self.near is None else [hit for hit in self.near if hit.key not in gone],
            compared=[hit for hit in self.compared if hit.key not in gone],
        )

    def add_hits(self, hits: Sequence[Hit]) -> "Candidates":
        """Return these candidates with more hits by meaning."""
        known = {hit.key for hit in self.near or ()}
        return replace(self, near=[*(self.near or ()), *(hit for hit in hits if hit.key not in known)])

    def collect_cosines(self) -> dict[int, float]:
        """Return the cosine of each record's nearest passage, for the records that were compared."""
        nearest: dict[int, float] = {}
        for hit in (*(self.near or ()), *self.compared):
            # A cosine of exactly 0 is that of a vector that was lost.
            if hit.origin and hit.score:
                nearest[hit.origin.record] = max(hit.score, nearest.get(hit.origin.record, -1.0))
        return nearest

    def build_evidence(self) -> list[Evidence]:
        """Return the meaning and the words of each record that meaning or the first hits by words proposed."""
        whole, best, best_hit = _shares(self.hits)
        shares = self._combine(whole, best)
        known = {id_: origin for id_, (origin, _) in self.origins.items()}
        times = {id_: at for id_, (_, at) in self.origins.items()}
        cosines: dict[str, float] = {}
        pool = {origin.record for origin, _ in self.origins.values()} | self.similar_records
        for hit in (*(self.near or ()), *self.compared):
            if hit.origin and hit.score and hit.origin.record in pool:
                known[hit.key], cosines[hit.key] = hit.origin, hit.score
                times.setdefault(hit.key, format_sortable_time(hit.at or 0))
        passages: dict[int, list[str]] = {}
        for id_, origin in known.items():
            passages.setdefault(origin.record, []).append(id_)
        said = self._parse_utterances({record: known[ids[0]] for record, ids in passages.items()})
        return [
            _evidence(
                record,
                {id_: known[id_] for id_ in ids},
                times,
                cosines,
                words=shares.get(record, 0.0),
                best_hit=best_hit.get(record),
                said=said.get(record, (1.0, False)),
            )
            for record, ids in passages.items()
        ]

    def _parse_utterances(self, origins: Mapping[int, PassageOrigin]) -> dict[int, tuple[float, bool]]:
        """Return, for each record of a conversation, the share of its relevance that it keeps, and whether it asks."""
        sessions = {record: origin.session for record, origin in origins.items() if origin.session is not None}
        utterances = {
            record: utterance
            for record in self.openings.keys() & sessions.keys()
            if (utterance := parse_utterance(self.openings[record], is_long=origins[record].parts > 1))
        }
        shares = compute_shares(self.query, utterances, sessions)
        return {record: (share, record in utterances and utterances[record].asks) for record, share in shares.items()}

    def compute_words(self) -> dict[int, float]:
        """Return the words of each record that shares a term with the query, 0 to 1."""
        whole, best, _ = _shares(self.hits)
        return self._combine(whole, best)

    def _combine(self, whole: Mapping[int, float], best: Mapping[int, float]) -> dict[int, float]:
        if self.record_shares:
            return {
                record: WHOLE * self.record_shares.get(record, 0.0) + (1 - WHOLE) * best.get(record, 0.0)
                for record in {*self.record_shares, *best}
            }
        return {record: combine_words(whole.get(record, 0.0), share) for record, share in best.items()}


def _shares(hits: Sequence[WordHit]) -> tuple[dict[int, float], dict[int, float], dict[int, str]]:
    whole: dict[int, float] = {}
    best: dict[int, float] = {}
    passage: dict[int, str] = {}
    for hit in hits:  # best first
        if hit.whole:
            whole.setdefault(hit.record, hit.share)
        if best.setdefault(hit.record, hit.share) == hit.share:
            passage.setdefault(hit.record, hit.id)
    return whole, best, passage


def _evidence(
    record: int,
    origins: Mapping[str, PassageOrigin],
    times: Mapping[str, str],
    cosines: Mapping[str, float],
    *,
    words: float,
    best_hit: str | None,
    said: tuple[float, bool],
) -> Evidence:
    wholes = [id_ for id_, origin in origins.items() if origin.whole]
    parts = [id_ for id_, origin in origins.items() if not origin.whole or origin.parts == 1]
    nearest = max((id_ for id_ in parts if id_ in cosines), key=cosines.__getitem__, default=None)
    meaning = combine_meaning(
        next((cosines[id_] for id_ in wholes if id_ in cosines), None),
        None if nearest is None else cosines[nearest],
        max(origin.parts for origin in origins.values()),
    )
    # A part says more than the whole about why a record was found.
    shown = best_hit if best_hit in parts else nearest or best_hit or (parts or wholes)[0]
    of = origins.get(shown) or next(iter(origins.values()))
    return Evidence(
        record,
        shown,
        max(times[id_] for id_ in origins),
        meaning,
        words,
        of.session,
        *_find_positions(origins.values(), of),
        *said,
    )


def _find_positions(origins: Collection[PassageOrigin], of: PassageOrigin) -> tuple[int | None, int | None]:
    """Return the first and the last position of a record in its session, as far as its known passages have them."""
    whole = next((origin for origin in origins if origin.whole), of)
    return whole.first_place, whole.last_place


async def search_confirmed(
    proposed: Candidates, rank: Callable[[Candidates], T], load: Callable[[T, Candidates], Awaitable[Row]]
) -> tuple[T, Row, Candidates]:
    """Rank the candidates and load what the answer needs; repeat without the passages that the graph does not have.

    `load` returns a row with `gone`: ids of passages that do not exist, or are not in the scope.
    """
    while True:
        ranked = rank(proposed)
        row = await load(ranked, proposed)
        if not row["gone"]:
            return ranked, row, proposed
        proposed = proposed.remove_passages(row["gone"])


class PassageSearch:
    """Collects candidates in two steps: by meaning and by words at once, then the cosines of what words proposed."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, *, all_words: bool = False) -> None:
        """`all_words`: the family's records are indexed with all their words, beside their passages."""
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._all_words = all_words

    async def propose(
        self, narrow: SearchScope, query: str, vector: Vector | None = None, *, least: float | None = None
    ) -> Candidates:
        """Return the candidates of a query; a caller that has the query's vector passes it.

        Meaning alone proposes nothing with a cosine below `least`: by default 0.2, or half of the best cosine if that
        is less. Without the model or Qdrant, and while lost vectors are recreated, words alone propose.
        """
        (vector, near), (found, recreating) = await asyncio.gather(
            self._by_meaning(narrow, query, vector), self._by_words(narrow, query)
        )
        if recreating:
            near = None  # what is nearest may be missing
        if near:
            least = min(LEAST_COSINE, near[0].score / 2) if least is None else least
            near = [hit for hit in near if hit.score >= least]
        compared = await self._compare(narrow, vector, near, found)
        return replace(found, near=near, compared=compared, vector=vector, query=query)

    async def find_nearest_records(self, narrow: SearchScope, vector: Vector, limit: int) -> list[Hit]:
        """Return the records nearest as wholes, whatever their cosine; none while Qdrant is unavailable."""
        return await self._nearest(narrow, vector, wholes=True, limit=limit) or []

    async def _by_meaning(
        self, narrow: SearchScope, query: str, vector: Vector | None
    ) -> tuple[Vector | None, list[Hit] | None]:
        """Return the query's vector and the nearest passages; None for what the model or Qdrant cannot provide."""
        if vector is None:
            try:
                vector = await self._embedder.embed_query(query)
            except EmbeddingUnavailable:
                return None, None
        passages = await self._nearest(narrow, vector, limit=_SCANNED)
        wholes = None if passages is None else await self._select_wholes(narrow, vector, passages)
        if passages is None or wholes is None:
            return vector, None
        merged = {hit.key: hit for hit in (*wholes, *passages[:POOL_SIZE])}
        return vector, sorted(merged.values(), key=lambda hit: -hit.score)

    async def _select_wholes(
        self, narrow: SearchScope, vector: Vector, passages: Sequence[Hit]
    ) -> Sequence[Hit] | None:
        """Return the nearest wholes; they are among the nearest passages unless long texts have many passages each."""
        wholes = [hit for hit in passages if hit.origin and hit.origin.whole]
        if len(wholes) >= POOL_SIZE or len(passages) < _SCANNED:
            return wholes[:POOL_SIZE]
        return await self._nearest(narrow, vector, wholes=True)

    async def _nearest(
        self,
        narrow: SearchScope,
        vector: Vector,
        *,
        wholes: bool = False,
        records: Sequence[int] | None = None,
        limit: int = POOL_SIZE,
    ) -> list[Hit] | None:
        """Return the passages nearest to a vector, of all or of these records; None while Qdrant is unavailable."""
        try:
            return await self._vectors.search(
                vector,
                limit if records is None else len(records),
                namespace=narrow.namespace,
                kinds=[KIND],
                records=records,
                wholes=wholes,
                scope=narrow.scope,
                since=narrow.since,
                until=narrow.until,
            )
        except VectorsUnavailable:
            return None

    async def _by_words(self, narrow: SearchScope, query: str) -> tuple[Candidates, bool]:
        """Return the candidates by words, and whether lost vectors are being recreated."""
        asked = list(dict.fromkeys(extract_terms(query)))[:MOST_WORDS]
        if not asked:
            return Candidates(), (await self._graph.row("projection/lag"))["recreating"]
        row = await self._graph.one(
            "retrieval/matching_passages", **build_word_parameters(narrow, asked, all_words=self._all_words)
        )
        assert row is not None
        weight = compute_weight(row["strongest"], len(asked), row["passages"], FIELDS)
        hits = [WordHit(id_, record, whole, min(score / weight, 1.0)) for id_, record, whole, score in row["hits"]]
        record_weight = compute_weight(row["record_strongest"], len(asked), row["passages"], 1)
        found = Candidates(
            hits,
            {id_: (PassageOrigin(**origin), at) for id_, at, origin in row["first"]},
            record_shares={record: min(score / record_weight, 1.0) for record, score in row["records"]},
            openings={hit.record: text for hit, text in zip(hits, row["openings"], strict=False) if text},
        )
        return found, row["recreating"]

    async def load_cosines(self, narrow: SearchScope, vector: Vector, records: Sequence[int]) -> dict[int, float]:
        """Return the cosines of records as wholes, for those that Qdrant has."""
        hits = await self._nearest(narrow, vector, wholes=True, records=records) if records else None
        return {hit.origin.record: hit.score for hit in hits or () if hit.origin and hit.score}

    async def _compare(
        self, narrow: SearchScope, vector: Vector | None, near: Sequence[Hit] | None, found: Candidates
    ) -> list[Hit]:
        """Return the wholes of the records that words or a passage proposed, except the nearest wholes."""
        if vector is None or near is None:
            return []
        wholes = {hit.origin.record for hit in near if hit.origin and hit.origin.whole}
        records = {origin.record for origin, _ in found.origins.values()}
        records |= {hit.origin.record for hit in near if hit.origin}
        lacking = sorted(records - wholes)
        return await self._nearest(narrow, vector, wholes=True, records=lacking) or [] if lacking else []


def build_word_parameters(narrow: SearchScope, asked: Sequence[str], *, all_words: bool) -> dict[str, Any]:
    """Return the parameters of `retrieval/matching_passages` for the terms of a query."""
    within, together = narrow.to_lucene(), " ".join(asked)
    return {
        "query": f"{within} +(words:({together}) around:({together}))",
        "terms": [f"{within} +(words:{term} around:{term})" for term in asked],
        "record_query": f"{within} +all_words:({together})" if all_words else "",
        "record_terms": [f"{within} +all_words:{term}" for term in asked] if all_words else [],
        "namespace": narrow.namespace,
        "limit": MAX_WORD_HITS,
        "first": POOL_SIZE,
        "read": 0 if all_words else _READ,
        "counted": _COUNTED,
    }


def compute_weight(strongest: Sequence[float], asked: int, passages: int, fields: int) -> float:
    """Return the most that a passage could score: the best score of each term; a term without a hit counts as rare."""
    absent = fields * _TYPICAL * log(1 + (passages + 0.5) / 0.5)
    return fsum(strongest) + absent * (asked - len(strongest))
