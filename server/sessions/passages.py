"""What memories and summaries are found by: the passages of their texts, and one that stands for each as a whole.

The vector of the whole is the record's own: exports tell it, and imports bring it along.
"""

from collections.abc import Sequence
from typing import Any

_WHOLE = 4_000
"""Characters of a record that its own passage keeps: more than the embedding model reads."""


def key_of(family: str, id_: str) -> str:
    """The id of the passage that stands for a record as a whole."""
    return f"{family}:{id_}"


def with_whole(
    found_by: Sequence[dict[str, Any]], key: str, whole: str, vector: bytes | None = None
) -> list[dict[str, Any]]:
    """The passages of a record's text, and the one that stands for all of it, with the vector that it brought along."""
    alone: dict[str, Any] = {"id": key, "name": "", "heading": None, "text": whole[:_WHOLE]}
    if vector is not None:
        alone["vector"] = vector
    first, *rest = found_by
    if not rest:
        return [{**first, **alone}]
    # By words the parts are found, and they alone are what the next one in the session was said after.
    return [{**first, **alone, "words": "", "around": "", "place": None}, *found_by]
