"""Finding what was said to and by an agent: the retrieval core proposes, the graph confirms, their fusion orders.

Source: design.md sections 4 and 5; docs/decisions/0010 and 0016. Everything is narrowed to the agent's own messages
where passages are proposed, by the word that they carry.
"""

from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.journal.messages import agent_scope
from server.journal.models import FoundMessage, FoundMessages, SearchConversations
from server.ranking.terms import stems, terms
from server.retrieval.places import matched, places
from server.retrieval.scope import Narrow
from server.retrieval.search import PassageSearch
from server.retrieval.snippet import snippet
from server.vectors.store import VectorStore


class ConversationSearch:
    """Answers one search: passages are proposed, fused, and told by the graph."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._passages = PassageSearch(graph, vectors, embedder)

    async def run(self, request: SearchConversations, namespace: str) -> FoundMessages:
        """Returns the best messages of an agent's journal; while meanings cannot be compared, by words alone."""
        narrow = Narrow(namespace, agent_scope(namespace, request.agent_id))
        proposed = await self._passages.propose(narrow, request.query)
        alike = proposed.alike
        while True:
            page = places(proposed)[: request.limit]
            row = await self._graph.one(
                "journal/found_messages",
                namespace=namespace,
                agent_id=request.agent_id,
                ids=[place.id for place in page],
                others=proposed.unconfirmed,
            )
            assert row is not None
            if not row["gone"]:
                break
            # Qdrant does not know yet that it is gone: as if it had not been proposed.
            proposed = proposed.without(row["gone"])
        told = {each["passage"]: each for each in row["found"]}
        asked = stems(terms(request.query))
        return FoundMessages(
            items=[
                FoundMessage(
                    **told[place.id]["message"],
                    score=place.score,
                    matched=matched(asked, told[place.id], meaning=place.id in alike),
                    snippet=snippet(told[place.id]["text"], asked),
                )
                for place in page
                if place.id in told
            ],
            by_meaning=proposed.near is not None,
        )
