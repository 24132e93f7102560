import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.journal.fields import Number, Time


@pytest.mark.proves("JRN-41")
@given(st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_value_and_type(number: float) -> None:
    validated = TypeAdapter(Number).validate_python(number)
    assert type(validated) is type(number)
    assert json.dumps(validated) == json.dumps(number)


@pytest.mark.proves("JRN-41")
@pytest.mark.parametrize("bad", [True, "1", None, 2**63, -(2**63), float("nan"), float("inf"), [1]])
def test_invalid_numbers_are_refused(bad: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Number).validate_python(bad)


@pytest.mark.proves("JRN-41")
@pytest.mark.parametrize("bad", [-1, -0.5, 8_640_000_000_000_001, True])
def test_times_outside_of_the_range_of_dates_are_refused(bad: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Time).validate_python(bad)
