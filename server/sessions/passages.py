"""What memories and summaries are found by: the passages of their texts, and one that stands for each as a whole.

The vector of the whole is the record's own: exports tell it, and imports bring it along.
"""

from collections.abc import Sequence
from typing import Any

from server.retrieval.scope import family_word

_CAPTION = 80
_WHOLE = 4_000
"""Characters of a record that its own passage keeps: more than the embedding model reads."""


def key_of(family: str, id_: str) -> str:
    """The id of the passage that stands for a record as a whole."""
    return f"{family}:{id_}"


def whole_words(family: str, namespace: str, part: str) -> list[str]:
    """The words by which records are found as wholes: all of a namespace, and those of a session or category."""
    return [whole_word(family, namespace), whole_word(family, namespace, part)]


def whole_word(family: str, namespace: str, *parts: str) -> str:
    """The word of records as wholes; see `server.retrieval.scope.family_word`."""
    return family_word(f"whole{family}", namespace, *parts)


def with_whole(
    found_by: Sequence[dict[str, Any]], key: str, whole: str, scopes: Sequence[str], vector: bytes | None = None
) -> list[dict[str, Any]]:
    """The passages of a record's text, and the one that stands for all of it, with the vector that it brought along.

    `scopes` are words that this one alone carries.
    """
    carried = " ".join([found_by[0]["scope"], *scopes])
    # What it is called is how it begins: so the projection embeds its text alone (cypher/projection/pending.cypher).
    name = whole.partition("\n")[0][:_CAPTION] or found_by[0]["name"]
    alone: dict[str, Any] = {"id": key, "name": name, "heading": None, "text": whole[:_WHOLE], "scope": carried}
    if vector is not None:
        alone["vector"] = vector
    first, *rest = found_by
    if not rest:
        return [{**first, **alone}]
    # By words the parts are found, and they alone are what the next one in the session was said after.
    return [{**first, **alone, "words": "", "around": "", "place": None}, *found_by]
