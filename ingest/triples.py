"""`precedent ingest triples`: a file of relations into the graph, chunk by chunk.

A chunk is some thousand rows, cut where the content says so, so that rows added or removed in the middle of a file
change the chunks around them and no others. Each chunk is written in one transaction together with its mark in the
ledger. What was interrupted goes on at the first chunk without a mark; a changed file writes its new chunks; an
unchanged file is known by its bytes. Nothing is ever removed: a row that is gone from the file leaves its relation in
the graph.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import anyio

from ingest.ledger import FileLedger, Run, digest_of
from ingest.pipeline import Progress, Silent, Summary
from ingest.records import BadRecord, Triple
from ingest.relations import Known, Rows, Written, write_rows
from ingest.sources.triples import Form, read_triples
from server.errors import InvalidArgument
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence

FEWEST, MOST = 4_096, 16_384
"""Rows of a chunk; the average lies at 8,192."""
_CUT = 4_095
_REMEMBERED = 100_000
"""Names of entities that are kept at most, and a chunk's beyond."""
_TIMEOUT = 300.0
"""Seconds for one chunk; an ordinary one takes about one."""


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
    form: Form | None = None,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Writes the triples of a file that the ledger does not know as written, and tells what it did.

    With `dry_run` nothing is written, and the summary tells what would be. `again` writes everything, whatever the
    ledger says. A record that is no triple is set aside and the rest goes on. Raises `Unavailable` when the graph
    cannot be reached; what was written until then is kept, and the next run goes on from there.
    """
    started, summary = time.monotonic(), Summary("triples", dry_run=dry_run)
    ledger, run = FileLedger(graph, namespace, path, "triples"), Run(graph, namespace, "triples")
    known = None if again else await ledger.look_up()
    digest = await anyio.to_thread.run_sync(digest_of, path)
    written = known is not None and known.state == "done" and known.digest == digest
    if not digest:
        summary.set_aside(BadRecord(str(path), 0, "there is no such file, or it cannot be read"))
    elif known and written and not known.set_aside:
        summary.unchanged = known.records
    else:
        work = _Work(graph, namespace, ledger, run, summary, progress or Silent(), IdSequence(graph))
        await work.through(path, form, known.chunks if known else frozenset())
        if not dry_run and not written:
            await work.open()
            await ledger.close(digest, work.chunks, summary)
        await run.close(summary)
    summary.seconds = time.monotonic() - started
    return summary


@dataclass(slots=True)
class _Work:
    """One pass through a file.

    `chunks` are the digests of all its chunks, `opened` tells whether any was written, `present` are entities that this
    run has seen in the graph and need not look for again.
    """

    graph: Graph
    namespace: str
    ledger: FileLedger
    run: Run
    summary: Summary
    progress: Progress
    sequence: IdSequence
    known: Known = field(default_factory=Known)
    present: set[str] = field(default_factory=set)
    chunks: list[str] = field(default_factory=list)
    opened: bool = False
    share: float = 0.0

    async def through(self, path: Path, form: Form | None, done: frozenset[str]) -> None:
        def at(share: float) -> None:
            self.share = share

        self.progress.at("triples", 0, 0.0)
        reader = chunks_of(read_triples(path, form, at=at), str(path))
        with ThreadPoolExecutor(max_workers=1) as reading:
            ahead = reading.submit(next, reader, None)
            while (chunk := await anyio.to_thread.run_sync(ahead.result)) is not None:
                ahead = reading.submit(next, reader, None)  # the next chunk is read while this one is written
                for record in chunk.bad:
                    self.summary.set_aside(record)
                if chunk.rows.count:
                    await self._chunk(chunk, done)
                self.progress.at("triples", self.summary.read, self.share)

    async def _chunk(self, chunk: Chunk, done: frozenset[str]) -> None:
        self.chunks.append(chunk.digest)
        if chunk.digest in done:
            self.summary.unchanged += chunk.rows.count
            return
        if self.summary.dry_run:
            written = await self.known.without_writing(self.graph, self.namespace, chunk.rows)
        else:
            written = await self._write(chunk)
        self.summary.entities_created += written.entities
        self.summary.created += written.relations
        self.summary.updated += chunk.rows.count - written.relations

    async def open(self) -> None:
        if not self.opened:
            await self.ledger.open(self.run)
            self.opened = True

    async def _write(self, chunk: Chunk) -> Written:
        await self.open()
        names = list(chunk.rows.labels)
        chunk.rows.forget(self.present)
        ids = await self.sequence.take(self.namespace, chunk.rows.ids_needed)

        async def work(transaction: Transaction) -> Written:
            written = await write_rows(transaction, self.namespace, chunk.rows, ids)
            await self.ledger.mark(transaction, chunk.digest)
            return written

        written = await self.graph.transaction(work, timeout=_TIMEOUT)
        if len(self.present) > _REMEMBERED:
            self.present.clear()
        self.present.update(names)
        return written


def chunks_of(records: Iterable[Triple | BadRecord], file: str) -> Iterator[Chunk]:
    """Cuts a stream of records into chunks of `FEWEST` to `MOST` triples, at rows that their own content chooses."""
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
            yield _sealed(chunk, digest)
            chunk, digest = Chunk(), hashlib.sha256()
    if chunk.rows.count or chunk.bad:
        yield _sealed(chunk, digest)


def _content(triple: Triple) -> tuple[object, ...]:
    """All of a triple but its line."""
    return (
        triple.head, triple.relation, triple.tail, triple.weight, triple.properties, triple.head_label,
        triple.tail_label,
    )  # fmt: skip


def _sealed(chunk: Chunk, digest: "hashlib._Hash") -> Chunk:
    chunk.digest = digest.hexdigest()[:32]
    return chunk
