"""The texts of the paths that a person names: files, folders and tar files."""

import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from ingest.records import BadRecord
from server.entries import folders
from server.entries.folders import SUFFIXES

MAX_BYTES = 5_000_000
"""A larger file is a mistake and is set aside. Source: ING-17."""

_TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_GENERIC = frozenset({
    "docs", "doc", "documentation", "design", "architecture", "records", "decision", "decisions", "decision-log",
    "decision-records", "architecture-decisions", "architecture-decision-records", "architectural-decisions",
    "adr", "adrs", "adl",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text and its absolute path; the path of a member of a tar file is below that of the tar file.

    `is_explicit` means that the person named this very file: such a file has to be a decision record.
    """

    path: PurePath
    text: str
    is_explicit: bool = True

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    @property
    def collection(self) -> str:
        """The project that the file's folder belongs to, which makes record numbers unique.

        Folders that every project has (`docs`, `adr`, `decisions` …) are left out: `…/shop/docs/adr/0001-x.md` belongs
        to "shop", `…/shop/docs/adr/backend/0001-x.md` to "shop/backend".
        """
        folders = [part for part in self.path.parts[:-1] if part != self.path.anchor]
        generic = [index for index, part in enumerate(folders) if part.lower() in _GENERIC]
        if not generic:
            return _strip_tar_suffix(folders[-1]) if folders else "decisions"
        start = generic[-1]
        while start > 0 and folders[start - 1].lower() in _GENERIC:
            start -= 1
        return (
            "/".join(map(_strip_tar_suffix, folders[max(start - 1, 0) : start] + folders[generic[-1] + 1 :]))
            or "decisions"
        )


def read_text_files(paths: list[Path]) -> Iterator[TextFile | BadRecord]:
    """Yield the texts of files, folders (recursively, without hidden ones) and tar files, each path once, sorted.

    A file that cannot be read, or is not UTF-8 text, is yielded as a `BadRecord`.
    """
    seen: set[Path] = set()
    for path in paths:
        absolute = path.absolute()
        if not absolute.exists():
            yield BadRecord(str(path), 0, "there is no such file or folder")
            continue
        for file in _walk(absolute) if absolute.is_dir() else [absolute]:
            if isinstance(file, BadRecord):
                yield file
            elif file not in seen:
                seen.add(file)
                yield from _read(file, is_explicit=file == absolute)


def _walk(folder: Path) -> Iterator[Path | BadRecord]:
    """Yield the files below a folder, sorted, without hidden ones; then the folders that cannot be read."""
    unread: list[tuple[Path, OSError]] = []
    yield from folders.walk_documents(folder, unread)
    for path, error in unread:
        yield BadRecord(str(path), 0, describe_read_error(error))


def describe_read_error(error: Exception) -> str:
    """The reason of a `BadRecord`, without content of the file or the system's message."""
    return f"it cannot be read: {type(error).__name__}"


def _read(file: Path, *, is_explicit: bool) -> Iterator[TextFile | BadRecord]:
    try:
        if file.name.lower().endswith(_TAR_SUFFIXES):
            yield from _read_members(file)
        elif file.suffix.lower() not in SUFFIXES:
            yield BadRecord(str(file), 0, f"decision records are {', '.join(sorted(SUFFIXES))} files or tar files")
        elif not file.is_file():  # opening a pipe would wait for its writer
            yield BadRecord(str(file), 0, "it is not a regular file")
        else:
            with file.open("rb") as stream:
                yield _decode(file, stream, is_explicit=is_explicit)
    except (OSError, tarfile.TarError, EOFError, zlib.error) as error:
        yield BadRecord(str(file), 0, describe_read_error(error))


def _read_members(archive: Path) -> Iterator[TextFile | BadRecord]:
    with tarfile.open(archive) as tar:
        for member in sorted(tar, key=lambda member: member.name):
            name = PurePath(member.name)
            # Members are read and never extracted, so `..` could only change the name of a record.
            parts = [part for part in name.parts if part not in {name.anchor, "..", "."}]
            stream = tar.extractfile(member) if member.isfile() and name.suffix.lower() in SUFFIXES else None
            if stream and parts and not name.name.startswith("."):
                with stream:
                    yield _decode(archive.joinpath(*parts), stream, is_explicit=False)


def _decode(path: PurePath, stream: IO[bytes], *, is_explicit: bool) -> TextFile | BadRecord:
    raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        return BadRecord(str(path), 0, f"it is larger than {MAX_BYTES:,} bytes")
    try:
        return TextFile(
            path, raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), is_explicit=is_explicit
        )
    except UnicodeDecodeError as error:
        return BadRecord(str(path), raw.count(b"\n", 0, error.start) + 1, "it is not UTF-8 text")


def _strip_tar_suffix(folder: str) -> str:
    for ending in _TAR_SUFFIXES:
        if folder.lower().endswith(ending):
            return folder[: -len(ending)]
    return folder
