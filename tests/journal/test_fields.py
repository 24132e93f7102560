import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.journal.fields import JsonObject, Number, Time, decoded, encoded
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


@given(st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_stays_what_it_is(number: float) -> None:
    validated = TypeAdapter(Number).validate_python(number)
    assert type(validated) is type(number)
    assert json.dumps(validated) == json.dumps(number)


@pytest.mark.parametrize("bad", [True, "1", None, 2**63, -(2**63), float("nan"), float("inf"), [1]])
def test_what_is_no_number_or_fits_no_property_is_refused(bad: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Number).validate_python(bad)


@pytest.mark.parametrize("bad", [-1, -0.5, 8_640_000_000_000_001, True])
def test_a_time_lies_where_dates_are(bad: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Time).validate_python(bad)
