"""How far two judges agree: Cohen's kappa, and a word for it.

Source: cognitive.md "store_dual_judge_scores"; open-questions.md "cognitive.md", "Kappa"; J. Cohen, "A Coefficient of
Agreement for Nominal Scales" (1960); J. R. Landis and G. G. Koch, "The Measurement of Observer Agreement for
Categorical Data" (1977).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

Agreement = Literal["poor", "slight", "fair", "moderate", "substantial", "almost perfect"]
_RELEVANT = 0.5
_BANDS: tuple[tuple[float, Agreement], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)


def relevant(score: float) -> bool:
    """Whether a score (0..1) says that a document is relevant: more than half."""
    return score > _RELEVANT


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Returns Cohen's kappa (-1..1) of two judges' verdicts on the same things, in the same order.

    Both sequences have the same length, at least 1. Where chance alone explains everything, because both judges gave
    one and the same verdict throughout, kappa is not defined, and 1.0 here: they agree.
    """
    total = len(first)
    agreed = sum(one == other for one, other in zip(first, second, strict=True))
    theirs = Counter(second)
    by_chance = sum(count * theirs[verdict] for verdict, count in Counter(first).items())
    # Counted in whole numbers and divided once: 0.6 is 0.6, and not a hair above the band that it ends.
    if by_chance == total * total:
        return 1.0
    return (total * agreed - by_chance) / (total * total - by_chance)


def agreement(kappa: float) -> Agreement:
    """Returns the word of Landis and Koch for a kappa."""
    if kappa < 0:
        return "poor"
    return next((word for most, word in _BANDS if kappa <= most), "almost perfect")
