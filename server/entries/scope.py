"""The words by which passages are told apart in indexes: whose they are, of which project, type, entry and session.

A full-text index and Qdrant both find within a scope only what carries its word (server/graph/words.py); a passage
carries one word for each scope that a caller may ask for. Its entry and its session have a word as well, so that what
either index proposes can be put together before the graph is asked about it.
"""

from collections.abc import Iterable

from server.graph.words import scope_token

_ENTRY = "entry"
_SESSION = "session"


def narrowest(namespace: str, project: str, type_: str) -> str:
    """The one word that what a caller asks for carries; an empty project or type is any."""
    return scope_token(f"{namespace}\0{project}\0{type_}") if project or type_ else scope_token(namespace)


def scope(namespace: str, project: str, type_: str, entry: int, session_id: str | None) -> str:
    """All words that a passage carries; `entry` is its entry's integer id."""
    asked = [(project, type_), (project, ""), ("", type_), ("", "")]
    words = [*(narrowest(namespace, *each) for each in asked), f"{_ENTRY}{entry}"]
    if session_id:
        # It counts for each project by itself: agents use the same ids again.
        words.append(_SESSION + scope_token(f"{project}\0{session_id}"))
    return " ".join(words)


def entry_of(words: Iterable[str]) -> int | None:
    """The integer id of a passage's entry, from the words it carries; None where none of them says it."""
    return next((int(word.removeprefix(_ENTRY)) for word in words if word.startswith(_ENTRY)), None)


def session_of(words: Iterable[str]) -> str | None:
    """The word of a passage's session, where it was said in one."""
    return next((word for word in words if word.startswith(_SESSION)), None)
