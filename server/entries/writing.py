"""Storing an entry: with its passages, after what was said before it in its session, connected to what it mentions."""

from dataclasses import dataclass, field
from uuid import uuid4

from server.entries.models import LONGEST_TITLE
from server.entries.scope import scopes, session
from server.fields import milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.writing import PassageWriter, Prepared, last_said, now_after, store
from server.types import Row


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be stored. `document` holds, of a document's entry, its `current_source` and `hash`."""

    text: str
    title: str
    project: str
    type: str
    source_ref: str | None
    metadata: str
    session_id: str | None
    document: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """An entry that only has to be written: its id, what it is found by and what it mentions."""

    entry: NewEntry
    id: str
    text: Prepared


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry's id, and when it was stored, in epoch milliseconds."""

    id: str
    created_at: int


class EntryWriter:
    """Prepares entries outside of a transaction, and writes them within one."""

    def __init__(self, graph: Graph, ids: IdSequence) -> None:
        self._passages = PassageWriter(graph, ids)

    async def prepare(self, entry: NewEntry, namespace: str) -> PreparedEntry:
        """Does everything that needs no lock."""
        text = await self._passages.prepare(namespace, entry.text, entry.title or None)
        # What is found by one passage is that passage.
        return PreparedEntry(entry, text.ids[0] if len(text.ids) == 1 else str(uuid4()), text)

    async def write(self, transaction: Transaction, prepared: PreparedEntry, namespace: str, by: str) -> Stored:
        """Writes an entry in a transaction, the last one of its session and project from then on."""
        entry, text = prepared.entry, prepared.text
        said_in = session(entry.project, entry.session_id)
        last: list[Row] = []
        if said_in is not None:
            await transaction.run("retrieval/lock_session", namespace=namespace, session_id=entry.session_id)
            last = await last_said(transaction, namespace, said_in)
        at = now_after(last[0]["at"] if last else None)
        found = text.found_by(
            scopes=scopes(namespace, entry.project, entry.type), at=milliseconds(at), session=said_in, last=last
        )
        whole = found.pop() if len(found) == 1 else {}
        row = await transaction.one(
            "entries/save_entry",
            namespace=namespace,
            id=prepared.id,
            node_id=text.number,
            title=entry.title or entry.text[:LONGEST_TITLE],
            body=entry.text,
            type=entry.type,
            project=entry.project,
            source_ref=entry.source_ref,
            metadata=entry.metadata,
            session_id=entry.session_id,
            after=last[0]["record"] if last else None,
            at=at,
            by=by,
            document=entry.document,
            whole={name: value for name, value in whole.items() if name not in {"name", "text"}},
            whole_labels=["Passage", "Unprojected"] if whole else [],
        )
        assert row is not None
        await store(transaction, text, row["element"], found, last)
        return Stored(prepared.id, milliseconds(at))
