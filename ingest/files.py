"""Files of many records, such as triples or queries: read batch by batch, written once."""

from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from anyio import to_thread

from ingest.ledger import FileLedger, IngestRun
from ingest.pipeline import IngestSummary
from ingest.records import BadRecord
from server.core.files import sha256_of

ReportShare = Callable[[float], None]
"""Takes the share (0..1) of a file's bytes that has been read."""


class RecordBatch(Protocol):
    """Consecutive records of a file that are written together, and the bad records among them."""

    @property
    def bad(self) -> list[BadRecord]: ...


B = TypeVar("B", bound=RecordBatch)


async def ingest_file(
    ledger: FileLedger, read: Callable[[ReportShare], Iterator[B]], write_batch: Callable[[B], Awaitable[None]]
) -> IngestSummary:
    """Write the batches of a file that the ledger does not know as written, and return what was done.

    `write_batch` counts its records in the summary of the ledger's run, and opens the ledger before it writes. The next
    batch is read in a thread meanwhile. Raises `Unavailable` when the graph cannot be reached; batches that were
    written until then are kept, and the next run continues after them.
    """
    run = ledger.run
    digest = await to_thread.run_sync(_hash_file, ledger)
    await ledger.load()
    if not digest:
        run.summary.set_aside(BadRecord(str(ledger.path), 0, "there is no such file, or it cannot be read"))
    elif ledger.is_written(digest) and not ledger.known.set_aside:
        run.summary.unchanged = ledger.known.records
    else:
        await _write_batches(run, read, write_batch)
        if not run.dry_run and not ledger.is_written(digest):
            await ledger.open()
            await ledger.close(digest)
    return await run.close()


async def _write_batches(
    run: IngestRun, read: Callable[[ReportShare], Iterator[B]], write_batch: Callable[[B], Awaitable[None]]
) -> None:
    share = 0.0

    def report(so_far: float) -> None:
        nonlocal share
        share = so_far

    run.progress.report(run.kind, 0, 0.0)
    batches = read(report)
    with ThreadPoolExecutor(max_workers=1) as reading:
        ahead = reading.submit(next, batches, None)
        while (batch := await to_thread.run_sync(ahead.result)) is not None:
            ahead = reading.submit(next, batches, None)
            for record in batch.bad:
                run.summary.set_aside(record)
            await write_batch(batch)
            run.progress.report(run.kind, run.summary.read, share)


def _hash_file(ledger: FileLedger) -> str:
    """The SHA-256 of a file's bytes; empty if there is no such file or it cannot be read."""
    try:
        return sha256_of(ledger.path)
    except OSError:
        return ""
