"""The rules of reflection, as pure functions: what is evidence, how sure a draft is, when it is ready or falsified.

Source: REF-2, REF-7, REF-9 (docs/decisions/0026).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Self

Stance = Literal["change", "keep"]
"""What a draft says about its target: that it has to change, or that it works."""

MIN_EVIDENCE = 3
"""Pieces of evidence that a draft needs, as every proposal does."""
MIN_CONFIDENCE = 0.3
"""How sure a new draft is at least: it is no news that most attempts succeed, or that old failures happened."""
READY_CONFIDENCE = 0.8
READY_SPAN = timedelta(hours=12)
"""Time between the first and the last piece of evidence of a draft that is ready."""
HALF_LIFE = timedelta(days=30)
"""Time without new evidence after which a draft is half as sure."""
OUTWEIGHED = 2
"""A draft is falsified when more than so many times as many pieces of evidence speak against it as for it."""

EVIDENCE: Mapping[str, Any] = {
    "failing": ["error", "failure", "bug", "incident", "contradiction", "objection", "bugfix", "revert"],
    "working": ["result", "success"],
    "low": -0.3,
    "high": 0.3,
}
"""Types of memories and rewards of episodes that are evidence: parameters of the statements that count it."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The evidence about one target, as one stance sees it: `hits` for it, `misses` against it.

    `first` and `last` are the times of its first and last hit; `until` is that of the last piece of any kind.
    Only evidence after `since` counts.
    """

    hits: int
    misses: int
    since: datetime
    first: datetime | None
    last: datetime | None
    until: datetime | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the weight in a row of `reflection/weigh`."""
        times = {name: _to_python(row[name]) for name in ("first", "last", "until")}
        return cls(row["hits"], row["misses"], row["since"].to_native(), **times)

    def is_enough(self) -> bool:
        """Whether a draft can rest on this evidence."""
        return self.hits >= MIN_EVIDENCE

    def is_against(self) -> bool:
        """Whether the evidence falsifies a draft."""
        return self.misses > OUTWEIGHED * self.hits


def compute_confidence(weight: Weight, at: datetime) -> float:
    """Return how sure a draft is at a time, 0 to 1, in hundredths.

    It is the surplus of hits in all evidence, lower for few pieces. It halves with each half-life since the last hit.
    """
    if weight.last is None:
        return 0.0
    share = max(0, weight.hits - weight.misses) / (weight.hits + weight.misses + 1)
    half_lives: float = max(timedelta(0), at - weight.last) / HALF_LIFE
    return round(share * float(0.5**half_lives), 2)


def is_ready(weight: Weight, confidence: float) -> bool:
    """Whether a draft is ready for a review: sure enough, and seen over some time."""
    if weight.first is None or weight.last is None:
        return False
    return confidence >= READY_CONFIDENCE and weight.last - weight.first >= READY_SPAN


def find_falsification(weight: Weight, in_force: str | None) -> str | None:
    """Return why a draft no longer stands, or None while it stands.

    `in_force` is the title of the decision in force for its target, if it was made after the draft.
    """
    if in_force is not None:
        return f"“{in_force}” was decided after this evidence."
    if weight.is_against():
        return f"{weight.misses} pieces of evidence speak against it and {weight.hits} for it."
    if not weight.is_enough():
        return f"Fewer than {MIN_EVIDENCE} pieces of its evidence still hold."
    return None


def _to_python(at: Any) -> datetime | None:
    return None if at is None else at.to_native()
