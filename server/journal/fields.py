"""What the journal takes as arguments: the kinds of text and number, each with its bound.

Source: journal.md "Tool Reference"; open-questions.md "journal.md". Identifiers that an index covers are short, so that
no index key grows beyond what Neo4j can hold (design.md section 3, "Indexed strings are short").
"""

import math
from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from server.fields import LONGEST_TEXT, Said

LATEST = 8_640_000_000_000_000
"""The last millisecond that a date can have in the language of most clients."""
_LARGEST = 2**63 - 1
_COUNTED = 2**53 - 1


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


AgentId = Annotated[str, Field(min_length=1, max_length=500), Said]
Key = Annotated[str, Field(min_length=1, max_length=1_000), Said]
"""An id, or the name of a kind."""
Line = Annotated[str, Field(max_length=10_000)]
Prose = Annotated[str, Field(max_length=100_000)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Number = Annotated[int | float, PlainValidator(_number), WithJsonSchema({"type": "number"})]
"""An integer stays one, a decimal number stays one."""
Time = Annotated[
    int | float, PlainValidator(_time), WithJsonSchema({"type": "number", "minimum": 0, "maximum": LATEST})
]
Limit = Annotated[int, Field(ge=1, le=1_000)]
Offset = Annotated[int, Field(ge=0, le=_COUNTED)]
Version = Annotated[int, Field(ge=1, le=_COUNTED)]
