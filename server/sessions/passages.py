"""The passage of a whole memory or summary; its vector is the record's own.

Exports contain that vector, and imports use it.

Source: SES-41, SES-51.
"""

from collections.abc import Sequence
from typing import Any

_CAPTION = 80
_LONGEST = 4_000
"""Characters of a record in its own passage: more than the embedding model reads."""


def build_passage_key(family: str, id_: str) -> str:
    """Return the id of the passage of a whole record."""
    return f"{family}:{id_}"


def assign_record_key(
    found_by: Sequence[dict[str, Any]], key: str, document: str, vector: bytes | None = None
) -> list[dict[str, Any]]:
    """Return the passages of a record; the first one gets the record's key, document and, where known, vector."""
    # The name is the beginning of the text, so that the projection embeds the text alone
    # (cypher/projection/pending.cypher).
    name = document.partition("\n")[0][:_CAPTION] or found_by[0]["name"]
    own: dict[str, Any] = {"id": key, "name": name, "heading": None, "text": document[:_LONGEST]}
    if vector is not None:
        own["vector"] = vector
    first, *parts = found_by
    return [{**first, **own}, *parts]
