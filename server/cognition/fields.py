"""The argument types of the cognitive layers with their limits, and parsers for parameters in an address.

An address has only text: numbers are parsed strictly, a day is a whole day in UTC, and a parameter with an empty value
counts as given.

Source: COG-4, COG-14, COG-54.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from server.core.fields import LONGEST_TEXT, NonBlankText, ValidText

T = TypeVar("T")
LONGEST_QUERY = 10_000
LARGEST_ID = 2**53 - 1
"""The greatest integer that every client's language represents exactly."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,30})?")

SessionId = Annotated[str, Field(min_length=1, max_length=255), ValidText, NonBlankText]
Speaker = Annotated[str, Field(min_length=1, max_length=50), ValidText, NonBlankText]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), ValidText, NonBlankText]
Query = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY), ValidText, NonBlankText]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A share, an importance, a similarity: 0 to 1."""
Reward = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


def start_of_day(day: date) -> datetime:
    """Return the first moment of a day, in UTC."""
    return datetime.combine(day, time.min, UTC)


def end_of_day(day: date) -> datetime:
    """Return the last millisecond of a day, in UTC: a range that ends with a day includes it."""
    return datetime.combine(day, time(23, 59, 59, 999_000), UTC)


def days_ago(days: int, now: datetime) -> datetime:
    """Return the moment `days` times 24 hours ago, or the earliest moment of the calendar where that is later."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _build_parser(pattern: re.Pattern[str], convert: Callable[[str], T], problem: str) -> BeforeValidator:
    """Return a validator that parses text; a value of another type is left to the field's own type."""

    def parse(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not pattern.fullmatch(value):
            raise ValueError(problem)
        return convert(value)

    return BeforeValidator(parse)


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("is not a valid date; use a date such as 2026-01-15") from None


def _parse_days(value: object) -> object:
    if not isinstance(value, str):
        return value
    parts = value.split(",")
    if len(parts) != 2 or not all(map(_DAY.fullmatch, parts)):  # noqa: PLR2004 - a start and an end
        raise ValueError("must be two dates with a comma between, such as 2026-01-10,2026-01-15")
    first, last = map(_parse_day, parts)
    if first > last:
        raise ValueError("ends before it starts; give the earlier date first")
    return first, last


AsInteger = _build_parser(_INTEGER, int, "must be an integer")
AsNumber = _build_parser(_NUMBER, float, "must be a number, such as 0.5")
_DAY_SCHEMA: dict[str, Any] = {"type": "string", "format": "date"}
Day = Annotated[date, _build_parser(_DAY, _parse_day, "must be a date such as 2026-01-15"), WithJsonSchema(_DAY_SCHEMA)]
DateRange = Annotated[
    tuple[date, date],
    BeforeValidator(_parse_days),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d$"}),
]
MOST_DAYS = 36_500
DaysBack = Annotated[int, Field(ge=1, le=MOST_DAYS), AsInteger]
