"""How good search is by a golden set, and whether it got worse: pure functions.

Source: cognitive.md "get_golden_test_results"; open-questions.md "cognitive.md", "get_golden_test_results".
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from server.evaluation.models import Breakdown, ClassResult, QueryType

TOP = 5
BASELINE_DAYS = 7
_LARGEST_DROP = 0.05
_SHORT, _LONG = 10, 30


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of one golden query."""

    query_type: QueryType
    hits: int


def query_type(query: str) -> QueryType:
    """The class of a query by its words: short up to 10, long from 30."""
    words = len(query.split())
    if words <= _SHORT:
        return "short"
    return "long" if words >= _LONG else "medium"


def hits(found: Sequence[int], expected: Collection[int]) -> int:
    """How many of the first five places hold an expected id."""
    return len(set(found[:TOP]) & set(expected))


def precision_at_5(measured: Sequence[Measured]) -> float:
    """The mean share of the five places that are right (0..1), each query counting the same; there has to be one.

    An empty place is a wrong one, also where fewer than five were expected.
    """
    return sum(each.hits for each in measured) / (TOP * len(measured))


def by_type(measured: Sequence[Measured]) -> Breakdown:
    """Count and mean of each class; null for a class without queries."""
    results = {}
    for kind in cast("tuple[QueryType, ...]", get_args(QueryType)):
        members = [each for each in measured if each.query_type == kind]
        results[kind] = ClassResult(count=len(members), precision_at_5=precision_at_5(members) if members else None)
    return Breakdown(**results)


def drifted(precision: float, baseline: float | None) -> bool:
    """Whether search is more than 0.05 below the baseline; never without one."""
    # Rounded: 0.8 - 0.75 is a hair more than 0.05 in binary.
    return baseline is not None and round(baseline - precision, 9) > _LARGEST_DROP


def told(precision: float, baseline: float | None, queries: int, days: int) -> str:
    """What was found, in a sentence; `days` is how many measured days the baseline is the mean of."""
    of = f"{queries} {'query' if queries == 1 else 'queries'}"
    if baseline is None:
        return f"Precision@5 is {precision:.2f} over {of}. No day of the {BASELINE_DAYS} before was measured."
    change = precision - baseline
    way = "as" if round(abs(change), 2) == 0 else f"{abs(change):.2f} {'above' if change > 0 else 'below'}"
    limit = f"more than {_LARGEST_DROP} below" if drifted(precision, baseline) else "within normal range"
    measured = f"{days} measured {'day' if days == 1 else 'days'} of the {BASELINE_DAYS} before"
    return f"Precision@5 is {precision:.2f} over {of}, {way} the mean of {measured} ({baseline:.2f}): {limit}."
