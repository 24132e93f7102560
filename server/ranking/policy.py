"""Graph-first ranking: what the graph says of a decision outweighs how similar its words are.

Source: decisions.md "Search & Ranking Policy"; design.md section 5. Pure functions.

A similarity is rounded once, to four decimals. From there on all arithmetic is exact, in millionths, so that the
contributions shown add up to the score shown, and equal scores are equal.
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
"""Status to the percentage of the similarity that balanced mode leaves of it."""
CLOSED = frozenset({"accepted", "rejected", "falsified"})
"""A proposal that was decided about is history: the decision that it became answers, or nothing does."""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """A decision that the query matches and that a candidate replaced: its id and similarity (cosine, 0..1)."""

    id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A decision or a proposal that may answer: what the graph says of it, its similarity to the query (cosine, 0..1).

    `replaced` is the most similar matched decision that it replaced, over any number of steps.
    """

    id: str
    target: str
    status: str
    origin: str
    created_at: datetime
    similarity: float
    replaced: Predecessor | None = None


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part of a score: its name, its amount, and why where the name does not say it."""

    part: str
    amount: float
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, which is the sum of the amounts in `why`."""

    candidate: Candidate
    score: float
    why: tuple[Contribution, ...]


def rank(candidates: Iterable[Candidate], mode: Mode, limit: int) -> list[Ranked]:
    """Returns the best `limit` candidates by score, then newest, then id.

    Strict keeps active ones only. Strict and balanced keep one per target, the active one where there is one, and no
    proposal that was decided about. Audit keeps all, by similarity and origin alone.
    """
    if mode == "strict":
        candidates = (candidate for candidate in candidates if candidate.status == ACTIVE)
    elif mode == "balanced":
        candidates = (candidate for candidate in candidates if candidate.status not in CLOSED)
    scored = [_scored(candidate, mode) for candidate in candidates]
    # Sorts are stable: the last key decides first.
    scored.sort(key=lambda hit: hit.candidate.id)
    scored.sort(key=lambda hit: hit.candidate.created_at, reverse=True)
    scored.sort(key=lambda hit: hit.score, reverse=True)
    if mode != "audit":
        scored = _one_per_target(scored)
    return [hit.explained() for hit in scored[:limit]]


class _Scored(NamedTuple):
    """A candidate with its score and what adds up to it, in millionths: cheap, for most are not shown."""

    candidate: Candidate
    score: int
    parts: list[tuple[str, int, str | None]]

    def explained(self) -> Ranked:
        why = tuple(Contribution(part, amount / 1e6, because) for part, amount, because in self.parts)
        return Ranked(self.candidate, self.score / 1e6, why)


def _scored(candidate: Candidate, mode: Mode) -> _Scored:
    similarity, because = _similarity(candidate, mode)
    parts = [("similarity", similarity, because)]
    if mode != "audit":
        if candidate.status == ACTIVE:
            parts.append(("active_boost", ACTIVE_BOOST, None))
        elif candidate.status in PERCENT_KEPT:
            lost = similarity // 100 * (100 - PERCENT_KEPT[candidate.status])
            parts.append(("status_penalty", -lost, f"{candidate.status} keeps {PERCENT_KEPT[candidate.status]} %"))
    if candidate.origin == "human":
        parts.append(("human_boost", HUMAN_BOOST, None))
    return _Scored(candidate, sum(amount for _, amount, _ in parts), parts)


def _similarity(candidate: Candidate, mode: Mode) -> tuple[int, str | None]:
    """In millionths, a multiple of 100. Who asks in the words of what was replaced gets the current answer high up."""
    own = _millionths(candidate.similarity)
    if candidate.replaced is None or mode == "audit":
        return own, None
    inherited = _millionths(candidate.replaced.similarity)
    since = f"it superseded {candidate.replaced.id}"
    if inherited <= own:
        return own, since
    return inherited, f"raised from {own / 1e6}: {since}, which matches the query better"


def _millionths(similarity: float) -> int:
    return round(min(max(similarity, 0.0), 1.0) * 10_000) * 100


def _one_per_target(scored: list[_Scored]) -> list[_Scored]:
    best: dict[str, _Scored] = {}
    for hit in scored:
        kept = best.setdefault(hit.candidate.target, hit)
        if hit.candidate.status == ACTIVE and kept.candidate.status != ACTIVE:
            best[hit.candidate.target] = hit
    return [hit for hit in scored if best[hit.candidate.target] is hit]
