"""Storing what a session came to.

Source: memory-core-rest.md "Summary Endpoints"; open-questions.md "memory-core-rest.md", Summaries and sessions.
"""

import json
from typing import Any

from server.fields import milliseconds, moment
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.scope import family_word
from server.retrieval.writing import PassageWriter, Prepared, store
from server.sessions.collections import Of, current, require_live
from server.sessions.passages import key_of, whole_words, with_whole
from server.sessions.summarising import Digest

SUMMARIES: Of = "summaries"
FAMILY = "summary"


def summary_id(session_id: str) -> str:
    """The id of a session's summary: a session has one, and the next replaces it."""
    return f"summary_{session_id}"


def scopes(namespace: str, category: str) -> list[str]:
    """The words that a summary's passages carry: of all summaries, and of those of its category."""
    return [family_word(FAMILY, namespace), family_word(FAMILY, namespace, category)]


class SummaryWriter:
    """Stores summaries, each in the place of the one that its session had."""

    def __init__(self, graph: Graph, sequence: IdSequence, passages: PassageWriter) -> None:
        self._graph = graph
        self._sequence = sequence
        self._passages = passages

    async def put(self, session_id: str, digest: Digest, *, count: int, at: int, namespace: str, by: str) -> str:
        """Stores a summary of `count` memories, the last of which is from `at` (epoch milliseconds); returns its id."""
        prepared = await self._passages.prepare(namespace, digest.summary, digest.title)
        [session_node_id] = await self._sequence.take(namespace)
        id_ = summary_id(session_id)
        record = {
            **{name: getattr(digest, name) for name in ("title", "summary", "category", "technologies", "method")},
            **{name: getattr(digest, name) for name in ("quality", "productivity", "impact", "complexity")},
            "signals": json.dumps(digest.signals),
            "memory_count": count,
            "created_at": moment(at),
            "id": id_,
        }
        await self._graph.transaction(
            lambda transaction: self._write(
                transaction, prepared, record, session_id=session_id, session_node_id=session_node_id, by=by
            )
        )
        return id_

    async def _write(
        self,
        transaction: Transaction,
        prepared: Prepared,
        record: dict[str, Any],
        *,
        session_id: str,
        session_node_id: int,
        by: str,
    ) -> None:
        namespace = prepared.namespace
        await transaction.run("retrieval/lock_session", namespace=namespace, session_id=session_id)
        collection = await current(transaction, namespace, SUMMARIES)
        await transaction.run("sessions/retire_summary", namespace=namespace, session_id=session_id)
        row = await transaction.one(
            "sessions/add_summary",
            namespace=namespace,
            collection=collection,
            node_id=prepared.number,
            session_node_id=session_node_id,
            session_id=session_id,
            summary=record,
            by=by,
        )
        assert row is not None
        at = milliseconds(record["created_at"])
        found_by = prepared.found_by(scopes=scopes(namespace, record["category"]), at=at)
        wholes = whole_words(FAMILY, namespace, record["category"])
        whole = with_whole(found_by, key_of(FAMILY, record["id"]), record["summary"], wholes)
        await transaction.run(
            "sessions/forget_tombstones", namespace=namespace, keys=[passage["id"] for passage in whole]
        )
        await store(transaction, prepared, row["element"], whole)
        await require_live(transaction, namespace, collection)
