"""Documents as entries: which files may be read, what is in them, and one current entry of each in a project.

Source: entries.md "Tool: `ingest_docs`"; open-questions.md, "entries.md"; issue "Entries and journal". A file is
named by where it really is: links and `..` are followed first, and what then lies outside of the configured folders is
not read, nor told apart from what is not there. Nor is what is hidden, and nothing of our own home and cache: whoever
could read the secrets there would be the operator.
"""

import hashlib
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from server.entries.models import LONGEST_TITLE
from server.entries.policy import require_no_secret
from server.entries.writing import EntryWriter, NewEntry
from server.errors import PolicyBlocked
from server.fields import LONGEST_TEXT, encoded
from server.graph.graph import Graph, Transaction
from server.retrieval.passages import first_heading

DEFAULT_SOURCES = ("docs/session-log.md", "docs/decisions.md", "docs/requirements.md")
SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt"})
"""Of documents; without one a file is none."""
_LONGEST_URI = 1_000


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text. `uri` says where it really is, `source_ref` where that is below its folder."""

    uri: str
    source_ref: str
    text: str

    @property
    def hash(self) -> str:
        """SHA-256 of the whole text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def title(self) -> str:
        """Its first heading of the first level, else the file's name."""
        heading = first_heading(self.text) or self.source_ref.rpartition("/")[2]
        return heading[:LONGEST_TITLE]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file is no document."""

    reason: str


class Roots:
    """The folders whose documents may be read; a relative path is looked for in each of them, in their order."""

    def __init__(self, folders: Sequence[Path], closed: Sequence[Path] = ()) -> None:
        """Nothing below `closed` is read, whatever folder it is in."""
        self._folders = [folder.resolve() for folder in folders]
        self._closed = [folder.resolve() for folder in closed]

    def read(self, source: str) -> Document | Unreadable:
        """Reads a file by its path, written with `/` or `\\`. Blocking."""
        outside = Unreadable("there is no such file in the folders that may be read")
        try:
            for folder in self._folders:
                path = (folder / source.replace("\\", "/")).resolve()
                root = next((root for root in self._folders if self._shows(root, path)), None)
                if root is not None and path.exists():
                    if path.suffix.lower() not in SUFFIXES:
                        return Unreadable(f"it is no document: the name of one ends in {', '.join(sorted(SUFFIXES))}")
                    return read_document(path, self._reference(root, path))
        except (OSError, ValueError, RuntimeError):  # a name too long, a NUL in it, links in a circle
            return Unreadable("it cannot be read")
        return outside

    def _shows(self, root: Path, path: Path) -> bool:
        if not path.is_relative_to(root) or any(path.is_relative_to(closed) for closed in self._closed):
            return False
        return not any(part.startswith(".") for part in path.relative_to(root).parts)

    def _reference(self, root: Path, path: Path) -> str:
        relative = path.relative_to(root).as_posix()
        return relative if len(self._folders) == 1 else f"{root.name}/{relative}"


def read_document(path: Path, source_ref: str) -> Document | Unreadable:
    """Reads a file, whatever folder it is in. Blocking; raises `OSError`."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        return Unreadable("it is no file")
    if found.st_size > 4 * LONGEST_TEXT:
        return Unreadable(_too_long())
    with path.open("rb") as file:
        raw = file.read(4 * LONGEST_TEXT + 1)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Unreadable("it is not UTF-8 text")
    return document(path.as_uri(), source_ref, text)


def document(uri: str, source_ref: str, text: str) -> Document | Unreadable:
    """What was read, where it can be an entry."""
    if len(text) > LONGEST_TEXT:
        return Unreadable(_too_long())
    if "\0" in text:
        return Unreadable("it is not text")
    if not text.strip():
        return Unreadable("it is empty")
    if "\udc80" <= max(source_ref) <= "\udcff":  # how Python shows the bytes of a file's name that is no text
        return Unreadable("its name is not UTF-8 text")
    try:
        require_no_secret(text, source_ref)
    except PolicyBlocked as blocked:
        return Unreadable(f"it is blocked by sensitive-data policy: {blocked.details['pattern']}")
    return Document(indexed(uri), source_ref, text)


def indexed(uri: str) -> str:
    """The address as an index can hold it: the end of a very long one is replaced by its digest."""
    if len(uri) <= _LONGEST_URI:
        return uri
    return f"{uri[: _LONGEST_URI - 65]}#{hashlib.sha256(uri.encode()).hexdigest()}"


def _too_long() -> str:
    return f"it is longer than {LONGEST_TEXT:,} characters"


Outcome = Literal["new", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where documents go: whose they are, who brings them, their project and type, and the run of ingestion, if any."""

    namespace: str
    by: str
    project: str
    type: str
    run: str | None = None


class DocumentWriter:
    """Keeps one current entry of each document in a project; what it replaces is history."""

    def __init__(self, graph: Graph, writer: EntryWriter) -> None:
        self._graph = graph
        self._writer = writer

    async def compare(self, documents: Sequence[Document], shelf: Shelf) -> list[Outcome]:
        """What `store` would come to, document by document."""
        rows = await self._graph.run("entries/current_documents", **_places(documents, shelf))
        current = {row["uri"]: row for row in rows}
        return [_outcome(document, current.get(document.uri)) for document in documents]

    async def store(self, document: Document, shelf: Shelf, *, again: bool = False) -> Outcome:
        """Stores a document unless its project has it as it is; the entry of what it was before is superseded.

        `again` stores it anyway, with its passages as they would be cut today.
        """
        if not again and await self.compare([document], shelf) == ["unchanged"]:
            return "unchanged"
        prepared = await self._writer.prepare(_entry(document, shelf), shelf.namespace)

        async def work(transaction: Transaction) -> Outcome:
            # Whoever reads the same file at the same moment waits here, and then finds it stored.
            await transaction.run("entries/lock_source", namespace=shelf.namespace, uri=document.uri)
            row = await transaction.one("entries/current_documents", **_places([document], shelf))
            outcome = _outcome(document, row)
            if outcome == "unchanged" and not again:
                return outcome
            old = row["id"] if row else None
            if old is not None:
                await transaction.run("entries/retire_document", namespace=shelf.namespace, id=old)
            stored = await self._writer.write(transaction, prepared, shelf.namespace, shelf.by)
            await transaction.run(
                "entries/shelve_document",
                namespace=shelf.namespace,
                id=stored.id,
                uri=document.uri,
                name=document.source_ref,
                old=old,
                reason="the document was read again" if outcome == "unchanged" else "the document changed",
                by=shelf.by,
                run=shelf.run,
            )
            return outcome

        return await self._graph.transaction(work)


def _places(documents: Sequence[Document], shelf: Shelf) -> dict[str, Any]:
    return {"namespace": shelf.namespace, "project": shelf.project, "uris": [document.uri for document in documents]}


def _outcome(document: Document, row: dict[str, Any] | None) -> Outcome:
    if row is None:
        return "new"
    return "unchanged" if row["hash"] == document.hash else "changed"


def _entry(document: Document, shelf: Shelf) -> NewEntry:
    return NewEntry(
        text=document.text,
        title=document.title,
        project=shelf.project,
        type=shelf.type,
        source_ref=document.source_ref,
        metadata=encoded({"ingestion": True, "source_ref": document.source_ref}),
        session_id=None,
        document={"current_source": document.uri, "hash": document.hash},
    )
