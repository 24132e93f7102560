"""The scope tags of passages: filters that the full-text index and Qdrant share.

A search returns only passages with the tag of its scope (server/graph/lucene.py). A passage has one tag for each scope
that its family offers to callers. No tag of one family is a tag of another, so one index serves all. Source: RET-9.
"""

import json
from dataclasses import dataclass

from server.graph.lucene import digest, namespace_tag

_SESSION = "session"
_LAST = "9" * 15


def format_sortable_time(at: int) -> str:
    """Return a time in epoch milliseconds as a term that sorts as the time does."""
    return f"{max(at, 0):015}"


def build_family_tag(family: str, namespace: str, *parts: str) -> str:
    """Return the tag of a family's passages in a namespace, or of those that belong to `parts`.

    It begins with the name of the family, in lower-case letters, so no other family has it. It contains the tag of the
    namespace, so that a backup can be imported under another name (`ingest/backup`).
    """
    return family + namespace_tag(namespace) + (digest(json.dumps(parts)) if parts else "")


def mark_session_key(tag: str) -> str:
    """Return the key of a session from a tag that is unique among the sessions of all families."""
    return _SESSION + tag


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where a search looks: the namespace, the tag of the scope, and a period.

    Times are in epoch milliseconds and inclusive; None is unbounded.
    """

    namespace: str
    scope: str
    since: int | None = None
    until: int | None = None

    @property
    def times(self) -> tuple[str, str]:
        """The first and the last time of the period, as terms."""
        return format_sortable_time(self.since or 0), _LAST if self.until is None else format_sortable_time(self.until)

    def to_lucene(self) -> str:
        """Return the clauses that a full-text query starts with; they are required and do not change the score."""
        if self.since is None and self.until is None:
            return f"+scope:{self.scope}^0"
        first, last = self.times
        return f"+scope:{self.scope}^0 +at:[{first} TO {last}]^0"
