"""The agreement of two judges: Cohen's kappa, and the term for it.

Source: EVA-9, EVA-10; J. Cohen, "A Coefficient of Agreement for Nominal Scales" (1960); J. R. Landis and G. G. Koch,
"The Measurement of Observer Agreement for Categorical Data" (1977).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

Agreement = Literal["poor", "slight", "fair", "moderate", "substantial", "almost perfect"]
_RELEVANT_ABOVE = 0.5
_BANDS: tuple[tuple[float, Agreement], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)


def is_relevant(score: float) -> bool:
    """Whether a document with this score (0..1) counts as relevant."""
    return score > _RELEVANT_ABOVE


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa (-1..1) of two judges' verdicts on the same items, in the same order.

    Both sequences have the same length, at least 1. Kappa is not defined where both judges gave the same single verdict
    throughout; the result is then 1.0, because they agree.
    """
    total = len(first)
    agreed = sum(one == other for one, other in zip(first, second, strict=True))
    second_counts = Counter(second)
    by_chance = sum(count * second_counts[verdict] for verdict, count in Counter(first).items())
    # Integers, divided once: by way of shares a kappa of 0.6 would be 0.6000000000000001, in the next band.
    if by_chance == total * total:
        return 1.0
    return (total * agreed - by_chance) / (total * total - by_chance)


def describe_agreement(kappa: float) -> Agreement:
    """Return the term of Landis and Koch for a kappa."""
    if kappa < 0:
        return "poor"
    return next((term for limit, term in _BANDS if kappa <= limit), "almost perfect")
