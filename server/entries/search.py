"""Searching entries: candidates by meaning and by words, ranked together by relevance, confirmed by the graph.

The filters namespace, project, type and time apply where candidates are chosen. Candidates are the entries nearest in
meaning (unless they are too dissimilar), as a whole or by a passage, and the entries of passages that share a word with
the query, in themselves or in the text around them. Relevance orders the first of each kind; the rest follow by words.

Source: MEM-18, MEM-20, MEM-26.
"""

from collections.abc import Collection, Sequence

from server.core.fields import to_milliseconds
from server.core.types import Row
from server.embedding.embedder import Embedder
from server.entries.models import FoundEntries, FoundEntry, SearchEntries
from server.entries.scope import build_scope_tag
from server.graph.graph import Graph
from server.ranking.terms import extract_terms, stem_terms
from server.retrieval.other_families import OtherFamilies
from server.retrieval.ranked import RankedRecord, describe_match, rank_records
from server.retrieval.scope import SearchScope
from server.retrieval.search import MAX_WORD_HITS, PassageSearch, search_confirmed
from server.retrieval.snippet import build_snippet
from server.vectors.store import VectorStore


class EntrySearch:
    """Answers searches: finds candidates, ranks them, and loads a page from the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._passages = PassageSearch(graph, vectors, embedder)
        self._other_families = OtherFamilies(graph, vectors)

    async def run(self, request: SearchEntries, namespace: str) -> FoundEntries:
        """Return one page of hits; while meanings cannot be compared, by words only."""
        narrow = SearchScope(
            namespace,
            build_scope_tag(namespace, request.project, request.type),
            None if request.since is None else to_milliseconds(request.since),
            None if request.until is None else to_milliseconds(request.until),
        )
        page = slice(request.offset, request.offset + request.limit)
        found, row, proposed = await search_confirmed(
            await self._passages.propose(narrow, request.query),
            rank_records,
            lambda found, kept: self._load(narrow, found[page], kept.unconfirmed),
        )
        own_records = {hit.record for hit in found[page]}
        hint = await self._other_families.build_hint(namespace, proposed, own_records) if request.offset == 0 else None
        return FoundEntries(
            items=build_items(found[page], row["found"], request.query, proposed.similar_records),
            total=len(found),
            limit=request.limit,
            offset=request.offset,
            total_is_exact=len(proposed.hits) < MAX_WORD_HITS,
            by_meaning=proposed.near is not None,
            message=_format_message(request, found, hint),
        )

    async def _load(self, narrow: SearchScope, page: Sequence[RankedRecord], others: Sequence[str]) -> Row:
        """Load the entries of a page, and which of the other passages the graph does not confirm."""
        since, until = narrow.times
        row = await self._graph.one(
            "entries/found_passages",
            namespace=narrow.namespace,
            ids=[hit.id for hit in page],
            others=others,
            scope=narrow.scope,
            since=since,
            until=until,
        )
        assert row is not None
        return row


def _format_message(request: SearchEntries, found: Sequence[RankedRecord], hint: str | None) -> str | None:
    if found:
        return hint
    filters = [name for name in ("project", "type", "since", "until") if getattr(request, name)]
    advice = f"No memory matches. Try other words{', or omit ' + ' and '.join(filters) if filters else ''}."
    return f"{advice} {hint}" if hint else advice


def build_items(
    page: Sequence[RankedRecord], rows: Sequence[Row], query: str, near: Collection[int]
) -> list[FoundEntry]:
    """Return the hits of a page, from the rows of their passages."""
    found = {row["passage"]: row for row in rows}
    query_stems = stem_terms(extract_terms(query))
    return [
        _to_item(found[hit.id], hit.score, query_stems, meaning=hit.record in near) for hit in page if hit.id in found
    ]


def _to_item(row: Row, score: float, query_stems: set[str], *, meaning: bool) -> FoundEntry:
    fields = {
        name: row[name] for name in ("id", "title", "entry_type", "project", "session_id", "section", "source_ref")
    }
    return FoundEntry(
        **fields,
        corrected_by=row["corrected_by"],
        created_at=row["created_at"],
        snippet=build_snippet(row["text"], query_stems),
        score=score,
        matched=describe_match(query_stems, row, meaning=meaning),
    )
