"""What several families take and tell: text that is text, JSON that is JSON, each bounded; instants; captions."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator

LONGEST_TEXT = 1_048_576
"""Characters of a text, and bytes of an object's JSON."""
DEEPEST_JSON = 100
_CAPTION = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def encoded(value: Mapping[str, Any]) -> str:
    """JSON as it is stored: compact, in the caller's order. `decoded` gives back the same value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decoded(text: str | None) -> Any:
    """What `encoded` was given; None where nothing was stored."""
    return None if text is None else json.loads(text)


def iso(epoch_milliseconds: int) -> str:
    """An instant as answers tell it: UTC, to the millisecond."""
    return moment(epoch_milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(epoch_milliseconds: int) -> datetime:
    """An instant as the graph keeps it: UTC."""
    return _EPOCH + timedelta(milliseconds=epoch_milliseconds)


def milliseconds(at: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def captioned(*parts: str | None) -> str:
    """What Neo4j Browser writes on a node: the parts that say something, in one line, cut where they are long."""
    said = [" ".join(part[:1_000].split()) for part in parts if part and part.strip()]
    line = ": ".join(said)
    return line if len(line) <= _CAPTION else f"{line[: _CAPTION - 1]}…"


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half a surrogate pair, which is no text") from None
    return text


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("holds nothing but white space")
    return text


def json_object(longest: int) -> AfterValidator:
    """Lets an object pass that can be stored as JSON of at most so many bytes."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        require_json(value, longest)
        return value

    return AfterValidator(check)


def require_json(value: Mapping[str, Any], longest: int) -> None:
    """Raises `ValueError`, which says why, where an object cannot be stored as JSON of at most so many bytes."""
    if _deeper_than(DEEPEST_JSON, value):
        raise ValueError(f"is nested deeper than is stored: at most {DEEPEST_JSON} levels")
    try:
        size = len(encoded(value).encode())
    except UnicodeEncodeError:
        raise ValueError("holds half a surrogate pair, which is no text") from None
    except TypeError:
        raise ValueError("holds a value that is not JSON") from None
    except ValueError:
        raise ValueError("holds a number that is not JSON (NaN, infinity), or one too long") from None
    if size > longest:
        raise ValueError(f"takes {size:,} bytes as JSON; at most {longest:,} are stored")


def _deeper_than(limit: int, value: object) -> bool:
    level: list[object] = [value]
    for _ in range(limit):
        level = [part for whole in level for part in _parts(whole) if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


Whole = AfterValidator(_whole)
Said = AfterValidator(_says_something)
JsonObject = Annotated[dict[str, Any], json_object(LONGEST_TEXT)]
