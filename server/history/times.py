"""Times that people write: ISO 8601, and words such as `yesterday`, `7d` or `last week`. Source: HIS-13."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from server.core.fields import ValidText

Edge = Literal["first", "last"]
_LONGEST = 100
_WEEKS = re.compile(r"(\d{1,4})\s*w")
_ISO = re.compile(r"\d{4}-?\d")
_DISTANCE = re.compile(r"\d+\s*[a-z]+|.* ago")
_ADVICE = "is not a valid time; use 2026-05-08T13:56:00Z, yesterday, 24h, 7d or last week"


def parse_moment(text: str, edge: Edge, now: datetime) -> datetime:
    """Return the time that a text means at `now`, in UTC; of a whole day, its first or its last moment.

    Raises `ValueError` for a text that means no time.
    """
    said = text.strip().lower()
    try:
        if weeks := _WEEKS.fullmatch(said):
            return now - timedelta(weeks=int(weeks[1]))
        parsed, whole_day = _parse_iso(text.strip()) or _parse_words(said, now)
    except (ValueError, OverflowError):
        raise ValueError(_ADVICE) from None
    if not whole_day:
        return parsed
    return datetime.combine(parsed.date(), time.min if edge == "first" else time.max, UTC)


def _parse_iso(text: str) -> tuple[datetime, bool] | None:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        if _ISO.match(text):  # else 2026-13-01 would be taken for the 13th of January
            raise
        return None
    in_utc = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    return in_utc, re.fullmatch(r"\d{4}-?(\d\d-?\d\d|W\d\d-?\d)", text) is not None


def _parse_words(text: str, now: datetime) -> tuple[datetime, bool]:
    if text.isdecimal():
        raise ValueError(text)
    # A tenth of a second and 20 MB, for whoever writes words.
    from dateparser.date import DateDataParser  # noqa: PLC0415

    parser = DateDataParser(
        languages=["en"],
        settings={
            "RELATIVE_BASE": now.replace(tzinfo=None),
            "TIMEZONE": "UTC",
            "TO_TIMEZONE": "UTC",
            "RETURN_AS_TIMEZONE_AWARE": True,
            "RETURN_TIME_AS_PERIOD": True,
            "PREFER_DATES_FROM": "past",
            "PREFER_DAY_OF_MONTH": "first",
        },
    )
    found = parser.get_date_data(text)
    if found.date_obj is None:
        raise ValueError(text)
    return found.date_obj.astimezone(UTC), found.period == "day" and _DISTANCE.fullmatch(text) is None


def _require(text: str) -> str:
    parse_moment(text, "first", datetime.now(UTC))
    return text


Moment = Annotated[str, Field(min_length=1, max_length=_LONGEST), ValidText, AfterValidator(_require)]
"""A time in a request, as text; `parse_moment` returns it."""
