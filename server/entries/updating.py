"""Changing a memory in place: new passages and mentions, and its former properties as history.

Source: MEM-73, MEM-74.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from server.core.errors import ConcurrentWrite, InvalidArgument
from server.core.fields import encode_json, format_time
from server.core.principals import Principal
from server.core.types import Row
from server.entries.models import LONGEST_TITLE, UpdatedEntry, UpdateMemory
from server.entries.policy import require_no_secret
from server.entries.recognition import compute_text_key
from server.entries.retiring import lock_current, require_current
from server.entries.scope import list_scope_tags
from server.graph.graph import Transaction
from server.graph.keys import content_key
from server.parts import Parts
from server.retrieval.passages import NEIGHBOURS, take_beginning, take_lead
from server.retrieval.turns import take_turn
from server.retrieval.writing import PassageWriter, PreparedText, store_passages, wait_until_searchable

_TRIES = 3
"""Attempts to change a memory that another caller changes at the same moment."""
_READ = 2 * NEIGHBOURS
"""Passages before and after a memory that are read: those of its neighbours, as parts and as wholes."""


class EntryUpdater:
    """Changes memories."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._passages = PassageWriter(parts.graph, parts.sequence)

    async def update(self, request: UpdateMemory, caller: Principal) -> UpdatedEntry:
        """Change a memory; raise as `EntryService.update_memory` does."""
        require_no_secret(request.title, request.body, request.type, request.metadata, request.reason)
        if request.title is None and request.body is None and request.type is None and request.metadata is None:
            raise InvalidArgument("Nothing to change: give a title, a body, a type or metadata.")
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._update(request, caller)
            except ConcurrentWrite:
                if attempt == _TRIES:
                    raise
        raise AssertionError("the loop ends with an answer or an error")

    async def _update(self, request: UpdateMemory, caller: Principal) -> UpdatedEntry:
        namespace = caller.namespace
        rows = await self._parts.graph.run("entries/current_entries", namespace=namespace, ids=[request.id])
        require_current(rows, [request.id])
        before = rows[0]
        properties = _merge(request, before)
        fresh = await self._passages.prepare(namespace, properties["body"], _find_own_title(properties))
        prepared = replace(fresh, number=before["node_id"])

        async def work(transaction: Transaction) -> Row:
            if before["session_id"] is not None:
                await transaction.run("retrieval/lock_session", namespace=namespace, session_id=before["session_id"])
            [current] = await lock_current(transaction, namespace, [request.id])
            if current["revision"] != before["revision"]:
                raise ConcurrentWrite("CONFLICT: another caller changed this memory at the same moment; try again.")
            around = await transaction.row(
                "entries/session_neighbours", namespace=namespace, node_id=before["node_id"], limit=_READ
            )
            row = await transaction.row(
                "entries/update_entry",
                namespace=namespace,
                id=request.id,
                properties=properties | {"content_key": content_key(properties["body"])},
                text_key=compute_text_key(properties["body"]),
                reason=request.reason,
            )
            scopes = list_scope_tags(namespace, before["project"], properties["type"])
            found_by = _place_passages(prepared, around, scopes, before["created_at"])
            await store_passages(transaction, prepared, row["element"], found_by)
            neighbours = [each["id"] for each in (*around["before"], *around["after"])]
            if neighbours:
                await transaction.run(
                    "entries/replace_context",
                    namespace=namespace,
                    ids=neighbours,
                    replacements=_list_replacements(around, prepared),
                )
            return row

        async with take_turn(namespace, before["session_id"]):
            row = await self._parts.graph.transaction(work)
        return UpdatedEntry(
            id=request.id,
            revision=row["revision"],
            updated_at=format_time(row["updated_at"]),
            searchable=await wait_until_searchable(self._parts.projector, prepared, self._parts.searchable_wait),
        )


def _merge(request: UpdateMemory, before: Row) -> dict[str, Any]:
    """Return the properties of the changed memory; a title that was the beginning of the text follows the text."""
    body = before["body"] if request.body is None else request.body
    title = before["title"]
    if request.title is not None or title == before["body"][:LONGEST_TITLE]:
        title = request.title or body[:LONGEST_TITLE]
    metadata = before["metadata"] if request.metadata is None else encode_json(request.metadata)
    return {"title": title, "body": body, "type": request.type or before["type"], "metadata": metadata}


def _find_own_title(properties: dict[str, Any]) -> str | None:
    """Return the title, unless it is the beginning of the text."""
    title: str = properties["title"]
    return None if title == properties["body"][:LONGEST_TITLE] else title


def _place_passages(prepared: PreparedText, around: Row, scopes: Sequence[str], at: int) -> list[dict[str, Any]]:
    """Return the properties of the new passages, at the place of the former ones in the session."""
    leads = [take_lead(each["text"]) for each in around["before"] if each["part"]][-NEIGHBOURS:]
    leads += [take_lead(each["text"]) for each in around["after"] if each["part"]][:NEIGHBOURS]
    found_by = prepared.found_by(
        scopes=scopes,
        at=at,
        session=around["session"],
        first_place=around["first_place"],
        nearby=" ".join(leads),
    )
    last = around["last_place"]
    if around["session"] is None or last is None:
        return found_by
    # A longer text takes no place of what follows it.
    return [
        {**each, "place": min(each["place"], last), "last_place": min(each["last_place"], last)} for each in found_by
    ]


def _list_replacements(around: Row, prepared: PreparedText) -> list[list[str]]:
    """Return which words around the neighbours are replaced, the longest first."""
    former = [lead for text in around["texts"] if text and (lead := take_lead(text))]
    new = " ".join(passage.take_lead() for passage in prepared.passages[:NEIGHBOURS])
    pairs = [[lead, new if index == 0 else ""] for index, lead in enumerate(former)]
    if beginning := take_beginning(around["opening"] or ""):
        pairs.append([beginning, take_beginning(prepared.opening.opening())])
    return sorted(pairs, key=lambda pair: -len(pair[0]))
