"""The documents below a folder: which files exist, and which documents that were read from it no longer do.

A document is missing only if its file certainly does not exist. A folder or file that cannot be read, or a list that is
incomplete, is no proof of that.

Source: MEM-49, MEM-50, MEM-52.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from server.entries.uris import DIGEST, shorten_uri

SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt"})
"""Suffixes of documents."""
PathFilter = Callable[[Path], bool]


@dataclass(slots=True)
class FolderListing:
    """The documents below a folder: real paths, sorted, each once.

    `outside` are links that lead out of the folder, or to paths that may not be read. `unread` are folders and links
    that cannot be read, with the error. `complete` is false if there are more documents than the limit of the list.
    """

    folder: Path
    files: list[Path] = field(default_factory=list)
    outside: list[Path] = field(default_factory=list)
    unread: list[tuple[Path, OSError]] = field(default_factory=list)
    complete: bool = True

    @property
    def uri(self) -> str:
        """The prefix of the addresses of all its documents."""
        return self.folder.as_uri().removesuffix("/") + "/"

    def find_missing(self, uris: Iterable[str]) -> list[str]:
        """Return those of these addresses, all below the folder, whose files do not exist. Blocking."""
        listed = {shorten_uri(path.as_uri()) for path in self.files}
        return [uri for uri in uris if uri not in listed and self._is_missing(uri)]

    def _is_missing(self, uri: str) -> bool:
        if DIGEST in uri:  # the path was shortened, so only a complete list can answer
            return self.complete and not self.unread
        try:
            Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path))).stat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):
            return False
        return False


def list_folder(folder: Path, may_read: PathFilter = lambda _: True, most: int | None = None) -> FolderListing:
    """List the documents below a folder, except hidden ones and those that `may_read` refuses. Blocking.

    `folder` is a real path. At most `most` documents are listed.
    """
    listing = FolderListing(folder)
    seen: set[Path] = set()
    for path in walk_documents(folder, listing.unread, may_read):
        real = Path(os.path.realpath(path)) if path.is_symlink() else path
        if not (real.is_relative_to(folder) and may_read(real)):
            listing.outside.append(path)
        elif real not in seen:
            if most is not None and len(seen) == most:
                listing.complete = False
                break
            seen.add(real)
            listing.files.append(real)
    return listing


def walk_documents(
    folder: Path, unread: list[tuple[Path, OSError]], may_read: PathFilter = lambda _: True
) -> Iterator[Path]:
    """Yield the documents below a folder, sorted, without hidden ones. `unread` receives what cannot be read."""

    def add_error(error: OSError) -> None:
        unread.append((Path(error.filename), error))

    for parent, folders, files in os.walk(folder, onerror=add_error):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and may_read(Path(parent, name)))
        for name in sorted(files):
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                yield Path(parent, name)
