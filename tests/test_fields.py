import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.fields import JsonObject, captioned, decoded, encoded, iso, milliseconds
from tests.journal.test_contexts import documents

HALF = "\ud800"


@given(documents)
def test_what_is_encoded_is_decoded_to_the_same(document: dict[str, Any]) -> None:
    again = decoded(encoded(document))
    assert json.dumps(again) == json.dumps(document)


def test_nothing_stored_is_nothing() -> None:
    assert decoded(None) is None
    assert decoded(encoded({})) == {}


@pytest.mark.parametrize("bad", [{HALF: 1}, {"a": [HALF]}, {"a": float("nan")}, {"a": [float("inf")]}])
def test_what_json_cannot_say_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(JsonObject).validate_python(bad)


def test_nesting_beyond_what_python_can_walk_is_refused_as_well() -> None:
    deep: Any = {}
    for _ in range(50_000):
        deep = [deep]
    with pytest.raises(ValidationError, match="nested deeper"):
        TypeAdapter(JsonObject).validate_python({"a": deep})


@given(st.integers(0, 253_402_300_799_999))
def test_an_instant_is_told_in_utc_to_the_millisecond(instant: int) -> None:
    told = iso(instant)
    assert told.endswith("Z")
    assert milliseconds(datetime.fromisoformat(told)) == instant


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
    assert captioned(*parts) == caption
