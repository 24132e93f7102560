"""Reading an archive back: checked whole before anything is touched, then there at once or not at all.

The records of a file go into collections that do not count yet. One small transaction makes them count (and, to
replace, what was there before not count any more), however many they are. Cut off before it, an import leaves nothing
that anybody sees, and what it staged is removed; cut off after it, everything is there, and is connected at the next
start.

Source: memory-core-rest.md `POST /db/import`; open-questions.md, Export / import; issue 6, REST.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO
from uuid import uuid4

import anyio
from anyio import to_thread

from server.embedding.embedder import Embedder
from server.errors import Conflict, InvalidArgument
from server.graph.graph import Graph, Transaction
from server.sessions.collections import Of
from server.sessions.linking import Linker
from server.sessions.models import Mode
from server.sessions.records import LONGEST_LINE, LineError, Record, read

_BATCH = 200
"""Lines that are read, or records that are stored, in one go."""
_PATIENCE = 120.0
"""Seconds that the switch may take: it looks whether ids were taken meanwhile."""
_LABELS = {"memories": "Interaction", "summaries": "Summary"}


@dataclass(slots=True)
class Outcome:
    """How many records an import brought of each kind into its collections, and how many were there already."""

    brought: Counter[Of] = field(default_factory=Counter)
    skipped: int = 0
    collections: dict[Of, str] = field(default_factory=dict)

    @property
    def imported(self) -> int:
        return self.brought.total()


class Importer:
    """Carries out imports of a file that can be read twice."""

    def __init__(self, graph: Graph, embedder: Embedder, linker: Linker) -> None:
        self._graph = graph
        self._embedder = embedder
        self._linker = linker

    async def run(self, file: BinaryIO, mode: Mode, namespace: str) -> Outcome:
        """Imports a file. Raises `InvalidArgument` naming the line at fault, and then has changed nothing."""
        present = await self._checked(file)
        outcome = Outcome(collections={of: f"import-{uuid4()}" for of in present})
        try:
            for of, id_ in outcome.collections.items():
                await self._graph.run("sessions/open_collection", namespace=namespace, id=id_, of=of, state="staged")
            await self._stage(file, mode, namespace, outcome)
            await self._switch(mode, namespace, outcome)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._abandon(namespace, outcome)
            raise
        self._linker.wanted()
        return outcome

    async def _checked(self, file: BinaryIO) -> list[Of]:
        """What a file holds records of; reads all of it."""
        present: dict[Of, None] = {}
        batches = self._batches(file)
        while batch := await to_thread.run_sync(next, batches, None):
            present |= dict.fromkeys(record.of for record in batch)
        return list(present)

    async def _stage(self, file: BinaryIO, mode: Mode, namespace: str, outcome: Outcome) -> None:
        batches = self._batches(file)
        while batch := await to_thread.run_sync(next, batches, None):
            for of, collection in outcome.collections.items():
                # Of an id that a file has twice, the first counts.
                records = {record.id: record.properties for record in reversed(batch) if record.of == of}
                if not records:
                    continue
                rows = await self._graph.run(
                    "sessions/taken_ids",
                    namespace=namespace,
                    of=of,
                    live=mode == "merge",
                    collection=collection,
                    ids=list(records),
                )
                taken = {row["id"] for row in rows}
                fresh = [properties for id_, properties in records.items() if id_ not in taken]
                await self._graph.run(
                    "sessions/stage_records",
                    namespace=namespace,
                    collection=collection,
                    label=_LABELS[of],
                    records=fresh,
                )
                outcome.brought[of] += len(fresh)
                outcome.skipped += sum(record.of == of for record in batch) - len(fresh)

    async def _switch(self, mode: Mode, namespace: str, outcome: Outcome) -> None:
        if not outcome.collections:
            return

        async def work(transaction: Transaction) -> Counter[Of]:
            brought = outcome.brought.copy()
            for of, id_ in outcome.collections.items():
                row = await transaction.one("sessions/current_collection", namespace=namespace, of=of)
                if row is not None:
                    # Who is about to store under the same id has done so by now, or goes elsewhere.
                    await transaction.run("sessions/lock_collection", namespace=namespace, id=row["id"])
                await self._require_staged(transaction, namespace, id_)
                if mode == "merge":
                    row = await transaction.one("sessions/drop_overlap", namespace=namespace, collection=id_)
                    brought[of] -= row["dropped"] if row else 0
            # A merge that brings nothing changes nothing.
            live = [id_ for of, id_ in outcome.collections.items() if mode == "replace" or brought[of]]
            for id_ in outcome.collections.values():
                if id_ not in live:
                    await transaction.run("sessions/abandon_collection", namespace=namespace, id=id_)
            if live:
                replaced = list(outcome.collections) if mode == "replace" else []
                await transaction.run("sessions/switch", namespace=namespace, live=live, replaced=replaced)
            return brought

        brought = await self._graph.transaction(work, timeout=_PATIENCE)
        outcome.skipped += outcome.imported - brought.total()
        outcome.brought = brought

    async def _require_staged(self, transaction: Transaction, namespace: str, id_: str) -> None:
        """Raises `Conflict` where an import that was silent for too long was taken for dead."""
        await transaction.run("sessions/lock_collection", namespace=namespace, id=id_)
        row = await transaction.one("sessions/collection_state", namespace=namespace, id=id_)
        if row is None or row["state"] != "staged":
            raise Conflict(
                "CONFLICT: this import took so long that it was given up; nothing was changed, import again."
            )

    async def _abandon(self, namespace: str, outcome: Outcome) -> None:
        for id_ in outcome.collections.values():
            await self._graph.run("sessions/abandon_collection", namespace=namespace, id=id_)
        self._linker.wanted()

    def _batches(self, file: BinaryIO) -> Iterator[list[Record]]:
        """The records of a file, some at a time, from its beginning; runs in a worker thread."""
        file.seek(0)
        records = self._records(file)
        while batch := list(islice(records, _BATCH)):
            yield batch

    def _records(self, file: BinaryIO) -> Iterator[Record]:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(line) > LONGEST_LINE:
                raise _refused(number, f"is longer than {LONGEST_LINE:,} bytes")
            if line.strip():
                try:
                    yield read(line, self._embedder.fingerprint, self._embedder.dimension)
                except LineError as error:
                    raise _refused(number, str(error)) from None


def _refused(number: int, problem: str) -> InvalidArgument:
    return InvalidArgument(
        f"Line {number} of the file cannot be imported: {problem}. Nothing was changed.", {"line": number}
    )
