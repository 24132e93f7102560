"""Stores the passages that a record is found by, and connects the record to the entities that it mentions.

prepared = await passages.prepare(namespace, text)          # outside of the transaction
...
row = await transaction.one("family/store", node_id=prepared.number, ...)   # returns elementId(record) AS element
last = await last_said(transaction, namespace, session)     # only where it was said in a session, which is locked
found = prepared.found_by(scopes=..., at=..., session=..., last=last)
await store(transaction, prepared, row["element"], found, last)
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from anyio import to_thread

from server.core.fields import to_datetime, to_milliseconds
from server.core.types import Row
from server.graph.changes import measure_elapsed_time
from server.graph.graph import Graph, Transaction
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.retrieval.mentions import MAX_MENTIONS, Spans, choose_longest, find_links, find_possible_names, group_names
from server.retrieval.passages import (
    NEIGHBOURS,
    Passage,
    build_contexts,
    build_whole,
    split_text,
    take_beginning,
    take_lead,
)
from server.retrieval.scope import format_sortable_time
from server.retrieval.search import KIND
from server.vectors.projector import Projector

_WAITED_FOR = 100
"""How many passages of a record a writer waits for."""
_SHORT = 10_000
"""Characters of a text that is split on the event loop; a longer one is split in a thread."""


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The last passages and the last records as wholes of a session, the last one first."""

    passages: Sequence[Row] = ()
    wholes: Sequence[Row] = ()

    @property
    def at(self) -> int | None:
        """The time of the last passage in epoch milliseconds."""
        return self.passages[0]["at"] if self.passages else None

    def __bool__(self) -> bool:
        return bool(self.passages)

    def append(self, found_by: Sequence[dict[str, Any]]) -> "SessionEnd":
        """Return the end of the session after a record with these passages was stored."""
        parts = [each for each in found_by if not each["whole"] or each["parts"] == 1]
        rows = [
            {"id": part["id"], "record": part["record"], "place": part["place"], "at": int(part["at"])}
            | {"text": part["text"]}
            for part in reversed(parts[-NEIGHBOURS:])
        ]
        wholes = [{name: each[name] for name in ("id", "parts", "words")} for each in found_by if each["whole"]]
        return SessionEnd([*rows, *self.passages][:NEIGHBOURS], [*wholes, *self.wholes][:NEIGHBOURS])


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A text that is ready to be stored: a new integer id for its record, its passages with their ids, its mentions.

    `whole` is the passage for the record as a whole; None if the text is one passage. `mentions` have the name of each
    entity and a new integer, which is used if the entity is created.
    """

    namespace: str
    number: int
    passages: list[Passage]
    ids: list[str]
    mentions: list[dict[str, Any]]
    whole: Passage | None = None
    whole_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def opening(self) -> Passage:
        """The passage for the record as a whole: `whole`, or its one passage."""
        return self.whole or self.passages[0]

    def found_by(
        self,
        *,
        scopes: Iterable[str],
        at: int,
        session: str | None = None,
        last: SessionEnd | None = None,
        first_place: int | None = None,
        last_place: int | None = None,
        nearby: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return the properties of its passages, that of the whole first.

        `scopes` are their scope tags (`server.retrieval.scope`), `at` is in epoch milliseconds. In a session, `last` is
        the result of `load_session_end`. A family that knows better passes `nearby`, the words around the record, and
        `first_place` and `last_place`, its positions in the session.
        """
        last = last or SessionEnd()
        before = [take_lead(row["text"]) for row in reversed(last.passages)]
        if first_place is None:
            first_place = last.passages[0]["place"] + 1 if last.passages else 0
        common = {
            "namespace": self.namespace,
            "record": self.number,
            "parts": len(self.passages),
            "session": session,
            "scope": " ".join(scopes),
            "at": format_sortable_time(at),
            "revision": 1,
        }
        surroundings = build_contexts(self.passages, before)
        if nearby is not None:
            surroundings = [f"{own} {nearby}" for own in build_contexts(self.passages, [])]
        parts = [
            {
                **common,
                "id": id_,
                "name": passage.caption,
                "heading": passage.heading,
                "text": passage.text,
                "place": place,
                "last_place": place if last_place is None else last_place,
                "words": passage.words(),
                "around": words,
                "whole": self.whole is None,
            }
            for place, (id_, passage, words) in enumerate(
                zip(self.ids, self.passages, surroundings, strict=True), start=first_place
            )
        ]
        if self.whole is None:
            return parts
        own = self.whole.opening()
        near = [take_beginning(row["words"]) for row in last.wholes] if nearby is None else [nearby]
        whole = {
            **common,
            "id": self.whole_id,
            "name": self.whole.caption,
            "heading": None,
            "text": self.whole.text,
            "place": first_place,
            "last_place": parts[-1]["place"] if last_place is None else last_place,
            "words": own,
            "around": " ".join([own, *near]),
            "whole": True,
        }
        return [whole, *parts]


def prepare_text(namespace: str, number: int, text: str, title: str | None) -> PreparedText:
    """Prepare a text whose record exists, with its integer id and its mentions."""
    passages = split_text(text, title)
    return PreparedText(
        namespace, number, passages, [str(uuid4()) for _ in passages], [], build_whole(text, title, passages)
    )


class PassageWriter:
    """Prepares the texts of the records of any family."""

    def __init__(self, graph: Graph, ids: IdSequence) -> None:
        self._graph = graph
        self._ids = ids

    async def prepare(
        self, namespace: str, text: str, title: str | None = None, *, also: str | None = None
    ) -> PreparedText:
        """Prepare a text: everything that needs no lock.

        `title` is the author's title. `also` is searched for mentions, but the record is not found by it.
        """
        if len(text) <= _SHORT:
            passages, linked, possible = _split(text, title, also)
        else:
            passages, linked, possible = await to_thread.run_sync(_split, text, title, also)
        names = await self._mentioned(namespace, linked, possible)
        number, *fresh = await self._ids.take(namespace, 1 + len(names))
        return PreparedText(
            namespace,
            number,
            passages,
            [str(uuid4()) for _ in passages],
            # In one order everywhere, so that two writers do not lock each other's entities.
            [
                {"name": name, "key": comparison_key(name), "node_id": id_}
                for name, id_ in zip(sorted(names), fresh, strict=True)
            ],
            build_whole(text, title, passages),
        )

    async def _mentioned(self, namespace: str, linked: Sequence[str], possible: Spans) -> list[str]:
        """Return the names of the entities that a text mentions; a link matches in any case, exact first."""
        asked = list({*possible, *map(comparison_key, linked)})
        known = await self.load_named(namespace, asked)
        names = dict.fromkeys(
            name if name in known.get(key, [name]) else known[key][0]
            for name, key in zip(linked, map(comparison_key, linked), strict=True)
        )
        for found in choose_longest({name: places for name, places in possible.items() if name in known}):
            names |= dict.fromkeys(known[found])
        return list(names)[:MAX_MENTIONS]

    async def load_named(self, namespace: str, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the entities of these names, by the `comparison_key` of each name."""
        row = await self._graph.row("retrieval/named_entities", namespace=namespace, **group_names(names))
        known: dict[str, list[str]] = {}
        for key, name in row["entities"]:
            known.setdefault(key, []).append(name)
        return known


async def load_session_end(transaction: Transaction, namespace: str, session: str) -> SessionEnd:
    """Return the end of a session; the caller holds the session's lock."""
    row = await transaction.one("retrieval/last_passages", namespace=namespace, session=session, limit=NEIGHBOURS)
    assert row is not None
    return SessionEnd(row["passages"], row["wholes"])


async def store_passages(
    transaction: Transaction,
    prepared: PreparedText,
    element: str,
    found_by: Sequence[dict[str, Any]],
    last: SessionEnd | None = None,
) -> None:
    """Store the passages of a record, add its words to the passages before it, and connect it to what it mentions.

    `element` is the record's element id; `found_by` are the properties of the passages.
    """
    if found_by:
        await transaction.run("retrieval/store_passages", record=element, passages=found_by)
    if last:
        updates = build_context_updates(last, prepared)
        await transaction.run("retrieval/append_context", namespace=prepared.namespace, neighbours=updates)
    if prepared.mentions:
        await transaction.run(
            "retrieval/mention",
            namespace=prepared.namespace,
            record=element,
            scope=namespace_tag(prepared.namespace),
            entities=prepared.mentions,
        )


def _split(text: str, title: str | None, also: str | None) -> tuple[list[Passage], list[str], Spans]:
    texts = "\n".join(part for part in (title, text, also) if part)
    return split_text(text, title), find_links(texts), find_possible_names(texts)


def build_context_updates(last: SessionEnd, prepared: PreparedText) -> list[dict[str, str]]:
    """Return the words that a new record adds around the last passages and wholes of its session."""
    leads = [passage.take_lead() for passage in prepared.passages[:NEIGHBOURS]]
    added = [
        {"id": row["id"], "words": " ".join(leads[: NEIGHBOURS - distance])}
        for distance, row in enumerate(last.passages)
    ]
    opening = take_beginning(prepared.opening.opening())
    return added + [{"id": row["id"], "words": opening} for row in last.wholes if row["parts"] > 1]


async def wait_until_searchable(projector: Projector, prepared: PreparedText, wait: float) -> bool:
    """Wait until all passages can be found by meaning, `wait` seconds from the begin of the operation at most.

    Return whether they can. Does not wait for a text of more than a hundred passages.
    """
    ids = prepared.ids if prepared.whole is None else [prepared.whole_id, *prepared.ids]
    return await wait_for_passages(projector, prepared.namespace, ids, wait)


async def wait_for_passages(projector: Projector, namespace: str, ids: Sequence[str], wait: float) -> bool:
    """Wait until these passages can be found by meaning, `wait` seconds from the begin of the operation at most.

    Return whether they can.
    """
    if len(ids) > _WAITED_FOR:
        projector.wake()
        return False
    wait = max(0.0, wait - measure_elapsed_time())
    found = await asyncio.gather(*(projector.wait_until_searchable(namespace, KIND, id_, 1, wait) for id_ in ids))
    return all(found)


def choose_time_after(last: int | None) -> datetime:
    """Return the current time to the millisecond, later than `last`, so that times are in the order of the session."""
    now = datetime.now(UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    if last is None or to_milliseconds(now) > last:
        return now
    return to_datetime(last + 1)
