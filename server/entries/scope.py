"""The words by which passages are told apart in indexes: whose they are, of which project and type, and which one.

A full-text index and Qdrant both find within a scope only what carries its word (server/graph/words.py); a passage
carries one word for each scope that a caller may ask for.
"""

from server.graph.words import scope_token


def narrowest(namespace: str, project: str, type_: str) -> str:
    """The one word that what a caller asks for carries; an empty project or type is any."""
    return scope_token(f"{namespace}\0{project}\0{type_}") if project or type_ else scope_token(namespace)


def scope(namespace: str, project: str, type_: str, passage_id: str) -> str:
    """All words that a passage carries."""
    asked = [(project, type_), (project, ""), ("", type_), ("", "")]
    return " ".join([*(narrowest(namespace, *each) for each in asked), id_word(passage_id)])


def id_word(passage_id: str) -> str:
    """The word that one passage alone carries."""
    return "id" + passage_id.replace("-", "")
