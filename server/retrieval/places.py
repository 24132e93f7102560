"""The order in which records answer a query, and why each does. Source: docs/decisions/0010."""

from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from server.ranking.fusion import fuse
from server.ranking.terms import stems
from server.retrieval.search import Proposed
from server.types import Row

Matched = Literal["meaning", "words", "neighbour"]


class Place(NamedTuple):
    """Where a record stands: the passage that it is found by, and its score."""

    id: str
    score: float


def places(proposed: Proposed) -> list[Place]:
    """All that was found, each record once: what is fused, then the rest by words alone, no higher than the last."""
    ranked = fuse(proposed.candidates())
    found = {hit.candidate.record: Place(hit.candidate.id, hit.score) for hit in ranked}
    last = ranked[-1].score if ranked else 0.0
    for hit in proposed.hits:
        found.setdefault(hit.record, Place(hit.id, last))
    return list(found.values())


def matched(asked: AbstractSet[str], passage: Row, *, meaning: bool) -> list[Matched]:
    """By what a passage was found: meaning, its own words, words around it; `asked` are the stems of the query.

    `passage` holds its `words` and what is `around` it.
    """
    own = stems(passage["words"].split())
    nearby = stems(passage["around"].split()) - own
    found: list[Matched] = ["meaning"] if meaning else []
    if asked & own:
        found.append("words")
    if asked & nearby:
        found.append("neighbour")
    # The index stems a little otherwise than we do: what it found by words was found by words.
    return found or ["words"]
