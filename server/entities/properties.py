"""Conversion of JSON properties to properties of a Neo4j node or relationship, and back, without loss.

A value of a native type (boolean, 64-bit integer, finite float, string, list of one of these) is stored under its own
key. Other values (null, objects, mixed or nested lists, larger integers) are stored as JSON text under `json:` + key.
So are the values of reserved keys and of keys that Neo4j does not allow.

Source: ENT-6, ENT-7.
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

from server.core.errors import InvalidArgument
from server.core.fields import require_json
from server.core.types import Json

PREFIX = "json:"
LARGEST = 256 * 1024
"""Greatest number of bytes that the JSON of the properties of one node or relationship may have."""

_INT64 = range(-(2**63), 2**63)


def encode(properties: Mapping[str, Json], reserved: Collection[str]) -> dict[str, Any]:
    """Return the map for `SET element += $properties` that merges these properties into an element.

    `reserved` are the service's own keys on such an element. The other representation of each key is set to null, so a
    value that changes its representation leaves no old one. Raises `InvalidArgument` for values that are not valid JSON
    or Unicode, for more than 256 kB, and for more than 100 levels.
    """
    try:
        require_json(properties, LARGEST)
    except ValueError as refused:
        raise InvalidArgument(f"properties: {refused}.") from None
    encoded: dict[str, Any] = {}
    for key, value in properties.items():
        json_key = PREFIX + json.dumps(key, ensure_ascii=False)[1:-1]
        is_native_key = key != "" and "\0" not in key and not key.startswith(PREFIX) and key not in reserved
        if is_native_key and _is_native(value):
            encoded[key], encoded[json_key] = value, None
        else:
            encoded[json_key] = json.dumps(value, ensure_ascii=False)
            if is_native_key:
                encoded[key] = None
    return encoded


def decode(stored: Mapping[str, Any], reserved: Collection[str]) -> dict[str, Json]:
    """Return the agent's properties, from all properties of an element.

    A date, a point or another native type, which only a person can have stored, is returned as text.
    """
    return {
        json.loads(f'"{key.removeprefix(PREFIX)}"') if key.startswith(PREFIX) else key: (
            json.loads(value) if key.startswith(PREFIX) else _to_json(value)
        )
        for key, value in stored.items()
        if key not in reserved
    }


def _to_json(value: Any) -> Json:
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


def _is_native(value: Json) -> bool:
    """Whether Neo4j returns the value unchanged; it converts a list of integers and floats to floats."""
    if isinstance(value, list):
        return len({type(item) for item in value}) <= 1 and all(_is_native_scalar(item) for item in value)
    return _is_native_scalar(value)


def _is_native_scalar(value: Json) -> bool:
    match value:
        case bool() | str():
            return True
        case int():
            return value in _INT64
        case float():
            return math.isfinite(value)
        case _:
            return False
