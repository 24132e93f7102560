"""Times that people write."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core.errors import InvalidArgument
from server.history.change_models import ListChanges
from server.history.times import parse_moment

pytestmark = pytest.mark.proves("HIS-13")
_NOW = datetime(2026, 11, 22, 14, 5, tzinfo=UTC)  # a Sunday
_END = "23:59:59.999999+00:00"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-20", "2026-11-20T00:00:00+00:00", f"2026-11-20T{_END}"),
        ("2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00+00:00", "2026-11-20T08:00:00+00:00"),
        ("yesterday", "2026-11-21T00:00:00+00:00", f"2026-11-21T{_END}"),
        (" Today ", "2026-11-22T00:00:00+00:00", f"2026-11-22T{_END}"),
        ("monday", "2026-11-16T00:00:00+00:00", f"2026-11-16T{_END}"),
        ("24h", "2026-11-21T14:05:00+00:00", "2026-11-21T14:05:00+00:00"),
        ("7d", "2026-11-15T14:05:00+00:00", "2026-11-15T14:05:00+00:00"),
        ("2w", "2026-11-08T14:05:00+00:00", "2026-11-08T14:05:00+00:00"),
        ("3 days ago", "2026-11-19T14:05:00+00:00", "2026-11-19T14:05:00+00:00"),
        ("last week", "2026-11-15T14:05:00+00:00", "2026-11-15T14:05:00+00:00"),
        ("yesterday 10:30", "2026-11-21T10:30:00+00:00", "2026-11-21T10:30:00+00:00"),
    ],
)
def test_a_time_is_iso_8601_or_words_and_a_day_is_all_of_it(text: str, first: str, last: str) -> None:
    assert parse_moment(text, "first", _NOW).isoformat() == first
    assert parse_moment(text, "last", _NOW).isoformat() == last


@pytest.mark.parametrize("text", ["soon", "banana", "10", "99999999d", "2026-13-01", "--"])
def test_a_text_that_means_no_time_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"since: is not a valid time; use .*yesterday"):
        ListChanges.parse({"since": text})


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        parsed = parse_moment(text, "first", _NOW)
    except ValueError:
        return
    assert parsed.tzinfo is not None
