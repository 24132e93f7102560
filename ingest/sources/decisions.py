"""Decision records of every form that we can read, from any paths."""

from collections.abc import Iterator
from pathlib import Path

from ingest.records import BadRecord, DecisionRecord, PassedOver
from ingest.sources.documents import Document, read_documents
from ingest.sources.markdown import read_markdown
from ingest.sources.pep import is_pep, read_pep


def read_decisions(paths: list[Path], project: str | None = None) -> Iterator[DecisionRecord | BadRecord | PassedOver]:
    """Yields one result a file of these files, folders and tar archives: PEPs, and Markdown decision records.

    `project` names the collection of Markdown records instead of their folder.
    """
    for document in read_documents(paths):
        yield document if isinstance(document, BadRecord) else read_decision(document, project)


def read_decision(document: Document, project: str | None = None) -> DecisionRecord | BadRecord | PassedOver:
    """Returns the decision of one text."""
    if is_pep(document):
        return read_pep(document)
    if document.path.suffix.lower() in {".md", ".markdown"}:
        return read_markdown(document, project)
    if document.named:
        return BadRecord(str(document.path), 1, "it begins with no PEP header, and other records are Markdown files")
    return PassedOver(str(document.path))
