"""Importing an export file: the whole file is checked first, and its records become visible at once or not at all.

The records go into staged collections. One small transaction makes these live and, with `replace`, retires the earlier
ones, however many records they contain. An import that dies before it changes nothing that is visible, and its staged
records are removed; after it all records are visible, and the next start connects them.

Source: SES-44, SES-46, SES-48.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO
from uuid import uuid4

import anyio
from anyio import to_thread

from server.core.errors import Conflict, InvalidArgument
from server.embedding.embedder import Embedder
from server.graph.graph import Graph, Transaction
from server.sessions.collections import Collection
from server.sessions.linking import Linker
from server.sessions.models import Mode
from server.sessions.records import LONGEST_LINE, LineError, Record, parse_line

_BATCH = 200
"""Lines that are read, or records that are stored, at a time."""
_SWITCH_TIMEOUT = 120.0
"""Seconds that the switch may take: it checks whether ids were taken meanwhile."""
_LABELS = {"memories": "Interaction", "summaries": "Summary"}


@dataclass(slots=True)
class Outcome:
    """The number of records that an import added of each kind and skipped, and the ids of its collections."""

    added: Counter[Collection] = field(default_factory=Counter)
    skipped: int = 0
    collections: dict[Collection, str] = field(default_factory=dict)

    @property
    def imported(self) -> int:
        return self.added.total()


class Importer:
    """Imports a file that can be read twice."""

    def __init__(self, graph: Graph, embedder: Embedder, linker: Linker) -> None:
        self._graph = graph
        self._embedder = embedder
        self._linker = linker

    async def run(self, file: BinaryIO, mode: Mode, namespace: str) -> Outcome:
        """Imports a file. Raises `InvalidArgument` with the number of a bad line; then nothing has changed."""
        present = await self._validate(file)
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
        self._linker.request_round()
        return outcome

    async def _validate(self, file: BinaryIO) -> list[Collection]:
        """Read the whole file and return the kinds of records in it."""
        present: dict[Collection, None] = {}
        batches = self._batches(file)
        while batch := await to_thread.run_sync(next, batches, None):
            present |= dict.fromkeys(record.of for record in batch)
        return list(present)

    async def _stage(self, file: BinaryIO, mode: Mode, namespace: str, outcome: Outcome) -> None:
        batches = self._batches(file)
        while batch := await to_thread.run_sync(next, batches, None):
            for of, collection in outcome.collections.items():
                # Of an id that the file has twice, the first counts.
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
                outcome.added[of] += len(fresh)
                outcome.skipped += sum(record.of == of for record in batch) - len(fresh)

    async def _switch(self, mode: Mode, namespace: str, outcome: Outcome) -> None:
        if not outcome.collections:
            return

        async def work(transaction: Transaction) -> Counter[Collection]:
            added = outcome.added.copy()
            for of, id_ in outcome.collections.items():
                row = await transaction.one("sessions/current_collection", namespace=namespace, of=of)
                if row is not None:
                    # A concurrent writer of the same id has committed by now, or will find the collection retired.
                    await transaction.run("sessions/lock_collection", namespace=namespace, id=row["id"])
                await self._require_staged(transaction, namespace, id_)
                if mode == "merge":
                    row = await transaction.row("sessions/drop_overlap", namespace=namespace, collection=id_)
                    added[of] -= row["dropped"]
            # A merge that adds nothing changes nothing.
            live = [id_ for of, id_ in outcome.collections.items() if mode == "replace" or added[of]]
            for id_ in outcome.collections.values():
                if id_ not in live:
                    await transaction.run("sessions/abandon_collection", namespace=namespace, id=id_)
            if live:
                replaced = list(outcome.collections) if mode == "replace" else []
                await transaction.run("sessions/switch", namespace=namespace, live=live, replaced=replaced)
            return added

        added = await self._graph.transaction(work, timeout=_SWITCH_TIMEOUT)
        outcome.skipped += outcome.imported - added.total()
        outcome.added = added

    async def _require_staged(self, transaction: Transaction, namespace: str, id_: str) -> None:
        """Raises `Conflict` where this import wrote nothing for so long that it was given up."""
        await transaction.run("sessions/lock_collection", namespace=namespace, id=id_)
        row = await transaction.one("sessions/collection_state", namespace=namespace, id=id_)
        if row is None or row["state"] != "staged":
            raise Conflict(
                "CONFLICT: this import paused so long that it was given up; nothing was changed, import again."
            )

    async def _abandon(self, namespace: str, outcome: Outcome) -> None:
        for id_ in outcome.collections.values():
            await self._graph.run("sessions/abandon_collection", namespace=namespace, id=id_)
        self._linker.request_round()

    def _batches(self, file: BinaryIO) -> Iterator[list[Record]]:
        """Yield the records of a file from its beginning, some at a time; runs in a worker thread."""
        file.seek(0)
        records = self._parse_lines(file)
        while batch := list(islice(records, _BATCH)):
            yield batch

    def _parse_lines(self, file: BinaryIO) -> Iterator[Record]:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(line) > LONGEST_LINE:
                raise _build_line_error(number, f"is longer than {LONGEST_LINE:,} bytes")
            if line.strip():
                try:
                    yield parse_line(line, self._embedder.fingerprint, self._embedder.dimension)
                except LineError as error:
                    raise _build_line_error(number, str(error)) from None


def _build_line_error(number: int, problem: str) -> InvalidArgument:
    return InvalidArgument(
        f"Line {number} of the file cannot be imported: {problem}. Nothing was changed.", {"line": number}
    )
