"""Storing summaries of sessions.

Source: SES-24, SES-25.
"""

import json
from typing import Any

from server.core.fields import to_datetime, to_milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.scope import build_family_tag
from server.retrieval.writing import PassageWriter, PreparedText, store_passages
from server.sessions.collections import Collection, require_collection, require_live
from server.sessions.passages import assign_record_key, build_passage_key
from server.sessions.summarising import Digest

SUMMARIES: Collection = "summaries"
FAMILY = "summary"


def build_summary_id(session_id: str) -> str:
    """Return the id of a session's summary: a session has one, and the next one replaces it."""
    return f"summary_{session_id}"


def list_scope_tags(namespace: str, category: str) -> list[str]:
    """Return the scope tags of a summary's passages: of all summaries, and of its category."""
    return [build_family_tag(FAMILY, namespace), build_family_tag(FAMILY, namespace, category)]


class SummaryWriter:
    """Stores summaries; each replaces the one that its session had."""

    def __init__(self, graph: Graph, sequence: IdSequence, passages: PassageWriter) -> None:
        self._graph = graph
        self._sequence = sequence
        self._passages = passages

    async def store(self, session_id: str, digest: Digest, *, count: int, at: int, namespace: str, by: str) -> str:
        """Store a summary of `count` memories, the last one of the time `at` (epoch milliseconds); return its id."""
        prepared = await self._passages.prepare(namespace, digest.summary, digest.title)
        [session_node_id] = await self._sequence.take(namespace)
        id_ = build_summary_id(session_id)
        record = {
            **{name: getattr(digest, name) for name in ("title", "summary", "category", "technologies", "method")},
            **{name: getattr(digest, name) for name in ("quality", "productivity", "impact", "complexity")},
            "signals": json.dumps(digest.signals),
            "memory_count": count,
            "created_at": to_datetime(at),
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
        prepared: PreparedText,
        record: dict[str, Any],
        *,
        session_id: str,
        session_node_id: int,
        by: str,
    ) -> None:
        namespace = prepared.namespace
        await transaction.run("retrieval/lock_session", namespace=namespace, session_id=session_id)
        collection = await require_collection(transaction, namespace, SUMMARIES)
        await transaction.run("sessions/retire_summary", namespace=namespace, session_id=session_id)
        row = await transaction.row(
            "sessions/add_summary",
            namespace=namespace,
            collection=collection,
            node_id=prepared.number,
            session_node_id=session_node_id,
            session_id=session_id,
            summary=record,
            by=by,
        )
        at = to_milliseconds(record["created_at"])
        found_by = prepared.found_by(scopes=list_scope_tags(namespace, record["category"]), at=at)
        passages = assign_record_key(found_by, build_passage_key(FAMILY, record["id"]), record["summary"])
        await transaction.run(
            "sessions/remove_tombstones", namespace=namespace, keys=[passage["id"] for passage in passages]
        )
        await store_passages(transaction, prepared, row["element"], passages)
        await require_live(transaction, namespace, collection)
