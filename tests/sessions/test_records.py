"""Lines of an export file: round trip, refused lines, and values that are corrected."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core.fields import to_milliseconds
from server.sessions.records import LineError, format_line, parse_line
from server.vectors.store import unpack_vector

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_DIMENSION = 4
_NO_TIMES: list[Any] = ["", "soon", None, True, 10**30, 1.5, "9999-12-31T23:59:59.999Z"]
_OURS = ["session_id", "created_at", "memory_count", "id", "name", "label", "vector", "extra"]
"""Names of our own properties that unknown metadata may have as well."""
_NO_VECTORS: list[Any] = ["x", [1, "2", 3, 4], [None] * 4, {}]
_MEMORY = {"sessionId": "s", "timestamp": "2025-10-08T12:00:00.000Z", "prompt": "p", "thought": "t", "response": "r"}


def _line(**more: Any) -> bytes:
    return json.dumps({"id": "mem_1", "metadata": _MEMORY, "embedding": [1, 0, 0, 0], **more}).encode()


def _reformat(line: bytes) -> bytes:
    """Parse a line and format it again."""
    record = parse_line(line, "model", _DIMENSION)
    row = {"session_id": None, **record.properties}
    return format_line(record.of, row, to_milliseconds(row["created_at"]), unpack_vector(row["vector"]), "model")


@pytest.mark.proves("SES-47", "SES-52")
@given(
    id_=_TEXT.filter(bool),
    said=st.tuples(_TEXT, _TEXT, _TEXT),
    numbers=st.lists(st.floats(-1, 1, width=32), min_size=_DIMENSION, max_size=_DIMENSION).filter(any),
    extra=st.dictionaries(
        _TEXT.filter(lambda name: name not in {*_MEMORY, "type"}) | st.sampled_from(_OURS), _JSON, max_size=3
    ),
)
def test_a_parsed_line_is_formatted_unchanged(
    id_: str, said: tuple[str, str, str], numbers: list[float], extra: dict[str, Any]
) -> None:
    metadata = {**_MEMORY, **dict(zip(("prompt", "thought", "response"), said, strict=True)), **extra}
    try:
        once = _reformat(_line(id=id_, metadata=metadata, embedding=numbers))
    except LineError as error:
        assert "not finite" in str(error) or "length" in str(error)
        return
    assert _reformat(once) == once
    line = json.loads(once)
    assert line["metadata"] == {**metadata, "type": "agent-interaction"}
    assert line["id"] == id_


@pytest.mark.proves("SES-52")
@pytest.mark.parametrize("name", ["session_id", "memory_count", "type", "method_"])
def test_metadata_with_the_name_of_our_property_is_stored_beside_it(name: str) -> None:
    metadata = {
        "sessionId": "s",
        "timestamp": "2025-10-08T12:00:00.000Z",
        "title": "T",
        "memoryCount": 3,
        name: "theirs",
    }
    record = parse_line(_line(id="summary_s", document="d", metadata=metadata), "model", _DIMENSION)
    assert (record.properties["session_id"], record.properties["memory_count"]) == ("s", 3)
    assert json.loads(record.properties["extra"]) == {name: "theirs"}


def test_a_byte_order_mark_is_ignored() -> None:
    assert parse_line(b"\xef\xbb\xbf" + _line(), "model", _DIMENSION).id == "mem_1"


@pytest.mark.proves("SES-51")
@pytest.mark.parametrize("vector", [None, [], [1, 2], [0, 0, 0, 0], [1e308, 1e308, 0, 0]])
def test_an_unusable_vector_is_ignored(vector: Any) -> None:
    assert "vector" not in parse_line(_line(embedding=vector), "model", _DIMENSION).properties


@pytest.mark.proves("SES-51")
def test_a_vector_of_another_model_is_ignored() -> None:
    assert "vector" not in parse_line(_line(model="another"), "model", _DIMENSION).properties
    assert "vector" in parse_line(_line(model="model"), "model", _DIMENSION).properties


@pytest.mark.proves("SES-46")
@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"{", b"[]", b"null", b"{}", b'{"id":"x"}', b'{"id":"x","metadata":{}}', b'\xff{"id":"x"}'),
        *(b'{"id":"\\ud800","metadata":{}}', b"[" * 10_000, b'{"id":NaN}'),
        *(_line(id=value) for value in ("", 1, None, "x" * 1_001)),
        *(_line(collection=value) for value in ("", "other", 1)),
        *(_line(embedding=value) for value in _NO_VECTORS),
        *(_line(metadata={**_MEMORY, "timestamp": value}) for value in _NO_TIMES),
        *(_line(metadata={**_MEMORY, "sessionId": value}) for value in ("", " ", None, 1)),
        *(_line(metadata={**_MEMORY, "prompt": value}) for value in (None, 1, ["p"])),
    ],
)
def test_an_invalid_line_is_refused(line: bytes) -> None:
    with pytest.raises(LineError):
        parse_line(line, "model", _DIMENSION)
