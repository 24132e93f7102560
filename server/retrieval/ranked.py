"""The order of the records that a search found, and what each matched. Source: RET-16, RET-17; docs/decisions/0020."""

from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from server.core.types import Row
from server.ranking.relevance import compute_relevance, rank
from server.ranking.terms import stem_terms
from server.retrieval.search import Candidates

MatchKind = Literal["meaning", "words", "neighbour"]


class RankedRecord(NamedTuple):
    """A record that was found: its integer id, the passage that shows why, and its score."""

    record: int
    id: str
    score: float


def rank_records(proposed: Candidates) -> list[RankedRecord]:
    """Return each record once: the candidates by relevance, then the other records by words alone.

    The others score no higher than the last candidate.
    """
    ranked = rank(proposed.build_evidence())
    found = {hit.evidence.record: RankedRecord(hit.evidence.record, hit.evidence.passage, hit.score) for hit in ranked}
    last = ranked[-1].score if ranked else 1.0
    for hit in proposed.hits:
        found.setdefault(
            hit.record, RankedRecord(hit.record, hit.id, round(min(last, compute_relevance(0.0, hit.share)), 6))
        )
    return list(found.values())


def describe_match(asked: AbstractSet[str], passage: Row, *, meaning: bool) -> list[MatchKind]:
    """Return what a passage matched: meaning, its own words, or words around it.

    `asked` are the stems of the query; `passage` has its `words` and the words `around` it.
    """
    own = stem_terms(passage["words"].split())
    nearby = stem_terms(passage["around"].split()) - own
    found: list[MatchKind] = ["meaning"] if meaning else []
    if asked & own:
        found.append("words")
    if asked & nearby:
        found.append("neighbour")
    # The index stems slightly differently: without a common stem, the index still matched a word.
    return found or ["words"]
