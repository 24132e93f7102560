"""`precedent ingest docs`: Markdown and text files as entries, found by their parts.

It stores what the tool `ingest_docs` stores, for any number of paths that the operator names: one current entry of each
document in a project, identified by the file's real path and by the digest of its text. A document is stored in one
transaction together with its source in the ledger, so an interrupted run continues at the first document that is not
stored. A changed document supersedes its earlier entry; the entry of one that is gone from a folder retires.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from ingest.ledger import INGEST, IngestRun
from ingest.pipeline import IngestSummary, Progress, batches
from ingest.records import BadRecord
from ingest.sources.text_files import describe_read_error
from server.entries.documents import DocumentWriter, IngestionContext, Outcome, TextDocument, Unreadable, read_document
from server.entries.folders import SUFFIXES, FolderListing, list_folder
from server.entries.models import IngestDocs
from server.entries.policy import require_no_secret
from server.entries.service import INGESTION
from server.entries.writing import EntryWriter
from server.graph.graph import Graph
from server.graph.sequence import IdSequence

_BATCH = 100
"""Documents that are read and compared together."""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file that counts as a document: its real path, and the reference of its entry."""

    path: Path
    source_ref: str


async def ingest_docs(
    graph: Graph,
    namespace: str,
    paths: list[Path],
    *,
    project: str,
    entry_type: str = INGESTION,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Store the documents of files and folders in a project, and return what was done.

    What cannot be an entry is set aside. Raises `Unavailable` when the graph cannot be reached; what was written until
    then is kept, and the next run continues from there; `InvalidArgument` or `PolicyBlocked` if project or type cannot
    be names.
    """
    run = IngestRun(graph, namespace, "documents", dry_run=dry_run, again=again, progress=progress)
    context = _build_context(namespace, project, entry_type, run.id)
    writer = DocumentWriter(graph, EntryWriter(graph, IdSequence(graph)))
    run.progress.report("documents", 0, 0.0)
    files, folders = await anyio.to_thread.run_sync(_list_files, paths, run.summary)
    gone = {uri for folder in folders for uri in await writer.find_gone(folder, context)}
    await _retire(sorted(gone), writer, context, run)
    await _store(files, writer, context, run)
    return await run.close()


async def _retire(uris: list[str], writer: DocumentWriter, context: IngestionContext, run: IngestRun) -> None:
    for uri in uris:
        if run.dry_run:
            run.summary.retired += 1
        else:
            await run.open()
            with run.audit_context():
                run.summary.retired += await writer.retire(uri, context)


async def _store(files: list[DocumentFile], writer: DocumentWriter, context: IngestionContext, run: IngestRun) -> None:
    done = 0
    for batch in batches(files, _BATCH):
        documents = await anyio.to_thread.run_sync(_read, batch, run.summary)
        done += len(batch) - len(documents)
        for document, outcome in zip(documents, await writer.compare(documents, context), strict=True):
            if not run.dry_run and (run.again or outcome != "unchanged"):
                await run.open()
                with run.audit_context():
                    await writer.store(document, context, again=run.again)
            _count(run.summary, "changed" if run.again and outcome == "unchanged" else outcome)
            done += 1
            run.progress.report("documents", done, done / len(files))


def _build_context(namespace: str, project: str, entry_type: str, run: str) -> IngestionContext:
    """Project and type as the tool would take them: trimmed, and cut to the longest name."""
    named = IngestDocs.parse({"project": project, "entry_type": entry_type})
    require_no_secret(named.project, named.entry_type)
    return IngestionContext(namespace, INGEST, named.project, named.entry_type or INGESTION, run)


def _list_files(paths: list[Path], summary: IngestSummary) -> tuple[list[DocumentFile], list[FolderListing]]:
    """The documents of these paths, each file once, and the folders among them; other paths are set aside. Blocking."""
    found: dict[Path, DocumentFile] = {}
    folders: list[FolderListing] = []
    for path in paths:
        real = Path(os.path.realpath(path))
        if real.is_dir():
            listing = list_folder(real)
            folders.append(listing)
            for file in listing.files:
                found.setdefault(file, DocumentFile(file, file.relative_to(real.parent).as_posix()))
            summary.passed_over += [str(link) for link in listing.outside]
            for unread, error in listing.unread:
                summary.set_aside(BadRecord(str(unread), 0, describe_read_error(error)))
        elif real.suffix.lower() in SUFFIXES:
            found.setdefault(real, DocumentFile(real, real.relative_to(real.parent.parent).as_posix()))
        else:
            summary.set_aside(BadRecord(str(path), 0, f"documents are {', '.join(sorted(SUFFIXES))} files"))
    return list(found.values()), folders


def _read(files: Sequence[DocumentFile], summary: IngestSummary) -> list[TextDocument]:
    """The documents of these files; what cannot be one is set aside. Blocking."""
    documents = []
    for file in files:
        try:
            read = read_document(file.path, file.source_ref)
        except OSError as error:
            read = Unreadable(describe_read_error(error))
        if isinstance(read, Unreadable):
            summary.set_aside(BadRecord(str(file.path), 0, read.reason))
        else:
            documents.append(read)
    return documents


def _count(summary: IngestSummary, outcome: Outcome) -> None:
    match outcome:
        case "new":
            summary.created += 1
        case "changed":
            summary.updated += 1
        case "unchanged":
            summary.unchanged += 1
