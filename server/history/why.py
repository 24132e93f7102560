"""Why something is decided as it is: what is in force, and what led to it, in one answer. Source: HIS-1 to HIS-5."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from server.core.errors import NotFound
from server.core.types import Row
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.history.why_models import Explanation, Option, Reasoned, Why
from server.interface.times import Moment

SIZE_LIMIT = 12_000
"""Bytes of the JSON of an answer."""
_MOST = 60
"""Decisions and proposals that are read."""
_LENGTHS = (4_000, 2_000, 1_000, 500, 250, 120)
"""Characters of a text: the first length with which the answer is small enough."""
_LISTS = ("earlier", "proposals", "planned", "in_force")
"""Which list loses items first where short texts are still too much."""


async def explain(graph: Graph, request: Why, namespace: str, now: datetime) -> Explanation:
    """Return what is in force for a target or beside a decision, and what led to it; raise `NotFound`."""
    moment = request.moment or Moment(now, now)
    row = await graph.row(
        "history/why",
        namespace=namespace,
        **moment.parameters,
        name=request.of,
        key=comparison_key(request.of),
        most=_MOST,
        text=_LENGTHS[0],
    )
    if not row["rows"]:
        then = " was known then" if request.as_of else ""
        raise NotFound(
            f"No decision or proposal about this target or with this id{then or ' exists'}: "
            f"{json.dumps(request.of[:200], ensure_ascii=False)}. search_decisions finds decisions by words.",
            {"unknown": [request.of]},
        )
    return fit_explanation(_sort(row["rows"]), request.of, row["total"] - len(row["rows"]))


def fit_explanation(lists: dict[str, list[Row]], asked: str, unread: int) -> Explanation:
    """Build the answer in at most 12 kB: texts are cut first, then the oldest items are left out."""
    for length in _LENGTHS:
        answer = _build(lists, asked, length, {"earlier": unread} if unread else {})
        if _count_bytes(answer) <= SIZE_LIMIT:
            return answer
    left = {name: list(rows) for name, rows in lists.items()}
    more = {"earlier": unread} if unread else {}
    while True:
        name = next(name for name in _LISTS if len(left[name]) > (name == "in_force"))
        left[name].pop()
        more[name] = more.get(name, 0) + 1
        answer = _build(left, asked, _LENGTHS[-1], more)
        if _count_bytes(answer) <= SIZE_LIMIT or sum(map(len, left.values())) <= 1:
            return answer


def _sort(rows: Sequence[Row]) -> dict[str, list[Row]]:
    decided = [row for row in rows if row["kind"] == "decision"]
    active = [row for row in decided if row["status"] == "active"]
    return {
        "in_force": [row for row in active if row["begun"]],
        "planned": [row for row in active if not row["begun"]],
        "earlier": [row for row in decided if row["status"] != "active"],
        "proposals": [row for row in rows if row["kind"] == "proposal"],
    }


def _build(lists: dict[str, list[Row]], asked: str, length: int, more: dict[str, int]) -> Explanation:
    is_cut = any(_has_longer(row, length) for rows in lists.values() for row in rows)
    built = {name: [_to_reasoned(row, length, name) for row in rows] for name, rows in lists.items()}
    first = next(row for name in ("in_force", "planned", "earlier", "proposals") for row in lists[name])
    return Explanation(
        message=_format_message(lists, length if is_cut else None, more),
        target=first["target"] or asked,
        **built,
        cut_at=length if is_cut else None,
        more=more,
    )


def _has_longer(row: Row, length: int) -> bool:
    texts = [row["why"], row["rejected"] or "", (row["replaced_by"] or {}).get("why", "")]
    return any(len(text) > length for text in [*texts, *_list_texts(row["why_not"])])


def _to_reasoned(row: Row, length: int, name: str) -> Reasoned:
    # Of what is no longer in force, the reason and its end count; get_decisions returns the rest.
    is_whole = name != "earlier"
    replaced_by = row["replaced_by"]
    return Reasoned(
        **{key: row[key] for key in ("id", "status", "origin", "by", "became")},
        title=_cut(row["title"], 200),
        target=_cut(row["target"], 200),
        at=_parse_time(row["at"]),
        effective_at=_parse_time(row["effective_at"]),
        valid_until=_parse_time(row["valid_until"]),
        why=_cut(row["why"], length),
        alternatives=_list_options(row, length) if is_whole else [],
        evidence=row["evidence"][:20] if is_whole else [],
        requires=row["requires"][:20] if is_whole else [],
        replaced_by=replaced_by
        and {**replaced_by, "at": _parse_time(replaced_by["at"]), "why": _cut(replaced_by["why"], min(length, 500))},
        rejected=row["rejected"] and _cut(row["rejected"], length),
    )


def _list_options(row: Row, length: int) -> list[Option]:
    options, reasons = _list_texts(row["alternatives"]), _list_texts(row["why_not"])
    reasons += [""] * (len(options) - len(reasons))
    return [
        Option(option=_cut(option, 200), why_not=_cut(why, length))
        for option, why in zip(options, reasons, strict=False)
    ]


def _list_texts(stored: Any) -> list[str]:
    if stored is None:
        return []
    return [str(each) for each in stored] if isinstance(stored, list) else [str(stored)]


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _parse_time(text: str | None) -> datetime | None:
    try:
        return None if text is None else datetime.fromisoformat(text.partition("[")[0])
    except ValueError:
        return None


def _format_message(lists: dict[str, list[Row]], length: int | None, more: dict[str, int]) -> str:
    in_force = len(lists["in_force"])
    message = "1 decision is in force" if in_force == 1 else f"{in_force} decisions are in force"
    earlier = len(lists["earlier"])
    message += f", {earlier} {'was' if earlier == 1 else 'were'} before."
    if length is not None or more:
        message += " Texts or items are left out (cut_at, more); get_decisions returns decisions in full."
    return message


def _count_bytes(answer: Explanation) -> int:
    return len(json.dumps(answer.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")).encode())
