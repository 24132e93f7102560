"""Invariants of confidence, readiness and falsification."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.reflection.rules import Weight, compute_confidence, find_falsification, is_ready
from server.reflection.wording import build_rationale, build_title

_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_COUNTS = st.integers(0, 10_000)
_DAYS = st.floats(0, 4_000)


def _weight(hits: int, misses: int, days: float = 0, span: float = 1) -> Weight:
    last = _NOW - timedelta(days=days) if hits else None
    first = last - timedelta(days=span) if last else None
    return Weight(hits, misses, datetime(1970, 1, 1, tzinfo=UTC), first, last, last)


@pytest.mark.proves("REF-7")
@given(_COUNTS, _COUNTS, _DAYS)
def test_confidence_is_a_share_that_evidence_against_and_time_never_raise(hits: int, misses: int, days: float) -> None:
    confidence = compute_confidence(_weight(hits, misses, days), _NOW)
    assert 0 <= confidence <= 1
    assert compute_confidence(_weight(hits, misses + 1, days), _NOW) <= confidence
    assert compute_confidence(_weight(hits, misses, days + 1), _NOW) <= confidence
    assert compute_confidence(_weight(hits + 1, misses, days), _NOW) >= confidence


@pytest.mark.proves("REF-7")
@pytest.mark.parametrize(
    ("hits", "misses", "days", "expected"), [(3, 0, 0, 0.75), (10, 2, 0, 0.62), (3, 4, 0, 0.0), (3, 0, 30, 0.38)]
)
def test_confidence_of_known_counts(hits: int, misses: int, days: float, expected: float) -> None:
    assert compute_confidence(_weight(hits, misses, days), _NOW) == pytest.approx(expected, abs=0.006)


@pytest.mark.proves("REF-8", "REF-9")
@given(_COUNTS, _COUNTS, _DAYS)
def test_what_is_ready_is_never_falsified(hits: int, misses: int, days: float) -> None:
    weight = _weight(hits, misses, days)
    if is_ready(weight, compute_confidence(weight, _NOW)):
        assert find_falsification(weight, None) is None


@pytest.mark.proves("REF-5")
@given(st.text(max_size=500), st.lists(st.text(max_size=500), max_size=5), st.none() | st.text(max_size=300))
def test_words_are_one_line_of_bounded_length_and_link_nothing(
    target: str, names: list[str], decision: str | None
) -> None:
    for stance in ("change", "keep"):
        words = build_rationale(stance, target, _weight(3, 1), names, decision) + build_title(stance, target, decision)
        assert "[[" not in words and "\n" not in words
        assert len(words) < 1_500
        assert words == build_rationale(stance, target, _weight(3, 1), names, decision) + build_title(
            stance, target, decision
        )
