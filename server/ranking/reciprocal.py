"""Weighted reciprocal rank fusion of two lists: records by meaning, and records by words.

score = sum of weight / (60 + rank) over the lists with the record, scaled so that the first of all lists has 1.0. Both
lists include what is around a record: the full-text index's score counts words next to it; by meaning, a quarter of the
best cosine next to it in its session is added, and an eighth of the one two positions away; a short question adds more
to what follows it. An utterance keeps a share of its cosine and of its words. Pure functions. Source: RET-22 to RET-24,
RET-27 to RET-30.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from server.ranking.relevance import ANSWER, Evidence

K = 60
NEARBY = (0.25, 0.125)
"""The share of a neighbour's cosine that is added, by its distance."""
NEAREST = 10
"""How many records are likely by meaning alone."""
MOST_BY_WORDS = 50
"""How many records are likely by words."""
_LONGEST = 100
"""The most positions of one record at which neighbours are compared."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A record and its score, 0 to 1."""

    record: int
    score: float


def order_by_meaning(evidence: Iterable[Evidence], by_words: Sequence[int] = ()) -> list[int]:
    """Return the records with a vector by their meaning and that of their neighbours, best first.

    The nearest ten and the records of `by_words` come first, and only they count as neighbours. The others are ordered
    by their own meaning alone: among many records, most of the nearest hundred are near by accident.
    """
    known = {
        each.record: (each, each.meaning * each.share if each.meaning > 0 else each.meaning)
        for each in evidence
        if each.meaning is not None
    }
    own = {record: (meaning, each.at, record) for record, (each, meaning) in known.items()}
    nearest = sorted(own, key=own.__getitem__, reverse=True)
    likely = {*nearest[:NEAREST], *known.keys() & set(by_words)}
    at_place: dict[tuple[str, int], float] = {}
    questions = {(each.session, each.last_place) for each, _ in known.values() if each.asks}
    for each, meaning in (known[record] for record in likely):
        if each.session is not None and each.first_place is not None and each.last_place is not None:
            for place in range(each.first_place, min(each.last_place, each.first_place + _LONGEST) + 1):
                at_place[each.session, place] = max(meaning, at_place.get((each.session, place), 0.0))
    scored = {
        record: (own[record][0] + _nearby(known[record][0], at_place, questions), *own[record][1:]) for record in likely
    }
    first = sorted(likely, key=scored.__getitem__, reverse=True)
    return first + [record for record in nearest if record not in likely]


def order_by_words(evidence: Iterable[Evidence]) -> list[int]:
    """Return the first fifty records by their share of the query's words, best first."""
    shared = [each for each in evidence if each.words > 0]
    shared.sort(key=lambda each: (each.words * each.share, each.at, each.record), reverse=True)
    return [each.record for each in shared[:MOST_BY_WORDS]]


def fuse_ranks(
    lists: Sequence[tuple[Sequence[int], float]], at: Mapping[int, str], others: Sequence[int] = ()
) -> list[Fused]:
    """Return the records of weighted lists, best first; of equal scores the newest first, then the highest id.

    A list of weight 0 does not count. Of `others`, the records that are in no list follow in their order with score 0.
    """
    total = sum(weight for _, weight in lists)
    scores: dict[int, float] = {}
    for records, weight in lists:
        for rank, record in enumerate(records if weight > 0 else (), start=1):
            scores[record] = scores.get(record, 0.0) + weight / total * (K + 1) / (K + rank)
    rounded = {record: round(score, 6) for record, score in scores.items()}
    ordered = sorted(rounded, key=lambda record: (rounded[record], at.get(record, ""), record), reverse=True)
    rest = [record for record in dict.fromkeys(others) if record not in scores]
    return [Fused(record, rounded.get(record, 0.0)) for record in [*ordered, *rest]]


def _nearby(
    evidence: Evidence,
    at_place: Mapping[tuple[str, int], float],
    questions: Collection[tuple[str | None, int | None]],
) -> float:
    if evidence.session is None or evidence.first_place is None or evidence.last_place is None:
        return 0.0
    first, last = evidence.first_place, evidence.last_place
    answers = at_place.get((evidence.session, first - 1), 0.0) if (evidence.session, first - 1) in questions else 0.0
    return ANSWER * answers + sum(
        share * max(at_place.get((evidence.session, place), 0.0) for place in (first - distance, last + distance))
        for distance, share in enumerate(NEARBY, start=1)
    )
