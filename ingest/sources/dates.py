"""Dates as people write them in decision records."""

import re
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", re.ASCII)
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[-. ]+([A-Za-z]{3})[a-z]*[-., ]+(\d{4})\b", re.ASCII)
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3})[a-z]*\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})\b", re.ASCII)


def parse_date(text: str) -> date | None:
    """The first date in `text`: 2024-05-31, 31-May-2024, 31 May 2024 or May 31, 2024. Else None.

    31/05/2024 and 05/31/2024 are not read: they are ambiguous. Source: ING-24.
    """
    if match := _YEAR_FIRST.search(text):
        return _date(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.search(text):
        return _from_month_name(match[3], match[2], match[1])
    if match := _MONTH_FIRST.search(text):
        return _from_month_name(match[3], match[1], match[2])
    return None


def _from_month_name(year: str, month: str, day: str) -> date | None:
    name = month.lower()
    return _date(int(year), _MONTHS.index(name) + 1, int(day)) if name in _MONTHS else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
