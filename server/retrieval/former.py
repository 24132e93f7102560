"""Candidates among the passages of records that were replaced or retracted since: they are found by their words.

Source: MEM-68.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from server.graph.graph import Graph
from server.ranking.terms import extract_terms
from server.retrieval.scope import SearchScope
from server.retrieval.search import FIELDS, MAX_WORD_HITS, MOST_WORDS, POOL_SIZE, Candidates, WordHit, compute_weight
from server.vectors.store import PassageOrigin


async def propose_former(graph: Graph, narrow: SearchScope, query: str, as_of: datetime) -> Candidates:
    """Return the passages that share a word with the query and ended after a time."""
    asked = list(dict.fromkeys(extract_terms(query)))[:MOST_WORDS]
    if not asked:
        return Candidates()
    within = narrow.to_lucene()
    row = await graph.row(
        "retrieval/matching_former_passages",
        query=f"{within} +(words:({' '.join(asked)}) around:({' '.join(asked)}))",
        terms=[f"{within} +(words:{term} around:{term})" for term in asked],
        limit=MAX_WORD_HITS,
        as_of=as_of,
    )
    weight = compute_weight(row["strongest"], len(asked), len(row["hits"]), FIELDS)
    hits = [WordHit(id_, record, whole, min(score / weight, 1.0)) for id_, record, whole, score, *_ in row["hits"]]
    origins = {id_: (PassageOrigin(**origin), at) for id_, _, _, _, at, origin in row["hits"][:POOL_SIZE]}
    return Candidates(hits, origins)


def add_former(current: Candidates, former: Candidates) -> Candidates:
    """Return the current candidates with the former ones, best first."""
    return replace(
        current,
        hits=sorted([*current.hits, *former.hits], key=lambda hit: -hit.share),
        origins={**current.origins, **former.origins},
    )


def list_records(proposed: Candidates) -> list[int]:
    """Return the integer ids of all records that the candidates belong to."""
    found = {hit.record for hit in proposed.hits} | {origin.record for origin, _ in proposed.origins.values()}
    return sorted(found | {hit.origin.record for hit in (*(proposed.near or ()), *proposed.compared) if hit.origin})


def keep_records(proposed: Candidates, records: Collection[int]) -> Candidates:
    """Return only the candidates of these records."""
    near = proposed.near
    return replace(
        proposed,
        hits=[hit for hit in proposed.hits if hit.record in records],
        origins={id_: origin for id_, origin in proposed.origins.items() if origin[0].record in records},
        near=None if near is None else [hit for hit in near if hit.origin and hit.origin.record in records],
        compared=[hit for hit in proposed.compared if hit.origin and hit.origin.record in records],
    )
