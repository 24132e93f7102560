"""Fusing meaning and words into one order: by how far each stands out, not by ranks.

Over the candidates of one query, similarities and word scores become standard scores, so that neither's scale counts;
words count 0.7. A fifth of the best score in its session comes on top, because what answers a question seldom stands
alone. A record stands where its best passage does. Pure functions; the numbers are measured (benchmarks/retrieval.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

WORDS = 0.7
SESSION = 0.2
_EQUAL = 1e-9
"""A spread below this is rounding, and says nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may answer a query, and the integer id of its record: what it is found for.

    `session` names what it was said in, and is None where nothing says so; `place` are its first and last place there,
    where they are known. `at` orders in time. `words` is the full-text
    index's score, 0 where no word matches; `cosine` is None where the passage has no vector yet.
    """

    id: str
    record: int
    session: str | None
    at: str
    words: float
    cosine: float | None
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A record's best passage and its score: standard deviations above this query's average candidate."""

    candidate: Candidate
    score: float


def fuse(candidates: Sequence[Candidate]) -> list[Ranked]:
    """Each record's best passage, best first; of equal scores the newest first, then by id."""
    words = _standard([candidate.words for candidate in candidates])
    meaning = _standard([candidate.cosine for candidate in candidates])
    own = [similar + WORDS * shared for similar, shared in zip(meaning, words, strict=True)]
    best: dict[str | int, float] = {}
    for candidate, score in zip(candidates, own, strict=True):
        best[_together(candidate)] = max(score, best.get(_together(candidate), score))
    ranked = [
        Ranked(candidate, round(score + SESSION * best[_together(candidate)], 6))
        for candidate, score in zip(candidates, own, strict=True)
    ]
    # Sorts are stable: the last key decides first.
    ranked.sort(key=lambda hit: hit.candidate.id)
    ranked.sort(key=lambda hit: hit.candidate.at, reverse=True)
    ranked.sort(key=lambda hit: hit.score, reverse=True)
    records: dict[int, Ranked] = {}
    for hit in ranked:
        records.setdefault(hit.candidate.record, hit)
    return list(records.values())


def _together(candidate: Candidate) -> str | int:
    return candidate.record if candidate.session is None else candidate.session


def _standard(values: Sequence[float | None]) -> list[float]:
    """Standard scores; what is unknown counts as average."""
    known = [value for value in values if value is not None]
    average = fsum(known) / len(known) if known else 0.0
    spread = sqrt(fsum((value - average) ** 2 for value in known) / len(known)) if known else 0.0
    return [0.0 if value is None or spread < _EQUAL else (value - average) / spread for value in values]
