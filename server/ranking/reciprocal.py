"""Weighted reciprocal rank fusion, and the two lists that it fuses: what is near in meaning, and what shares words.

score = sum of weight / (60 + rank) over the lists that hold a record, scaled so that the first of all lists has 1.0
(cognitive.md "hybrid_search"). Both lists look at what stands around a record. A word counts as well where it was said
next to it, which the full-text index's score tells already. In meaning, a quarter of the best similarity next to it in
its session is added to its own, and an eighth of the one two away. Pure functions; the numbers are measured
(benchmarks/retrieval.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from server.ranking.fusion import Candidate

K = 60
NEARBY = (0.25, 0.125)
"""What the similarity of a neighbour adds, by its distance."""
_LONGEST = 100
"""Places of one record that its neighbours are looked for at."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A record and its score, 0 to 1."""

    record: int
    score: float


def by_meaning(candidates: Iterable[Candidate]) -> list[int]:
    """Records by the similarity of their best passages and of what stands next to them, best first.

    What has no vector yet is in no such list.
    """
    own: dict[int, Candidate] = {}
    at_place: dict[tuple[str, int], float] = {}
    for each in candidates:
        if each.cosine is None:
            continue
        best = own.setdefault(each.record, each)
        if best.cosine is None or best.cosine < each.cosine:
            own[each.record] = each
        if each.session is not None and each.place is not None:
            first, last = each.place
            for place in range(first, min(last, first + _LONGEST) + 1):
                at_place[each.session, place] = max(each.cosine, at_place.get((each.session, place), 0.0))
    scored = {record: (each.cosine or 0.0) + _nearby(each, at_place) for record, each in own.items()}
    return sorted(own, key=lambda record: (scored[record], own[record].at, record), reverse=True)


def by_words(candidates: Iterable[Candidate], most: int) -> list[int]:
    """Records by the word scores of their best passages, best first, of the best `most` passages that share a word."""
    shared = sorted(
        (each for each in candidates if each.words > 0),
        key=lambda each: (each.words, each.at, each.record),
        reverse=True,
    )
    return list(dict.fromkeys(each.record for each in shared[:most]))


def fuse_ranks(
    lists: Sequence[tuple[Sequence[int], float]], at: Mapping[int, str], others: Sequence[int] = ()
) -> list[Fused]:
    """Records of weighted lists, best first; of equal scores the newest first, then the one of the highest id.

    A list of weight 0 does not count. `others` were found otherwise: those that no list holds follow, with score 0, in
    their order, so that none of them takes a better one's place.
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


def _nearby(candidate: Candidate, at_place: Mapping[tuple[str, int], float]) -> float:
    if candidate.session is None or candidate.place is None:
        return 0.0
    first, last = candidate.place
    return sum(
        share * max(at_place.get((candidate.session, place), 0.0) for place in (first - distance, last + distance))
        for distance, share in enumerate(NEARBY, start=1)
    )
