"""What the cognitive layers take as arguments, each with its bound; and what a resource's address may say.

Source: cognitive.md "MCP Tools", "MCP Resources"; open-questions.md "cognitive.md". An address holds only text: numbers
are read from it strictly, a day is a whole day in UTC, and a parameter without a value counts as given.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from server.fields import LONGEST_TEXT, Said, Whole

T = TypeVar("T")
LONGEST_QUERY = 10_000
LARGEST_ID = 2**53 - 1
"""The greatest integer that every client's language holds exactly."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,30})?")

SessionId = Annotated[str, Field(min_length=1, max_length=255), Whole, Said]
Speaker = Annotated[str, Field(min_length=1, max_length=50), Whole, Said]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), Whole, Said]
Query = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY), Whole, Said]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A share, an importance, a similarity: 0 to 1."""
Reward = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


def first_instant(day: date) -> datetime:
    """When a day begins, in UTC."""
    return datetime.combine(day, time.min, UTC)


def last_instant(day: date) -> datetime:
    """The last millisecond of a day, in UTC: a range that ends with a day includes it."""
    return datetime.combine(day, time(23, 59, 59, 999_000), UTC)


def days_ago(days: int, now: datetime) -> datetime:
    """The moment so many times 24 hours ago; the first one that there is where the calendar does not go back so far."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _read(pattern: re.Pattern[str], kind: Callable[[str], T], told: str) -> BeforeValidator:
    """Reads a parameter of an address; what is no text is left to the type behind."""

    def reading(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not pattern.fullmatch(value):
            raise ValueError(told)
        return kind(value)

    return BeforeValidator(reading)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("is a day that no calendar has") from None


def _days(value: object) -> object:
    if not isinstance(value, str):
        return value
    parts = value.split(",")
    if len(parts) != 2 or not all(map(_DAY.fullmatch, parts)):  # noqa: PLR2004 - a start and an end
        raise ValueError("has to be two days with a comma between, such as 2026-01-10,2026-01-15")
    first, last = map(_day, parts)
    if first > last:
        raise ValueError("ends before it starts")
    return first, last


AsInteger = _read(_INTEGER, int, "has to be an integer")
AsNumber = _read(_NUMBER, float, "has to be a number, such as 0.5")
_WRITTEN_DAY: dict[str, Any] = {"type": "string", "format": "date"}
Day = Annotated[date, _read(_DAY, _day, "has to be a day, such as 2026-01-15"), WithJsonSchema(_WRITTEN_DAY)]
DateRange = Annotated[
    tuple[date, date],
    BeforeValidator(_days),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d$"}),
]
DaysBack = Annotated[int, Field(ge=1, le=36_500), AsInteger]
