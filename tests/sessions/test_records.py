"""A line of an archive: what is written is read back the same, and whatever else is refused or made to fit."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.fields import milliseconds
from server.sessions.records import LineError, read, write
from server.vectors.store import unpacked

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_DIMENSION = 4
_NO_TIMES: list[Any] = ["", "soon", None, True, 10**30, 1.5, "9999-12-31T23:59:59.999Z"]
_OURS = ["session_id", "created_at", "memory_count", "id", "name", "label", "vector", "extra"]
"""What we call things ourselves, and others may call theirs."""
_NO_VECTORS: list[Any] = ["x", [1, "2", 3, 4], [None] * 4, {}]
_MEMORY = {"sessionId": "s", "timestamp": "2025-10-08T12:00:00.000Z", "prompt": "p", "thought": "t", "response": "r"}


def _line(**more: Any) -> bytes:
    return json.dumps({"id": "mem_1", "metadata": _MEMORY, "embedding": [1, 0, 0, 0], **more}).encode()


def _again(line: bytes) -> bytes:
    """What is written of what was read."""
    record = read(line, "model", _DIMENSION)
    row = {"session_id": None, **record.properties}
    return write(record.of, row, milliseconds(row["created_at"]), unpacked(row["vector"]), "model")


@given(
    id_=_TEXT.filter(bool),
    said=st.tuples(_TEXT, _TEXT, _TEXT),
    numbers=st.lists(st.floats(-1, 1, width=32), min_size=_DIMENSION, max_size=_DIMENSION).filter(any),
    extra=st.dictionaries(
        _TEXT.filter(lambda name: name not in {*_MEMORY, "type"}) | st.sampled_from(_OURS), _JSON, max_size=3
    ),
)
def test_what_was_read_is_written_as_it_was(
    id_: str, said: tuple[str, str, str], numbers: list[float], extra: dict[str, Any]
) -> None:
    metadata = {**_MEMORY, **dict(zip(("prompt", "thought", "response"), said, strict=True)), **extra}
    try:
        once = _again(_line(id=id_, metadata=metadata, embedding=numbers))
    except LineError as error:
        assert "not finite" in str(error) or "length" in str(error)
        return
    assert _again(once) == once
    told = json.loads(once)
    assert told["metadata"] == {**metadata, "type": "agent-interaction"}
    assert told["id"] == id_


@pytest.mark.parametrize("name", ["session_id", "memory_count", "type", "method_"])
def test_what_a_summary_calls_like_ours_comes_back_and_leaves_ours_alone(name: str) -> None:
    metadata = {
        "sessionId": "s",
        "timestamp": "2025-10-08T12:00:00.000Z",
        "title": "T",
        "memoryCount": 3,
        name: "theirs",
    }
    record = read(_line(id="summary_s", document="d", metadata=metadata), "model", _DIMENSION)
    assert (record.properties["session_id"], record.properties["memory_count"]) == ("s", 3)
    assert json.loads(record.properties["extra"]) == {name: "theirs"}


def test_the_mark_that_some_editors_begin_a_file_with_is_none_of_the_line() -> None:
    assert read(b"\xef\xbb\xbf" + _line(), "model", _DIMENSION).id == "mem_1"


@pytest.mark.parametrize("vector", [None, [], [1, 2], [0, 0, 0, 0], [1e308, 1e308, 0, 0]])
def test_a_vector_that_cannot_be_used_is_left_to_the_model(vector: Any) -> None:
    assert "vector" not in read(_line(embedding=vector), "model", _DIMENSION).properties


def test_a_vector_of_another_model_is_left_to_ours() -> None:
    assert "vector" not in read(_line(model="another"), "model", _DIMENSION).properties
    assert "vector" in read(_line(model="model"), "model", _DIMENSION).properties


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
def test_a_line_that_is_none_is_refused(line: bytes) -> None:
    with pytest.raises(LineError):
        read(line, "model", _DIMENSION)
