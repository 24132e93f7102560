"""Connects imported records in the background and removes records of retired collections, in batches.

Imported memories and summaries are listed and exported as soon as the import answers. Their passages and mentions are
written here, like a projection: each batch is one transaction, and a batch that was cut off is done at the next start
(docs/decisions/0014).

Source: SES-48, SES-49.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import anyio

from server.core.errors import PrecedentError, Unavailable
from server.core.tasks import retry_until_done
from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.writing import PassageWriter, store_passages
from server.sessions import summaries
from server.sessions.batch import Batch
from server.sessions.memories import MEMORIES, Interaction
from server.sessions.passages import assign_record_key, build_passage_key
from server.sessions.records import BEGINNING

_PAGE = 200
_POLL_INTERVAL = 60.0
"""Seconds between two rounds: other processes import into the same graph."""
_IMPORT_TIMEOUT = 600.0
"""Seconds without a write after which an import of another process counts as dead."""


class Linker:
    """Completes imports and deletions; any number of linkers may run on one graph."""

    def __init__(self, graph: Graph, sequence: IdSequence, passages: PassageWriter, wake: Callable[[], None]) -> None:
        """`wake` is called when there is something to project."""
        self._graph = graph
        self._sequence = sequence
        self._passages = passages
        self._wake = wake
        self._requested = anyio.Event()
        self._idle = anyio.Event()
        self._began = time.monotonic()

    async def run(self, *, alone: bool) -> None:
        """Works until cancelled. `alone`: no other process imports into this graph."""
        first = alone
        while True:
            # Alone, every import that wrote nothing since this process started is dead.
            silent = time.monotonic() - self._began if first else _IMPORT_TIMEOUT
            await retry_until_done(partial(self._round, silent), "linking_waits")
            first = False
            with anyio.move_on_after(_POLL_INTERVAL):
                await self._requested.wait()

    def request_round(self) -> None:
        """Starts a round soon: this process has just staged or retired records."""
        self._idle = anyio.Event()
        self._requested.set()

    async def wait_until_idle(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the requested round; return whether it is done."""
        idle = self._idle
        with anyio.move_on_after(timeout):
            await idle.wait()
        return idle.is_set()

    async def drain(self, *, silent: float = _IMPORT_TIMEOUT) -> None:
        """Does all pending work now; gives up imports that wrote nothing for `silent` seconds."""
        await self._graph.run("sessions/abandon_staged", seconds=silent)
        # Retired records go first: their successors may have the same ids.
        await self._remove_retired()
        await self._link()

    async def _round(self, silent: float) -> None:
        self._requested, idle = anyio.Event(), self._idle
        await self.drain(silent=silent)
        idle.set()

    async def _remove_retired(self) -> None:
        while True:
            row = await self._graph.row("sessions/drop_collected", limit=_PAGE)
            if not row["dropped"]:
                break
            self._wake()
        await self._graph.run("sessions/drop_collections")

    async def _link(self) -> None:
        failed: PrecedentError | None = None
        for collection in await self._graph.run("sessions/unlinked_collections"):
            try:
                await self._link_collection(collection["namespace"], collection["id"], collection["of"])
            except Unavailable:
                raise
            except PrecedentError as error:
                # An import that fails delays no other; it is reported and tried again afterwards.
                failed = error
        if failed is not None:
            raise failed

    async def _link_collection(self, namespace: str, id_: str, of: str) -> None:
        async for page in self._load_unlinked(namespace, id_):
            if of == MEMORIES:
                await self._link_memories(namespace, id_, page)
            else:
                for row in page:
                    await self._link_summary(namespace, id_, row)
            self._wake()
        if of == MEMORIES:
            await self._order(namespace, id_)
        await self._graph.run("sessions/settle_collection", namespace=namespace, collection=id_)

    async def _load_unlinked(self, namespace: str, collection: str) -> AsyncIterator[list[Row]]:
        at, id_ = BEGINNING, ""
        while page := await self._graph.run(
            "sessions/unlinked", namespace=namespace, collection=collection, at=at, id=id_, limit=_PAGE
        ):
            yield page
            at, id_ = page[-1]["at"], page[-1]["record"]["id"]

    async def _link_memories(self, namespace: str, collection: str, rows: Sequence[Row]) -> None:
        """Links memories, those of one session in one transaction: most of the cost is the transaction."""
        sessions: dict[str, list[Row]] = {}
        for row in rows:
            sessions.setdefault(row["record"]["session_id"], []).append(row)
        for session_id, records in sessions.items():
            texts = [Interaction.from_row(row["record"]).text for row in records]
            prepared = await asyncio.gather(*(self._passages.prepare(namespace, text) for text in texts))
            batch = Batch(namespace, collection, session_id, list(zip(records, prepared, strict=True)))
            await self._graph.transaction(batch.link)

    async def _link_summary(self, namespace: str, collection: str, row: Row) -> None:
        record = row["record"]
        prepared = await self._passages.prepare(namespace, record["summary"], record["title"] or None)
        [session_node_id] = await self._sequence.take(namespace)

        async def work(transaction: Transaction) -> None:
            await transaction.run("retrieval/lock_session", namespace=namespace, session_id=record["session_id"])
            linked = await transaction.one(
                "sessions/link_summary",
                namespace=namespace,
                collection=collection,
                id=record["id"],
                node_id=prepared.number,
                session_node_id=session_node_id,
            )
            if linked is None:
                return
            found_by = prepared.found_by(scopes=summaries.list_scope_tags(namespace, record["category"]), at=row["at"])
            key = build_passage_key(summaries.FAMILY, record["id"])
            await transaction.run("sessions/remove_tombstones", namespace=namespace, keys=[key])
            await store_passages(
                transaction,
                prepared,
                linked["element"],
                assign_record_key(found_by, key, record["summary"], row["vector"]),
            )

        await self._graph.transaction(work)

    async def _order(self, namespace: str, collection: str) -> None:
        for row in await self._graph.run("sessions/collection_sessions", namespace=namespace, collection=collection):
            await self._graph.run("sessions/order_session", namespace=namespace, session_id=row["id"])
