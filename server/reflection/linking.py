"""Connects corrections and metrics to the entities that their texts name, so that they count as evidence about them.

The journal stores them without a text that is searched. Names of existing entities count, and no entity is created.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from anyio import to_thread

from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.graph.keys import comparison_key
from server.reflection.lease import Lease
from server.retrieval.mentions import Spans, choose_longest, find_links, find_possible_names, group_names

_PAGE = 500
_MOST_NAMES = 20_000
"""Names of entities that are in memory at once."""
NamesByKey = dict[str, list[str]]
"""Names of entities by their `comparison_key`."""
_OVERLAP = timedelta(minutes=10)
"""How far back a pass looks again: a slow transaction commits after later ones."""
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_STATEMENTS = ("reflection/unlinked_corrections", "reflection/unlinked_metrics")


async def link_journal(graph: Graph, lease: Lease) -> int:
    """Link what was logged since the last pass; return the number of links."""
    start = _BEGINNING if lease.linked_until is None else lease.linked_until - _OVERLAP
    newest, linked = start, 0
    names: NamesByKey | None = None
    for statement in _STATEMENTS:
        at: Any = start
        number = -1
        while page := await graph.run(statement, namespace=lease.namespace, at=at, number=number, limit=_PAGE):
            if names is None and len(page) == _PAGE:
                names = await _load_all_names(graph, lease.namespace)
            linked += await _link(graph, lease, page, names)
            at, number = page[-1]["at"], page[-1]["number"]
            newest = max(newest, at.to_native())
    # Only now: a pass that was interrupted reads both kinds again.
    await _write(graph, lease, [], newest)
    return linked


async def _link(graph: Graph, lease: Lease, page: Sequence[Row], all_names: NamesByKey | None) -> int:
    """Link a page of records; `all_names` are those of all entities, or nothing where they are looked up."""
    texts = ["\n".join(row["texts"]) for row in page]
    found = await to_thread.run_sync(lambda: [_find_names(text) for text in texts])
    known = all_names
    if not known:
        keys = {key for linked, possible in found for key in (*possible, *map(comparison_key, linked))}
        row = await graph.row("retrieval/named_entities", namespace=lease.namespace, **group_names(keys))
        known = _group(row["entities"])
    mentions = [
        {"element": row["element"], "names": names}
        for row, (linked, possible) in zip(page, found, strict=True)
        if (names := _choose(linked, possible, known))
    ]
    return await _write(graph, lease, mentions, None) if mentions else 0


async def _load_all_names(graph: Graph, namespace: str) -> NamesByKey:
    """Return the names of all entities by key, or nothing where there are too many: long texts have many keys."""
    rows = await graph.run("retrieval/entity_names", namespace=namespace, limit=_MOST_NAMES)
    return _group((row["found"], row["name"]) for row in rows) if len(rows) < _MOST_NAMES else {}


def _group(names: Iterable[Sequence[str]]) -> NamesByKey:
    """Return the names by their key; each pair is of a key and a name."""
    known: NamesByKey = {}
    for key, name in names:
        known.setdefault(key, []).append(name)
    return known


async def _write(graph: Graph, lease: Lease, rows: list[Row], until: datetime | None) -> int:
    async def work(transaction: Transaction) -> int:
        await lease.renew(transaction)
        row = await transaction.row("reflection/link_mentions", namespace=lease.namespace, rows=rows, until=until)
        return int(row["linked"])

    return await graph.transaction(work)


def _find_names(text: str) -> tuple[list[str], Spans]:
    return find_links(text), find_possible_names(text)


def _choose(linked: Sequence[str], possible: Spans, known: NamesByKey) -> list[str]:
    names = dict.fromkeys(name for link in linked for name in known.get(comparison_key(link), []))
    for key in choose_longest({key: spans for key, spans in possible.items() if key in known}):
        names |= dict.fromkeys(known[key])
    return sorted(names)
