"""The end of a current entry: replaced by another one, or past its time. It stays as history.

Source: MEM-70, MEM-71.
"""

from collections.abc import Sequence
from typing import Literal

import anyio

from server.core.errors import EntryNotFound, InvalidArgument
from server.core.tasks import retry_until_done
from server.core.types import Row
from server.graph.graph import Graph, Transaction

_PAGE = 200
_POLL = 60.0
"""Seconds between two looks for expired entries. Until then the statements that answer leave them out."""


async def lock_current(transaction: Transaction, namespace: str, ids: Sequence[str]) -> list[Row]:
    """Lock entries and return their rows.

    Raises `EntryNotFound` for unknown ids, `InvalidArgument` for history and for entries of documents.
    """
    known = {"namespace": namespace, "ids": sorted(ids)}
    await transaction.run("entries/lock_entries", **known)
    rows = await transaction.run("entries/current_entries", **known)
    require_current(rows, ids)
    return rows


def require_current(rows: Sequence[Row], ids: Sequence[str]) -> None:
    """Raise `EntryNotFound` or `InvalidArgument` unless each of these ids is that of a current memory."""
    found = {row["id"] for row in rows}
    if unknown := [id_ for id_ in ids if id_ not in found]:
        raise EntryNotFound(
            f"No entry has the id {', '.join(id_[:100] for id_ in unknown)}; use ids from an answer of search.",
            {"ids": unknown},
        )
    for row in rows:
        if row["is_document"]:
            raise InvalidArgument(
                f"{row['id']} is the entry of a document; change the file, then call ingest_docs.", {"id": row["id"]}
            )
        if row["status"] == "superseded":
            successor = row["superseded_by"]
            raise InvalidArgument(
                f"{row['id']} is history: {successor or 'another entry'} replaced it; use that one.",
                {"id": row["id"], "superseded_by": successor},
            )
        if row["status"] != "active" or row["expired"]:
            raise InvalidArgument(f"{row['id']} has expired; save a new memory.", {"id": row["id"]})


async def retire_entries(
    transaction: Transaction, namespace: str, ids: Sequence[str], status: Literal["superseded", "expired"]
) -> None:
    """Turn current entries into history, with their passages and mentions removed."""
    await transaction.run("entries/retire_entries", namespace=namespace, ids=sorted(ids), status=status)


class EntryExpiry:
    """Retires entries that are past their time, in the background."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def run(self) -> None:
        """Retire expired entries until cancelled."""
        while True:
            await retry_until_done(self.drain, "entry_expiry_waits")
            await anyio.sleep(_POLL)

    async def drain(self) -> None:
        """Retire all entries that have expired now."""
        while rows := await self._graph.run("entries/expired_entries", limit=_PAGE):
            for row in rows:
                await self._retire(row["namespace"], row["ids"])

    async def _retire(self, namespace: str, ids: Sequence[str]) -> None:
        async def work(transaction: Transaction) -> None:
            known = {"namespace": namespace, "ids": sorted(ids)}
            await transaction.run("entries/lock_entries", **known)
            # Another process may have been faster.
            rows = await transaction.run("entries/current_entries", **known)
            if expired := [row["id"] for row in rows if row["expired"]]:
                await retire_entries(transaction, namespace, expired, "expired")

        await self._graph.transaction(work)
