"""An answer is bounded, and says what it left out."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent

from server.mcp.answers import failure, success


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


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


def test_an_answer_without_a_list_is_left_whole() -> None:
    answer: dict[str, Any] = {"text": "x" * 5000}
    assert success(answer, many=None, limit=1000).structured_content == answer


def test_an_item_larger_than_any_answer_is_read_whole() -> None:
    answer: dict[str, Any] = {"items": [{"text": "x" * 5000}, {"text": "y"}]}
    first = success(answer, many="items", limit=1000).structured_content
    assert first is not None
    assert first["items"] == answer["items"][:1]
    assert first["truncated"] is True
    alone = {"items": answer["items"][:1]}
    assert success(alone, many="items", limit=1000).structured_content == alone


def test_a_family_with_texts_of_its_own_says_them_block_by_block() -> None:
    answer: dict[str, Any] = {"items": [{"n": n, "text": "x" * 100} for n in range(20)]}
    result = success(answer, many="items", limit=1000, texts=lambda cut: ("Found", cut["items"], None))
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    assert result.structured_content is not None
    assert texts[0] == "Found"
    assert json.loads(texts[1]) == result.structured_content["items"] != answer["items"]
    assert texts[2:] == ["null", result.structured_content["left_out"]]


def test_text_and_structured_content_say_the_same() -> None:
    result = success({"name": "Überraschung 🎉", "big": 2**80}, many=None, limit=1000)
    assert json.loads(_text(result)) == result.structured_content
    assert "🎉" in _text(result), "readable, not escaped"


def test_a_failure_is_marked_as_one() -> None:
    result = failure({"status": "error", "message": "no"})
    assert result.is_error
    assert json.loads(_text(result)) == {"status": "error", "message": "no"}
