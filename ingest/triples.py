"""`precedent ingest triples`: a file of relations into the graph, chunk by chunk.

A chunk is some thousand rows. Its content chooses where it ends, so that rows added or removed in the middle of a file
change the chunks around them and no others. Each chunk is written in one transaction together with its mark in the
ledger. An interrupted run continues at the first chunk without a mark; a changed file writes its new chunks; an
unchanged file is recognised by its bytes. Nothing is removed: a row that is no longer in the file leaves its relation
in the graph.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from ingest.files import ingest_file
from ingest.ledger import FileLedger, IngestRun
from ingest.pipeline import IngestSummary, Progress
from ingest.records import BadRecord, Triple
from ingest.relations import CreatedCounts, NewRowCounter, Rows, write_rows
from ingest.sources.triples import TripleFormat, read_triples
from server.core.errors import InvalidArgument
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence

FEWEST, MOST = 4_096, 16_384
"""Rows of a chunk; the average is 8,192."""
_CUT = 4_095
_REMEMBERED = 100_000
"""Names of entities that a run remembers."""
_TIMEOUT = 300.0
"""Seconds for one chunk."""


@dataclass(slots=True)
class Chunk:
    """Consecutive records of a file, ready to be written; `digest` is that of the triples alone."""

    rows: Rows = field(default_factory=Rows)
    bad: list[BadRecord] = field(default_factory=list)
    digest: str = ""


async def ingest_triples(
    graph: Graph,
    namespace: str,
    path: Path,
    *,
    form: TripleFormat | None = None,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Write the triples of a file that the ledger does not know as written, and return what was done.

    A record that is not a triple is set aside.
    """
    run = IngestRun(graph, namespace, "triples", dry_run=dry_run, again=again, progress=progress)
    ledger = FileLedger(run, path)
    writer = ChunkWriter(ledger, IdSequence(graph))
    return await ingest_file(ledger, lambda at: split_chunks(read_triples(path, form, at=at), str(path)), writer.write)


@dataclass(slots=True)
class ChunkWriter:
    """The writer of a file's chunks; `present` are entities that this run need not look up again."""

    ledger: FileLedger
    sequence: IdSequence
    counter: NewRowCounter = field(default_factory=NewRowCounter)
    present: set[str] = field(default_factory=set)

    async def write(self, chunk: Chunk) -> None:
        run, summary = self.ledger.run, self.ledger.run.summary
        if not chunk.rows.count:
            return
        self.ledger.chunks.append(chunk.digest)
        if chunk.digest in self.ledger.known.chunks:
            summary.unchanged += chunk.rows.count
            return
        if run.dry_run:
            created = await self.counter.count(run.graph, run.namespace, chunk.rows)
        else:
            created = await self._write(chunk)
        summary.entities_created += created.entities
        summary.created += created.relations
        summary.updated += chunk.rows.count - created.relations

    async def _write(self, chunk: Chunk) -> CreatedCounts:
        run = self.ledger.run
        await self.ledger.open()
        names = list(chunk.rows.labels)
        chunk.rows.forget(self.present)
        ids = await self.sequence.take(run.namespace, chunk.rows.ids_needed)

        async def work(transaction: Transaction) -> CreatedCounts:
            created = await write_rows(transaction, run.namespace, chunk.rows, ids)
            await self.ledger.mark(transaction, chunk.digest)
            return created

        created = await run.graph.transaction(work, timeout=_TIMEOUT)
        if len(self.present) > _REMEMBERED:
            self.present.clear()
        self.present.update(names)
        return created


def split_chunks(records: Iterable[Triple | BadRecord], file: str) -> Iterator[Chunk]:
    """Split a stream of records into chunks of `FEWEST` to `MOST` triples, at rows that their content chooses."""
    chunk, digest = Chunk(), hashlib.sha256()
    for record in records:
        cut = False
        try:
            if isinstance(record, Triple):
                chunk.rows.add(record)
                row = repr(_content(record)).encode()
                digest.update(row)
                cut = chunk.rows.count >= FEWEST and crc32(row) & _CUT == 0
            else:
                chunk.bad.append(record)
        except InvalidArgument as error:
            chunk.bad.append(BadRecord(file, record.line, error.message))
        if cut or chunk.rows.count >= MOST or len(chunk.bad) >= MOST:
            yield _finish(chunk, digest)
            chunk, digest = Chunk(), hashlib.sha256()
    if chunk.rows.count or chunk.bad:
        yield _finish(chunk, digest)


def _content(triple: Triple) -> tuple[object, ...]:
    """All of a triple but its line."""
    return (
        triple.head, triple.relation, triple.tail, triple.weight, triple.properties, triple.head_label,
        triple.tail_label,
    )  # fmt: skip


def _finish(chunk: Chunk, digest: "hashlib._Hash") -> Chunk:
    chunk.digest = digest.hexdigest()[:32]
    return chunk
