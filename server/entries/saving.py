"""Saving a memory once: a current one with the same text or source is recognised, others are replaced on request.

Source: MEM-7, MEM-70, MEM-71, MEM-72.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from server.core.errors import Conflict, InvalidArgument
from server.core.fields import encode_json, format_time
from server.core.principals import Principal
from server.core.types import Row
from server.entries.models import DuplicateEntry, RepeatedRecord, SaveAnswer, SavedEntry, SaveMemory
from server.entries.policy import require_no_secret
from server.entries.recognition import compute_source_key, compute_text_key
from server.entries.retiring import lock_current, retire_entries
from server.entries.writing import EntryWriter, NewEntry, PreparedEntry, StoredEntry
from server.graph.graph import Transaction
from server.parts import Parts
from server.retrieval.turns import take_turn
from server.retrieval.writing import wait_until_searchable

_NOTE = "note"
_TRIES = 3
"""Attempts to save a text that another caller saves at the same moment."""
_REASON = "replaced by a newer memory"


@dataclass(frozen=True, slots=True)
class _Recognition:
    """The keys that recognise a memory, and the ids of those that it replaces."""

    text_key: str
    source_key: str | None
    supersedes: list[str]
    allow_duplicate: bool

    def to_properties(self, id_: str) -> dict[str, Any]:
        """Return the keys as properties; one that is stored although it is a duplicate has keys of its own."""
        end = f":{id_}" if self.allow_duplicate else ""
        source = {} if self.source_key is None else {"source_key": self.source_key + end}
        return {"text_key": self.text_key + end, **source}


class EntrySaver:
    """Saves memories."""

    def __init__(self, parts: Parts, writer: EntryWriter) -> None:
        self._parts = parts
        self._writer = writer

    async def save(self, request: SaveMemory, caller: Principal, project: str) -> SaveAnswer:
        """Store a memory, by default in `project`; raise as `EntryService.save_memory` does."""
        require_no_secret(
            request.text,
            request.title,
            request.source_ref,
            request.metadata,
            request.project,
            request.type,
            request.session_id,
            request.reason,
        )
        if request.valid_until is not None and request.valid_until <= datetime.now(UTC):
            raise InvalidArgument("valid_until: is in the past; nothing was stored.", {"field": "valid_until"})
        valid = {} if request.valid_until is None else dict.fromkeys(("valid_until", "expires_at"), request.valid_until)
        keys = _Recognition(
            compute_text_key(request.text),
            compute_source_key(request.source_ref),
            list(dict.fromkeys(request.supersedes)),
            request.allow_duplicate,
        )
        entry = NewEntry(
            text=request.text,
            title=request.title,
            project=request.project or project,
            type=request.type or _NOTE,
            source_ref=request.source_ref or None,
            metadata=encode_json(request.metadata),
            session_id=request.session_id or None,
            current=valid,
        )
        prepared = await self._writer.prepare(entry, caller.namespace)
        entry.current.update(keys.to_properties(prepared.id))
        stored = await self._store(prepared, keys, request.reason or _REASON, caller)
        if isinstance(stored, DuplicateEntry):
            return SaveAnswer(stored)
        found = await wait_until_searchable(self._parts.projector, prepared.text, self._parts.searchable_wait)
        return SaveAnswer(
            SavedEntry(
                id=stored.id,
                created_at=format_time(stored.created_at),
                searchable=found,
                repeats=stored.repeats and RepeatedRecord(**stored.repeats),
            )
        )

    async def _store(
        self, prepared: PreparedEntry, keys: _Recognition, reason: str, caller: Principal
    ) -> StoredEntry | DuplicateEntry:
        """Store a memory in one transaction; of two callers with one text, a constraint lets the first one through."""

        async def work(transaction: Transaction) -> StoredEntry | DuplicateEntry:
            if keys.supersedes:
                await lock_current(transaction, caller.namespace, keys.supersedes)
            duplicate = await self._find_duplicate(transaction, prepared.entry, keys, caller.namespace)
            if duplicate is not None:
                return _describe_duplicate(duplicate)
            if keys.supersedes:
                await retire_entries(transaction, caller.namespace, keys.supersedes, "superseded")
            stored = await self._writer.write(transaction, prepared, caller.namespace, caller.name)
            if keys.supersedes:
                await transaction.run(
                    "entries/link_successor",
                    namespace=caller.namespace,
                    id=stored.id,
                    ids=keys.supersedes,
                    reason=reason,
                    by=caller.name,
                )
            return stored

        for attempt in range(1, _TRIES + 1):
            try:
                async with take_turn(caller.namespace, prepared.entry.session_id):
                    return await self._parts.graph.transaction(work)
            except Conflict:
                if attempt == _TRIES:
                    raise
        raise AssertionError("the loop ends with an answer or an error")

    async def _find_duplicate(
        self, transaction: Transaction, entry: NewEntry, keys: _Recognition, namespace: str
    ) -> Row | None:
        """Return the current memory with the same text, else that with the same source; retire expired ones."""
        if keys.allow_duplicate:
            return None
        rows = await transaction.run(
            "entries/duplicates",
            namespace=namespace,
            project=entry.project,
            text_key=keys.text_key,
            source_key=keys.source_key,
        )
        if expired := [row["id"] for row in rows if row["expired"]]:
            await retire_entries(transaction, namespace, list(dict.fromkeys(expired)), "expired")
        return next((row for row in rows if not row["expired"] and row["id"] not in keys.supersedes), None)


def _describe_duplicate(row: Row) -> DuplicateEntry:
    if row["same"] == "text":
        message = "This memory exists already; nothing was stored. allow_duplicate: true stores it again."
    else:
        message = (
            "A memory with this source_ref exists; nothing was stored. To correct it call update_memory, to replace it "
            "give its id in supersedes, to store both set allow_duplicate: true."
        )
    return DuplicateEntry(
        id=row["id"], duplicate_of=row["id"], created_at=format_time(row["created_at"]), message=message
    )
