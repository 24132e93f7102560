"""What callers do with entries: save one, find them, read them in order or by id, try out retention.

Source: entries.md "Tool: …"; open-questions.md, "entries.md"; design.md sections 3 to 5.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from anyio import to_thread

from server.embedding.embedder import Embedder
from server.entries.documents import DEFAULT_SOURCES, DocumentWriter, Roots, Shelf, Unreadable
from server.entries.models import (
    Entries,
    EntryDetailItem,
    Found,
    GetEntries,
    IngestDocs,
    Ingested,
    Reasons,
    RetentionDryRun,
    RetentionReport,
    Saved,
    SaveMemory,
    Search,
    SkippedSource,
    Timeline,
    TimelineAnswer,
    TimelineItem,
)
from server.entries.policy import require_no_secret
from server.entries.search import EntrySearch
from server.entries.writing import EntryWriter, NewEntry
from server.errors import EntryNotFound, InvalidArgument
from server.fields import encoded, iso, milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.retrieval.turns import turn
from server.retrieval.writing import searchable
from server.types import Row
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

_NOTE = "note"
INGESTION = "ingestion"
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EntrySettings:
    """The project where none is named, seconds that a write waits to be searchable, folders to read documents from.

    Nothing below `closed` is read, also where it is in one of these folders.
    """

    project: str
    searchable_wait: float
    docs_roots: Sequence[Path]
    closed: Sequence[Path] = ()


class EntryService:
    """The use cases of the entries family. Every method sees the caller's namespace and nothing else."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        *,
        settings: EntrySettings,
    ) -> None:
        self._graph = graph
        self._projector = projector
        self._settings = settings
        self._writer = EntryWriter(graph, sequence)
        self._documents = DocumentWriter(graph, self._writer)
        self._roots = Roots(list(settings.docs_roots), list(settings.closed))
        self._search = EntrySearch(graph, vectors, embedder)

    async def save_memory(self, request: SaveMemory, caller: Principal) -> Saved:
        """Stores an entry, and waits a moment until it is searchable.

        Raises `InvalidArgument`, or `PolicyBlocked` where it holds a secret; then nothing is written.
        """
        require_no_secret(
            request.text,
            request.title,
            request.source_ref,
            request.metadata,
            request.project,
            request.type,
            request.session_id,
        )
        entry = NewEntry(
            text=request.text,
            title=request.title,
            project=request.project or self._settings.project,
            type=request.type or _NOTE,
            source_ref=request.source_ref or None,
            metadata=encoded(request.metadata),
            session_id=request.session_id or None,
        )
        prepared = await self._writer.prepare(entry, caller.namespace)
        async with turn(caller.namespace, entry.session_id):
            stored = await self._graph.transaction(
                lambda transaction: self._writer.write(transaction, prepared, caller.namespace, caller.name)
            )
        found = await searchable(self._projector, prepared.text, self._settings.searchable_wait)
        return Saved(id=stored.id, created_at=iso(stored.created_at), searchable=found)

    async def search(self, request: Search, caller: Principal) -> Found:
        """Finds entries by meaning, by words and by what was said around them. Raises `GraphUnavailable`."""
        return await self._search.run(request, caller.namespace)

    async def timeline(self, request: Timeline, caller: Principal) -> TimelineAnswer:
        """What was saved before and after an entry in its project, oldest first. Raises `EntryNotFound`."""
        rows = await self._graph.run(
            "entries/timeline",
            namespace=caller.namespace,
            anchor_id=request.anchor_id,
            before=request.depth_before,
            after=request.depth_after,
        )
        if not rows:
            raise EntryNotFound(
                "No entry has this anchor_id; take an id from an answer of search.", {"anchorId": request.anchor_id}
            )
        items = [TimelineItem(**{**row, "created_at": iso(row["created_at"])}, score=0.0) for row in rows]
        return TimelineAnswer(anchor_id=request.anchor_id, items=items)

    async def get_entries(self, request: GetEntries, caller: Principal) -> Entries:
        """Entries whole, in the order asked for, twice where asked twice; an unknown id is left out."""
        ids = [id_ for each in request.ids if (id_ := each.strip())]
        if not ids:
            raise InvalidArgument("ids: holds nothing but white space; take ids from an answer of search.")
        rows = await self._graph.run("entries/entries", namespace=caller.namespace, ids=list(dict.fromkeys(ids)))
        found = {row["id"]: _detail(row) for row in rows}
        return Entries(items=[found[id_] for id_ in ids if id_ in found])

    async def ingest_docs(self, request: IngestDocs, caller: Principal) -> Ingested:
        """Stores documents, each unless its project has it as it is; tells which could not be read, and why."""
        shelf = Shelf(
            caller.namespace, caller.name, request.project or self._settings.project, request.entry_type or INGESTION
        )
        require_no_secret(shelf.project, shelf.type, request.sources)
        outcomes: list[str] = []
        skipped: list[SkippedSource] = []
        for source in request.sources or DEFAULT_SOURCES:
            read = await to_thread.run_sync(self._roots.read, source)
            if isinstance(read, Unreadable):
                skipped.append(SkippedSource(source=source.replace("\\", "/"), reason=read.reason))
            else:
                outcomes.append(await self._documents.store(read, shelf))
        self._projector.wake()
        duplicates = outcomes.count("unchanged")
        return Ingested(
            processed_sources=len(outcomes),
            imported_entries=len(outcomes) - duplicates,
            duplicate_entries=duplicates,
            skipped_sources=[each.source for each in skipped],
            details=skipped,
        )

    async def retention_dry_run(self, request: RetentionDryRun, caller: Principal) -> RetentionReport:
        """Tells which entries rules of age and number would remove, and records in the graph that it was asked.

        Raises `InvalidArgument` where there is no rule.
        """
        if request.max_age_days is None and request.max_entries_per_project is None:
            raise InvalidArgument("At least one retention rule must be set: max_age_days or max_entries_per_project.")
        most = request.max_entries_per_project
        now = request.now or datetime.now(UTC)
        rules: dict[str, Any] = {
            "project": request.project or None,
            "before": _before(now, request.max_age_days),
            "most": None if most is None else min(most, _LARGEST),
        }

        async def work(transaction: Transaction) -> RetentionReport:
            row = await transaction.one("entries/retention_candidates", namespace=caller.namespace, **rules)
            assert row is not None
            ids = sorted({*row["aged"], *row["excess"]})
            reasons = Reasons(age=len(row["aged"]), project_count=len(row["excess"]))
            await transaction.run(
                "entries/record_retention",
                namespace=caller.namespace,
                id=str(uuid4()),
                at=now,
                by=caller.name,
                project=rules["project"],
                max_age_days=request.max_age_days,
                max_entries_per_project=rules["most"],
                candidate_ids=ids,
                **reasons.model_dump(),
            )
            return RetentionReport(
                executed_at=iso(milliseconds(now)), total_candidates=len(ids), by_reason=reasons, candidate_ids=ids
            )

        return await self._graph.transaction(work)


def _detail(row: Row) -> EntryDetailItem:
    metadata = json.loads(row["metadata"])
    return EntryDetailItem(**{**row, "metadata": metadata, "created_at": iso(row["created_at"])})


def _before(now: datetime, days: float | None) -> datetime | None:
    """The moment so many days ago; None where no calendar knows it, or where age does not count."""
    if days is None:
        return None
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return None
