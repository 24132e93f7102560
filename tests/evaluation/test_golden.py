import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.evaluation.golden import (
    MeasuredQuery,
    classify_query,
    count_hits,
    describe_result,
    group_by_type,
    has_drifted,
    precision_at_5,
)


@pytest.mark.proves("EVA-28")
@pytest.mark.parametrize(
    ("words", "kind"), [(1, "short"), (10, "short"), (11, "medium"), (29, "medium"), (30, "long"), (80, "long")]
)
def test_a_query_is_classified_by_its_number_of_words(words: int, kind: str) -> None:
    assert classify_query("  wörd\n" * words) == kind


@pytest.mark.proves("EVA-27")
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
def test_the_first_five_results_count(found: list[int], expected: list[int], right: int) -> None:
    assert count_hits(found, expected) == right


@pytest.mark.proves("EVA-27")
@given(st.lists(st.integers(1, 9), unique=True), st.sets(st.integers(1, 9)))
def test_hits_are_those_of_the_first_five_in_any_order(found: list[int], expected: set[int]) -> None:
    assert (
        count_hits(found, expected)
        == count_hits(found[:5][::-1], expected)
        == sum(each in expected for each in found[:5])
    )


@pytest.mark.proves("EVA-27", "EVA-28")
def test_precision_is_the_mean_over_queries_and_a_class_without_queries_has_none() -> None:
    measured = [MeasuredQuery("short", 5), MeasuredQuery("short", 1), MeasuredQuery("long", 3)]
    assert precision_at_5(measured) == 0.6
    assert precision_at_5([MeasuredQuery("short", 2)]) == 0.4, "two found of two is two of five all the same"
    assert group_by_type(measured).model_dump() == {
        "short": {"count": 2, "precision_at_5": 0.6},
        "medium": {"count": 0, "precision_at_5": None},
        "long": {"count": 1, "precision_at_5": 0.6},
    }


@pytest.mark.proves("EVA-31")
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
def test_drift_is_more_than_005_below_the_baseline(precision: float, baseline: float | None, drift: bool) -> None:
    assert has_drifted(precision, baseline) is drift


@pytest.mark.proves("EVA-32")
@pytest.mark.parametrize(
    ("precision", "baseline", "days", "sentence"),
    [
        (0.5, None, 0, "Precision@5 is 0.50 over 3 queries. None of the 7 days before was measured: today is "
            "the baseline."),
        (
            0.78, 0.82, 7, "Precision@5 is 0.78 over 3 queries, 0.04 below the mean of 7 measured days of the 7 before "
            "(0.82): within normal range.",
        ),
        (
            0.5, 0.8, 1, "Precision@5 is 0.50 over 3 queries, 0.30 below the mean of 1 measured day of the 7 before "
            "(0.80): more than 0.05 below.",
        ),
        (
            0.8, 0.8, 2, "Precision@5 is 0.80 over 3 queries, equal to the mean of 2 measured days of the 7 before "
            "(0.80): within normal range.",
        ),
    ],
)  # fmt: skip
def test_the_result_is_described_in_one_sentence(
    precision: float, baseline: float | None, days: int, sentence: str
) -> None:
    assert describe_result(precision, baseline, 3, days) == sentence
