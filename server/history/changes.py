"""What was changed, by whom and when, newest first. Source: HIS-11 to HIS-15."""

import re
from datetime import UTC, datetime
from typing import Any

from server.core.errors import InvalidArgument, NotFound
from server.core.fields import format_time, to_milliseconds
from server.core.principals import Principal
from server.core.types import Row
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.history.change_models import ChangeItem, Changes, ListChanges, RecordInChange
from server.history.times import parse_moment
from server.interface.kinds import LABELS, name_kind

_RECORDS = 3
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, tzinfo=UTC)
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")


async def list_changes(graph: Graph, request: ListChanges, caller: Principal) -> Changes:
    """Return a page of the changes of the caller's namespace, newest first.

    Raises `InvalidArgument` where `since` is after `until`, and `NotFound` for an unknown `about`.
    """
    now = datetime.now(UTC)
    since = _FIRST if request.since is None else parse_moment(request.since, "first", now)
    until = _LAST if request.until is None else parse_moment(request.until, "last", now)
    if since > until:
        raise InvalidArgument("since is after until: exchange them, or leave one out.")
    rows = await graph.run(
        "history/changes",
        namespace=caller.namespace,
        since=since,
        until=until,
        by=request.by,
        about=None if request.about is None else await _find_records(graph, request.about, caller),
        labels=None if request.kind is None else list(LABELS[request.kind]),
        offset=request.offset,
        limit=request.limit + 1,
        records=_RECORDS,
    )
    changes = [_to_change(row) for row in rows[: request.limit]]
    return Changes(
        changes=changes,
        next_offset=request.offset + len(changes) if len(rows) > request.limit else None,
        message=None if changes else _explain_nothing(request),
    )


async def _find_records(graph: Graph, name: str, caller: Principal) -> list[str]:
    number = int(name) if _NUMBER.fullmatch(name) else None
    rows = await graph.run(
        "history/find_records", namespace=caller.namespace, name=name, number=number, key=comparison_key(name)
    )
    if not rows:
        raise NotFound(
            f"about: no entity is named {name[:100]!r} and no record has this id; graph_list_entities lists names.",
            {"field": "about"},
        )
    return [row["element"] for row in rows]


def _to_change(row: Row) -> ChangeItem:
    records = [
        RecordInChange(
            kind=(kind := name_kind(each["labels"])), id=None if kind == "entity" else each["id"], name=each["name"]
        )
        for each in row["records"]
    ]
    at = datetime.fromisoformat(row["at"])
    fields: dict[str, Any] = {name: row[name] for name in ("id", "by", "operation", "reason", "undone_by")}
    return ChangeItem(
        **fields, at=format_time(to_milliseconds(at)), records=records, more=row["changed"] - len(records)
    )


def _explain_nothing(request: ListChanges) -> str:
    names = ("since", "until", "by", "about", "kind")
    filters = [name for name in names if getattr(request, name) is not None]
    if request.offset:
        return f"No change at offset {request.offset} or after."
    return f"No change matches; omit {' or '.join(filters)}." if filters else "Nothing was changed here yet."
