"""The two forms of an answer: structured content, and the same JSON as text, both bounded."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, ReadResourceResult, TextContent, TextResourceContents

from server.resources import JSON_TYPE
from server.tools import Texts


def success(answer: dict[str, Any], *, many: str | None, limit: int, texts: Texts | None = None) -> CallToolResult:
    """Returns a result of at most `limit` bytes of JSON, cutting the list `many` where it must, and saying so.

    A cut answer carries `truncated: true` and `left_out`, a sentence with the number of items that did not fit. The
    first item is never cut: what is stored can be read, however large it is. `texts` makes the text blocks of the
    answer that is left, and the sentence comes after them.
    """
    if len(_json(answer).encode()) > limit and many and answer.get(many):
        answer = _cut(answer, many, limit)
    blocks = texts(answer) if texts else (answer,)
    if texts and "left_out" in answer:
        blocks += (answer["left_out"],)
    return CallToolResult(
        content=[TextContent(type="text", text=_text(block)) for block in blocks], structured_content=answer
    )


def failure(envelope: Mapping[str, Any]) -> CallToolResult:
    """Returns an error in its family's form."""
    answer = dict(envelope)
    return CallToolResult(
        content=[TextContent(type="text", text=_json(answer))], structured_content=answer, is_error=True
    )


def contents(uri: str, answer: Mapping[str, Any], *, limit: int) -> ReadResourceResult:
    """Returns what a resource answers, or its error, as JSON; the list `contents` is cut as `success` cuts one."""
    whole = dict(answer)
    if len(_json(whole).encode()) > limit and whole.get("contents"):
        whole = _cut(whole, "contents", limit)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON_TYPE, text=_json(whole))])


def _text(block: Any) -> str:
    return block if isinstance(block, str) else _json(block)


def _cut(answer: dict[str, Any], many: str, limit: int) -> dict[str, Any]:
    items: list[Any] = answer[many]
    rest = {**answer, many: [], "truncated": True, "left_out": _left_out(len(items), many)}
    room = limit - len(_json(rest).encode())
    kept: list[Any] = []
    for item in items:
        room -= len(_json(item).encode()) + 1
        if room < 0 and kept:
            break
        kept.append(item)
    if len(kept) == len(items):
        return answer
    return {**rest, many: kept, "left_out": _left_out(len(items) - len(kept), many)}


def _left_out(count: int, many: str) -> str:
    return f"{count} more {many} did not fit into this answer; ask for fewer or filter."


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
