"""Storing what a record is found by and what it is about: its passages, and the entities that it mentions.

prepared = await passages.prepare(namespace, text)          # outside of the transaction
...
row = await transaction.one("family/store", node_id=prepared.number, ...)   # returns elementId(record) AS element
last = await last_said(transaction, namespace, session)     # only where it was said in a session, which is locked
found = prepared.found_by(scopes=..., at=..., session=..., last=last)
await store(transaction, prepared, row["element"], found, last)
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from anyio import to_thread

from server.fields import milliseconds, moment
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.graph.words import scope_token
from server.retrieval.mentions import MOST, Places, links, longest, possible_names
from server.retrieval.passages import REACH, Passage, around, cut, lead
from server.retrieval.scope import place_word, record_word, token
from server.retrieval.search import KIND
from server.types import Row
from server.vectors.projector import Projector

_WAITED_FOR = 100
"""Passages of a record that whoever stores it waits for."""
_SHORT = 10_000
"""Characters of a text that is taken apart at once; a longer one is, beside the event loop."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text that only has to be written: a fresh integer id for its record, its passages and their ids, its mentions.

    `mentions` hold the name of each entity and a fresh integer, taken where the entity is created.
    """

    namespace: str
    number: int
    passages: list[Passage]
    ids: list[str]
    mentions: list[dict[str, Any]]

    def found_by(
        self,
        *,
        scopes: Iterable[str],
        at: int,
        session: str | None = None,
        last: Sequence[Row] = (),
        first_place: int | None = None,
        nearby: Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """The properties of its passages.

        `scopes` are the words that they carry (`server.retrieval.scope`), `at` is in epoch milliseconds. In a session,
        `last` is what `last_said` returned. `nearby` is what is around each passage, and `first_place` the first one's
        place in the session, where the family knows better.
        """
        before = [lead(row["text"]) for row in reversed(last)]
        carried = [*scopes, record_word(self.number), *([session] if session else [])]
        if first_place is None:
            first_place = last[0]["place"] + 1 if last else 0
        return [
            {
                "namespace": self.namespace,
                "id": id_,
                "record": self.number,
                "name": passage.caption,
                "heading": passage.heading,
                "text": passage.text,
                "session": session,
                "place": place,
                "words": passage.words(),
                "around": words,
                "scope": " ".join([*carried, place_word(place, place)] if session else carried),
                "at": token(at),
                "revision": 1,
            }
            for place, (id_, passage, words) in enumerate(
                zip(self.ids, self.passages, nearby or around(self.passages, before), strict=True), start=first_place
            )
        ]


class PassageWriter:
    """Prepares the texts of any family's records."""

    def __init__(self, graph: Graph, ids: IdSequence) -> None:
        self._graph = graph
        self._ids = ids

    async def prepare(
        self, namespace: str, text: str, title: str | None = None, *, also: str | None = None
    ) -> Prepared:
        """Does everything that needs no lock.

        `title` is what the author calls the text; `also` is said by the record too, and mentions, but does not find it.
        """
        if len(text) <= _SHORT:
            passages, linked, possible = _taken_apart(text, title, also)
        else:
            passages, linked, possible = await to_thread.run_sync(_taken_apart, text, title, also)
        names = await self._mentioned(namespace, linked, possible)
        number, *fresh = await self._ids.take(namespace, 1 + len(names))
        return Prepared(
            namespace,
            number,
            passages,
            [str(uuid4()) for _ in passages],
            # In one order everywhere, so that two writers do not lock each other's entities.
            [{"name": name, "node_id": id_} for name, id_ in zip(sorted(names), fresh, strict=True)],
        )

    async def _mentioned(self, namespace: str, linked: Sequence[str], possible: Places) -> list[str]:
        """Names of the entities that a text mentions; a link takes an existing one in whatever case, exact first."""
        asked = list({*possible, *(name.lower() for name in linked)})
        known = await self.named(namespace, asked)
        names = dict.fromkeys(
            name if name in known.get(name.lower(), [name]) else known[name.lower()][0] for name in linked
        )
        for found in longest({name: places for name, places in possible.items() if name in known}):
            names |= dict.fromkeys(known[found])
        return list(names)[:MOST]

    async def named(self, namespace: str, names: Sequence[str]) -> dict[str, list[str]]:
        """The entities that have one of these lower-case names, in any case."""
        rows = await self._graph.run("retrieval/named_entities", namespace=namespace, names=names)
        known: dict[str, list[str]] = {}
        for row in rows:
            known.setdefault(row["found"], []).append(row["name"])
        return known


async def last_said(transaction: Transaction, namespace: str, session: str) -> list[Row]:
    """The last passages of a session, the last one first; who calls it holds the lock that orders the session."""
    return await transaction.run("retrieval/last_passages", namespace=namespace, session=session, limit=REACH)


async def store(
    transaction: Transaction,
    prepared: Prepared,
    element: str,
    found_by: Sequence[dict[str, Any]],
    last: Sequence[Row] = (),
) -> None:
    """Stores the passages of a record, tells those before them what follows, and connects it to what it mentions.

    `element` is the record's element id; `found_by` are passages that are nodes of their own.
    """
    if found_by:
        await transaction.run("retrieval/store_passages", record=element, passages=found_by)
    if last:
        said = said_after(last, prepared.passages)
        await transaction.run("retrieval/say_around", namespace=prepared.namespace, neighbours=said)
    if prepared.mentions:
        await transaction.run(
            "retrieval/mention",
            namespace=prepared.namespace,
            record=element,
            scope=scope_token(prepared.namespace),
            entities=prepared.mentions,
        )


def _taken_apart(text: str, title: str | None, also: str | None) -> tuple[list[Passage], list[str], Places]:
    said = "\n".join(part for part in (title, text, also) if part)
    return cut(text, title), links(said), possible_names(said)


def said_after(last: Sequence[Row], passages: Sequence[Passage]) -> list[dict[str, str]]:
    """What new passages add around the last ones of the session: the nearer, the more."""
    leads = [passage.lead() for passage in passages[:REACH]]
    return [{"id": row["id"], "words": " ".join(leads[: REACH - distance])} for distance, row in enumerate(last)]


async def searchable(projector: Projector, prepared: Prepared, wait: float) -> bool:
    """Waits a moment, `wait` seconds at most, until all passages can be found by meaning; tells whether they can.

    A long text is not waited for: a hundred passages take longer than anybody waits.
    """
    projector.wake()
    if len(prepared.ids) > _WAITED_FOR:
        return False
    found = await asyncio.gather(
        *(projector.wait_until_searchable(prepared.namespace, KIND, id_, 1, wait) for id_ in prepared.ids)
    )
    return all(found)


def now_after(last: int | None) -> datetime:
    """Now, to the millisecond, and after what was said last: an order of time is the order of the session."""
    now = datetime.now(UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    if last is None or milliseconds(now) > last:
        return now
    return moment(last + 1)
