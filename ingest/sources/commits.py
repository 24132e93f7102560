"""The commits of a git repository, oldest first, from a commit that was read before to the present one.

Source: ING-82, ING-83. dulwich reads the repository; no program is started, and no hook or configuration is run.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

from dulwich.errors import NotGitRepository
from dulwich.objects import Commit, ObjectID
from dulwich.repo import Repo

from ingest.records import BadRecord
from server.core.errors import InvalidArgument
from server.core.fields import LONGEST_TEXT

CommitType = Literal["commit", "bugfix", "revert"]
_FIX = re.compile(r"(?:bug|hot)?fix(?:e[sd])?\b", re.IGNORECASE)
_REVERT = re.compile(r"revert\b", re.IGNORECASE)
_REDO = re.compile(r"revert \"revert", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A commit: its hash, who wrote it and when, and its message."""

    hash: str
    author: str
    at: datetime
    message: str

    @property
    def title(self) -> str:
        return self.message.partition("\n")[0].strip()

    @property
    def type(self) -> CommitType:
        """A fix or a revert reports that something failed; reflection counts it."""
        if _REVERT.match(self.title) and not _REDO.match(self.title):
            return "revert"
        return "bugfix" if _FIX.match(self.title) else "commit"


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The present commit of a repository, and the hashes that lead to it, oldest first. Both are empty before the
    first commit.
    """

    head: str
    hashes: Sequence[str]


def list_commits(path: Path, known: str | None) -> CommitRange:
    """List the commits that lead to the present one, without those that lead to `known`.

    All are listed where the repository no longer has `known`. Raise `InvalidArgument` if it is no repository. Blocking.
    """
    with closing(_open(path)) as repo:
        try:
            head = repo.head()
        except KeyError:
            return CommitRange("", [])
        last = ObjectID(known.encode()) if known else None
        exclude = [last] if last is not None and last in repo else []
        walker = repo.get_walker(include=[head], exclude=exclude, reverse=True)
        return CommitRange(head.decode(), [entry.commit.id.decode() for entry in walker])


def read_commits(path: Path, hashes: Sequence[str]) -> Iterator[CommitRecord | BadRecord]:
    """Yield the commits of these hashes, and a `BadRecord` for each that cannot be a memory. Blocking."""
    with closing(_open(path)) as repo:
        for each in hashes:
            commit = repo[each.encode()]
            assert isinstance(commit, Commit)
            yield _parse(str(path), each, commit)


def _open(path: Path) -> Repo:
    try:
        return Repo.discover(str(path))
    except NotGitRepository as error:
        raise InvalidArgument(
            f"{str(path)!r} is not in a git repository; name its folder.", {"field": "repository"}
        ) from error


def _parse(path: str, hash_: str, commit: Commit) -> CommitRecord | BadRecord:
    message = _decode(commit.message, commit).strip().replace("\0", "")
    where = f"{path}@{hash_[:12]}"
    if not message:
        return BadRecord(where, 0, "it has no message")
    if len(message) > LONGEST_TEXT:
        return BadRecord(where, 0, f"its message is longer than {LONGEST_TEXT:,} characters")
    try:
        zone = timezone(timedelta(seconds=commit.author_timezone))
        at = datetime.fromtimestamp(commit.author_time, zone).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return BadRecord(where, 0, "its time is not in the calendar")
    return CommitRecord(hash_, _decode(commit.author, commit).strip(), at, message)


def _decode(raw: bytes, commit: Commit) -> str:
    """Return the text of a field; bytes that its encoding does not have become the replacement character."""
    try:
        return raw.decode((commit.encoding or b"utf-8").decode("ascii", "replace"), "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")
