"""Decision records of every supported form, from any paths."""

from collections.abc import Iterator
from pathlib import Path

from ingest.records import BadRecord, DecisionRecord, PassedOver
from ingest.sources.markdown import read_markdown
from ingest.sources.pep import is_pep, read_pep
from ingest.sources.text_files import TextFile, read_text_files


def read_decisions(paths: list[Path], project: str | None = None) -> Iterator[DecisionRecord | BadRecord | PassedOver]:
    """Yield one result for each file of these files, folders and tar files: PEPs and Markdown decision records.

    `project` names the collection of Markdown records instead of their folder.
    """
    for document in read_text_files(paths):
        yield document if isinstance(document, BadRecord) else read_decision(document, project)


def read_decision(document: TextFile, project: str | None = None) -> DecisionRecord | BadRecord | PassedOver:
    """The decision of one text."""
    if is_pep(document):
        return read_pep(document)
    if document.path.suffix.lower() in {".md", ".markdown"}:
        return read_markdown(document, project)
    if document.is_explicit:
        return BadRecord(str(document.path), 1, "it has no PEP header, and all other records are Markdown files")
    return PassedOver(str(document.path))
