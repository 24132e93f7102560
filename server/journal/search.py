"""Finding what was said to and by an agent: meaning and words propose, the graph confirms, their fusion orders.

Source: design.md sections 4 and 5; docs/decisions/0010. Both look within the agent's own messages, by the word of their
scope that stands for its journal. What is not projected yet is found by its words.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from server.embedding.embedder import Embedder
from server.errors import EmbeddingUnavailable, VectorsUnavailable
from server.graph.graph import Graph
from server.graph.words import any_of, scope_token, within
from server.journal.models import FoundMessage, FoundMessages, SearchConversations
from server.ranking.fusion import Candidate, fuse
from server.ranking.terms import is_common
from server.types import Row
from server.vectors.store import Hit, Vector, VectorStore, point_id

Matched = Literal["meaning", "words"]
_KIND = "message"
_CANDIDATES = 100
"""By meaning, and as many by words: the most that an answer holds."""
_MATCHES = 1_000
"""Messages whose score by words is known where meaning proposes them."""
_SNIPPET = 200
_SOUGHT = 20
_SEEN = 20_000
_LEAD = 60
"""Characters of a snippet before the word that it is about."""


def agent_scope(namespace: str, agent_id: str) -> str:
    """The word that stands for an agent's journal in the property `scope` of messages."""
    return scope_token(_journal(namespace, agent_id))


class ConversationSearch:
    """Answers one search: the query's vector and its words at once, nearest vectors, what the graph says of them."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    async def run(self, request: SearchConversations, namespace: str) -> FoundMessages:
        """Returns the best messages of an agent's journal; while meanings cannot be compared, by words alone."""
        agent_id = request.agent_id
        vector, words = await asyncio.gather(
            self._embedded(request.query), self._by_words(namespace, agent_id, request.query)
        )
        first = list(words)[:_CANDIDATES]
        near, compared = await self._by_meaning(namespace, agent_id, vector, first)
        known = await self._known(namespace, agent_id, [*first, *(hit.key for hit in near or ())])
        # Of a message that has changed since it was projected, the vector says nothing.
        cosines = {
            hit.key: hit.score
            for hit in [*compared, *(near or ())]
            if hit.key in known and known[hit.key]["revision"] == hit.revision
        }
        ranked = fuse([_candidate(row, words, cosines) for id_, row in known.items() if id_ in words or id_ in cosines])
        ranked = ranked[: request.limit]
        alike = cosines.keys() & {hit.key for hit in near or ()}
        rows = await self._graph.run(
            "journal/messages", namespace=namespace, agent_id=agent_id, ids=[hit.candidate.id for hit in ranked]
        )
        said = {row["message_id"]: row for row in rows}
        return FoundMessages(
            items=[
                _found(said[id_], hit.score, _matched(id_, alike, words), request.query)
                for hit in ranked
                if (id_ := hit.candidate.id) in said
            ],
            by_meaning=near is not None,
        )

    async def _embedded(self, query: str) -> Vector | None:
        try:
            return await self._embedder.embed_query(query)
        except EmbeddingUnavailable:
            return None

    async def _by_meaning(
        self, namespace: str, agent_id: str, vector: Vector | None, ids: Sequence[str]
    ) -> tuple[list[Hit] | None, list[Hit]]:
        """The nearest messages, and how near these are; None while the model or Qdrant is down."""
        if vector is None:
            return None, []
        search = partial(
            self._vectors.search,
            vector,
            _CANDIDATES,
            namespace=namespace,
            kinds=[_KIND],
            scope=agent_scope(namespace, agent_id),
        )
        try:
            near, compared = await asyncio.gather(
                search(), search(ids=[point_id(namespace, _KIND, id_) for id_ in ids])
            )
        except VectorsUnavailable:
            return None, []
        return near, compared

    async def _by_words(self, namespace: str, agent_id: str, text: str) -> dict[str, float]:
        """Scores of the messages that share a word with a text, best first."""
        # "When did she say" matches half of all messages, and says nothing about any.
        telling = " ".join(word for word in text.split() if not is_common(word))
        query = within(_journal(namespace, agent_id), any_of(telling or text))
        if query is None:
            return {}
        row = await self._graph.one(
            "journal/matching_words", namespace=namespace, agent_id=agent_id, query=query, limit=_MATCHES
        )
        return dict(row["hits"]) if row else {}

    async def _known(self, namespace: str, agent_id: str, ids: Sequence[str]) -> dict[str, Row]:
        """What the graph says of each of these that is a message of the agent."""
        row = await self._graph.one(
            "journal/found_messages", namespace=namespace, agent_id=agent_id, ids=list(dict.fromkeys(ids))
        )
        assert row is not None
        return {message["id"]: message for message in row["messages"]}


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


def _candidate(row: Row, words: Mapping[str, float], cosines: Mapping[str, float]) -> Candidate:
    id_, number = row["id"], row["node_id"]
    return Candidate(id_, number, row["conversation_id"], f"{number:015}", words.get(id_, 0.0), cosines.get(id_))


def _matched(id_: str, alike: set[str], words: Mapping[str, float]) -> list[Matched]:
    found: list[Matched] = ["meaning"] if id_ in alike else []
    return [*found, "words"] if id_ in words else found


def _found(row: Row, score: float, matched: list[Matched], query: str) -> FoundMessage:
    return FoundMessage(**row, score=score, matched=matched, snippet=snippet(row["message_content"], query))
