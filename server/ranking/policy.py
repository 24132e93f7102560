"""Graph-first ranking of decisions: among relevant decisions, the status in the graph outweighs the similarity.

Boosts and penalties compare versions of the same knowledge, so only decisions that are nearly as relevant as the best
get them. Less relevant decisions follow with a small part of their similarity (docs/decisions/0021). Pure functions.

A similarity is rounded once, to four decimals. All further arithmetic is exact, in millionths: the contributions add up
to the score, and equal scores are equal.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Mode = Literal["strict", "balanced", "audit"]

ACTIVE = "active"
ACTIVE_BOOST = 1_000_000
HUMAN_BOOST = 100_000
PERCENT_KEPT = {"superseded": 20, "deprecated": 5, "draft": 40}
"""The percentage of its similarity that a status keeps in balanced mode."""
CLOSED = frozenset({"accepted", "rejected", "falsified", "expired"})
"""The statuses of what ended without a successor that takes its place, and of a proposal that was decided: history."""
LEAST = 0.27
"""The least similarity of an answer."""
ALIKE = 0.36
"""The least cosine of an answer that shares no term with the question."""
SHOWN = 0.4
"""The least share of the best similarity that is shown."""
COMPARED = 0.85
"""The least share of the best similarity at which statuses are compared."""
NEAR_TIE = 0.95
"""The least share of the best similarity at which a human's decision gets its boost."""
_KEPT_BESIDE = 4
"""The percentage of its similarity that a less relevant decision keeps."""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """A decision that matches the query and was replaced by a candidate: its id and its similarity, 0 to 1."""

    id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A decision or proposal that may answer: its state in the graph and its similarity to the query, 0 to 1.

    `meaning` is the cosine of the similarity, if known; `because` describes its parts. `replaced` is the most similar
    matching decision that it replaced, over any number of steps. `target` is a comparison key. `pending`: it does
    not hold yet.
    """

    id: str
    target: str
    status: str
    origin: str
    created_at: datetime
    similarity: float
    replaced: Predecessor | None = None
    because: str | None = None
    meaning: float | None = None
    pending: bool = False

    @property
    def is_in_force(self) -> bool:
        return self.status == ACTIVE and not self.pending


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part of a score: its name, its amount, and the reason if the name does not say it."""

    part: str
    amount: float
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, which is the sum of the amounts in `why`."""

    candidate: Candidate
    score: float
    why: tuple[Contribution, ...]


def rank(candidates: Iterable[Candidate], mode: Mode) -> list[Ranked]:
    """Return the answers by score, then newest first, then by id; none if nothing is similar enough.

    Strict returns decisions in force only. Strict and balanced return one per target, the one in force if it exists,
    and nothing that ended without a successor. Audit returns all, by similarity and origin alone.
    """
    found = _select_relevant(list(candidates), mode)
    best = max((_compute_similarity(candidate, mode)[0] for candidate in found), default=0)
    if mode == "strict":
        found = [candidate for candidate in found if candidate.is_in_force]
    elif mode == "balanced":
        found = [candidate for candidate in found if candidate.status not in CLOSED]
    scored = [_score(candidate, mode, best) for candidate in found]
    # Sorts are stable: the last key decides first.
    scored.sort(key=lambda hit: hit.candidate.id)
    scored.sort(key=lambda hit: hit.candidate.created_at, reverse=True)
    scored.sort(key=lambda hit: hit.score, reverse=True)
    if mode != "audit":
        scored = _select_one_per_target(scored)
    return [hit.explain() for hit in scored]


def _select_relevant(candidates: list[Candidate], mode: Mode) -> list[Candidate]:
    best = max((_compute_reach(candidate, mode) for candidate in candidates), default=0.0)
    if best < LEAST and all((candidate.meaning or 0.0) < ALIKE for candidate in candidates):
        return []
    return [candidate for candidate in candidates if _compute_reach(candidate, mode) >= SHOWN * best]


def _compute_reach(candidate: Candidate, mode: Mode) -> float:
    """Return the similarity that it is found by: in audit its own, else also that of what it replaced."""
    if candidate.replaced is None or mode == "audit":
        return candidate.similarity
    return max(candidate.similarity, candidate.replaced.similarity)


class _Scored(NamedTuple):
    """A candidate with its score and the parts of it, in millionths; most are not shown, so it is kept small."""

    candidate: Candidate
    score: int
    parts: list[tuple[str, int, str | None]]

    def explain(self) -> Ranked:
        why = tuple(Contribution(part, amount / 1e6, because) for part, amount, because in self.parts)
        return Ranked(self.candidate, self.score / 1e6, why)


def _score(candidate: Candidate, mode: Mode, best: int) -> _Scored:
    similarity, because = _compute_similarity(candidate, mode)
    parts = [("similarity", similarity, because)]
    if mode != "audit" and similarity < COMPARED * best:
        lost = similarity // 100 * (100 - _KEPT_BESIDE)
        parts.append(("less_relevant", -lost, f"the best is {best / 1e6}; {candidate.status}, {candidate.origin}"))
        return _Scored(candidate, similarity - lost, parts)
    if mode != "audit":
        if candidate.status == ACTIVE:
            parts.append(("active_boost", ACTIVE_BOOST, None))
        elif candidate.status in PERCENT_KEPT:
            lost = similarity // 100 * (100 - PERCENT_KEPT[candidate.status])
            parts.append(("status_penalty", -lost, f"{candidate.status} keeps {PERCENT_KEPT[candidate.status]} %"))
    if candidate.origin == "human" and (mode == "audit" or similarity >= NEAR_TIE * best):
        parts.append(("human_boost", HUMAN_BOOST, None))
    return _Scored(candidate, sum(amount for _, amount, _ in parts), parts)


def _compute_similarity(candidate: Candidate, mode: Mode) -> tuple[int, str | None]:
    """Return the similarity in millionths, a multiple of 100; a successor inherits that of a replaced match."""
    own = _to_millionths(candidate.similarity)
    if candidate.replaced is None or mode == "audit":
        return own, candidate.because
    inherited = _to_millionths(candidate.replaced.similarity)
    since = f"it superseded {candidate.replaced.id}"
    if inherited <= own:
        return own, "; ".join(part for part in (candidate.because, since) if part)
    return inherited, f"raised from {own / 1e6}: {since}, which matches the query better"


def _to_millionths(similarity: float) -> int:
    return round(min(max(similarity, 0.0), 1.0) * 10_000) * 100


def _select_one_per_target(scored: list[_Scored]) -> list[_Scored]:
    best: dict[str, _Scored] = {}
    for hit in scored:
        kept = best.setdefault(hit.candidate.target, hit)
        if _compute_standing(hit.candidate) > _compute_standing(kept.candidate):
            best[hit.candidate.target] = hit
    return [hit for hit in scored if best[hit.candidate.target] is hit]


def _compute_standing(candidate: Candidate) -> int:
    """Return 2 for what is in force, 1 for what will be, else 0."""
    return 0 if candidate.status != ACTIVE else 1 if candidate.pending else 2
