"""Finding entries: meaning and words propose passages, both judge all of them, their fusion orders the entries.

Source: entries.md "Tool: `search`"; issue "Entries and journal", "Retrieval that finds the evidence". Everything is
narrowed to namespace, project, type and time where passages are proposed, and confirmed by the graph.

What is found: the entries of the hundred passages nearest in meaning (unless they are unlike the query) and of the
passages that share a word with it, in themselves or in what is around them. The best hundred of each kind are fused and
come first; the rest follow by words alone. `total` counts what all pages together hold; past a thousand passages that
share a word it says that there are more.
"""

from collections.abc import Sequence

from server.embedding.embedder import Embedder
from server.entries.models import Found, FoundEntry, Search
from server.entries.scope import narrowest
from server.fields import iso, milliseconds
from server.graph.graph import Graph
from server.ranking.terms import stems, terms
from server.retrieval.places import Place, matched, places
from server.retrieval.scope import Narrow
from server.retrieval.search import MOST, PassageSearch
from server.retrieval.snippet import snippet
from server.types import Row
from server.vectors.store import VectorStore


class EntrySearch:
    """Answers one search: passages are proposed, fused, and told by the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: Search, namespace: str) -> Found:
        """Returns one page of what was found; while meanings cannot be compared, by words alone."""
        narrow = Narrow(
            namespace,
            narrowest(namespace, request.project, request.type),
            None if request.since is None else milliseconds(request.since),
            None if request.until is None else milliseconds(request.until),
        )
        proposed = await self._passages.propose(narrow, request.query)
        alike = proposed.alike
        while True:
            found = places(proposed)
            page = found[request.offset : request.offset + request.limit]
            row = await self._told(narrow, page, proposed.unconfirmed)
            if not row["gone"]:
                break
            # Deleted, and Qdrant does not know yet: as if it had not been proposed.
            proposed = proposed.without(row["gone"])
        return Found(
            items=_items(page, row["found"], request.query, alike),
            total=len(found),
            limit=request.limit,
            offset=request.offset,
            total_is_exact=len(proposed.hits) < MOST,
            by_meaning=proposed.near is not None,
        )

    async def _told(self, narrow: Narrow, page: Sequence[Place], others: Sequence[str]) -> Row:
        """What the graph says of a page, and which of the others it does not confirm."""
        since, until = narrow.times
        row = await self._graph.one(
            "entries/found_passages",
            namespace=narrow.namespace,
            ids=[place.id for place in page],
            others=others,
            scope=narrow.scope,
            since=since,
            until=until,
        )
        assert row is not None
        return row


def _items(page: Sequence[Place], rows: Sequence[Row], query: str, near: set[str]) -> list[FoundEntry]:
    found = {row["passage"]: row for row in rows}
    asked = stems(terms(query))
    return [_item(found[place.id], place.score, asked, meaning=place.id in near) for place in page if place.id in found]


def _item(row: Row, score: float, asked: set[str], *, meaning: bool) -> FoundEntry:
    told = {name: row[name] for name in ("id", "title", "entry_type", "project", "session_id", "section")}
    return FoundEntry(
        **told,
        created_at=iso(row["created_at"]),
        snippet=snippet(row["text"], asked),
        score=score,
        matched=matched(asked, row, meaning=meaning),
    )
