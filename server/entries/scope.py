"""The scope tags of the passages of entries: one for each combination of project and type that a search may ask for.

`server/retrieval/scope.py` explains tags.
"""

from server.graph.lucene import namespace_tag
from server.retrieval.scope import mark_session_key


def build_scope_tag(namespace: str, project: str, type_: str) -> str:
    """Return the tag that all passages of a search carry; an empty project or type means any."""
    return namespace_tag(f"{namespace}\0{project}\0{type_}") if project or type_ else namespace_tag(namespace)


def list_scope_tags(namespace: str, project: str, type_: str) -> list[str]:
    """Return the tags of all scopes of an entry."""
    filters = [(project, type_), (project, ""), ("", type_), ("", "")]
    return [build_scope_tag(namespace, *each) for each in filters]


def build_session_key(project: str, session_id: str | None) -> str | None:
    """Return the key of an entry's session within its project: agents reuse session ids in other projects."""
    return mark_session_key(namespace_tag(f"{project}\0{session_id}")) if session_id else None
