import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.evaluation.golden import Measured, by_type, drifted, hits, precision_at_5, query_type, told


@pytest.mark.parametrize(
    ("words", "kind"), [(1, "short"), (10, "short"), (11, "medium"), (29, "medium"), (30, "long"), (80, "long")]
)
def test_a_querys_class_is_told_by_its_words(words: int, kind: str) -> None:
    assert query_type("  wörd\n" * words) == kind


@pytest.mark.parametrize(
    ("found", "expected", "right"),
    [
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 5),
        ([1, 2, 3, 4, 5], [1], 1),
        ([1, 2], [1, 2], 2),
        ([9, 8, 7, 6, 5, 1], [1], 0),  # the sixth place does not count
        ([], [1], 0),
        ([1], [], 0),
    ],
)
def test_the_first_five_places_count(found: list[int], expected: list[int], right: int) -> None:
    assert hits(found, expected) == right


@given(st.lists(st.integers(1, 9), unique=True), st.sets(st.integers(1, 9)))
def test_hits_are_those_of_the_first_five_in_any_order(found: list[int], expected: set[int]) -> None:
    assert hits(found, expected) == hits(found[:5][::-1], expected) == sum(each in expected for each in found[:5])


def test_precision_is_the_mean_over_queries_and_a_class_without_queries_has_none() -> None:
    measured = [Measured("short", 5), Measured("short", 1), Measured("long", 3)]
    assert precision_at_5(measured) == 0.6
    assert precision_at_5([Measured("short", 2)]) == 0.4, "two found of two is two of five all the same"
    assert by_type(measured).model_dump() == {
        "short": {"count": 2, "precision_at_5": 0.6},
        "medium": {"count": 0, "precision_at_5": None},
        "long": {"count": 1, "precision_at_5": 0.6},
    }


@pytest.mark.parametrize(
    ("precision", "baseline", "drift"),
    [
        (0.74, 0.8, True),
        (0.75, 0.8, False),  # 0.8 - 0.75 is 0.050000000000000044
        (0.0, None, False),
        (0.9, 0.8, False),
        (0.7499, 0.8, True),
    ],
)
def test_drift_is_more_than_five_hundredths_below(precision: float, baseline: float | None, drift: bool) -> None:
    assert drifted(precision, baseline) is drift


@pytest.mark.parametrize(
    ("precision", "baseline", "days", "sentence"),
    [
        (0.5, None, 0, "Precision@5 is 0.50 over 3 queries. No day of the 7 before was measured."),
        (
            0.78, 0.82, 7, "Precision@5 is 0.78 over 3 queries, 0.04 below the mean of 7 measured days of the 7 before "
            "(0.82): within normal range.",
        ),
        (
            0.5, 0.8, 1, "Precision@5 is 0.50 over 3 queries, 0.30 below the mean of 1 measured day of the 7 before "
            "(0.80): more than 0.05 below.",
        ),
        (
            0.8, 0.8, 2, "Precision@5 is 0.80 over 3 queries, as the mean of 2 measured days of the 7 before (0.80): "
            "within normal range.",
        ),
    ],
)  # fmt: skip
def test_what_was_found_is_said_plainly(precision: float, baseline: float | None, days: int, sentence: str) -> None:
    assert told(precision, baseline, 3, days) == sentence
