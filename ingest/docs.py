"""`precedent ingest docs`: Markdown and text files as entries, found by their parts.

The same as the tool `ingest_docs` does, for paths that the operator names and in any number: one current entry of each
document in a project, known by where the file really is and by the digest of its text. A document is stored in one
transaction together with its place in the ledger, so what was interrupted goes on at the first document that is not
there. A document that has changed supersedes its earlier entry; one whose file is gone stays.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from ingest.ledger import INGEST, Run
from ingest.pipeline import Progress, Silent, Summary, batches
from ingest.records import BadRecord
from ingest.sources.documents import walk, why_unread
from server.entries.documents import SUFFIXES, Document, DocumentWriter, Outcome, Shelf, Unreadable, read_document
from server.entries.models import IngestDocs
from server.entries.policy import require_no_secret
from server.entries.service import INGESTION
from server.entries.writing import EntryWriter
from server.graph.graph import Graph
from server.graph.sequence import IdSequence

_BATCH = 100
"""Documents that are read and compared at once."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that counts as a document: where it really is, and what its entry refers to."""

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
) -> Summary:
    """Brings the documents of files and folders into a project, and tells what it did.

    With `dry_run` nothing is written, and the summary tells what would be. `again` stores every document anew, also
    where the project has it as it is. What cannot be an entry is set aside and the rest goes on. Raises `Unavailable`
    when the graph cannot be reached; what was written until then is kept, and the next run goes on from there;
    `InvalidArgument` or `PolicyBlocked` where project or type cannot be names.
    """
    started, summary, told = time.monotonic(), Summary("documents", dry_run=dry_run), progress or Silent()
    run = Run(graph, namespace, "documents")
    shelf = _shelf(namespace, project, entry_type, run.id)
    writer = DocumentWriter(graph, EntryWriter(graph, IdSequence(graph)))
    told.at("documents", 0, 0.0)
    files = await anyio.to_thread.run_sync(_files, paths, summary)
    done = 0
    for batch in batches(files, _BATCH):
        documents = await anyio.to_thread.run_sync(_read, batch, summary)
        done += len(batch) - len(documents)
        for document, outcome in zip(documents, await writer.compare(documents, shelf), strict=True):
            if not dry_run and (again or outcome != "unchanged"):
                await run.open()
                with run.doing():
                    await writer.store(document, shelf, again=again)
            _count(summary, "changed" if again and outcome == "unchanged" else outcome)
            done += 1
            told.at("documents", done, done / len(files))
    await run.close(summary)
    summary.seconds = time.monotonic() - started
    return summary


def _shelf(namespace: str, project: str, entry_type: str, run: str) -> Shelf:
    """Project and type as the tool would take them: trimmed, and cut to what a name may have."""
    named = IngestDocs.parse({"project": project, "entry_type": entry_type})
    require_no_secret(named.project, named.entry_type)
    return Shelf(namespace, INGEST, named.project, named.entry_type or INGESTION, run)


def _files(paths: list[Path], summary: Summary) -> list[Found]:
    """The documents of these paths, each file once; what is none is set aside or passed over. Blocking."""
    found: dict[Path, Found] = {}
    for path in paths:
        real = Path(os.path.realpath(path))
        if real.is_dir():
            for file in _within(real, summary):
                found.setdefault(file, Found(file, file.relative_to(real.parent).as_posix()))
        elif real.suffix.lower() in SUFFIXES:
            found.setdefault(real, Found(real, real.relative_to(real.parent.parent).as_posix()))
        else:
            summary.set_aside(BadRecord(str(path), 0, f"documents are {', '.join(sorted(SUFFIXES))} files"))
    return list(found.values())


def _within(folder: Path, summary: Summary) -> Iterator[Path]:
    """Real paths of the documents below a folder; links that lead out of it are passed over."""
    for path in walk(folder):
        if isinstance(path, BadRecord):
            summary.set_aside(path)
            continue
        real = Path(os.path.realpath(path)) if path.is_symlink() else path
        if real.is_relative_to(folder):
            yield real
        else:
            summary.passed_over.append(str(path))


def _read(files: Sequence[Found], summary: Summary) -> list[Document]:
    """The documents of these files; what cannot be one is set aside. Blocking."""
    documents = []
    for file in files:
        try:
            read = read_document(file.path, file.source_ref)
        except OSError as error:
            read = Unreadable(why_unread(error))
        if isinstance(read, Unreadable):
            summary.set_aside(BadRecord(str(file.path), 0, read.reason))
        else:
            documents.append(read)
    return documents


def _count(summary: Summary, outcome: Outcome) -> None:
    match outcome:
        case "new":
            summary.created += 1
        case "changed":
            summary.updated += 1
        case "unchanged":
            summary.unchanged += 1
