"""Storing an entry: with its passages, after what was said before it in its session, connected to what it mentions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from anyio import to_thread

from server.entries.mentions import MOST, Places, links, longest, possible_names
from server.entries.models import LONGEST_TITLE, milliseconds
from server.entries.passages import REACH, Passage, around, cut, lead
from server.entries.scope import scope
from server.entries.search import token
from server.graph.graph import Graph, Transaction
from server.graph.sequence import Sequence as Ids
from server.graph.words import scope_token
from server.types import Row

_SHORT = 10_000
"""Characters of a text that is taken apart at once; a longer one is, beside the event loop."""


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
class Prepared:
    """An entry that only has to be written: its id, its passages and their ids, what it mentions."""

    entry: NewEntry
    id: str
    node_id: int
    passages: list[Passage]
    passage_ids: list[str]
    mentions: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Stored:
    """When an entry was stored, in epoch milliseconds, and by which passages it is found."""

    id: str
    created_at: int
    passage_ids: list[str]


class EntryWriter:
    """Prepares entries outside of a transaction, and writes them within one."""

    def __init__(self, graph: Graph, ids: Ids) -> None:
        self._graph = graph
        self._ids = ids

    async def prepare(self, entry: NewEntry, namespace: str) -> Prepared:
        """Does everything that needs no lock."""
        if len(entry.text) <= _SHORT:
            passages, linked, possible = _taken_apart(entry)
        else:
            passages, linked, possible = await to_thread.run_sync(_taken_apart, entry)
        names = await self._mentioned(namespace, linked, possible)
        node_id, *fresh = await self._ids.take(namespace, 1 + len(names))
        id_ = str(uuid4())
        return Prepared(
            entry,
            id_,
            node_id,
            passages,
            [id_] if len(passages) == 1 else [str(uuid4()) for _ in passages],
            # In one order everywhere, so that two writers do not lock each other's entities.
            [{"name": name, "node_id": number} for name, number in zip(sorted(names), fresh, strict=True)],
        )

    async def write(self, transaction: Transaction, prepared: Prepared, namespace: str, by: str) -> Stored:
        """Writes an entry in a transaction, the last one of its session and project from then on."""
        entry = prepared.entry
        last = await self._session(transaction, entry, namespace)
        at = _now_after(last[0]["at"] if last else None)
        found = _found_by(prepared, namespace, milliseconds(at), last)
        whole = found[0] if len(found) == 1 else {}
        await transaction.run(
            "entries/save_entry",
            namespace=namespace,
            id=prepared.id,
            node_id=prepared.node_id,
            title=entry.title or entry.text[:LONGEST_TITLE],
            body=entry.text,
            type=entry.type,
            project=entry.project,
            source_ref=entry.source_ref,
            metadata=entry.metadata,
            session_id=entry.session_id,
            after=last[0]["entry"] if last else None,
            at=at,
            by=by,
            document=entry.document,
            whole={name: value for name, value in whole.items() if name not in {"name", "text"}},
            whole_labels=["Passage", "Unprojected"] if whole else [],
            passages=[] if whole else found,
        )
        if last:
            await transaction.run(
                "entries/say_around", namespace=namespace, neighbours=_said_after(last, prepared.passages)
            )
        if prepared.mentions:
            await transaction.run(
                "entries/mention",
                namespace=namespace,
                id=prepared.id,
                scope=scope_token(namespace),
                entities=prepared.mentions,
            )
        return Stored(prepared.id, milliseconds(at), prepared.passage_ids)

    async def _session(self, transaction: Transaction, entry: NewEntry, namespace: str) -> list[Row]:
        """Locks the entry's session and returns its last passages, the last one first."""
        if entry.session_id is None:
            return []
        session = {"namespace": namespace, "session_id": entry.session_id}
        await transaction.run("entries/lock_session", **session)
        return await transaction.run("entries/last_passages", **session, project=entry.project, limit=REACH)

    async def _mentioned(self, namespace: str, linked: Sequence[str], possible: Places) -> list[str]:
        """Names of the entities that a text mentions; a link takes an existing one in whatever case, exact first."""
        asked = list({*possible, *(name.lower() for name in linked)})
        rows = await self._graph.run("entries/named_entities", namespace=namespace, names=asked)
        known: dict[str, list[str]] = {}
        for row in rows:
            known.setdefault(row["found"], []).append(row["name"])
        names = dict.fromkeys(
            name if name in known.get(name.lower(), [name]) else known[name.lower()][0] for name in linked
        )
        for found in longest({name: places for name, places in possible.items() if name in known}):
            names |= dict.fromkeys(known[found])
        return list(names)[:MOST]


def _taken_apart(entry: NewEntry) -> tuple[list[Passage], list[str], Places]:
    said = f"{entry.title}\n{entry.text}" if entry.title else entry.text
    return cut(entry.text, entry.title or None), links(said), possible_names(said)


def _now_after(last: int | None) -> datetime:
    """Now, to the millisecond, and after what was said before: an order of time is the order of the session."""
    now = datetime.now(UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    if last is None or milliseconds(now) > last:
        return now
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=last + 1)


def _found_by(prepared: Prepared, namespace: str, at: int, last: Sequence[Row]) -> list[dict[str, Any]]:
    """The properties of an entry's passages."""
    entry = prepared.entry
    before = [lead(row["text"]) for row in reversed(last)]
    first_place = last[0]["place"] + 1 if last else 0
    return [
        {
            "namespace": namespace,
            "id": id_,
            "entry": prepared.node_id,
            "name": passage.caption,
            "heading": passage.heading,
            "text": passage.text,
            "session_id": entry.session_id,
            "project": entry.project,
            "place": first_place + number,
            "words": passage.words(),
            "around": nearby,
            "scope": scope(namespace, entry.project, entry.type, prepared.node_id, entry.session_id),
            "at": token(at),
            "revision": 1,
        }
        for number, (id_, passage, nearby) in enumerate(
            zip(prepared.passage_ids, prepared.passages, around(prepared.passages, before), strict=True)
        )
    ]


def _said_after(last: Sequence[Row], passages: Sequence[Passage]) -> list[dict[str, str]]:
    """What the new passages add around the last ones of the session: the nearer, the more."""
    leads = [passage.lead() for passage in passages[:REACH]]
    return [{"id": row["id"], "words": " ".join(leads[: REACH - distance])} for distance, row in enumerate(last)]
