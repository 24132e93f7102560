"""Relevance: how well a record answers a query, from 0 to 1, computed from meaning and words.

- Meaning is the cosine of the query and the record as a whole, or that of its best passage if greater. A record of many
  passages has many chances of an accidental match, so `PER_DOUBLING` is subtracted for each doubling of their number.
- Words are the record's share of the query's weight: its BM25 score over the sum of the best scores of the query's
  terms one by one. A rare term weighs more than a common one.
- Relevance is their mean, with `WORDS` as the weight of words. An utterance keeps a share of it
  (`server/ranking/utterances.py`). The scores of its neighbours in the session, and the best score of the session,
  raise it: the records around an answer are often part of it, and a question is answered by what follows.

Pure functions. The constants were chosen on conversations and decision records together. Source: RET-12 to RET-17,
RET-30; docs/decisions/0020 and 0031.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, log2

WORDS = 1.5
WHOLE = 0.6
"""The weight of the record as a whole in its words; its best passage has the rest."""
PER_DOUBLING = 0.07
NEIGHBOUR = 0.05
ANSWER = 0.15
"""What a short question adds to `NEIGHBOUR` for the record after it."""
SESSION = 0.2


@dataclass(frozen=True, slots=True)
class Evidence:
    """The meaning of a record (a cosine; None without a vector), its words (0 to 1), and where it comes from.

    `passage` is the id of its best passage, `at` a sortable time. `session` and the two places are its position in a
    conversation, if known. `share` is the part of its relevance that it keeps, and `asks` whether it is a short
    question (`server/ranking/utterances.py`).
    """

    record: int
    passage: str
    at: str
    meaning: float | None
    words: float
    session: str | None = None
    first_place: int | None = None
    last_place: int | None = None
    share: float = 1.0
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Relevant:
    """A record and its relevance, 0 to 1."""

    evidence: Evidence
    score: float


def combine_meaning(whole: float | None, part: float | None, parts: int) -> float | None:
    """Return the meaning of a record from the cosines of the whole and of its best known passage."""
    known = [whole] if whole is not None else []
    if part is not None:
        known.append(part - PER_DOUBLING * log2(max(parts, 1)))
    return max(known, default=None)


def combine_words(whole: float, best: float) -> float:
    """Return the words of a record from the shares of the whole and of its best passage, the whole included."""
    return WHOLE * whole + (1 - WHOLE) * max(best, whole)


def compute_relevance(meaning: float | None, words: float) -> float:
    """Return how well a record answers by itself; by words alone if its meaning is unknown."""
    return words if meaning is None else (max(meaning, 0.0) + WORDS * words) / (1 + WORDS)


def rank(evidence: Sequence[Evidence]) -> list[Relevant]:
    """Return the records by relevance, then newest first, then by passage id."""
    average = _average(each.meaning for each in evidence)
    own = [
        each.share * compute_relevance(average if each.meaning is None else each.meaning, each.words)
        for each in evidence
    ]
    questions = {(each.session, each.last_place) for each in evidence if each.asks}
    best: dict[str | int, float] = {}
    starts: dict[tuple[str, int], float] = {}
    ends: dict[tuple[str, int], float] = {}
    for each, score in zip(evidence, own, strict=True):
        best[_session(each)] = max(score, best.get(_session(each), 0.0))
        if each.session is not None and each.first_place is not None and each.last_place is not None:
            starts[each.session, each.first_place] = max(score, starts.get((each.session, each.first_place), 0.0))
            ends[each.session, each.last_place] = max(score, ends.get((each.session, each.last_place), 0.0))
    ranked = []
    for each, score in zip(evidence, own, strict=True):
        near = SESSION * best[_session(each)]
        if each.session is not None and each.first_place is not None and each.last_place is not None:
            before = ends.get((each.session, each.first_place - 1), 0.0)
            after = starts.get((each.session, each.last_place + 1), 0.0)
            near += NEIGHBOUR * (before + after)
            if (each.session, each.first_place - 1) in questions:
                near += ANSWER * before
        ranked.append(Relevant(each, round(score + (1 - score) * near, 6)))
    # Sorts are stable: the last key decides first.
    ranked.sort(key=lambda hit: hit.evidence.passage)
    ranked.sort(key=lambda hit: hit.evidence.at, reverse=True)
    ranked.sort(key=lambda hit: hit.score, reverse=True)
    return ranked


def _session(evidence: Evidence) -> str | int:
    return evidence.record if evidence.session is None else evidence.session


def _average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
