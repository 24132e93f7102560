"""Storing an entry: with its passages, in the order of its session, connected to the entities it mentions."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from server.core.fields import to_milliseconds
from server.core.types import Row
from server.entries.models import LONGEST_TITLE
from server.entries.scope import build_session_key, list_scope_tags
from server.graph.graph import Graph, Transaction
from server.graph.keys import content_key
from server.graph.sequence import IdSequence
from server.retrieval.writing import (
    PassageWriter,
    PreparedText,
    SessionEnd,
    choose_time_after,
    load_session_end,
    store_passages,
)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to store.

    `current` are properties that it has besides: for the entry of a document its `current_source` and `hash`, for a
    memory the keys that recognise it, and until when it is valid.
    """

    text: str
    title: str
    project: str
    type: str
    source_ref: str | None
    metadata: str
    session_id: str | None
    current: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """An entry that is ready to be written: its id, its passages and its mentions."""

    entry: NewEntry
    id: str
    text: PreparedText


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """The id of an entry and the time when it was stored, in epoch milliseconds."""

    id: str
    created_at: int
    repeats: Row | None = None
    """The rejected or retracted record that has the same text: id, how and reason."""


class EntryWriter:
    """Prepares entries outside of a transaction and writes them in one."""

    def __init__(self, graph: Graph, ids: IdSequence) -> None:
        self._passages = PassageWriter(graph, ids)

    async def prepare(self, entry: NewEntry, namespace: str) -> PreparedEntry:
        """Do everything that needs no lock."""
        text = await self._passages.prepare(namespace, entry.text, entry.title or None)
        # An entry with one passage is that passage.
        return PreparedEntry(entry, text.ids[0] if len(text.ids) == 1 else str(uuid4()), text)

    async def write(self, transaction: Transaction, prepared: PreparedEntry, namespace: str, by: str) -> StoredEntry:
        """Write an entry in a transaction, as the last entry of its session and project."""
        entry, text = prepared.entry, prepared.text
        session_key = build_session_key(entry.project, entry.session_id)
        last = SessionEnd()
        if session_key is not None:
            await transaction.run("retrieval/lock_session", namespace=namespace, session_id=entry.session_id)
            last = await load_session_end(transaction, namespace, session_key)
        at = choose_time_after(last.at)
        found = text.found_by(
            scopes=list_scope_tags(namespace, entry.project, entry.type),
            at=to_milliseconds(at),
            session=session_key,
            last=last,
        )
        passage = found.pop() if len(found) == 1 else {}
        row = await transaction.row(
            "entries/save_entry",
            namespace=namespace,
            id=prepared.id,
            node_id=text.number,
            title=entry.title or entry.text[:LONGEST_TITLE],
            body=entry.text,
            content_key=content_key(entry.text),
            type=entry.type,
            project=entry.project,
            source_ref=entry.source_ref,
            metadata=entry.metadata,
            session_id=entry.session_id,
            after=last.passages[0]["record"] if last else None,
            at=at,
            by=by,
            current=entry.current,
            passage={name: value for name, value in passage.items() if name not in {"name", "text"}},
            passage_labels=["Passage", "Unprojected"] if passage else [],
        )
        await store_passages(transaction, text, row["element"], found, last)
        return StoredEntry(prepared.id, to_milliseconds(at), row["repeats"])
