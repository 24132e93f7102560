"""Cohen's kappa against examples that others published, and what always holds of it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.evaluation.agreement import cohen_kappa, describe_agreement, is_relevant


def _table(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    """The verdicts behind a 2 by 2 table: both yes, only the first one yes, only the second one yes, both no."""
    rows = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return [one for one, _ in rows], [other for _, other in rows]


@pytest.mark.proves("EVA-9")
@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        # Wikipedia, "Cohen's kappa": the simple example, and two tables with the same agreement of 60 in 100.
        ((20, 5, 10, 15), 0.4),
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        # A judge with one verdict for everything agrees by chance alone.
        ((7, 0, 3, 0), 0.0),
        # No single agreement where half and half was to be expected.
        ((0, 5, 5, 0), -1.0),
        # Not defined: chance explains everything, and they agree.
        ((5, 0, 0, 0), 1.0),
        ((0, 0, 0, 5), 1.0),
        ((0, 1, 0, 0), 0.0),
    ],
)
def test_kappa_is_what_was_published(table: tuple[int, int, int, int], kappa: float) -> None:
    assert cohen_kappa(*_table(*table)) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.proves("EVA-9")
def test_kappa_is_defined_as_by_scikit_learn_for_any_labels() -> None:
    # The example of sklearn.metrics.cohen_kappa_score.
    first = ["negative", "positive", "negative", "neutral", "positive"]
    second = ["negative", "positive", "negative", "neutral", "negative"]
    assert cohen_kappa(first, second) == pytest.approx(0.6875, abs=1e-12)


_PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=50)


def _by_definition(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    total = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / total
    yes, other_yes = sum(first) / total, sum(second) / total
    chance = yes * other_yes + (1 - yes) * (1 - other_yes)
    return None if chance == 1 else (observed - chance) / (1 - chance)


@pytest.mark.proves("EVA-9")
@given(_PAIRS)
def test_kappa_is_bounded_symmetric_and_as_defined(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohen_kappa(first, second)
    assert -1 <= kappa <= 1
    assert kappa == cohen_kappa(second, first)
    assert kappa == cohen_kappa([not a for a in first], [not b for b in second])
    assert cohen_kappa(first, first) == 1
    defined = _by_definition(first, second)
    assert kappa == (1 if defined is None else pytest.approx(defined, abs=1e-9))


@pytest.mark.proves("EVA-9")
def test_more_than_half_is_relevant() -> None:
    assert [is_relevant(score) for score in (0.0, 0.5, 0.5000001, 1.0)] == [False, False, True, True]


@pytest.mark.proves("EVA-10")
@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-1.0, "poor"),
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4, "fair"),
        (0.41, "moderate"),
        (0.6, "moderate"),
        (0.61, "substantial"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_the_term_is_that_of_landis_and_koch(kappa: float, word: str) -> None:
    assert describe_agreement(kappa) == word


@pytest.mark.proves("EVA-10")
def test_a_kappa_at_the_end_of_a_band_has_its_term() -> None:
    # 8 of 10 agree, half of either: kappa is 0.6 exactly, and would be 0.6000000000000001 by way of shares.
    assert describe_agreement(cohen_kappa(*_table(4, 1, 1, 4))) == "moderate"
