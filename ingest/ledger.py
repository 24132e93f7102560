"""The ledger of ingestion, in the graph: what was read, and in which state, so that nothing is written twice.

A file of triples is one `:Source` with the digest of its bytes and of each chunk of rows; a file of queries is one with
the digest of its bytes. A decision record is one `:Source` that its `:Decision` is `FROM`; a document is one that its
`:Entry` is `FROM` (`server.entries.documents` stores it, for the tool too). A run that writes is an `:IngestRun`; a run
that changes nothing leaves no trace. Each mark commits with the records that it stands for, so a run that was killed
leaves a correct ledger, and the next run continues from there.
"""

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, cast

from ingest.pipeline import IngestSummary, NoProgress, Progress
from ingest.records import DecisionRecord, RecordLink, RecordLinkType, Standing
from ingest.resolution import Claims
from server.entries.uris import shorten_uri
from server.graph.changes import audit_context
from server.graph.graph import Graph, Transaction

INGEST = "ingest"
"""The principal of what ingestion stores."""
_TIMEOUT = 60.0


class IngestRun:
    """One run of an ingestion: what it writes to, how it writes, and what it has done so far.

    With `dry_run` nothing is written, and the summary states what would be. With `again` every record is written,
    whatever the ledger says. The run's node in the graph is created when the first thing is written.
    """

    def __init__(
        self,
        graph: Graph,
        namespace: str,
        kind: str,
        *,
        dry_run: bool = False,
        again: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.graph = graph
        self.namespace = namespace
        self.kind = kind
        self.dry_run = dry_run
        self.again = again
        self.progress = progress or NoProgress()
        self.summary = IngestSummary(kind, dry_run=dry_run)
        self.id = f"{datetime.now(UTC):%Y%m%d_%H%M%S}_{token_hex(4)}"
        self._started = time.monotonic()
        self._is_open = False

    def audit_context(self) -> AbstractContextManager[None]:
        """The block in which the audit trail attributes every write to this run."""
        return audit_context(INGEST, f"ingest {self.kind}", self.id)

    async def open(self) -> None:
        if not self._is_open:
            with self.audit_context():
                await self.graph.run("ingest/open_run", namespace=self.namespace, id=self.id, kind=self.kind)
            self._is_open = True

    async def close(self) -> IngestSummary:
        """End the run and return what it did."""
        summary = self.summary
        if self._is_open:
            await self.graph.run(
                "ingest/close_run",
                namespace=self.namespace,
                id=self.id,
                created=summary.created,
                updated=summary.updated,
                set_aside=summary.bad,
            )
        summary.seconds = time.monotonic() - self._started
        return summary


@dataclass(frozen=True, slots=True)
class FileSource:
    """What an earlier run left in the ledger about a file of many records; only triples have `chunks`."""

    state: Literal["unknown", "reading", "done"] = "unknown"
    digest: str | None = None
    chunks: frozenset[str] = frozenset()
    records: int = 0
    set_aside: int = 0


class FileLedger:
    """The ledger's page about one file of many records.

    `known` is what an earlier run left, unless the run writes everything again; `chunks` are the digests of the chunks
    that this run has read.
    """

    def __init__(self, run: IngestRun, path: Path) -> None:
        self.run = run
        self.path = path
        self.known = FileSource()
        self.chunks: list[str] = []
        # One file may be a golden set and ground truth, and has a page for each.
        part = "" if run.kind == "triples" else f"#{run.kind}"
        self.uri = shorten_uri(path.absolute().as_uri() + part)
        self._file: dict[str, Any] = {"namespace": run.namespace, "uri": self.uri}
        self._is_open = False

    async def load(self) -> None:
        row = None if self.run.again else await self.run.graph.one("ingest/source", **self._file)
        if row is not None:
            self.known = FileSource(
                row["state"], row["digest"], frozenset(row["chunks"]), row["records"] or 0, row["set_aside"] or 0
            )

    def is_written(self, digest: str) -> bool:
        """Whether an earlier run wrote all of a file with this digest."""
        return self.known.state == "done" and self.known.digest == digest

    async def open(self) -> None:
        if not self._is_open:
            run = self.run
            await run.open()
            await run.graph.run("ingest/open_source", **self._file, name=self.path.name, kind=run.kind, run=run.id)
            self._is_open = True

    async def mark(self, transaction: Transaction, chunk: str) -> None:
        await transaction.run("ingest/mark_chunk", **self._file, chunk=chunk)

    async def close(self, digest: str) -> None:
        summary = self.run.summary
        await self.run.graph.run(
            "ingest/close_source",
            **self._file,
            digest=digest,
            chunks=self.chunks,
            records=summary.read - summary.bad,
            set_aside=summary.bad,
        )


@dataclass(frozen=True, slots=True)
class RecordSource:
    """What an earlier run left in the ledger about a decision record.

    `verdict` is the digest of its `Verdict`, `held` the key of the target that it is in force for, and `linked`
    whether its links were written before that run ended.
    """

    claims: Claims
    title: str
    location: str
    digest: str
    verdict: str | None
    held: str | None
    linked: bool


async def load_decision_sources(graph: Graph, namespace: str) -> dict[str, RecordSource]:
    """The decision records of earlier runs, by key."""
    rows = await graph.run("ingest/decision_sources", namespace=namespace, timeout=_TIMEOUT)
    return {
        row["key"]: RecordSource(
            claims=Claims(
                key=row["key"],
                standing=Standing[row["standing"]],
                source_status=row["source_status"],
                target=row["target"],
                created=date.fromisoformat(row["created"]) if row["created"] else None,
                supersedes=tuple(row["supersedes"]),
                superseded_by=tuple(row["superseded_by"]),
                links=tuple(_link(link) for link in row["links"]),
                replaced_in_service=row["replaced_in_service"],
            ),
            title=row["title"],
            location=row["location"],
            digest=row["digest"],
            verdict=row["verdict"],
            held=row["held"],
            linked=row["state"] == "done",
        )
        for row in rows
    }


def to_source_row(record: DecisionRecord) -> dict[str, Any]:
    """The properties that the ledger stores of a record; `load_decision_sources` loads them."""
    return {
        "uri": shorten_uri(f"{record.uri}#{record.key}"),
        "name": record.uri.rpartition("/")[2],
        "location": record.uri,
        "digest": record.digest,
        "standing": record.standing.name,
        "source_status": record.source_status,
        "target": record.target,
        "created": record.created.isoformat() if record.created else None,
        "supersedes": list(record.supersedes),
        "superseded_by": list(record.superseded_by),
        "links": [f"{link.relation} {link.key}" for link in record.links],
    }


def _link(text: str) -> RecordLink:
    relation, _, key = text.partition(" ")
    return RecordLink(cast("RecordLinkType", relation), key)
