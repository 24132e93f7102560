"""Documents as entries: which files may be read, what they contain, and one current entry of each in a project.

The real path names a file: links and `..` are resolved first. A path outside of the configured folders is not read and
is answered as if it did not exist. So are hidden files, and the service's own home and cache, which hold its secrets.

Source: MEM-42, MEM-45, MEM-46.
"""

import hashlib
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from anyio import to_thread

from server.core.errors import PolicyBlocked
from server.core.fields import LONGEST_TEXT, encode_json
from server.entries.folders import SUFFIXES, FolderListing, list_folder
from server.entries.models import LONGEST_TITLE
from server.entries.policy import require_no_secret
from server.entries.uris import shorten_uri
from server.entries.writing import EntryWriter, NewEntry
from server.graph.graph import Graph, Transaction
from server.retrieval.passages import find_first_heading

DEFAULT_SOURCES = ("docs/session-log.md", "docs/decisions.md", "docs/requirements.md")
MOST_LISTED = 10_000
"""Documents of a folder that one call lists."""


@dataclass(frozen=True, slots=True)
class TextDocument:
    """The text of a file. `uri` is its real location, `source_ref` its path below its folder."""

    uri: str
    source_ref: str
    text: str

    @property
    def hash(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def title(self) -> str:
        """The first heading of level 1, else the name of the file."""
        heading = find_first_heading(self.text) or self.source_ref.rpartition("/")[2]
        return heading[:LONGEST_TITLE]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason why a file is not a document."""

    reason: str


@dataclass(frozen=True, slots=True)
class DocumentFolder:
    """A folder of documents. `source_ref` is its path below the folder that may be read."""

    listing: FolderListing
    source_ref: str


class DocumentRoots:
    """The folders whose documents may be read. A relative path is looked up in each of them, in order."""

    def __init__(self, folders: Sequence[Path], closed: Sequence[Path] = ()) -> None:
        """Nothing below `closed` is read, even if it is in one of the folders."""
        self._folders = [folder.resolve() for folder in folders]
        self._closed = [folder.resolve() for folder in closed]

    @property
    def folders(self) -> list[str]:
        """The paths of the folders."""
        return [str(folder) for folder in self._folders]

    def read(self, source: str) -> TextDocument | DocumentFolder | Unreadable:
        """Read a file or list a folder by its path, written with `/` or `\\`. Blocking."""
        try:
            for folder in self._folders:
                path = (folder / source.replace("\\", "/")).resolve()
                root = next((root for root in self._folders if self._may_read(root, path)), None)
                if root is not None and path.is_dir():
                    may_read = partial(self._may_read, root)
                    return DocumentFolder(list_folder(path, may_read, MOST_LISTED), self._to_reference(root, path))
                if root is not None and path.exists():
                    if path.suffix.lower() not in SUFFIXES:
                        return Unreadable(f"it is not a document: its name must end in {', '.join(sorted(SUFFIXES))}")
                    return read_document(path, self._to_reference(root, path))
        except (OSError, ValueError, RuntimeError):  # a long name, a NUL character in it, or a loop of links
            return Unreadable("it cannot be read")
        return Unreadable("there is no such file or folder in the folders that may be read")

    def to_reference(self, path: Path) -> str:
        """Return the `source_ref` of a path below one of the folders."""
        return self._to_reference(next(root for root in self._folders if path.is_relative_to(root)), path)

    def _may_read(self, root: Path, path: Path) -> bool:
        if not path.is_relative_to(root) or any(path.is_relative_to(closed) for closed in self._closed):
            return False
        return not any(part.startswith(".") for part in path.relative_to(root).parts)

    def _to_reference(self, root: Path, path: Path) -> str:
        relative = path.relative_to(root).as_posix()
        return relative if len(self._folders) == 1 else f"{root.name}/{relative}"


def read_document(path: Path, source_ref: str) -> TextDocument | Unreadable:
    """Read a file in any folder. Blocking; raises `OSError`."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return Unreadable("it is not a regular file")
    if status.st_size > 4 * LONGEST_TEXT:
        return Unreadable(_describe_too_long())
    with path.open("rb") as file:
        raw = file.read(4 * LONGEST_TEXT + 1)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Unreadable("it is not UTF-8 text")
    return build_document(path.as_uri(), source_ref, text)


def build_document(uri: str, source_ref: str, text: str) -> TextDocument | Unreadable:
    """Return the document of a text, or the reason why it cannot be an entry."""
    if len(text) > LONGEST_TEXT:
        return Unreadable(_describe_too_long())
    if "\0" in text:
        return Unreadable("it is not text")
    if not text.strip():
        return Unreadable("it is empty")
    if "\udc80" <= max(source_ref) <= "\udcff":  # Python represents undecodable bytes of a file name so
        return Unreadable("its name is not UTF-8 text")
    try:
        require_no_secret(text, source_ref)
    except PolicyBlocked as blocked:
        return Unreadable(f"it is blocked by sensitive-data policy: {blocked.details['pattern']}")
    return TextDocument(shorten_uri(uri), source_ref, text)


def _describe_too_long() -> str:
    return f"it is longer than {LONGEST_TEXT:,} characters"


Outcome = Literal["new", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class IngestionContext:
    """What one ingestion has in common: namespace, caller (`by`), project, type and, if there is one, the run."""

    namespace: str
    by: str
    project: str
    type: str
    run: str | None = None


class DocumentWriter:
    """Stores one current entry of each document in a project; a replaced entry stays as history."""

    def __init__(self, graph: Graph, writer: EntryWriter) -> None:
        self._graph = graph
        self._writer = writer

    async def compare(self, documents: Sequence[TextDocument], context: IngestionContext) -> list[Outcome]:
        """Return the outcome that `store` would have, for each document."""
        rows = await self._graph.run("entries/current_documents", **_lookup_parameters(documents, context))
        current = {row["uri"]: row for row in rows}
        return [_to_outcome(document, current.get(document.uri)) for document in documents]

    async def store(self, document: TextDocument, context: IngestionContext, *, again: bool = False) -> Outcome:
        """Store a document unless its project has it unchanged; the entry of its earlier text is superseded.

        With `again` an unchanged document is stored again, with new passages.
        """
        if not again and await self.compare([document], context) == ["unchanged"]:
            return "unchanged"
        prepared = await self._writer.prepare(_build_entry(document, context), context.namespace)

        async def work(transaction: Transaction) -> Outcome:
            # Another reader of the same file waits here, and then finds it stored.
            await transaction.run("entries/lock_source", namespace=context.namespace, uri=document.uri)
            row = await transaction.one("entries/current_documents", **_lookup_parameters([document], context))
            outcome = _to_outcome(document, row)
            if outcome == "unchanged" and not again:
                return outcome
            old = row["id"] if row else None
            if old is not None:
                await transaction.run("entries/retire_document", namespace=context.namespace, id=old)
            stored = await self._writer.write(transaction, prepared, context.namespace, context.by)
            await transaction.run(
                "entries/link_document",
                namespace=context.namespace,
                id=stored.id,
                uri=document.uri,
                name=document.source_ref,
                old=old,
                reason="the document was read again" if outcome == "unchanged" else "the document changed",
                by=context.by,
                run=context.run,
            )
            return outcome

        return await self._graph.transaction(work)

    async def find_gone(self, listing: FolderListing, context: IngestionContext) -> list[str]:
        """Return the addresses of documents of this folder that the project has and that no longer exist."""
        rows = await self._graph.run(
            "entries/documents_below", namespace=context.namespace, project=context.project, folder=listing.uri
        )
        return await to_thread.run_sync(listing.find_missing, [row["uri"] for row in rows])

    async def retire(self, uri: str, context: IngestionContext) -> bool:
        """Turn the entry of a missing document into history; return whether there was a current entry."""

        async def work(transaction: Transaction) -> bool:
            await transaction.run("entries/lock_source", namespace=context.namespace, uri=uri)
            lookup = {"namespace": context.namespace, "project": context.project, "uris": [uri]}
            row = await transaction.one("entries/current_documents", **lookup)
            if row is None:
                return False
            await transaction.run("entries/retire_document", namespace=context.namespace, id=row["id"])
            await transaction.run(
                "entries/record_gone",
                namespace=context.namespace,
                id=row["id"],
                uri=uri,
                by=context.by,
                run=context.run,
            )
            return True

        return await self._graph.transaction(work)


def _lookup_parameters(documents: Sequence[TextDocument], context: IngestionContext) -> dict[str, Any]:
    return {
        "namespace": context.namespace,
        "project": context.project,
        "uris": [document.uri for document in documents],
    }


def _to_outcome(document: TextDocument, row: dict[str, Any] | None) -> Outcome:
    if row is None:
        return "new"
    return "unchanged" if row["hash"] == document.hash else "changed"


def _build_entry(document: TextDocument, context: IngestionContext) -> NewEntry:
    return NewEntry(
        text=document.text,
        title=document.title,
        project=context.project,
        type=context.type,
        source_ref=document.source_ref,
        metadata=encode_json({"ingestion": True, "source_ref": document.source_ref}),
        session_id=None,
        current={"current_source": document.uri, "hash": document.hash},
    )
