"""Dates of decision records."""

from datetime import date

import pytest

from ingest.sources.dates import parse_date


@pytest.mark.proves("ING-24")
@pytest.mark.parametrize(
    "text", ["2024-05-31", "31-May-2024", "31 May 2024", "May 31, 2024", "on 31st May 2024, by Ada", "2024/5/31"]
)
def test_a_date_is_read_in_the_usual_forms(text: str) -> None:
    assert parse_date(text) == date(2024, 5, 31)


@pytest.mark.proves("ING-24")
@pytest.mark.parametrize("text", ["", "soon", "31/05/2024", "05/31/2024", "2024-02-30", "31 Foo 2024"])
def test_an_ambiguous_or_impossible_date_is_none(text: str) -> None:
    assert parse_date(text) is None
