"""An answer is bounded, and says what it left out."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent

from server.mcp.answers import Continuation, failure, success


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.proves("SVC-48")
@given(st.lists(st.dictionaries(st.text(max_size=20), st.text(max_size=200), max_size=5), max_size=60))
def test_a_long_list_is_cut_to_the_limit_and_keeps_its_first_items(items: list[dict[str, str]]) -> None:
    result = success({"items": items, "total": len(items)}, many="items", limit=2000)
    answer = result.structured_content
    assert answer is not None
    assert json.loads(_text(result)) == answer
    kept = answer["items"]
    assert kept == items[: len(kept)]
    assert kept or not items, "what is stored can be read, however large it is"
    assert answer["total"] == len(items)
    if len(kept) < len(items):
        assert answer["truncated"] is True
        assert answer["left_out"].startswith(f"{len(items) - len(kept)} more items")
        assert len(kept) == 1 or len(_text(result).encode()) <= 2000
    else:
        assert "left_out" not in answer


def test_an_answer_without_a_list_is_not_cut() -> None:
    answer: dict[str, Any] = {"text": "x" * 5000}
    assert success(answer, many=None, limit=1000).structured_content == answer


@pytest.mark.proves("SVC-48")
def test_a_first_item_larger_than_the_limit_is_not_cut() -> None:
    answer: dict[str, Any] = {"items": [{"text": "x" * 5000}, {"text": "y"}]}
    first = success(answer, many="items", limit=1000).structured_content
    assert first is not None
    assert first["items"] == answer["items"][:1]
    assert first["truncated"] is True
    alone = {"items": answer["items"][:1]}
    assert success(alone, many="items", limit=1000).structured_content == alone


@pytest.mark.proves("SVC-34")
def test_a_family_with_texts_of_its_own_returns_them_as_blocks() -> None:
    answer: dict[str, Any] = {"items": [{"n": n, "text": "x" * 100} for n in range(20)]}
    result = success(answer, many="items", limit=1000, texts=lambda cut: ("Found", cut["items"], None))
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    assert result.structured_content is not None
    assert texts[0] == "Found"
    assert json.loads(texts[1]) == result.structured_content["items"] != answer["items"]
    assert texts[2:] == ["null", result.structured_content["left_out"]]


@pytest.mark.proves("SVC-34")
def test_text_and_structured_content_say_the_same() -> None:
    result = success({"name": "Überraschung 🎉", "big": 2**80}, many=None, limit=1000)
    assert json.loads(_text(result)) == result.structured_content
    assert "🎉" in _text(result), "readable, not escaped"


def test_a_failure_is_marked_as_one() -> None:
    result = failure({"status": "error", "message": "no"})
    assert result.is_error
    assert json.loads(_text(result)) == {"status": "error", "message": "no"}


def _page(offset: int) -> Continuation:
    return Continuation(lambda items: offset + len(items))


def _pages(items: list[Any], *, asked: int, limit: int) -> list[Any]:
    """What a client receives that asks for so many at once and goes on where each answer says."""
    received: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        whole = {"items": items[offset : offset + asked], "total": len(items)}
        answer = success(whole, many="items", limit=limit, page=_page(offset)).structured_content
        assert answer is not None
        assert answer["items"] or not items
        received += answer["items"]
        offset = answer.get("next_offset")
    return received


@pytest.mark.proves("SVC-49")
@given(st.lists(st.text(max_size=300), max_size=60), st.integers(1, 70))
def test_calls_with_next_offset_return_every_item_once(items: list[str], asked: int) -> None:
    assert _pages(items, asked=asked, limit=1000) == items


@pytest.mark.proves("SVC-49")
def test_every_page_but_the_last_has_next_offset() -> None:
    first = success({"items": [1, 2], "total": 3}, many="items", limit=1000, page=_page(0)).structured_content
    last = success({"items": [3], "total": 3}, many="items", limit=1000, page=_page(2)).structured_content
    assert first == {"items": [1, 2], "total": 3, "next_offset": 2}
    assert last == {"items": [3], "total": 3}


@pytest.mark.proves("SVC-49")
def test_a_text_of_its_own_says_where_the_list_continues() -> None:
    answer: dict[str, Any] = {"items": [{"n": n, "text": "x" * 100} for n in range(20)], "total": 20}
    cut = success(answer, many="items", limit=1000, page=_page(100), texts=lambda left: (left["items"],))
    assert cut.structured_content is not None
    following = cut.structured_content["next_offset"]
    assert following == 100 + len(cut.structured_content["items"])
    texts = [block.text for block in cut.content if isinstance(block, TextContent)]
    assert f"call again with offset {following}." in texts[1]
    whole = success(answer | {"total": 200}, many="items", limit=10_000, page=_page(100), texts=lambda left: ("x",))
    texts = [block.text for block in whole.content if isinstance(block, TextContent)]
    assert texts == ["x", "next_offset: 120"]


@pytest.mark.proves("SVC-48")
def test_the_limit_counts_an_answer_once() -> None:
    answer: dict[str, Any] = {"items": ["x" * 90 for _ in range(10)]}
    size = len(json.dumps(answer, separators=(",", ":")))
    whole = success(answer, many="items", limit=size)
    assert whole.structured_content == answer
    assert _text(whole) == json.dumps(answer, separators=(",", ":"))
