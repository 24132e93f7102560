"""The words that the passages of entries carry: one for each scope that a search may be narrowed to.

Source: server/retrieval/scope.py.
"""

from server.graph.words import scope_token
from server.retrieval.scope import session_word


def narrowest(namespace: str, project: str, type_: str) -> str:
    """The one word that what a caller asks for carries; an empty project or type is any."""
    return scope_token(f"{namespace}\0{project}\0{type_}") if project or type_ else scope_token(namespace)


def scopes(namespace: str, project: str, type_: str) -> list[str]:
    """The words of all scopes that an entry is in."""
    asked = [(project, type_), (project, ""), ("", type_), ("", "")]
    return [narrowest(namespace, *each) for each in asked]


def session(project: str, session_id: str | None) -> str | None:
    """The word of an entry's session. It counts for each project by itself: agents use the same ids again."""
    return session_word(scope_token(f"{project}\0{session_id}")) if session_id else None
