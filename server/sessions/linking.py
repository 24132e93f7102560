"""Connects what an import made count, and removes what counts no more: in batches, in peace, again after any crash.

Memories and summaries of an import are there, are listed and exported from the moment it says so. What they are found
by and what they mention follows here, like a projection: each is a transaction of its own, and one that was cut off is
done at the next start.

Source: issue 6, REST, export and import; docs/decisions.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import anyio

from server.errors import PrecedentError, Unavailable
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.writing import PassageWriter, store
from server.sessions import summaries
from server.sessions.batch import Batch
from server.sessions.memories import MEMORIES, Said
from server.sessions.passages import key_of, whole_words, with_whole
from server.sessions.records import BEGINNING
from server.tasks import persistently
from server.types import Row

_PAGE = 200
_POLL = 60.0
"""Seconds after which it looks for what other processes left behind."""
_SILENT = 600.0
"""Seconds without a word after which an import of another process counts as dead."""


class Linker:
    """Works off what imports and deletions leave to be done; any number of them may run on one graph."""

    def __init__(self, graph: Graph, sequence: IdSequence, passages: PassageWriter, wake: Callable[[], None]) -> None:
        """`wake` is told when there is something to project."""
        self._graph = graph
        self._sequence = sequence
        self._passages = passages
        self._wake = wake
        self._wanted = anyio.Event()
        self._idle = anyio.Event()
        self._began = time.monotonic()

    async def run(self, *, alone: bool) -> None:
        """Works until cancelled. `alone` says that no other process imports into this graph."""
        first = alone
        while True:
            # Alone, whatever has not been heard of since before this process began is left over.
            silent = time.monotonic() - self._began if first else _SILENT
            await persistently(partial(self._round, silent), "linking_waits")
            first = False
            with anyio.move_on_after(_POLL):
                await self._wanted.wait()

    def wanted(self) -> None:
        """Says that this process has just left something to be done."""
        self._idle = anyio.Event()
        self._wanted.set()

    async def finished(self, timeout: float) -> bool:
        """Waits, for `timeout` seconds at most, until all that was wanted is done; tells whether it is."""
        idle = self._idle
        with anyio.move_on_after(timeout):
            await idle.wait()
        return idle.is_set()

    async def drain(self, *, silent: float = _SILENT) -> None:
        """Does all that is to be done now; what was staged and not heard of for `silent` seconds is given up."""
        await self._graph.run("sessions/abandon_staged", seconds=silent)
        # What counts no more goes first: what replaces it may have the same ids.
        await self._clear()
        await self._link()

    async def _round(self, silent: float) -> None:
        self._wanted, idle = anyio.Event(), self._idle
        await self.drain(silent=silent)
        idle.set()

    async def _clear(self) -> None:
        while True:
            row = await self._graph.one("sessions/drop_collected", limit=_PAGE)
            if row is None or not row["dropped"]:
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
                # What is wrong with one import keeps no other waiting: it is told, and tried again, afterwards.
                failed = error
        if failed is not None:
            raise failed

    async def _link_collection(self, namespace: str, id_: str, of: str) -> None:
        async for page in self._unlinked(namespace, id_):
            if of == MEMORIES:
                await self._link_memories(namespace, id_, page)
            else:
                for row in page:
                    await self._link_summary(namespace, id_, row)
            self._wake()
        if of == MEMORIES:
            await self._order(namespace, id_)
        await self._graph.run("sessions/settle_collection", namespace=namespace, collection=id_)

    async def _unlinked(self, namespace: str, collection: str) -> AsyncIterator[list[Row]]:
        at, id_ = BEGINNING, ""
        while page := await self._graph.run(
            "sessions/unlinked", namespace=namespace, collection=collection, at=at, id=id_, limit=_PAGE
        ):
            yield page
            at, id_ = page[-1]["at"], page[-1]["record"]["id"]

    async def _link_memories(self, namespace: str, collection: str, rows: Sequence[Row]) -> None:
        """Links memories, those of one session in one transaction: most of what one costs is the transaction."""
        sessions: dict[str, list[Row]] = {}
        for row in rows:
            sessions.setdefault(row["record"]["session_id"], []).append(row)
        for session_id, said in sessions.items():
            texts = [Said.of(row["record"]).text for row in said]
            prepared = await asyncio.gather(*(self._passages.prepare(namespace, text) for text in texts))
            batch = Batch(namespace, collection, session_id, list(zip(said, prepared, strict=True)))
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
            found_by = prepared.found_by(scopes=summaries.scopes(namespace, record["category"]), at=row["at"])
            wholes = whole_words(summaries.FAMILY, namespace, record["category"])
            key = key_of(summaries.FAMILY, record["id"])
            await transaction.run("sessions/forget_tombstones", namespace=namespace, keys=[key])
            await store(
                transaction,
                prepared,
                linked["element"],
                with_whole(found_by, key, record["summary"], wholes, row["vector"]),
            )

        await self._graph.transaction(work)

    async def _order(self, namespace: str, collection: str) -> None:
        for row in await self._graph.run("sessions/collection_sessions", namespace=namespace, collection=collection):
            await self._graph.run("sessions/order_session", namespace=namespace, session_id=row["id"])
