"""The texts behind the paths that a person names: single files, folders, and tar archives."""

import os
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from ingest.records import BadRecord
from server.entries.documents import SUFFIXES

MAX_BYTES = 5_000_000
"""A decision record beyond this size is a mistake; it is set aside."""

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_GENERIC = frozenset({
    "docs", "doc", "documentation", "design", "architecture", "records", "decision", "decisions", "decision-log",
    "decision-records", "architecture-decisions", "architecture-decision-records", "architectural-decisions",
    "adr", "adrs", "adl",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it was read: `path` is absolute, for a member of an archive below the archive's own path.

    `named` tells whether the person named this very file: such a file must be a decision record.
    """

    path: PurePath
    text: str
    named: bool = True

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    @property
    def collection(self) -> str:
        """The project that the file's folder belongs to, which makes record numbers unique.

        Folders every project has (`docs`, `adr`, `decisions` …) say nothing and are left out:
        `…/shop/docs/adr/0001-x.md` belongs to "shop", `…/shop/docs/adr/backend/0001-x.md` to "shop/backend".
        """
        folders = [part for part in self.path.parts[:-1] if part != self.path.anchor]
        generic = [index for index, part in enumerate(folders) if part.lower() in _GENERIC]
        if not generic:
            return _bare(folders[-1]) if folders else "decisions"
        start = generic[-1]
        while start > 0 and folders[start - 1].lower() in _GENERIC:
            start -= 1
        return "/".join(map(_bare, folders[max(start - 1, 0) : start] + folders[generic[-1] + 1 :])) or "decisions"


def read_documents(paths: list[Path]) -> Iterator[Document | BadRecord]:
    """Yields the texts of files, folders (recursively, hidden ones left out) and tar archives, each path once, sorted.

    What cannot be read as UTF-8 text, or at all, is yielded as a `BadRecord`.
    """
    seen: set[Path] = set()
    for path in paths:
        absolute = path.absolute()
        if not absolute.exists():
            yield BadRecord(str(path), 0, "there is no such file or folder")
            continue
        for file in walk(absolute) if absolute.is_dir() else [absolute]:
            if isinstance(file, BadRecord):
                yield file
            elif file not in seen:
                seen.add(file)
                yield from _read(file, named=file == absolute)


def walk(folder: Path) -> Iterator[Path | BadRecord]:
    """Yields the documents below a folder, sorted, hidden ones left out; then the folders that cannot be read."""
    unread: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                yield Path(parent, name)
    for error in unread:
        yield BadRecord(str(error.filename), 0, why_unread(error))


def why_unread(error: Exception) -> str:
    """The reason of a `BadRecord`: nothing of the file, nor of the system's own words."""
    return f"it cannot be read: {type(error).__name__}"


def _read(file: Path, *, named: bool) -> Iterator[Document | BadRecord]:
    try:
        if file.name.lower().endswith(_ARCHIVES):
            yield from _members(file)
        elif file.suffix.lower() not in SUFFIXES:
            yield BadRecord(str(file), 0, f"decision records are {', '.join(sorted(SUFFIXES))} files or tar archives")
        elif not file.is_file():  # to open a pipe would wait for who writes into it
            yield BadRecord(str(file), 0, "it is no file")
        else:
            with file.open("rb") as stream:
                yield _decoded(file, stream, named=named)
    except (OSError, tarfile.TarError, EOFError, zlib.error) as error:
        yield BadRecord(str(file), 0, why_unread(error))


def _members(archive: Path) -> Iterator[Document | BadRecord]:
    with tarfile.open(archive) as tar:
        for member in sorted(tar, key=lambda member: member.name):
            name = PurePath(member.name)
            # Members are only read, never extracted, so `..` could at most name a record strangely.
            parts = [part for part in name.parts if part not in {name.anchor, "..", "."}]
            stream = tar.extractfile(member) if member.isfile() and name.suffix.lower() in SUFFIXES else None
            if stream and parts and not name.name.startswith("."):
                with stream:
                    yield _decoded(archive.joinpath(*parts), stream, named=False)


def _decoded(path: PurePath, stream: IO[bytes], *, named: bool) -> Document | BadRecord:
    raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        return BadRecord(str(path), 0, f"it is larger than {MAX_BYTES:,} bytes")
    try:
        return Document(path, raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), named=named)
    except UnicodeDecodeError as error:
        return BadRecord(str(path), raw.count(b"\n", 0, error.start) + 1, "it is not UTF-8 text")


def _bare(folder: str) -> str:
    for ending in _ARCHIVES:
        if folder.lower().endswith(ending):
            return folder[: -len(ending)]
    return folder
