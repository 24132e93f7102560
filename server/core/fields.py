"""Fields of requests and answers that several families use: text, JSON, times, captions."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

LONGEST_TEXT = 1_048_576
"""Limit of a text in characters, and of an object's JSON in bytes."""
DEEPEST_JSON = 100
_CAPTION = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = len("2026-05-08")
_UTC_TIME = {"type": "string", "format": "date-time"}


def encode_json(value: Mapping[str, Any]) -> str:
    """Return a value as compact JSON, as it is stored; `decode_json` returns the same value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_json(text: str | None) -> Any:
    """Return the value of stored JSON; None where nothing is stored."""
    return None if text is None else json.loads(text)


def format_time(epoch_milliseconds: int) -> str:
    """Format a time as answers have it: ISO 8601 in UTC, to the millisecond."""
    return to_datetime(epoch_milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_datetime(epoch_milliseconds: int) -> datetime:
    """Return a time as the graph stores it: in UTC."""
    return _EPOCH + timedelta(milliseconds=epoch_milliseconds)


def to_milliseconds(at: datetime) -> int:
    """Return the milliseconds since 1970, rounded down."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def format_caption(*parts: str | None) -> str:
    """Return the caption of a node in Neo4j Browser: the parts that are not blank, in one line of limited length."""
    line = ": ".join(" ".join(part[:1_000].split()) for part in parts if part and part.strip())
    return line if len(line) <= _CAPTION else f"{line[: _CAPTION - 1]}…"


def _require_valid(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("contains half a surrogate pair, which is not valid Unicode") from None
    return text


def _require_non_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def json_object(longest: int) -> AfterValidator:
    """Return a validator of objects that can be stored as JSON of at most `longest` bytes."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        require_json(value, longest)
        return value

    return AfterValidator(check)


def require_json(value: Mapping[str, Any], longest: int) -> None:
    """Raise `ValueError`, with the reason, unless the object can be stored as JSON of at most `longest` bytes."""
    if _is_deeper(DEEPEST_JSON, value):
        raise ValueError(f"is nested deeper than {DEEPEST_JSON} levels")
    try:
        size = len(encode_json(value).encode())
    except UnicodeEncodeError:
        raise ValueError("contains half a surrogate pair, which is not valid Unicode") from None
    except TypeError:
        raise ValueError("contains a value that is not JSON") from None
    except ValueError:
        raise ValueError("contains a number that is not JSON (NaN, infinity) or has too many digits") from None
    if size > longest:
        raise ValueError(f"takes {size:,} bytes as JSON; at most {longest:,} are allowed")


def _is_deeper(limit: int, value: object) -> bool:
    level: list[object] = [value]
    for _ in range(limit):
        level = [part for item in level for part in _list_parts(item) if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _list_parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


ValidText = AfterValidator(_require_valid)
"""Validates text that can be stored."""
NonBlankText = AfterValidator(_require_non_blank)
"""Validates text that is not only white space."""
JsonObject = Annotated[dict[str, Any], json_object(LONGEST_TEXT)]


def _parse_time(text: object, clock: time) -> object:
    """Parse an ISO time, or a date with `clock` as the time of day."""
    if not isinstance(text, str):
        return text
    try:
        parsed = (
            datetime.combine(date.fromisoformat(text), clock) if len(text) == _DAY else datetime.fromisoformat(text)
        )
        return (parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("is not a valid ISO 8601 time; write it as 2026-05-08T13:56:00Z") from None


def _parse_since(text: object) -> object:
    return _parse_time(text, time.min)


def _parse_until(text: object) -> object:
    return _parse_time(text, time.max)


Since = Annotated[datetime, BeforeValidator(_parse_since), Field(json_schema_extra=_UTC_TIME)]
"""The first time of a range in a request; a date is its beginning."""
Until = Annotated[datetime, BeforeValidator(_parse_until), Field(json_schema_extra=_UTC_TIME)]
"""The last time of a range in a request; a date is its end."""


def _format_stored(value: object) -> object:
    return format_time(value) if isinstance(value, int) else value


Instant = Annotated[str, BeforeValidator(_format_stored)]
"""A time in an answer, in the form of `format_time`; accepts the epoch milliseconds of the graph."""
