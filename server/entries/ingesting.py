"""Ingestion of documents from files and folders into a project, for the tool `ingest_docs`. Source: MEM-48, MEM-53."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anyio import to_thread

from server.entries.documents import (
    DEFAULT_SOURCES,
    MOST_LISTED,
    DocumentFolder,
    DocumentRoots,
    DocumentWriter,
    IngestionContext,
    Outcome,
    TextDocument,
    Unreadable,
    read_document,
)
from server.entries.folders import SUFFIXES
from server.entries.models import IngestionReport, SkippedSource

MOST_STORED = 200
"""Documents of folders that one call stores; the next call continues."""
_BATCH = 50
"""Documents that are read and compared together."""


@dataclass(slots=True)
class IngestionTally:
    """The outcomes of a call, document by document."""

    outcomes: list[Outcome] = field(default_factory=list)
    skipped: list[SkippedSource] = field(default_factory=list)
    retired: int = 0
    remaining: int = 0

    @property
    def imported(self) -> int:
        return len(self.outcomes) - self.outcomes.count("unchanged")

    def skip(self, source: str, reason: str) -> None:
        self.skipped.append(SkippedSource(source=source, reason=reason))


class DocumentIngestion:
    """Ingests sources one after another, each document in its own transaction."""

    def __init__(self, roots: DocumentRoots, writer: DocumentWriter) -> None:
        self._roots = roots
        self._writer = writer

    async def run(self, sources: Sequence[str] | None, context: IngestionContext) -> IngestionReport:
        """Store each new or changed document, and retire those that are missing from a folder."""
        tally = IngestionTally()
        for source in sources or DEFAULT_SOURCES:
            read = await to_thread.run_sync(self._roots.read, source)
            match read:
                case TextDocument():
                    tally.outcomes.append(await self._writer.store(read, context))
                case DocumentFolder():
                    await self._ingest_folder(read, context, tally)
                case Unreadable():
                    tally.skip(source.replace("\\", "/"), read.reason)
        return IngestionReport(
            processed_sources=len(tally.outcomes),
            imported_entries=tally.imported,
            duplicate_entries=len(tally.outcomes) - tally.imported,
            retired_entries=tally.retired,
            remaining_documents=tally.remaining,
            skipped_sources=[each.source for each in tally.skipped],
            details=tally.skipped,
            folders=self._roots.folders,
        )

    async def _ingest_folder(self, folder: DocumentFolder, context: IngestionContext, tally: IngestionTally) -> None:
        """Store the documents of a folder up to the limit of a call, and retire missing ones."""
        listing = folder.listing
        gone = await self._writer.find_gone(listing, context)
        for uri in gone:
            tally.retired += await self._writer.retire(uri, context)
        for path, _ in listing.unread:
            tally.skip(self._roots.to_reference(path), "the folder cannot be read; none of its documents was retired")
        if not listing.complete:
            tally.skip(
                folder.source_ref, f"it has more than {MOST_LISTED:,} documents; ingest its subfolders one by one"
            )
        elif not (listing.files or listing.unread or gone):
            tally.skip(
                folder.source_ref, f"it has no document: the name of one must end in {', '.join(sorted(SUFFIXES))}"
            )
        for start in range(0, len(listing.files), _BATCH):
            if tally.imported >= MOST_STORED:
                tally.remaining += len(listing.files) - start
                break
            batch = await to_thread.run_sync(self._read_documents, listing.files[start : start + _BATCH], tally)
            for document, outcome in zip(batch, await self._writer.compare(batch, context), strict=True):
                tally.outcomes.append(
                    outcome if outcome == "unchanged" else await self._writer.store(document, context)
                )

    def _read_documents(self, files: Sequence[Path], tally: IngestionTally) -> list[TextDocument]:
        """Return the documents of these files; other files are skipped with a reason. Blocking."""
        documents = []
        for path in files:
            reference = self._roots.to_reference(path)
            try:
                read = read_document(path, reference)
            except OSError:
                read = Unreadable("it cannot be read")
            if isinstance(read, Unreadable):
                tally.skip(reference, read.reason)
            else:
                documents.append(read)
        return documents
