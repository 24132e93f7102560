import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.core.fields import JsonObject, decode_json, encode_json, format_caption, format_time, to_milliseconds
from tests.journal.test_contexts import documents

HALF = "\ud800"


@given(documents)
def test_decoding_returns_the_encoded_value(document: dict[str, Any]) -> None:
    again = decode_json(encode_json(document))
    assert json.dumps(again) == json.dumps(document)


def test_nothing_stored_is_nothing() -> None:
    assert decode_json(None) is None
    assert decode_json(encode_json({})) == {}


@pytest.mark.parametrize("bad", [{HALF: 1}, {"a": [HALF]}, {"a": float("nan")}, {"a": [float("inf")]}])
def test_a_value_that_json_cannot_express_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(JsonObject).validate_python(bad)


def test_nesting_that_is_too_deep_for_recursion_is_refused() -> None:
    deep: Any = {}
    for _ in range(50_000):
        deep = [deep]
    with pytest.raises(ValidationError, match="nested deeper"):
        TypeAdapter(JsonObject).validate_python({"a": deep})


@given(st.integers(0, 253_402_300_799_999))
def test_a_time_is_formatted_in_utc_to_the_millisecond(instant: int) -> None:
    told = format_time(instant)
    assert told.endswith("Z")
    assert to_milliseconds(datetime.fromisoformat(told)) == instant


@pytest.mark.parametrize(
    ("parts", "caption"),
    [
        (("a", "b"), "a: b"),
        (("a", None, " "), "a"),
        ((" several\n lines\tof ",), "several lines of"),
        (("x" * 100,), "x" * 79 + "…"),
        ((" ",), ""),
    ],
)
def test_a_caption_is_one_short_line(parts: tuple[str | None, ...], caption: str) -> None:
    assert format_caption(*parts) == caption
