"""The words by which passages are told apart in indexes: whose they are, of which record, said in which session.

A full-text index and Qdrant both find within a scope only what carries its word (server/graph/words.py). A passage
carries one word for each scope that its family lets a caller ask for; no word of one family is a word of another, so
that one index serves them all. Its record, its session and its place there have a word as well, so that what either
index proposes can be put together before the graph is asked about it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from server.graph.words import digest, scope_token

_RECORD = "record"
_SESSION = "session"
_PLACE = re.compile(r"place(\d+)(?:to(\d+))?")
_LAST = "9" * 15


def token(at: int) -> str:
    """An instant in epoch milliseconds as a word that sorts as the instant does."""
    return f"{max(at, 0):015}"


def record_word(record: int) -> str:
    """The word of the record that a passage is of; `record` is its integer id."""
    return f"{_RECORD}{record}"


def record_of(words: Iterable[str]) -> int | None:
    """The integer id of a passage's record, from the words it carries; None where none of them says it."""
    return next((int(word.removeprefix(_RECORD)) for word in words if word.startswith(_RECORD)), None)


def family_word(family: str, namespace: str, *parts: str) -> str:
    """The word of a scope of a family: of all its passages in a namespace, or of those that the parts tell apart.

    The name of the family, lower-case letters alone, keeps its words from being another family's. The namespace's own
    word stands in it as it is, so that a backup can be brought into a namespace of another name (`ingest/archive`).
    """
    return family + scope_token(namespace) + (digest(json.dumps(parts)) if parts else "")


def session_word(word: str) -> str:
    """The word of a session, of all that was said one after another; `word` tells it from others of any family."""
    return _SESSION + word


def session_of(words: Iterable[str]) -> str | None:
    """The word of a passage's session, where it was said in one."""
    return next((word for word in words if word.startswith(_SESSION)), None)


def place_word(first: int, last: int) -> str:
    """The word of a place in a session; a record that comes of several has the first and the last of them."""
    return f"place{first}" if first == last else f"place{first}to{last}"


def place_of(words: Iterable[str]) -> tuple[int, int] | None:
    """The first and the last place of a passage in its session, where it says so."""
    found = next((match for word in words if (match := _PLACE.fullmatch(word))), None)
    return (int(found[1]), int(found[2] or found[1])) if found else None


@dataclass(frozen=True, slots=True)
class Narrow:
    """Where to look: the namespace, the one word that everything in the scope carries, from when and until when.

    Times are in epoch milliseconds, both included; None is any.
    """

    namespace: str
    scope: str
    since: int | None = None
    until: int | None = None

    @property
    def times(self) -> tuple[str, str]:
        """From when and until when, as words."""
        return token(self.since or 0), _LAST if self.until is None else token(self.until)

    def lucene(self) -> str:
        """The clauses that a full-text query starts with; they require, and add nothing to the score."""
        if self.since is None and self.until is None:
            return f"+scope:{self.scope}^0"
        first, last = self.times
        return f"+scope:{self.scope}^0 +at:[{first} TO {last}]^0"
