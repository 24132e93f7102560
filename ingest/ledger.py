"""The ledger of ingestion, in the graph: what was read, in which state, so that nothing is written twice.

A file of triples is one `:Source` with the digest of its bytes and of each chunk of rows, a file of queries one with
the digest of its bytes; a decision record is one `:Source` that its `:Decision` is `FROM`, a document one that its
`:Entry` is `FROM` (`server.entries.documents` keeps it, for the tool alike). A run that writes is an `:IngestRun`; a
run that changes nothing leaves no trace. Every mark is set in the transaction that wrote what it stands for, so a run
that was killed leaves a ledger that is true, and the next run goes on from there.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, cast

from ingest.chains import Claims
from ingest.pipeline import Kind, Summary
from ingest.records import DecisionRecord, Link, LinkType, Standing
from server.entries.documents import indexed
from server.files import sha256_of
from server.graph.changes import doing
from server.graph.graph import Graph, Transaction

INGEST = "ingest"
"""The principal of what is brought in by batches."""
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class FileSource:
    """What an earlier run left in the ledger about a file of many records; `chunks` of triples alone."""

    state: Literal["reading", "done"]
    digest: str | None = None
    chunks: frozenset[str] = frozenset()
    records: int = 0
    set_aside: int = 0


class Run:
    """One run's entry in the ledger, made when the first thing is written."""

    def __init__(self, graph: Graph, namespace: str, kind: Kind) -> None:
        self._graph = graph
        self._namespace = namespace
        self._kind = kind
        self.id = f"{datetime.now(UTC):%Y%m%d_%H%M%S}_{token_hex(4)}"
        self._open = False

    def doing(self) -> AbstractContextManager[None]:
        """Says that what is written in this block is this run's."""
        return doing(INGEST, f"ingest {self._kind}", self.id)

    async def open(self) -> None:
        if not self._open:
            with self.doing():
                await self._graph.run("ingest/open_run", namespace=self._namespace, id=self.id, kind=self._kind)
            self._open = True

    async def close(self, summary: Summary) -> None:
        if self._open:
            await self._graph.run(
                "ingest/close_run",
                namespace=self._namespace,
                id=self.id,
                created=summary.created,
                updated=summary.updated,
                set_aside=summary.bad,
            )


class FileLedger:
    """The ledger's page about one file of many records."""

    def __init__(self, graph: Graph, namespace: str, path: Path, kind: Kind) -> None:
        self._graph = graph
        self._path = path
        self._kind = kind
        # One file may hold golden queries and ground truth at once, and has a page for each.
        part = "" if kind == "triples" else f"#{kind}"
        self._file: dict[str, Any] = {"namespace": namespace, "uri": indexed(path.absolute().as_uri() + part)}

    @property
    def uri(self) -> str:
        return str(self._file["uri"])

    async def look_up(self) -> FileSource | None:
        row = await self._graph.one("ingest/source", **self._file)
        if row is None:
            return None
        return FileSource(
            row["state"], row["digest"], frozenset(row["chunks"]), row["records"] or 0, row["set_aside"] or 0
        )

    async def open(self, run: Run) -> None:
        await run.open()
        await self._graph.run("ingest/open_source", **self._file, name=self._path.name, kind=self._kind, run=run.id)

    async def mark(self, transaction: Transaction, chunk: str) -> None:
        await transaction.run("ingest/mark_chunk", **self._file, chunk=chunk)

    async def close(self, digest: str, chunks: list[str], summary: Summary) -> None:
        await self._graph.run(
            "ingest/close_source",
            **self._file,
            digest=digest,
            chunks=chunks,
            records=summary.read - summary.bad,
            set_aside=summary.bad,
        )


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes; empty where there is no such file or it cannot be read."""
    try:
        return sha256_of(path)
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class DecisionSource:
    """What an earlier run left in the ledger about a decision record.

    `verdict` is the digest of what it came to, `held` the target it is in force for, `linked` whether its links were
    drawn before that run ended.
    """

    claims: Claims
    title: str
    location: str
    digest: str
    verdict: str | None
    held: str | None
    linked: bool


async def decision_sources(graph: Graph, namespace: str) -> dict[str, DecisionSource]:
    """Every decision record that was read before, by its key."""
    rows = await graph.run("ingest/decision_sources", namespace=namespace, timeout=_TIMEOUT)
    return {
        row["key"]: DecisionSource(
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


def source_of(record: DecisionRecord) -> dict[str, Any]:
    """What the ledger is to remember of a record: `decision_sources` gives it back."""
    return {
        "uri": indexed(f"{record.uri}#{record.key}"),
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


def _link(text: str) -> Link:
    relation, _, key = text.partition(" ")
    return Link(cast("LinkType", relation), key)
