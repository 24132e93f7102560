"""Searching the entries that were active at a time, also those that were replaced or retracted since.

Current entries are found by meaning and words, former ones by words: their vectors are gone. Source: MEM-68, MEM-69.
"""

from server.core.fields import to_milliseconds
from server.embedding.embedder import Embedder
from server.entries.models import FoundEntries, SearchEntries
from server.entries.scope import build_scope_tag
from server.entries.search import build_items
from server.graph.graph import Graph
from server.retrieval.former import add_former, keep_records, list_records, propose_former
from server.retrieval.ranked import rank_records
from server.retrieval.scope import SearchScope
from server.retrieval.search import MAX_WORD_HITS, PassageSearch
from server.vectors.store import VectorStore


class PastEntrySearch:
    """Answers searches with `as_of`."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: SearchEntries, namespace: str) -> FoundEntries:
        """Return one page of the entries that were active at `as_of`."""
        assert request.as_of is not None
        last = request.as_of if request.until is None else min(request.as_of, request.until)
        narrow = SearchScope(
            namespace,
            build_scope_tag(namespace, request.project, request.type),
            None if request.since is None else to_milliseconds(request.since),
            to_milliseconds(last),
        )
        current = await self._passages.propose(narrow, request.query)
        former = await propose_former(self._graph, narrow, request.query, request.as_of)
        records = sorted({*list_records(current), *list_records(former)})
        active = await self._graph.run(
            "entries/active_as_of", namespace=namespace, records=records, as_of=request.as_of
        )
        proposed = add_former(
            keep_records(current, {row["record"] for row in active if not row["rewritten"]}),
            keep_records(former, {row["record"] for row in active}),
        )
        found = rank_records(proposed)
        page = found[request.offset : request.offset + request.limit]
        rows = await self._graph.run(
            "entries/found_passages_as_of", namespace=namespace, ids=[hit.id for hit in page], as_of=request.as_of
        )
        return FoundEntries(
            items=build_items(page, rows, request.query, proposed.similar_records),
            total=len(found),
            limit=request.limit,
            offset=request.offset,
            total_is_exact=len(proposed.hits) < MAX_WORD_HITS,
            by_meaning=proposed.near is not None,
            message=None if found else "No memory of then matches. Try other words, or another as_of.",
        )
