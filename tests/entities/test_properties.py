import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core.errors import InvalidArgument
from server.core.types import Json
from server.entities.properties import PREFIX, decode, encode
from server.graph.vocabulary import ENTITY_KEYS, RELATION_KEYS

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
keys = text | st.sampled_from(sorted(ENTITY_KEYS | RELATION_KEYS)) | text.map(lambda key: PREFIX + key)
documents = st.dictionaries(keys, values, max_size=6)


def merged(stored: dict[str, Any], encoded: dict[str, Any]) -> dict[str, Any]:
    """What `SET element += $properties` does."""
    return {key: value for key, value in {**stored, **encoded}.items() if value is not None}


def same(one: Json, other: Json) -> bool:
    """Equal in type as well: 1 is not 1.0 and not true."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.proves("ENT-6", "ENT-7")
@given(documents, st.sampled_from([ENTITY_KEYS, RELATION_KEYS]))
def test_any_json_object_survives_encoding_and_decoding(properties: dict[str, Json], reserved: frozenset[str]) -> None:
    ours: dict[str, Any] = dict.fromkeys(reserved, "ours")
    stored = merged(ours, encode(properties, reserved))
    assert same(decode(stored, reserved), properties)
    assert {key: stored[key] for key in reserved} == ours


@pytest.mark.proves("ENT-11")
@given(documents, documents)
def test_merging_twice_equals_the_union_whatever_representation_a_value_had_before(
    first: dict[str, Json], second: dict[str, Json]
) -> None:
    stored = merged(merged({}, encode(first, ENTITY_KEYS)), encode(second, ENTITY_KEYS))
    assert same(decode(stored, ENTITY_KEYS), {**first, **second})


@given(documents)
def test_every_key_that_is_stored_is_one_that_neo4j_can_name(properties: dict[str, Json]) -> None:
    for key in encode(properties, ENTITY_KEYS):
        assert key
        assert "\0" not in key
        assert key not in ENTITY_KEYS


@pytest.mark.parametrize(
    "value",
    [True, 0, -(2**63), 2**63 - 1, 0.5, -0.0, 5e-324, "", "x", [], [1, 2], [1.0, 2.0], ["a"], [True]],
)
def test_a_native_value_is_stored_under_its_own_key(value: Json) -> None:
    assert encode({"key": value}, ENTITY_KEYS) == {"key": value, "json:key": None}


@pytest.mark.parametrize(
    "value", [None, {}, {"a": 1}, [1, 2.0], [1, True], ["a", None], [[1]], [{}], 2**63, -(2**63) - 1, [2**63]]
)
def test_any_other_value_is_stored_as_json(value: Json) -> None:
    assert encode({"key": value}, ENTITY_KEYS) == {"key": None, "json:key": json.dumps(value)}


@pytest.mark.proves("ENT-6")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "NaN"),
        (math.inf, "NaN"),
        ("\ud800", "surrogate"),
        (10**5000, "too many digits"),
        (object(), "not JSON"),
        ("x" * 300_000, "at most 262,144"),
    ],
    ids=["nan", "infinity", "surrogate", "digits", "object", "large"],
)
def test_a_value_that_is_not_json_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        encode({"key": value}, ENTITY_KEYS)


@pytest.mark.proves("ENT-6")
def test_a_hundred_levels_are_stored_and_more_are_refused() -> None:
    value: Json = 1
    for _ in range(99):
        value = [value]
    assert decode(merged({}, encode({"key": value}, ENTITY_KEYS)), ENTITY_KEYS) == {"key": value}
    with pytest.raises(InvalidArgument, match="deeper than 100 levels"):
        encode({"key": [[value]]}, ENTITY_KEYS)


@pytest.mark.proves("ENT-6")
def test_a_document_nested_ten_thousand_levels_deep_is_refused_not_a_crash() -> None:
    value: Json = 1
    for _ in range(10_000):
        value = {"a": value}
    with pytest.raises(InvalidArgument, match="nested"):
        encode({"key": value}, ENTITY_KEYS)
