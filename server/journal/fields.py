"""What the journal takes as arguments: the kinds of text, number and JSON, each with its bound.

Source: journal.md "Tool Reference"; open-questions.md "journal.md". Identifiers that an index covers are short, so that
no index key grows beyond what Neo4j can hold (design.md section 3, "Indexed strings are short").
"""

import json
import math
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema

LONGEST_TEXT = 1_048_576
DEEPEST_JSON = 100
LATEST = 8_640_000_000_000_000
"""The last millisecond that a date can have in the language of most clients."""
_LARGEST = 2**63 - 1
_COUNTED = 2**53 - 1


def encoded(value: dict[str, Any]) -> str:
    """JSON as it is stored: compact, in the caller's order. `decoded` gives back the same value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decoded(text: str | None) -> Any:
    """What `encoded` was given; None where nothing was stored."""
    return None if text is None else json.loads(text)


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("holds nothing but white space")
    return text


def _json_object(value: dict[str, Any]) -> dict[str, Any]:
    if _deeper_than(DEEPEST_JSON, value):
        raise ValueError(f"is nested deeper than {DEEPEST_JSON} levels")
    try:
        size = len(encoded(value).encode())
    except UnicodeEncodeError:
        raise ValueError("holds half a surrogate pair, which is no text") from None
    except ValueError:
        raise ValueError("holds a number that is not finite") from None
    if size > LONGEST_TEXT:
        raise ValueError(f"has more than {LONGEST_TEXT} bytes as JSON")
    return value


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


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("has to be a number")  # noqa: TRY004 - pydantic tells a ValueError, and nothing else
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("has to be finite")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("is an integer of more than 64 bits; write it with a decimal point")
    return value


def _time(value: object) -> int | float:
    number = _number(value)
    if not 0 <= number <= LATEST:
        raise ValueError(f"has to be between 0 and {LATEST}")
    return number


Said = AfterValidator(_says_something)
AgentId = Annotated[str, Field(min_length=1, max_length=500), Said]
Key = Annotated[str, Field(min_length=1, max_length=1_000), Said]
"""An id, or the name of a kind."""
Line = Annotated[str, Field(max_length=10_000)]
Prose = Annotated[str, Field(max_length=100_000)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_json_object)]
Number = Annotated[int | float, PlainValidator(_number), WithJsonSchema({"type": "number"})]
"""An integer stays one, a decimal number stays one."""
Time = Annotated[
    int | float, PlainValidator(_time), WithJsonSchema({"type": "number", "minimum": 0, "maximum": LATEST})
]
Limit = Annotated[int, Field(ge=1, le=1_000)]
Offset = Annotated[int, Field(ge=0, le=_COUNTED)]
Version = Annotated[int, Field(ge=1, le=_COUNTED)]
