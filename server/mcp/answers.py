"""The two forms of an answer: structured content, and the same JSON as text, both limited in size.

The limit counts the JSON once, because a client shows a model only one of the two forms (docs/decisions/0019).

Source: SVC-34, SVC-48, SVC-49.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, ReadResourceResult, TextContent, TextResourceContents

from server.interface.resources import JSON_TYPE
from server.interface.tools import Texts

Items = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Continuation:
    """How a list continues: `after` returns the offset that follows the items of an answer.

    `total` names the field with the number of items of all pages together.
    """

    after: Callable[[Items], int]
    total: str = "total"


class JsonResult(CallToolResult):
    """A result whose only text is the JSON of its structured content, so that it need not be written twice."""


def success(
    answer: dict[str, Any],
    *,
    many: str | None,
    limit: int,
    page: Continuation | None = None,
    texts: Texts | None = None,
) -> CallToolResult:
    """Return a result of at most `limit` bytes of JSON; the list `many` is cut where the answer is larger.

    A cut answer has `truncated: true` and `left_out`, a sentence with the number of items that did not fit. The first
    item always stays, so that every record can be read. Where the list continues, the answer has `next_offset`; a call
    with this offset misses no item and repeats none. `texts` makes the text blocks of the cut answer; the note about
    the rest follows them.
    """
    json_text = None
    if many and answer.get(many):
        json_text = _json(answer)
        if len(json_text.encode()) > limit:
            answer, json_text = _cut(answer, many, limit, page), None
        elif page and isinstance(answer.get(page.total), int) and page.after(answer[many]) < answer[page.total]:
            answer, json_text = {**answer, "next_offset": page.after(answer[many])}, None
    if texts is None:
        return _to_result(answer, json_text)
    blocks = texts(answer)
    if rest := _describe_rest(answer):
        blocks += (rest,)
    return CallToolResult(
        content=[TextContent(type="text", text=_text(block)) for block in blocks], structured_content=answer
    )


def failure(envelope: Mapping[str, Any]) -> CallToolResult:
    """Return an error in the form of its family."""
    return _to_result(dict(envelope), is_error=True)


def contents(uri: str, answer: Mapping[str, Any], *, limit: int) -> ReadResourceResult:
    """Return the answer of a resource, or its error, as JSON; the list `contents` is cut as in `success`."""
    body = dict(answer)
    if len(_json(body).encode()) > limit and body.get("contents"):
        body = _cut(body, "contents", limit)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON_TYPE, text=_json(body))])


def _to_result(answer: dict[str, Any], json_text: str | None = None, *, is_error: bool = False) -> JsonResult:
    text = TextContent(type="text", text=_json(answer) if json_text is None else json_text)
    return JsonResult(content=[text], structured_content=answer, is_error=is_error)


def _text(block: Any) -> str:
    return block if isinstance(block, str) else _json(block)


def _cut(answer: dict[str, Any], many: str, limit: int, page: Continuation | None = None) -> dict[str, Any]:
    items: list[Any] = answer[many]

    def cut_after(count: int, left: int) -> dict[str, Any]:
        following = None if page is None else page.after(items[:count])
        cut = {**answer, many: items[:count], "truncated": True, "left_out": _left_out(left, many, following)}
        return cut if following is None else {**cut, "next_offset": following}

    room = limit - len(_json({**cut_after(len(items), len(items)), many: []}).encode())
    kept = 0
    for item in items:
        room -= len(_json(item).encode()) + 1
        if room < 0 and kept:
            break
        kept += 1
    return answer if kept == len(items) else cut_after(kept, len(items) - kept)


def _left_out(count: int, many: str, following: int | None) -> str:
    advice = "ask for fewer or filter" if following is None else f"call again with offset {following}"
    return f"{count} more {many} did not fit into this answer; {advice}."


def _describe_rest(answer: Mapping[str, Any]) -> str | None:
    """The note about the items of a list that an answer does not contain."""
    if "left_out" in answer:
        return str(answer["left_out"])
    following = answer.get("next_offset")
    return None if following is None else f"next_offset: {following}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
