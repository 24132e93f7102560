"""JSON properties on a node or relationship of Neo4j, and back, exactly.

A value that Neo4j holds natively (boolean, 64-bit integer, finite float, string, list of one of these) stands as itself
under its own key. Everything else (null, objects, mixed or nested lists, larger integers) and every key that is ours or
that Neo4j cannot name stands as JSON text under `json:` + the key as JSON writes it inside quotes.

Source: issue "A body" section 6, "any … property key or value that JSON can hold survives a round trip exactly".
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

from server.errors import InvalidArgument
from server.fields import require_json
from server.types import Json

PREFIX = "json:"
LARGEST = 256 * 1024
"""Most bytes of JSON that the properties of one node or relationship may take."""

_INT64 = range(-(2**63), 2**63)


def encode(properties: Mapping[str, Json], reserved: Collection[str]) -> dict[str, Any]:
    """The map for `SET element += $properties` that merges these properties into an element.

    `reserved` are our own keys on such an element. A key's other representation is set to null, so that a value which
    moves between the two leaves nothing behind, without reading first. Raises `InvalidArgument` for what JSON or
    Unicode cannot hold, for more than 256 kB, and for more than 100 levels.
    """
    try:
        require_json(properties, LARGEST)
    except ValueError as refused:
        raise InvalidArgument(f"properties: {refused}.") from None
    encoded: dict[str, Any] = {}
    for key, value in properties.items():
        beside = PREFIX + json.dumps(key, ensure_ascii=False)[1:-1]
        possible = key != "" and "\0" not in key and not key.startswith(PREFIX) and key not in reserved
        if possible and _native(value):
            encoded[key], encoded[beside] = value, None
        else:
            encoded[beside] = json.dumps(value, ensure_ascii=False)
            if possible:
                encoded[key] = None
    return encoded


def decode(stored: Mapping[str, Any], reserved: Collection[str]) -> dict[str, Json]:
    """The agent's properties, from all properties of an element.

    A date, a point and the like, which only a person can have put there, reads as its text.
    """
    return {
        json.loads(f'"{key.removeprefix(PREFIX)}"') if key.startswith(PREFIX) else key: (
            json.loads(value) if key.startswith(PREFIX) else _plain(value)
        )
        for key, value in stored.items()
        if key not in reserved
    }


def _plain(value: Any) -> Json:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


def _native(value: Json) -> bool:
    """Whether Neo4j gives back exactly this: it turns a list of integers and floats into floats alone."""
    if isinstance(value, list):
        return len({type(item) for item in value}) <= 1 and all(_scalar(item) for item in value)
    return _scalar(value)


def _scalar(value: Json) -> bool:
    match value:
        case bool() | str():
            return True
        case int():
            return value in _INT64
        case float():
            return math.isfinite(value)
        case _:
            return False
