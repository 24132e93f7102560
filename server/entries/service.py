"""The use cases of entries: save, update, search, read by time or id, ingest documents, dry-run retention.

Source: MEM-1, MEM-33, MEM-56.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from server.core.errors import EntryNotFound, InvalidArgument
from server.core.fields import format_time, to_milliseconds
from server.core.principals import Principal
from server.core.types import Row
from server.entries.documents import DocumentRoots, DocumentWriter, IngestionContext
from server.entries.ingesting import DocumentIngestion
from server.entries.models import (
    Entries,
    EntryDetailItem,
    FoundEntries,
    GetEntries,
    GetTimeline,
    IngestDocs,
    IngestionReport,
    RetentionDryRun,
    RetentionReasons,
    RetentionReport,
    SaveAnswer,
    SaveMemory,
    SearchEntries,
    TimelineAnswer,
    TimelineItem,
    UpdatedEntry,
    UpdateMemory,
)
from server.entries.past import PastEntrySearch
from server.entries.policy import require_no_secret
from server.entries.retiring import EntryExpiry
from server.entries.saving import EntrySaver
from server.entries.search import EntrySearch
from server.entries.updating import EntryUpdater
from server.entries.writing import EntryWriter
from server.graph.graph import Transaction
from server.parts import Parts

INGESTION = "ingestion"
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EntrySettings:
    """The default project, and the folders that documents may be read from.

    Nothing below `closed` is read, even if it is in one of these folders.
    """

    project: str
    docs_roots: Sequence[Path]
    closed: Sequence[Path] = ()


class EntryService:
    """The use cases of the entries family, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts, *, settings: EntrySettings) -> None:
        self._graph = parts.graph
        self._parts = parts
        self._settings = settings
        writer = EntryWriter(parts.graph, parts.sequence)
        self._saver = EntrySaver(parts, writer)
        self._updater = EntryUpdater(parts)
        self.expiry = EntryExpiry(parts.graph)
        roots = DocumentRoots(list(settings.docs_roots), list(settings.closed))
        self._ingestion = DocumentIngestion(roots, DocumentWriter(parts.graph, writer))
        self._search = EntrySearch(parts.graph, parts.vectors, parts.embedder)
        self._past = PastEntrySearch(parts.graph, parts.vectors, parts.embedder)

    async def save_memory(self, request: SaveMemory, caller: Principal) -> SaveAnswer:
        """Store an entry unless a current one has its text or source, and wait a limited time until it is searchable.

        Raises `InvalidArgument`, `EntryNotFound`, or `PolicyBlocked` if it contains a secret; then nothing is written.
        """
        return await self._saver.save(request, caller, self._settings.project)

    async def update_memory(self, request: UpdateMemory, caller: Principal) -> UpdatedEntry:
        """Change the text of an entry in place; its former properties stay as history.

        Raises `EntryNotFound`, `InvalidArgument`, or `PolicyBlocked` if it contains a secret; then nothing is written.
        """
        return await self._updater.update(request, caller)

    async def search(self, request: SearchEntries, caller: Principal) -> FoundEntries:
        """Find entries by meaning, by words and by the text around them. Raises `GraphUnavailable`."""
        search = self._search if request.as_of is None else self._past
        return await search.run(request, caller.namespace)

    async def timeline(self, request: GetTimeline, caller: Principal) -> TimelineAnswer:
        """Return the entries saved before and after an entry in its project, oldest first. Raises `EntryNotFound`."""
        rows = await self._graph.run(
            "entries/timeline",
            namespace=caller.namespace,
            anchor_id=request.anchor_id,
            before=request.depth_before,
            after=request.depth_after,
        )
        if not rows:
            raise EntryNotFound(
                "No entry has this anchor_id; use an id from an answer of search.", {"anchorId": request.anchor_id}
            )
        items = [TimelineItem(**row, score=0.0) for row in rows]
        return TimelineAnswer(anchor_id=request.anchor_id, items=items[request.offset :], total=len(items))

    async def get_entries(self, request: GetEntries, caller: Principal) -> Entries:
        """Return complete entries in the order of the ids, as often as an id is given, without unknown ids.

        `offset` counts the given ids.
        """
        if not any(id_.strip() for id_ in request.ids):
            raise InvalidArgument("ids: contains only white space; use ids from an answer of search.")
        ids = [id_ for each in request.ids[request.offset :] if (id_ := each.strip())]
        rows = await self._graph.run("entries/entries", namespace=caller.namespace, ids=list(dict.fromkeys(ids)))
        found = {row["id"]: _to_detail(row) for row in rows}
        return Entries(items=[found[id_] for id_ in ids if id_ in found])

    async def ingest_docs(self, request: IngestDocs, caller: Principal) -> IngestionReport:
        """Store the new and changed documents of files and folders; report what was not read."""
        context = IngestionContext(
            caller.namespace, caller.name, request.project or self._settings.project, request.entry_type or INGESTION
        )
        require_no_secret(context.project, context.type, request.sources)
        ingested = await self._ingestion.run(request.sources, context)
        self._parts.projector.wake()
        return ingested

    async def retention_dry_run(self, request: RetentionDryRun, caller: Principal) -> RetentionReport:
        """Return which entries the rules of age and number would remove, and record the run in the graph.

        Raises `InvalidArgument` if there is no rule.
        """
        if request.max_age_days is None and request.max_entries_per_project is None:
            raise InvalidArgument("At least one retention rule must be set: max_age_days or max_entries_per_project.")
        most = request.max_entries_per_project
        now = request.now or datetime.now(UTC)
        rules: dict[str, Any] = {
            "project": request.project or None,
            "before": _compute_cutoff(now, request.max_age_days),
            "most": None if most is None else min(most, _LARGEST),
        }

        async def work(transaction: Transaction) -> RetentionReport:
            row = await transaction.row("entries/retention_candidates", namespace=caller.namespace, **rules)
            ids = sorted({*row["aged"], *row["excess"]})
            reasons = RetentionReasons(age=len(row["aged"]), project_count=len(row["excess"]))
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
                executed_at=format_time(to_milliseconds(now)),
                total_candidates=len(ids),
                by_reason=reasons,
                candidate_ids=ids[request.offset :],
            )

        return await self._graph.transaction(work)


def _to_detail(row: Row) -> EntryDetailItem:
    metadata = json.loads(row["metadata"])
    return EntryDetailItem(**{**row, "metadata": metadata})


def _compute_cutoff(now: datetime, days: float | None) -> datetime | None:
    """Return the time that many days ago; None without a rule of age, or before the calendar begins."""
    if days is None:
        return None
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return None
