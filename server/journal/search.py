"""Finding what was said to and by an agent: meaning and words propose, the graph confirms, ranks are fused.

Source: design.md sections 4 and 5. Words are looked up within the agent's own messages; meanings within the namespace,
and where other agents' messages take the first places, among the agent's own. What is not projected yet is found by its
words.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from server.embedding.embedder import Embedder
from server.errors import EmbeddingUnavailable, VectorsUnavailable
from server.graph.graph import Graph
from server.graph.words import any_of, scope_token, within
from server.journal.models import FoundMessage, FoundMessages, SearchConversations
from server.types import Row
from server.vectors.store import Hit, Vector, VectorStore, point_id

Matched = Literal["meaning", "words"]
_KIND = "message"
_NARROWEST = 100
_OWN = 5_000
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
    """Answers one search in three round trips: the query's vector and its words at once, nearest vectors, the graph."""

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
        hits = await self._by_meaning(namespace, vector, breadth)
        rows = await self._messages(namespace, request.agent_id, [*(hit.key for hit in hits or ()), *words])
        if hits is not None and len(hits) == breadth and len(_theirs(hits, rows)) < request.limit:
            hits = await self._by_meaning(namespace, vector, breadth, await self._own(namespace, request.agent_id))
            rows = await self._messages(namespace, request.agent_id, [*(hit.key for hit in hits or ()), *words])
        ranked = fuse(_theirs(hits or (), rows), [id_ for id_ in words if id_ in rows])
        return FoundMessages(
            items=[_found(rows[hit.id], hit, request.query) for hit in ranked[: request.limit]],
            by_meaning=hits is not None,
        )

    async def _embedded(self, query: str) -> Vector | None:
        try:
            return await self._embedder.embed_query(query)
        except EmbeddingUnavailable:
            return None

    async def _by_meaning(
        self, namespace: str, vector: Vector | None, limit: int, among: Sequence[str] | None = None
    ) -> list[Hit] | None:
        """None while the model or Qdrant is down: words and the graph still answer."""
        if vector is None:
            return None
        ids = None if among is None else [point_id(namespace, _KIND, key) for key in among]
        try:
            return await self._vectors.search(vector, limit, namespace=namespace, kinds=[_KIND], ids=ids)
        except VectorsUnavailable:
            return None

    async def _by_words(self, namespace: str, agent_id: str, text: str, limit: int) -> list[str]:
        query = within(_journal(namespace, agent_id), any_of(text))
        if query is None:
            return []
        rows = await self._graph.run(
            "journal/matching_words", namespace=namespace, agent_id=agent_id, query=query, limit=limit
        )
        return [row["id"] for row in rows]

    async def _own(self, namespace: str, agent_id: str) -> list[str]:
        rows = await self._graph.run("journal/newest_messages", namespace=namespace, agent_id=agent_id, limit=_OWN)
        return [row["id"] for row in rows]

    async def _messages(self, namespace: str, agent_id: str, ids: Sequence[str]) -> dict[str, Row]:
        rows = await self._graph.run(
            "journal/messages", namespace=namespace, agent_id=agent_id, ids=list(dict.fromkeys(ids))
        )
        return {row["message_id"]: row for row in rows}


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


def _theirs(hits: Sequence[Hit], rows: Mapping[str, Row]) -> list[str]:
    """Hits that the graph confirms: a message of the agent, in the revision that was embedded."""
    return [hit.key for hit in hits if hit.key in rows and rows[hit.key]["revision"] == hit.revision]


def _found(row: Row, hit: Ranked, query: str) -> FoundMessage:
    said = {name: value for name, value in row.items() if name != "revision"}
    return FoundMessage(
        **said, score=hit.score, matched=list(hit.matched), snippet=snippet(row["message_content"], query)
    )
