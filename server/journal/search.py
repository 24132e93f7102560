"""The search of an agent's messages: retrieval proposes and ranks passages, the graph confirms and loads messages.

Candidates are limited to the agent's own messages by their scope tag, in both indexes. Source: JRN-19, JRN-25, JRN-29.
"""

from collections.abc import Sequence

from server.core.types import Row
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.journal.messages import agent_scope
from server.journal.models import FoundMessage, FoundMessages, SearchConversations
from server.ranking.terms import extract_terms, stem_terms
from server.retrieval.ranked import RankedRecord, describe_match, rank_records
from server.retrieval.scope import SearchScope
from server.retrieval.search import Candidates, PassageSearch, search_confirmed
from server.retrieval.snippet import build_snippet
from server.vectors.store import VectorStore


class ConversationSearch:
    """Runs one search: propose passages, rank them, load their messages."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: SearchConversations, namespace: str) -> FoundMessages:
        """Return the best messages of an agent's journal; while meaning is unavailable, by words alone."""
        narrow = SearchScope(namespace, agent_scope(namespace, request.agent_id))

        shown = slice(request.offset, request.offset + request.limit)

        async def load(found: Sequence[RankedRecord], kept: Candidates) -> Row:
            row = await self._graph.one(
                "journal/found_messages",
                namespace=namespace,
                agent_id=request.agent_id,
                ids=[place.id for place in found[shown]],
                others=kept.unconfirmed,
            )
            assert row is not None
            return row

        found, row, proposed = await search_confirmed(
            await self._passages.propose(narrow, request.query), rank_records, load
        )
        loaded = {each["passage"]: each for each in row["found"]}
        asked = stem_terms(extract_terms(request.query))
        return FoundMessages(
            items=[
                FoundMessage(
                    **loaded[place.id]["message"],
                    score=place.score,
                    matched=describe_match(asked, loaded[place.id], meaning=place.record in proposed.similar_records),
                    snippet=build_snippet(loaded[place.id]["text"], asked),
                )
                for place in found[shown]
                if place.id in loaded
            ],
            by_meaning=proposed.near is not None,
            total=len(found),
        )
