"""Finding what was said to and by an agent: meaning and words propose, the graph confirms, ranks are fused.

Source: design.md sections 4 and 5. Both look within the agent's own messages, by the word of their scope that stands
for its journal. What is not projected yet is found by its words.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.embedding.embedder import Embedder
from server.errors import EmbeddingUnavailable, VectorsUnavailable
from server.graph.graph import Graph
from server.graph.words import any_of, scope_token, within
from server.journal.models import FoundMessage, FoundMessages, SearchConversations
from server.types import Row
from server.vectors.store import Hit, Vector, VectorStore

Matched = Literal["meaning", "words"]
_KIND = "message"
_NARROWEST = 100
_K = 10
"""Of reciprocal rank fusion. The usual 60 is for long lists; here the first places are what counts."""
_SNIPPET = 200
_SOUGHT = 20
_SEEN = 20_000
_LEAD = 60
"""Characters of a snippet before the word that it is about."""


def agent_scope(namespace: str, agent_id: str) -> str:
    """The word that stands for an agent's journal in the property `scope` of messages."""
    return scope_token(_journal(namespace, agent_id))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A message's place among the found: its score, at most 1.0, and what found it."""

    id: str
    score: float
    matched: tuple[Matched, ...]


class ConversationSearch:
    """Answers one search: the query's vector and its words at once, nearest vectors, what the graph says of them."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def run(self, request: SearchConversations, namespace: str) -> FoundMessages:
        """Returns the best messages of an agent's journal; while meanings cannot be compared, by words alone."""
        breadth = max(5 * request.limit, _NARROWEST)
        vector, words = await asyncio.gather(
            self._embedded(request.query), self._by_words(namespace, request.agent_id, request.query, breadth)
        )
        hits = await self._by_meaning(namespace, request.agent_id, vector, breadth)
        revisions = await self._revisions(namespace, request.agent_id, [*(hit.key for hit in hits or ()), *words])
        best = fuse(
            [hit.key for hit in hits or () if revisions.get(hit.key) == hit.revision],
            [id_ for id_ in words if id_ in revisions],
        )[: request.limit]
        rows = await self._graph.run(
            "journal/messages", namespace=namespace, agent_id=request.agent_id, ids=[hit.id for hit in best]
        )
        said = {row["message_id"]: row for row in rows}
        return FoundMessages(
            items=[_found(said[hit.id], hit, request.query) for hit in best if hit.id in said],
            by_meaning=hits is not None,
        )

    async def _embedded(self, query: str) -> Vector | None:
        try:
            return await self._embedder.embed_query(query)
        except EmbeddingUnavailable:
            return None

    async def _by_meaning(self, namespace: str, agent_id: str, vector: Vector | None, limit: int) -> list[Hit] | None:
        """None while the model or Qdrant is down: words and the graph still answer."""
        if vector is None:
            return None
        scope = agent_scope(namespace, agent_id)
        try:
            return await self._vectors.search(vector, limit, namespace=namespace, kinds=[_KIND], scope=scope)
        except VectorsUnavailable:
            return None

    async def _by_words(self, namespace: str, agent_id: str, text: str, limit: int) -> list[str]:
        query = within(_journal(namespace, agent_id), any_of(text))
        if query is None:
            return []
        row = await self._graph.one(
            "journal/matching_words", namespace=namespace, agent_id=agent_id, query=query, limit=limit
        )
        return [] if row is None else list(row["ids"])

    async def _revisions(self, namespace: str, agent_id: str, ids: Sequence[str]) -> dict[str, int]:
        """The revision of each of these that is a message of the agent."""
        row = await self._graph.one(
            "journal/revisions", namespace=namespace, agent_id=agent_id, ids=list(dict.fromkeys(ids))
        )
        assert row is not None
        return {message["id"]: message["revision"] for message in row["messages"]}


def fuse(meaning: Sequence[str], words: Sequence[str]) -> list[Ranked]:
    """Fuses two rankings, best first each, by reciprocal rank (k = 10); first in both scores 1.0. Ties by id."""
    places: dict[str, dict[Matched, int]] = {}
    sources: tuple[tuple[Matched, Sequence[str]], ...] = (("meaning", meaning), ("words", words))
    for matched, ids in sources:
        for place, id_ in enumerate(ids, start=1):
            places.setdefault(id_, {})[matched] = place
    ranked = [
        Ranked(id_, round(sum((_K + 1) / (_K + place) for place in found.values()) / 2, 6), tuple(found))
        for id_, found in places.items()
    ]
    return sorted(ranked, key=lambda hit: (-hit.score, hit.id))


def snippet(text: str, query: str) -> str:
    """The part of a text around the longest word that it shares with the query, or its beginning; 200 characters.

    Looks for the 20 longest words in the first 20,000 characters.
    """
    words = sorted(set(re.findall(r"\w+", query)), key=lambda word: (-len(word), word))[:_SOUGHT]
    places = (re.search(re.escape(word), text[:_SEEN], re.IGNORECASE) for word in words)
    first = next((place.start() for place in places if place), 0)
    start = 0 if len(text) <= _SNIPPET else max(0, min(first - _LEAD, len(text) - _SNIPPET))
    end = start + _SNIPPET
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _journal(namespace: str, agent_id: str) -> str:
    return f"{namespace}\0{agent_id}"


def _found(row: Row, hit: Ranked, query: str) -> FoundMessage:
    part = snippet(row["message_content"], query)
    return FoundMessage(**row, score=hit.score, matched=list(hit.matched), snippet=part)
