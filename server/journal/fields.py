"""The kinds of text and number that journal tools take, each with its limits.

Indexed identifiers are short, so that every index key fits into Neo4j. Source: JRN-14, JRN-38, JRN-41.
"""

import math
from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from server.core.fields import LONGEST_TEXT, NonBlankText

LATEST = 8_640_000_000_000_000
"""The greatest time, in milliseconds, that a JavaScript `Date` can hold."""
_LARGEST = 2**63 - 1
_LARGEST_EXACT = 2**53 - 1


def _validate_number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("is not a number")  # noqa: TRY004 - pydantic reports ValueError only
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is not finite")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("is an integer of more than 64 bits; write it as a decimal number")
    return value


def _validate_time(value: object) -> int | float:
    number = _validate_number(value)
    if not 0 <= number <= LATEST:
        raise ValueError(f"is not between 0 and {LATEST}")
    return number


AgentId = Annotated[str, Field(min_length=1, max_length=500), NonBlankText]
Key = Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText]
"""An id, or the name of a type."""
Line = Annotated[str, Field(max_length=10_000)]
Prose = Annotated[str, Field(max_length=100_000)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Number = Annotated[int | float, PlainValidator(_validate_number), WithJsonSchema({"type": "number"})]
"""Integers stay integers, decimal numbers stay decimal numbers."""
Time = Annotated[
    int | float, PlainValidator(_validate_time), WithJsonSchema({"type": "number", "minimum": 0, "maximum": LATEST})
]
Limit = Annotated[int, Field(ge=1, le=1_000)]
Offset = Annotated[int, Field(ge=0, le=_LARGEST_EXACT)]
Version = Annotated[int, Field(ge=1, le=_LARGEST_EXACT)]
