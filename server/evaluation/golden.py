"""Precision@5 of a golden set, and its drift: pure functions. Source: EVA-27, EVA-28, EVA-31."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from server.evaluation.models import Breakdown, ClassResult, QueryType

TOP = 5
BASELINE_DAYS = 7
_LARGEST_DROP = 0.05
_SHORT, _LONG = 10, 30


@dataclass(frozen=True, slots=True)
class MeasuredQuery:
    """The class of one golden query, and how many expected insights search found for it."""

    query_type: QueryType
    hits: int


def classify_query(query: str) -> QueryType:
    """Return the class of a query by its number of words: short up to 10, long from 30."""
    words = len(query.split())
    if words <= _SHORT:
        return "short"
    return "long" if words >= _LONG else "medium"


def count_hits(found: Sequence[int], expected: Collection[int]) -> int:
    """Return how many of the first five results are expected."""
    return len(set(found[:TOP]) & set(expected))


def precision_at_5(measured: Sequence[MeasuredQuery]) -> float:
    """Return the mean of hits / 5 over all queries (0..1), of which there is at least one.

    The divisor is five also where search found fewer results, or fewer were expected.
    """
    return sum(each.hits for each in measured) / (TOP * len(measured))


def group_by_type(measured: Sequence[MeasuredQuery]) -> Breakdown:
    """Return the count and the mean of each class; the mean of a class without queries is null."""
    results = {}
    for kind in cast("tuple[QueryType, ...]", get_args(QueryType)):
        members = [each for each in measured if each.query_type == kind]
        results[kind] = ClassResult(count=len(members), precision_at_5=precision_at_5(members) if members else None)
    return Breakdown(**results)


def has_drifted(precision: float, baseline: float | None) -> bool:
    """Whether the precision is more than 0.05 below the baseline; false without a baseline."""
    # Rounded, because 0.8 - 0.75 is slightly more than 0.05 in binary.
    return baseline is not None and round(baseline - precision, 9) > _LARGEST_DROP


def describe_result(precision: float, baseline: float | None, queries: int, days: int) -> str:
    """Return the result in one sentence; the baseline is the mean of `days` measured days."""
    counted = f"{queries} {'query' if queries == 1 else 'queries'}"
    if baseline is None:
        return (
            f"Precision@5 is {precision:.2f} over {counted}. None of the {BASELINE_DAYS} days before was measured: "
            "today is the baseline."
        )
    change = precision - baseline
    equal = round(abs(change), 2) == 0
    difference = "equal to" if equal else f"{abs(change):.2f} {'above' if change > 0 else 'below'}"
    verdict = f"more than {_LARGEST_DROP} below" if has_drifted(precision, baseline) else "within normal range"
    mean = f"the mean of {days} measured {'day' if days == 1 else 'days'} of the {BASELINE_DAYS} before"
    return f"Precision@5 is {precision:.2f} over {counted}, {difference} {mean} ({baseline:.2f}): {verdict}."
